#include "duel/policies/pcomp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature pcomp_signature("pcomp", 0x6fb60d84106da4ee);

static_assert(Policy<Pcomp> && JumpingPolicy<Pcomp>);

PcompOptions options_of(std::uint64_t horizon, std::uint64_t batches) {
  PcompOptions options;
  options.horizon = horizon;
  options.batches = batches;
  return options;
}

// The paper's steps in their order: a batch is a list of pairs, and at its end arms are dropped.
class PcompTwin {
 public:
  PcompTwin(const PcompOptions& options, std::size_t num_arms, RoundRng /*rng*/)
      : options_(options), k_(num_arms), wins_(k_ * k_), points_(k_ * k_) {
    for (Arm i = 0; i < k_; ++i) left_.push_back(i);
    begin_batch();
  }

  Duel next(Round round, RoundRng rng) {
    if (left_.size() == 1 || over_) return {leader(rng), leader(rng), round};
    if (++asked_ >= options_.horizon) over_ = true;
    const auto [i, j] = batch_.front();
    return {i, j, round};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (duel.is_self() || left_.size() == 1) return;
    const auto points = points_of(outcome, options_.ties, rng);
    if (points) {
      points_[duel.first * k_ + duel.second] += points->first;
      points_[duel.second * k_ + duel.first] += points->second;
      batch_.erase(batch_.begin());
    }
    if (batch_.empty()) {
      end_batch(rng);
      if (left_.size() > 1) begin_batch();
    }
  }

 private:
  void begin_batch() {
    ++r_;
    const double q = std::pow(static_cast<double>(options_.horizon),
                              1.0 / static_cast<double>(options_.batches));
    const auto times =
        static_cast<std::uint64_t>(std::ceil(std::pow(q, static_cast<double>(r_)) * (1 - 1e-12)));
    n_ += times;
    for (std::uint64_t time = 0; time < times; ++time) {
      for (const Arm i : left_) {
        for (const Arm j : left_) {
          if (i < j) batch_.emplace_back(i, j);
        }
      }
    }
  }
  void end_batch(RoundRng& rng) {
    const auto k = static_cast<double>(k_);
    const double gamma = std::sqrt(std::log(k * k * static_cast<double>(options_.batches) *
                                            static_cast<double>(options_.horizon)) /
                                   (2 * static_cast<double>(n_)));
    std::vector<Arm> stay;
    for (const Arm j : left_) {
      bool beaten = false;
      for (const Arm i : left_) {
        if (i == j) continue;
        const double won = points_[i * k_ + j], lost = points_[j * k_ + i];
        beaten = beaten || won / (won + lost) > 0.5 + gamma;
      }
      if (!beaten) stay.push_back(j);
    }
    if (stay.empty()) {
      std::vector<double> sums;
      for (const Arm i : left_) {
        double sum = 0;
        for (Arm j = 0; j < k_; ++j) sum += points_[i * k_ + j];
        sums.push_back(sum);
      }
      std::vector<Arm> best;
      for (std::size_t x = 0; x < sums.size(); ++x) {
        if (sums[x] == *std::ranges::max_element(sums)) best.push_back(left_[x]);
      }
      stay.push_back(best[best.size() == 1 ? 0 : rng.below(best.size())]);
    }
    left_ = stay;
  }
  Arm leader(RoundRng rng) const {
    if (left_.size() == 1) return left_[0];
    if (settled_.empty()) {
      std::vector<int> beats;
      for (const Arm i : left_) {
        int count = 0;
        for (Arm j = 0; j < k_; ++j) {
          const double won = points_[i * k_ + j], lost = points_[j * k_ + i];
          count += won + lost > 0 && won > lost ? 1 : 0;
        }
        beats.push_back(count);
      }
      std::vector<Arm> best;
      for (std::size_t x = 0; x < beats.size(); ++x) {
        if (beats[x] == *std::ranges::max_element(beats)) best.push_back(left_[x]);
      }
      settled_.push_back(best[best.size() == 1 ? 0 : rng.below(best.size())]);
    }
    return settled_[0];
  }

  PcompOptions options_;
  std::size_t k_;
  std::vector<double> wins_, points_;
  std::vector<Arm> left_;
  std::vector<std::pair<Arm, Arm>> batch_;
  mutable std::vector<Arm> settled_;
  std::uint64_t r_ = 0, n_ = 0, asked_ = 0;
  bool over_ = false;
};

// K = 6, T = 1e5, B = 8: the figures of the specification.
TEST(Pcomp, has_the_batches_and_radii_worked_out_by_hand) {
  const PcompExplorer explorer(options_of(100'000, 8), 6, RoundRng(0, 0, 0));
  const std::vector<std::uint64_t> duels = {5, 18, 75, 317, 1334, 5624};
  const std::vector<double> radii = {1.311, 0.611, 0.296, 0.144, 0.070, 0.034};
  for (std::size_t r = 0; r < duels.size(); ++r) {
    EXPECT_EQ(explorer.duels_of_batch(r + 1), duels[r]);
    EXPECT_NEAR(explorer.radius(r + 1), radii[r], 6e-4) << "batch " << r + 1;
  }
  // q = 10 exactly.
  const PcompExplorer whole(options_of(1'000'000, 6), 4, RoundRng(0, 0, 0));
  EXPECT_EQ(whole.duels_of_batch(1), 10U);
  EXPECT_EQ(whole.duels_of_batch(5), 100'000U);
}

// Long horizons only: what is exploited when time is up is drawn elsewhere.
TEST(Pcomp, is_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t num_arms = 1 + seed % 6;
    const auto options = options_of(4000 + 500 * seed, 2 + seed % 9);
    expect_same_choices_as_twin<Pcomp>(options, num_arms, seed, 4000,
                                       [](const PcompOptions& given, std::size_t k, RoundRng rng) {
                                         return PcompTwin(given, k, rng);
                                       });
  }
}

// Everybody beats the next, all with certainty: after the first batch with a radius below 1/2 all
// would go.
TEST(Pcomp, keeps_the_arm_with_the_most_wins_where_nobody_is_left) {
  Pcomp policy(options_of(100'000, 8), 3, RoundRng(0, 0, 0));
  const Stream stream(1, 0, Purpose::choice);
  for (Round t = 1; !policy.settled() && t < 1000; ++t) {
    const Duel duel = policy.take(t, stream.at(t));
    const bool first_wins = (duel.first + 1) % 3 == duel.second;
    policy.observe(duel, first_wins ? Outcome::first_wins : Outcome::second_wins, stream.at(t));
  }
  EXPECT_TRUE(policy.settled());
  EXPECT_TRUE(policy.explorer().nobody_wins());
  EXPECT_EQ(policy.explored(), 3U * (5 + 18 + 75));
}

// A batch can be asked as a whole: all its answers come after its last duel.
TEST(Pcomp, decides_the_same_where_a_batch_is_answered_at_once) {
  const PreferenceMatrix matrix = random_matrix(4, 2);
  const Stream stream(3, 0, Purpose::choice);
  const auto play = [&](bool together) {
    Pcomp policy(options_of(50'000, 6), 4, RoundRng(0, 0, 0));
    std::vector<std::pair<Duel, Outcome>> unheard;
    std::vector<std::vector<std::uint8_t>> left;
    for (Round t = 1; t <= 3000 && !policy.settled(); ++t) {
      const Duel duel = policy.take(t, stream.at(t));
      unheard.emplace_back(duel, messy_outcome(matrix, duel, 5));
      const std::uint64_t batch = policy.explorer().batch();
      // 6 pairs; the duels of a batch, ties by coin.
      std::uint64_t due = 0;
      for (std::uint64_t r = 1; r <= batch; ++r) due += 6 * policy.explorer().duels_of_batch(r);
      if (together && left.empty() && t < due) continue;
      for (const auto& [asked, outcome] : unheard)
        policy.observe(asked, outcome, stream.at(asked.round));
      unheard.clear();
      if (policy.explorer().batch() != batch) left.push_back(policy.explorer().left());
    }
    return left.empty() ? std::vector<std::uint8_t>() : left.front();
  };
  EXPECT_EQ(play(true), play(false));
  EXPECT_FALSE(play(true).empty());
}

}  // namespace
}  // namespace duel
