#include "duel/policies/batch_halving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "duel/policies/parts/arms.h"
#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature batch_halving_signature("batch-halving", 0x0bcc723c3a5518a7);

static_assert(Policy<BatchHalving> && JumpingPolicy<BatchHalving>);

BatchHalvingOptions options_of(std::uint64_t horizon, std::uint64_t batches, double share) {
  BatchHalvingOptions options;
  options.horizon = horizon;
  options.batches = batches;
  options.share = share;
  return options;
}

// A batch is a list of pairs, and at its end the arms that stay are picked one after the other.
class HalvingTwin {
 public:
  HalvingTwin(const BatchHalvingOptions& options, std::size_t num_arms)
      : options_(options), k_(num_arms), points_(num_arms, std::vector<int>(num_arms)) {
    for (Arm i = 0; i < k_; ++i) left_.push_back(i);
    if (k_ > 1) begin_batch();
  }

  Duel next(Round round, RoundRng /*rng*/) const {
    if (left_.size() == 1) return {left_[0], left_[0], round};
    return {batch_.front().first, batch_.front().second, round};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (left_.size() == 1) return;
    const auto points = points_of(outcome, options_.ties, rng);
    if (!points) return;
    points_[duel.first][duel.second] += static_cast<int>(points->first);
    points_[duel.second][duel.first] += static_cast<int>(points->second);
    batch_.erase(batch_.begin());
    if (!batch_.empty()) return;
    const std::size_t stay = size_of(batch_number_ + 1);
    auto order = left_;
    if (!options_.deterministic_ties) shuffle(order, rng);
    std::vector<Arm> staying;
    while (staying.size() < stay) {
      auto best = order.begin();
      for (auto one = order.begin(); one != order.end(); ++one) {
        if (standing(*one) > standing(*best)) best = one;
      }
      staying.push_back(*best);
      order.erase(best);
    }
    std::sort(staying.begin(), staying.end());
    left_ = staying;
    if (left_.size() > 1) begin_batch();
  }

 private:
  // ceil(K^(1 - (r - 1)/B)), and at least two before the last batch is over.
  std::size_t size_of(std::uint64_t r) const {
    if (r > options_.batches) return 1;
    const double exponent = 1 - static_cast<double>(r - 1) / static_cast<double>(options_.batches);
    const double size = std::pow(static_cast<double>(k_), exponent);
    return std::max<std::size_t>(2, static_cast<std::size_t>(std::ceil(size - 1e-9)));
  }
  void begin_batch() {
    ++batch_number_;
    const double budget = options_.share * static_cast<double>(options_.horizon) /
                          static_cast<double>(options_.batches);
    const auto arms = static_cast<double>(left_.size());
    const int times = std::max(1, static_cast<int>(budget / (arms * (arms - 1) / 2)));
    for (int time = 0; time < times; ++time) {
      for (const Arm i : left_) {
        for (const Arm j : left_) {
          if (i < j) batch_.emplace_back(i, j);
        }
      }
    }
  }
  // Others beaten (a draw is half of one), then wins; both twice.
  std::pair<int, int> standing(Arm i) const {
    int beaten = 0, wins = 0;
    for (const Arm j : left_) {
      if (i == j) continue;
      const int mine = points_[i][j], theirs = points_[j][i];
      beaten += mine > theirs ? 2 : mine == theirs ? 1 : 0;
      wins += mine;
    }
    return {beaten, wins};
  }

  BatchHalvingOptions options_;
  std::size_t k_;
  std::vector<std::vector<int>> points_;
  std::vector<Arm> left_;
  std::vector<std::pair<Arm, Arm>> batch_;
  std::uint64_t batch_number_ = 0;
};

TEST(BatchHalving, is_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    BatchHalvingOptions options =
        options_of(2000, 1 + seed % 4, 0.05 + 0.1 * static_cast<double>(seed % 5));
    options.ties = static_cast<Ties>(seed % 3);
    options.deterministic_ties = seed % 7 == 0;
    expect_same_choices_as_twin<BatchHalving>(options, 1 + seed % 9, seed, 2000,
                                              [](const BatchHalvingOptions& given, std::size_t k,
                                                 RoundRng) { return HalvingTwin(given, k); });
  }
}

// K = 27, B = 3, 3510 duels: 27 arms with 351 pairs, then 9 with 36, then 3 with 3. A third of the
// duels, 1170, are 3, 32 and 390 of each pair.
TEST(BatchHalving, has_the_schedule_worked_out_by_hand) {
  const BatchHalvingExplorer explorer(options_of(35'100, 3, 0.1), 27, RoundRng(1, 0, 0));
  EXPECT_EQ(explorer.arms_of_batch(1), 27U);
  EXPECT_EQ(explorer.arms_of_batch(2), 9U);
  EXPECT_EQ(explorer.arms_of_batch(3), 3U);
  EXPECT_EQ(explorer.arms_of_batch(4), 1U);
  EXPECT_EQ(explorer.duels_until(1), 3U);
  EXPECT_EQ(explorer.duels_until(2), 3U + 32U);
  EXPECT_EQ(explorer.duels_until(3), 3U + 32U + 390U);
}

TEST(BatchHalving, asks_what_it_says_and_ends_with_one_arm) {
  const PreferenceMatrix matrix = resolve_matrix("arithmetic(k=9,step=0.05)").value();
  const Recording recording =
      record_trial<BatchHalving>(options_of(20'000, 2, 0.2), matrix, 5, 0, 20'000, true);
  std::map<std::pair<Arm, Arm>, int> met;
  std::size_t informative = 0;
  for (const PlayedPair& pair : recording.pairs) {
    if (pair.first == pair.second) continue;
    ++informative;
    ++met[std::minmax(pair.first, pair.second)];
  }
  // 2000 of 36 pairs are 55, then 2000 of 3 pairs 666.
  EXPECT_EQ(informative, 36U * 55 + 3 * 666);
  int often = 0;
  for (const auto& [pair, times] : met) often += times == 55 + 666 ? 1 : 0;
  EXPECT_EQ(often, 3);
  EXPECT_EQ(recording.pairs.back(), (PlayedPair{0, 0}));
}

// At most sum_r |A_r| exp(-2 n_r D^2): here D = .1, 16 exp(-2 n_1 .01) + 4 exp(-2 n_2 .01).
TEST(BatchHalving, is_wrong_no_more_often_than_it_says) {
  const PreferenceMatrix matrix = resolve_matrix("arithmetic(k=16,step=0.1)").value();
  const BatchHalvingOptions options = options_of(200'000, 2, 0.5);
  const BatchHalvingExplorer explorer(options, 16, RoundRng(1, 0, 0));
  const double bound = 16 * std::exp(-0.02 * static_cast<double>(explorer.duels_until(1))) +
                       4 * std::exp(-0.02 * static_cast<double>(explorer.duels_until(2)));
  ASSERT_LT(bound, 0.01);
  int wrong = 0;
  for (std::uint32_t trial = 0; trial < 50; ++trial) {
    const Recording recording =
        record_trial<BatchHalving>(options, matrix, 7, trial, 200'000, true);
    wrong += recording.pairs.back() == PlayedPair{0, 0} ? 0 : 1;
  }
  // 50 runs of .01 have more than 5 with probability 1e-5.
  EXPECT_LE(wrong, 5);
}

TEST(BatchHalving, jumping_changes_nothing) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const PreferenceMatrix matrix = random_matrix(1 + seed % 8, seed);
    const BatchHalvingOptions options = options_of(3000, 1 + seed % 4, 0.3);
    EXPECT_EQ(record_trial<BatchHalving>(options, matrix, seed, 0, 3000, true).pairs,
              record_trial<BatchHalving>(options, matrix, seed, 0, 3000, false).pairs);
  }
}

}  // namespace
}  // namespace duel
