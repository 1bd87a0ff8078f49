// Twenty-one even arms and one cause that reaches all pairs: every pair for itself is a sequence of
// fair coins, and yet an arm wins against all others at once far more often than if the pairs were
// independent. The threshold 3/alpha + 1 is not made for that, K/alpha is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "duel/core/logarithm.h"
#include "duel/core/rng.h"
#include "duel/inference/certificate.h"

namespace duel {
namespace {

constexpr std::size_t kArms = 21;
constexpr double kAlpha = 0.05;
constexpr std::uint64_t kAnswers = 200;  // of a pair, at most

using Answers = std::vector<bool>;  // of a pair, from the side of one of its arms

// Whether the evidence of `wins` ever reaches the level.
bool rises(const Answers& wins, double log_level) {
  static const PairEvidence evidence;
  PairEvidence::Maximum best;
  std::uint64_t s = 0, f = 0;
  for (const bool win : wins) {
    ++(win ? s : f);
    if (win && evidence.raise(best, s, f) && best.log_evidence >= log_level) return true;
  }
  return false;
}

// P(fair coins rise to the level), exactly, over the counts that have not risen yet.
double chance_to_rise(double log_level) {
  const PairEvidence evidence;
  std::vector<double> mass = {1.0};  // by wins
  double risen = 0;
  for (std::uint64_t n = 1; n <= kAnswers; ++n) {
    std::vector<double> next(n + 1, 0.0);
    for (std::uint64_t s = 0; s < mass.size(); ++s) {
      next[s] += mass[s] / 2;
      next[s + 1] += mass[s] / 2;
    }
    for (std::uint64_t s = 0; s <= n; ++s) {
      if (next[s] > 0 && evidence.log_evidence(s, n - s) >= log_level) {
        risen += next[s];
        next[s] = 0;
      }
    }
    mass = std::move(next);
  }
  return risen;
}

// The subject of a run. With q the chance that fair coins rise to the level: with probability q for
// each arm, this arm is the subject's favourite, and all its pairs follow one sequence that rises.
// The other pairs have one that rises for neither side. So for a pair i, j: with probability q it
// is a sequence that rises for i, with q one that rises for j, otherwise one that does neither,
// each drawn as fair coins are under that condition. Together that is fair coins.
class Subject {
 public:
  Subject(double log_level, std::uint32_t run)
      : log_level_(log_level), rng_(Stream(41, run, Purpose::test, "subject").at(1)) {
    const double q = chance(log_level);
    const double lot = rng_.uniform();
    if (lot < q * kArms) favourite_ = static_cast<Arm>(lot / q);
    if (favourite_) rising_ = draw([&](const Answers& coins) { return rises(coins, log_level_); });
  }

  static double chance(double log_level) {
    static std::vector<std::pair<double, double>> known;
    for (const auto& [level, chance] : known) {
      if (level == log_level) return chance;
    }
    known.emplace_back(log_level, chance_to_rise(log_level));
    return known.back().second;
  }

  const std::optional<Arm>& favourite() const { return favourite_; }

  // From i's side.
  Answers answers(Arm i, Arm j) {
    if (favourite_ == i) return rising_;
    if (favourite_ == j) return flipped(rising_);
    return draw([&](const Answers& coins) {
      return !rises(coins, log_level_) && !rises(flipped(coins), log_level_);
    });
  }

 private:
  static Answers flipped(Answers answers) {
    answers.flip();
    return answers;
  }
  Answers draw(const std::function<bool(const Answers&)>& wanted) {
    Answers coins(kAnswers);
    do {
      for (std::uint64_t k = 0; k < kAnswers; ++k) coins[k] = rng_.coin();
    } while (!wanted(coins));
    return coins;
  }

  double log_level_;
  RoundRng rng_;
  std::optional<Arm> favourite_;
  Answers rising_;
};

// All pairs in turn, `kAnswers` times; a certificate is false for any arm.
std::uint64_t false_certificates(bool shared_causes, double level, std::uint32_t runs) {
  std::uint64_t count = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    Subject subject(natural_log(level), run);
    Certifier certifier =
        Certifier::make(kArms,
                        {.alpha = kAlpha, .arms_fixed = true, .shared_causes = shared_causes})
            .value();
    for (Arm i = 0; i < kArms; ++i) {
      for (Arm j = i + 1; j < kArms; ++j) {
        for (const bool win : subject.answers(i, j)) {
          certifier.observe({.first = i, .second = j},
                            win ? Outcome::first_wins : Outcome::second_wins);
        }
      }
    }
    count += certifier.winner() ? 1 : 0;
  }
  return count;
}

constexpr std::uint32_t kRuns = 300;

// With a rate of at most alpha the count is at most that of `kRuns` coins of probability alpha;
// four standard deviations above their mean are exceeded with probability 1.3e-4.
double most() { return kAlpha * kRuns + 4 * std::sqrt(kAlpha * (1 - kAlpha) * kRuns); }

TEST(SharedCauses, each_pair_of_the_contrived_subject_is_a_sequence_of_fair_coins) {
  constexpr std::uint32_t kSubjects = 4000;
  const double log_level = natural_log(61.0);
  std::vector<double> wins(kAnswers);
  double twice = 0, rising = 0;
  for (std::uint32_t run = 0; run < kSubjects; ++run) {
    Subject subject(log_level, run);
    const Answers answers = subject.answers(3, 7);
    for (std::uint64_t k = 0; k < kAnswers; ++k) wins[k] += answers[k] ? 1 : 0;
    twice += answers[4] && answers[5] ? 1 : 0;
    rising += rises(answers, log_level) ? 1 : 0;
  }
  const auto near = [&](double count, double p) {
    return std::abs(count - kSubjects * p) <= 5 * std::sqrt(kSubjects * p * (1 - p));
  };
  for (std::uint64_t k = 0; k < kAnswers; ++k) EXPECT_TRUE(near(wins[k], 0.5)) << k;
  EXPECT_TRUE(near(twice, 0.25)) << twice;
  EXPECT_TRUE(near(rising, Subject::chance(log_level))) << rising;
  // No more than Ville's inequality allows; and not much less, although it has 200 answers only.
  EXPECT_LE(Subject::chance(log_level), 1.0 / 61);
  EXPECT_GT(Subject::chance(log_level), 0.4 / 61);
}

TEST(SharedCauses, three_over_alpha_and_one_is_false_more_often_than_alpha) {
  const double expected = kArms * Subject::chance(natural_log(61.0));
  EXPECT_GT(expected, 2 * kAlpha);
  const std::uint64_t count = false_certificates(false, 61, kRuns);
  RecordProperty("count", std::to_string(count));
  EXPECT_GT(static_cast<double>(count), most());
  EXPECT_NEAR(static_cast<double>(count), kRuns * expected,
              5 * std::sqrt(kRuns * expected * (1 - expected)));
}

// Also by the subject that is made for this threshold.
TEST(SharedCauses, arms_over_alpha_is_false_no_more_often_than_alpha) {
  for (const double level : {61.0, kArms / kAlpha}) {
    const std::uint64_t count = false_certificates(true, level, kRuns);
    RecordProperty("level_" + std::to_string(static_cast<int>(level)), std::to_string(count));
    EXPECT_LE(static_cast<double>(count), most()) << level;
  }
}

}  // namespace
}  // namespace duel
