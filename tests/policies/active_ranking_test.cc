#include "duel/policies/active_ranking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "duel/policies/parts/arms.h"
#include "tests/policies/signature.h"
#include "tests/policies/tournament_replay.h"

namespace duel {
namespace {

const RecordedSignature active_ranking_signature("active-ranking", 0x1011f40ef165ca16);

static_assert(Policy<ActiveRanking>);

std::vector<Arm> active_ranking_twin(const ActiveRankingOptions& options, std::size_t num_arms,
                                     Replay& duel) {
  const auto k = static_cast<double>(num_arms);
  std::vector<Arm> undecided = all_arms(num_arms), top;
  std::vector<double> wins(num_arms), duels(num_arms);
  const auto share = [&](Arm i) { return wins[i] / duels[i]; };
  std::size_t places = std::min<std::size_t>(options.k, num_arms);
  const auto sorted = [&](std::vector<Arm> arms) {
    std::stable_sort(arms.begin(), arms.end(), [&](Arm a, Arm b) { return share(a) > share(b); });
    return arms;
  };
  if (places == num_arms) return undecided;
  for (double t = 1;; ++t) {
    for (const Arm i : undecided) {
      RoundRng rng = duel.before();
      const Points points = duel(i, draw_other(i, num_arms, rng));
      wins[i] += 0.5 * points.first;
      duels[i] += 1;
    }
    const double log_k = std::log(k / options.delta);
    const double beta = log_k + 0.75 * std::log(log_k) + 1.5 * std::log(1 + std::log(t / 2));
    const double bar = options.margin * std::sqrt(std::max(0.0, beta) / (2 * t));
    const std::vector<Arm> order = sorted(undecided);
    undecided.clear();
    std::size_t up = 0;
    for (const Arm i : order) {
      if (share(i) - share(order[places]) > bar) {
        top.push_back(i);
        ++up;
      } else if (!(share(order[places - 1]) - share(i) > bar)) {
        undecided.push_back(i);
      }
    }
    places -= up;
    if (places == 0) return sorted(top);
    if (undecided.size() == places) {
      top.insert(top.end(), undecided.begin(), undecided.end());
      return sorted(top);
    }
    std::sort(undecided.begin(), undecided.end());
  }
}

// No answer is lost here: the twin cannot see which duel went unanswered.
TEST(ActiveRanking, makes_the_choices_of_its_literal_twin) {
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    ActiveRankingOptions options;
    options.k = 1 + seed % 3;
    options.delta = seed % 2 == 0 ? 0.1 : 0.6;
    options.margin = seed % 5 == 0 ? 0.3 : 2;
    ExplorationProblem problem = decisive_problem(seed);
    problem.lost_rate = 0;
    expect_replays_as<ActiveRanking>(options, problem, 5000, active_ranking_twin);
    if (testing::Test::HasFatalFailure()) return;
    ended += play_until_found<ActiveRanking>(options, problem, 5000).found ? 1 : 0;
  }
  EXPECT_GT(ended, 100);
}

TEST(ActiveRanking, has_the_radii_worked_out_by_hand) {
  EXPECT_NEAR(active_ranking_radius(10, 0.1, 10), 0.5996, 5e-5);
  EXPECT_NEAR(active_ranking_radius(10, 0.1, 100), 0.2017, 5e-5);
  EXPECT_NEAR(active_ranking_radius(10, 0.1, 1000), 0.0660, 5e-5);
}

// Shares differ by at most 1, and 2 a_14 > 1 > 2 a_15: the best arm of ten is not known before.
TEST(ActiveRanking, decides_nothing_before_the_fifteenth_sweep) {
  EXPECT_GT(2 * active_ranking_radius(10, 0.1, 14), 1);
  EXPECT_LT(2 * active_ranking_radius(10, 0.1, 15), 1);
  EXPECT_LT(4 * active_ranking_radius(10, 0.1, 64), 1);
  EXPECT_GT(4 * active_ranking_radius(10, 0.1, 63), 1);
}

TEST(ActiveRanking, finds_the_top_three_in_their_order) {
  ActiveRankingOptions options;
  options.k = 3;
  const StoppedRun run = where_lower_index_wins<ActiveRanking>(options, 8);
  EXPECT_EQ(run.found, (std::vector<Arm>{0, 1, 2}));
}

}  // namespace
}  // namespace duel
