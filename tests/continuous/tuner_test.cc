#include "duel/continuous/tuner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "duel/continuous/kernel_belief.h"
#include "duel/continuous/spread_points.h"
#include "duel/continuous/tuning_problem.h"

namespace duel {
namespace {

using Numbers = std::vector<double>;

SpacePtr space_of(const char* text) {
  return std::make_shared<const Space>(Space::from_json(Json::parse(text).value()).value());
}
SpacePtr plane() {
  return space_of(R"({"a": {"low": 0, "high": 1, "default": 0.5},
                      "b": {"low": 1, "high": 100, "scale": "log", "default": 10}})");
}
// Few points: 11 by 3.
SpacePtr grid() {
  return space_of(R"({"a": {"low": 0, "high": 1, "step": 0.1, "default": 0.5},
                      "b": {"low": 0, "high": 2, "step": 1, "default": 1}})");
}

std::unique_ptr<Tuner> made(const std::string& text, const SpacePtr& space,
                            std::uint64_t seed = 1) {
  return configure_tuner(text, space->size(), 200).value()->make({space, 200, seed, 0});
}

std::vector<std::string> names() { return tuner_catalogue().names(); }

Outcome outcome_of(RoundRng& rng) {
  constexpr Outcome kAll[] = {Outcome::first_wins, Outcome::second_wins, Outcome::tie,
                              Outcome::both_bad,   Outcome::skip,        Outcome::none};
  return kAll[rng.below(6)];
}

TEST(Tuner, lists_its_kinds_with_their_facts) {
  EXPECT_EQ(names(), (std::vector<std::string>{"dbgd", "halving", "kernel-ts", "random"}));
  for (const TunerKind& kind : tuner_catalogue()) {
    for (const std::string* text : {&kind.facts.title, &kind.facts.paper, &kind.facts.setting,
                                    &kind.facts.departs, &kind.facts.status}) {
      EXPECT_FALSE(text->empty()) << kind.facts.name;
    }
  }
}

TEST(Tuner, writes_names_that_read_back) {
  for (const char* text : {"auto", "kernel-ts(length=0.5,features=64)", "dbgd(delta=0.1)",
                           "halving(horizon=400)", "random(trust=0)"}) {
    const auto once = configure_tuner(text, 3, 500).value();
    const auto again = configure_tuner(once->canonical(), 3, 77).value();
    EXPECT_EQ(once->canonical(), again->canonical());
  }
  EXPECT_EQ(configure_tuner("auto", 8, 0).value()->canonical(), "kernel-ts");
  EXPECT_EQ(configure_tuner("auto", 9, 0).value()->canonical(), "dbgd(delta=0.3,gamma=0.02)");
}

TEST(Tuner, says_what_is_wrong_with_its_name) {
  EXPECT_NE(
      configure_tuner("kernl-ts", 2, 100).error().to_string().find("did you mean 'kernel-ts'?"),
      std::string::npos);
  EXPECT_NE(configure_tuner("halving", 2, 0).error().to_string().find("at least 12"),
            std::string::npos);
  EXPECT_FALSE(configure_tuner("kernel-ts(length=0)", 2, 100).ok());
}

// Conformance: whatever is registered.
TEST(Tuner, asks_two_different_points_of_the_space) {
  for (const std::string& name : names()) {
    for (const SpacePtr& space : {plane(), grid()}) {
      const auto tuner = made(name, space);
      RoundRng rng = Stream(9, 0, Purpose::test).at(1);
      for (int n = 0; n < 150; ++n) {
        const PointPair pair = tuner->ask();
        EXPECT_NE(pair.first, pair.second) << name;
        EXPECT_NE(space->values(pair.first), space->values(pair.second)) << name;
        for (const Numbers& point : {pair.first, pair.second}) {
          for (const double x : point) EXPECT_TRUE(x >= 0 && x <= 1) << name;
          Numbers rounded = point;
          space->round_to_steps(rounded);
          EXPECT_EQ(rounded, point) << name;
        }
        tuner->tell(pair, outcome_of(rng));
      }
    }
  }
}

TEST(Tuner, recommends_the_point_in_use_while_nothing_is_known) {
  for (const std::string& name : names()) {
    const auto tuner = made(name, plane());
    const Numbers in_use = plane()->point(plane()->values_in_use());
    EXPECT_EQ(Numbers(tuner->recommend().begin(), tuner->recommend().end()), in_use) << name;
    for (int n = 0; n < 30; ++n) tuner->tell(tuner->ask(), Outcome::skip);
    EXPECT_EQ(Numbers(tuner->recommend().begin(), tuner->recommend().end()), in_use) << name;
  }
}

TEST(Tuner, is_the_same_run_from_the_same_seed_and_another_from_another) {
  const auto run = [](const std::string& name, std::uint64_t seed) {
    const auto tuner = made(name, plane(), seed);
    RoundRng rng = Stream(10, 0, Purpose::test).at(1);
    std::vector<Numbers> asked;
    for (int n = 0; n < 60; ++n) {
      const PointPair pair = tuner->ask();
      asked.push_back(pair.first);
      asked.push_back(pair.second);
      tuner->tell(pair, outcome_of(rng));
    }
    return asked;
  };
  for (const std::string& name : names()) {
    EXPECT_EQ(run(name, 1), run(name, 1)) << name;
    EXPECT_NE(run(name, 1), run(name, 2)) << name;
  }
}

TEST(Tuner, goes_on_while_many_pairs_are_out_and_answers_come_late_or_never) {
  for (const std::string& name : names()) {
    const auto tuner = made(name, grid());
    RoundRng rng = Stream(11, 0, Purpose::test).at(1);
    std::vector<PointPair> out;
    for (int n = 0; n < 200; ++n) {
      out.push_back(tuner->ask());
      if (out.size() < 12) continue;
      const std::size_t one = rng.below(out.size());
      if (rng.below(4) > 0) tuner->tell(out[one], outcome_of(rng));
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(one));
    }
  }
}

// A wrong version, which takes a loss for a win, ends below the point in use.
TEST(Tuner, finds_better_points_of_a_bowl) {
  for (const std::string& name : names()) {
    double worth = 0;
    constexpr int kRuns = 4;
    for (int run = 0; run < kRuns; ++run) {
      const SpacePtr square = space_of(R"({"a": {"low": 0, "high": 1, "default": 0.5},
                                           "b": {"low": 0, "high": 1, "default": 0.5}})");
      const TuningProblem problem(Landscape::bowl, 2, static_cast<std::uint64_t>(run), 0.9);
      const auto tuner = made(name, square, static_cast<std::uint64_t>(run));
      RoundRng rng = Stream(static_cast<std::uint64_t>(run), 0, Purpose::outcome).at(1);
      for (int n = 0; n < 200; ++n) {
        const PointPair pair = tuner->ask();
        const bool first = rng.bernoulli(problem.win_probability(pair.first, pair.second));
        tuner->tell(pair, first ? Outcome::first_wins : Outcome::second_wins);
      }
      worth += problem.beats_in_use(tuner->recommend()) / kRuns;
    }
    // The best point beats the one in use with 0.9; guessing gives less than 0.5 on a bowl.
    EXPECT_GT(worth, 0.75) << name;
  }
}

TEST(KernelBelief, believes_what_it_heard) {
  const SpacePtr line = space_of(R"({"a": {"low": 0, "high": 1, "default": 0.5}})");
  KernelBelief belief({}, {line, 0, 1, 0}, "test");
  const Numbers low = {0.1}, high = {0.9};
  EXPECT_LT(std::abs(belief.belief(low, high)), 1.5);
  for (int n = 0; n < 40; ++n) belief.hear(high, low, Outcome::first_wins);
  EXPECT_GT(belief.belief(high, low), 2);
  EXPECT_EQ(belief.belief(high, low), -belief.belief(low, high));
  EXPECT_GT(belief.recommended()[0], 0.5);
  // Answers that turn round: a fit whose steps are not bounded flies off here.
  for (int n = 0; n < 200; ++n) belief.hear(high, low, Outcome::second_wins);
  EXPECT_LT(belief.belief(high, low), -2);
  EXPECT_GT(belief.belief(high, low), -20);
}

TEST(KernelBelief, holds_its_candidates_in_the_order_of_the_rule) {
  const SpacePtr line = space_of(R"({"a": {"low": 0, "high": 1, "default": 0.5}})");
  KernelBelief belief({}, {line, 0, 1, 0}, "test");
  EXPECT_EQ(belief.num_candidates(), 2 + 256);
  belief.hear(Numbers{0.8}, Numbers{0.2}, Outcome::first_wins);
  EXPECT_EQ(belief.num_candidates(), 2 + 256 + 256);
  EXPECT_EQ(belief.candidate(1), Numbers{0.5});
  // Refits: after each of the first 199 answers, then after every second one.
  std::vector<double> before = belief.candidate(2);
  for (int n = 2; n <= 199; ++n) {
    belief.hear(Numbers{0.8}, Numbers{0.2}, Outcome::tie);
    EXPECT_NE(belief.candidate(2), before);
    before = belief.candidate(2);
  }
  belief.hear(Numbers{0.8}, Numbers{0.2}, Outcome::tie);
  EXPECT_EQ(belief.candidate(2), before);
  belief.hear(Numbers{0.8}, Numbers{0.2}, Outcome::tie);
  EXPECT_NE(belief.candidate(2), before);
}

TEST(SpreadPoints, leave_no_gap) {
  // In one dimension g is the golden ratio, and the first n points of its sequence have no gap
  // above 2.62 / n (three distances, the largest below g^2 / n).
  const SpreadPoints spread(1, Stream(1, 0, Purpose::test).at(1));
  constexpr int kPoints = 256;
  Numbers taken;
  for (int j = 1; j <= kPoints; ++j) taken.push_back(spread.at(static_cast<std::uint64_t>(j))[0]);
  std::sort(taken.begin(), taken.end());
  double gap = taken.front() + 1 - taken.back();
  for (std::size_t k = 1; k < taken.size(); ++k) gap = std::max(gap, taken[k] - taken[k - 1]);
  EXPECT_LT(gap, 2.62 / kPoints);
}

TEST(TuningProblem, has_the_best_point_that_it_promises) {
  for (const Landscape landscape :
       {Landscape::bowl, Landscape::ridge, Landscape::peaks, Landscape::plateau}) {
    for (const std::size_t d : {1, 2, 5}) {
      const TuningProblem problem(landscape, d, 3, 0.7);
      EXPECT_EQ(problem.beats_in_use(Numbers(d, 0.5)), 0.5);
      double best = 0;
      RoundRng rng = Stream(12, 0, Purpose::test).at(d);
      for (int n = 0; n < 20'000; ++n) {
        Numbers point(d);
        for (double& x : point) x = rng.uniform();
        best = std::max(best, problem.beats_in_use(point));
      }
      EXPECT_LE(best, 0.7 + 1e-12);
      EXPECT_GT(best, d == 5 ? 0.6 : 0.69) << to_word(landscape) << " " << d;
    }
  }
  EXPECT_EQ(TuningProblem(Landscape::flat, 2, 1).beats_in_use(Numbers{0.1, 0.9}), 0.5);
  EXPECT_LT(TuningProblem(Landscape::at_best, 2, 1).beats_in_use(Numbers{0.1, 0.9}), 0.5);
}

}  // namespace
}  // namespace duel
