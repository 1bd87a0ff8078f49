#include "duel/policies/mdb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "duel/policies/imed.h"
#include "duel/policies/parts/arms.h"
#include "tests/policies/signature.h"
#include "tests/policies/wrapped.h"

namespace duel {
namespace {

const RecordedSignature mdb_signature("mdb", 0x775161d8aa0b8ff0);

static_assert(Policy<Mdb> && JumpingPolicy<Mdb>);

// The steps as the paper has them: every window is a list, and its halves are summed each time.
class MdbTwin {
 public:
  MdbTwin(const MdbOptions& options, std::size_t num_arms, RoundRng rng)
      : options_(options),
        design_(mdb_design(options, num_arms)),
        inner_(options.configured->make(rng)) {
    for (Arm i = 0; i < num_arms; ++i) {
      for (Arm j = i + 1; j < num_arms; ++j) pairs_.push_back({i, j});
    }
    shuffle(pairs_, rng);
    windows_.resize(pairs_.size());
  }

  Duel next(Round round, RoundRng rng) {
    const Round s = round - start_;
    const Round r = (s - 1) % design_.block;
    if (r < pairs_.size()) {
      monitored_ = r;
      return {pairs_[r].first, pairs_[r].second, round};
    }
    monitored_ = pairs_.size();
    Duel duel = inner_->select(s, rng);
    inner_->issued(duel, rng);
    duel.round = round;
    return duel;
  }

  void tell(Duel duel, Outcome outcome, RoundRng rng) {
    const Round round = duel.round;
    duel.round -= start_;
    if (monitored_ == pairs_.size()) return inner_->observe(duel, outcome, rng);
    inner_->observe({duel.first, duel.second, 0, true}, outcome, rng);
    const auto points = points_of(outcome, options_.ties, rng);
    if (!points) return;
    std::deque<double>& window = windows_[monitored_];
    window.push_back(0.5 * points->first);
    if (window.size() > design_.window) window.pop_front();
    if (window.size() < design_.window) return;
    double older = 0, newer = 0;
    for (std::size_t k = 0; k < window.size(); ++k) {
      (k < window.size() / 2 ? older : newer) += window[k];
    }
    if (std::abs(newer - older) <= design_.threshold) return;
    ++restarts;
    start_ = round;
    inner_ = options_.configured->make(rng);
    windows_.assign(pairs_.size(), {});
  }

  int restarts = 0;

 private:
  MdbOptions options_;
  MdbDesign design_;
  std::unique_ptr<AnyPolicy> inner_;
  std::vector<std::pair<Arm, Arm>> pairs_;
  std::vector<std::deque<double>> windows_;
  std::size_t monitored_ = 0;
  Round start_ = 0;
};

// T = 1e6, K = 10, M = 10, delta = 0.3: the figures of the specification, worked out by hand.
TEST(Mdb, has_the_constants_of_the_paper) {
  MdbOptions options;
  options.horizon = 1'000'000;
  options.segments = 10;
  options.change = 0.3;
  const MdbDesign design = mdb_design(options, 10);
  EXPECT_NEAR(design.c, 18.6557, 5e-5);
  EXPECT_EQ(design.window, 1660U);
  EXPECT_NEAR(design.threshold, 124.436, 5e-4);
  EXPECT_NEAR(design.gamma, 0.5798, 5e-5);
  EXPECT_EQ(design.block, 77U) << "45 of 77 rounds are monitored";
}

TEST(Mdb, is_its_literal_twin_also_where_preferences_change) {
  int restarts = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::size_t num_arms = 2 + seed % 5;
    auto options = wrapping<MdbOptions>(seed % 2 == 0 ? "rucb" : "dts", num_arms);
    options.horizon = 20 + 10 * seed;
    options.segments = 2;
    options.change = 1;
    options.gamma = 0.3 + 0.1 * static_cast<double>(seed % 8);
    options.ties = static_cast<Ties>(seed % 3);
    const RoundRng rng = Stream(seed, 0, Purpose::choice).at(0);
    Mdb policy(options, num_arms, rng);
    MdbTwin twin(options, num_arms, rng);
    expect_same_choices_under_change(policy, twin, random_matrix(num_arms, seed), seed, 4000);
    EXPECT_EQ(policy.restarts(), static_cast<std::uint64_t>(twin.restarts));
    restarts += twin.restarts;
  }
  EXPECT_GT(restarts, 20) << "the change is noticed in many of the problems";
}

TEST(Mdb, jumps_inside_a_block_change_nothing) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const std::size_t num_arms = 2 + seed % 4;
    auto options = wrapping<MdbOptions>("imed", num_arms);
    options.horizon = 3000;
    options.gamma = 0.02;
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const auto played = record_trial<Mdb>(options, matrix, seed, 0, 3000, false);
    const auto jumped = record_trial<Mdb>(options, matrix, seed, 0, 3000, true);
    ASSERT_EQ(jumped.pairs, played.pairs) << "seed " << seed;
  }
}

TEST(Mdb, monitors_all_rounds_where_gamma_is_one_or_more) {
  auto options = wrapping<MdbOptions>("imed", 4);
  options.horizon = 500;
  ASSERT_GT(mdb_design(options, 4).gamma, 1);
  const auto run = record_trial<Mdb>(options, random_matrix(4, 1), 1, 0, 120, true);
  for (std::size_t t = 6; t < run.pairs.size(); ++t) {
    EXPECT_EQ(run.pairs[t], run.pairs[t % 6]) << "all six pairs in turn";
  }
}

}  // namespace
}  // namespace duel
