#include "duel/policies/seq_eliminate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duel/policies/opt_max.h"
#include "tests/policies/signature.h"
#include "tests/policies/tournament_replay.h"

namespace duel {
namespace {

const RecordedSignature opt_max_signature("opt-max", 0x5496f0eeff8fd0e1);
const RecordedSignature seq_eliminate_signature("seq-eliminate", 0x04bafc740fbe3c8e);

static_assert(Policy<SeqEliminate> && Policy<OptMax>);

// COMPARE2 of the paper: whether the challenger wins.
bool compare(Replay& duel, Arm challenger, Arm anchor, double low, double high, double delta) {
  double r = 0, w = 0;
  const double middle = (low + high) / 2;
  for (;;) {
    w += duel.wins(challenger, anchor) ? 1 : 0;
    r += 1;
    const double p = w / r - 0.5;
    if (std::abs(p - middle) > std::sqrt(std::log(4 * r * r / delta) / (2 * r)) ||
        r == std::floor(2 * std::log(2 / delta) / ((high - low) * (high - low)))) {
      return p > middle;
    }
  }
}

Arm eliminate(Replay& duel, const std::vector<Arm>& order, double epsilon, double delta) {
  Arm anchor = order[0];
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (compare(duel, order[k], anchor, 0, epsilon, delta / static_cast<double>(order.size()))) {
      anchor = order[k];
    }
  }
  return anchor;
}

std::vector<Arm> seq_eliminate_twin(const SeqEliminateOptions& options, std::size_t num_arms,
                                    Replay& duel) {
  std::vector<Arm> order = all_arms(num_arms);
  RoundRng rng = duel.construction();
  shuffle(order, rng);
  return {eliminate(duel, order, options.epsilon, options.delta)};
}

std::vector<Arm> opt_max_twin(const OptMaxOptions& options, std::size_t num_arms, Replay& duel) {
  const auto k = static_cast<double>(num_arms);
  const double epsilon = options.epsilon, delta = options.delta;
  const double n = std::sqrt(6 * k * std::log(k));
  std::vector<Arm> order = all_arms(num_arms);
  RoundRng rng = duel.construction();
  shuffle(order, rng);
  if (delta < 1 / k) return {eliminate(duel, order, epsilon, delta)};
  const double drawn = std::min(k, std::ceil(k / n * std::log(8 / delta)));
  order.resize(static_cast<std::size_t>(drawn));
  const Arm anchor = eliminate(duel, order, epsilon / 3, delta / 8);
  std::vector<Arm> rivals;
  for (Arm arm = 0; arm < num_arms; ++arm) {
    if (arm != anchor) rivals.push_back(arm);
  }
  for (int t = 1; static_cast<double>(rivals.size()) > 2 * n && t < std::log(k) * std::log(k);
       ++t) {
    std::vector<Arm> kept;
    for (const Arm arm : rivals) {
      if (compare(duel, arm, anchor, epsilon / 3, 2 * epsilon / 3,
                  delta / 4 * std::pow(2.0, -1 - t))) {
        kept.push_back(arm);
      }
    }
    rivals = kept;
  }
  for (const Arm arm : rivals) {
    if (!compare(duel, arm, anchor, 2 * epsilon / 3, epsilon, delta / (4 * k))) continue;
    RoundRng draw = duel.after();
    shuffle(rivals, draw);
    return {eliminate(duel, rivals, epsilon, delta / 4)};
  }
  return {anchor};
}

TEST(SeqEliminate, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SeqEliminateOptions options;
    options.epsilon = seed % 3 == 0 ? 0.4 : 0.2;
    options.delta = seed % 2 == 0 ? 0.1 : 0.4;
    expect_replays_as<SeqEliminate>(options, decisive_problem(seed), 5000, seq_eliminate_twin);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// K = 10, epsilon = 0.05, delta = 0.1: a challenger that always wins takes over after 29 duels, one
// that always loses leaves after 23.
TEST(SeqEliminate, decides_sure_matches_as_worked_out_by_hand) {
  SeqEliminateOptions options;
  options.delta = 0.1;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const StoppedRun run = where_lower_index_wins<SeqEliminate>(options, 10, 1'000'000, seed);
    ASSERT_TRUE(run.found);
    EXPECT_EQ(*run.found, std::vector<Arm>{0});
    std::size_t expected = 0;
    for (std::size_t k = 0; k < run.steps.size();) {
      const std::size_t match = run.steps[k].duel.first < run.steps[k].duel.second ? 29 : 23;
      expected += match;
      k += match;
    }
    EXPECT_EQ(run.steps.size(), expected);
  }
}

// 2 ln(2/0.01)/0.05^2 = 4238.7.
TEST(SeqEliminate, ends_an_undecided_match_at_its_cap) {
  const AnchorRule rule{0, 0.05, 0.01};
  Match match;
  match.first_points = 2 * 2169;  // a share of 0.5118, within the radius of the middle 0.525
  match.second_points = 2 * 2068;
  EXPECT_EQ(rule.judge(match), Match::undecided) << match.duels();
  match.second_points += 2;
  EXPECT_EQ(match.duels(), 4238);
  EXPECT_EQ(rule.judge(match), Match::second_wins);
}

// With few arms it is seq-eliminate; at delta >= 1/K anchor, passes and challenges take their
// turns.
TEST(OptMax, makes_the_choices_of_its_literal_twin) {
  int pruned = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    OptMaxOptions options;
    options.epsilon = seed % 3 == 0 ? 0.45 : 0.3;
    options.delta = seed % 4 == 0 ? 0.05 : 0.5;
    // 2 sqrt(6 K ln K) < K - 1 from K = 152 on: then it prunes.
    const bool many = seed % 20 == 0;
    ExplorationProblem problem = many ? easy_problem(200, static_cast<Arm>(seed % 200),
                                                     0.1 + 0.002 * static_cast<double>(seed), seed)
                                      : decisive_problem(seed, 12);
    pruned += many && options.delta >= 1.0 / 200 ? 1 : 0;
    expect_replays_as<OptMax>(options, problem, many ? 400'000 : 5000, opt_max_twin);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(pruned, 0);
}

TEST(OptMax, finds_the_best_of_three_hundred_arms) {
  const StoppedRun run = where_lower_index_wins<OptMax>({}, 300, 10'000'000);
  ASSERT_TRUE(run.found);
  EXPECT_EQ(*run.found, std::vector<Arm>{0});
}

}  // namespace
}  // namespace duel
