#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/policies/borda_cb.h"
#include "duel/policies/d_exp3.h"
#include "duel/policies/parts/arms.h"
#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature d_exp3_signature("d-exp3", 0xd70b8819c959261e);
const RecordedSignature d_exp3_p_signature("d-exp3-p", 0xd41572602a03010a);
const RecordedSignature borda_cb_signature("borda-cb", 0x5fbe65639bf7d00d);

static_assert(Policy<DExp3> && !JumpingPolicy<DExp3> && Policy<DExp3P>);
static_assert(Policy<BordaCb> && JumpingPolicy<BordaCb>);

RoundRng at(Round t) { return Stream(13, 0, Purpose::choice).at(t); }

// Weights by the C library, all worked out anew each round.
template <class Options>
class ExponentialTwin {
 public:
  ExponentialTwin(const Options& options, std::size_t num_arms) : options_(options), s_(num_arms) {
    const auto k = static_cast<double>(num_arms), t = static_cast<double>(options.horizon);
    eta_ = std::pow(std::log(k) / (t * std::sqrt(k)), 2.0 / 3.0);
    gamma_ = std::min(1.0, std::sqrt(eta_ * k));
    if constexpr (requires { options.delta; }) {
      beta_ = std::sqrt(std::log(k / options.delta) / (k * t));
    }
  }
  Duel next(Round round, RoundRng rng) {
    q_ = q();
    const auto draw = [&] {
      double left = rng.uniform();
      Arm arm = 0;
      for (; arm + 1 < s_.size() && (left -= q_[arm]) >= 0; ++arm) {
      }
      return arm;
    };
    const Arm x = draw(), y = draw();
    return {x, y, round};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    const auto points = points_of(outcome, options_.ties, rng);
    if (!points) return;
    const auto k = static_cast<double>(s_.size());
    s_[duel.first] += points->first / 2.0 / (k * q_[duel.first] * q_[duel.second]);
    for (std::size_t i = 0; i < s_.size(); ++i) s_[i] += beta_ / q_[i];
  }

 private:
  std::vector<double> q() const {
    const double largest = *std::ranges::max_element(s_);
    std::vector<double> q;
    double sum = 0;
    for (const double s : s_) {
      q.push_back(std::exp(eta_ * (s - largest)));
      sum += q.back();
    }
    for (double& one : q) one = (1 - gamma_) * one / sum + gamma_ / static_cast<double>(q.size());
    return q;
  }

  Options options_;
  double eta_ = 0, gamma_ = 0, beta_ = 0;
  std::vector<double> s_, q_;
};

// K = 10, T = 1e5: ln 10/(1e5 sqrt 10) = 7.2814e-6, to the power 2/3 3.7571e-4; gamma is the root
// of ten times that. beta with delta = 0.1: sqrt(ln 100/1e6).
TEST(DExp3, has_the_constants_of_the_paper) {
  DExp3POptions options;
  options.horizon = 100'000;
  const DExp3P policy(options, 10, at(0));
  EXPECT_NEAR(policy.eta(), std::pow(7.28141e-6, 2.0 / 3.0), 1e-9);
  EXPECT_NEAR(policy.gamma(), std::sqrt(10 * policy.eta()), 1e-15);
  EXPECT_NEAR(policy.beta(), std::sqrt(std::log(100.0) / 1e6), 1e-15);
  EXPECT_EQ(DExp3(DExp3Options{}, 10, at(0)).beta(), 0);
}

TEST(DExp3, is_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const std::size_t num_arms = 2 + seed % 6;
    DExp3POptions options;
    options.horizon = 200 * seed;
    options.ties = static_cast<Ties>(seed % 3);
    expect_same_choices_as_twin<DExp3P>(options, num_arms, seed, 1500,
                                        [](const DExp3POptions& given, std::size_t k, RoundRng) {
                                          return ExponentialTwin<DExp3POptions>(given, k);
                                        });
    expect_same_choices_as_twin<DExp3>(options, num_arms, seed, 1500,
                                       [](const DExp3Options& given, std::size_t k, RoundRng) {
                                         return ExponentialTwin<DExp3Options>(given, k);
                                       });
  }
}

// Summed over all pairs that can be drawn and both answers, weighted by their probabilities: the
// mean growth of S_x is the mean of p_xj over all j.
TEST(DExp3, estimates_the_borda_score_without_bias) {
  const PreferenceMatrix matrix = random_matrix(4, 3);
  DExp3Options options;
  options.horizon = 400;
  DExp3 begun(options, 4, at(0));
  for (Round t = 1; t <= 50; ++t) {
    const Duel duel = begun.take(t, at(t));
    begun.observe(duel, messy_outcome(matrix, duel, 1), at(t));
  }
  for (Arm x = 0; x < 4; ++x) {
    double growth = 0, borda = 0;
    for (Arm y = 0; y < 4; ++y) {
      const double q = begun.probability(x) * begun.probability(y);
      DExp3 after = begun;
      after.commit({{x, y, 51}, {q}});
      after.observe({x, y, 51}, Outcome::first_wins, at(51));
      growth += q * matrix(x, y) * (after.score(x) - begun.score(x));
      borda += matrix(x, y) / 4;
    }
    EXPECT_NEAR(growth, borda, 1e-12);
  }
}

// All scores and the width by the C library, compared arm by arm after every answer.
class BordaCbTwin {
 public:
  BordaCbTwin(const BordaCbOptions& options, std::size_t num_arms)
      : options_(options), k_(num_arms), won_(num_arms) {
    if (k_ == 1) found_ = 0;
  }
  Duel next(Round round, RoundRng rng) const {
    if (found_ >= 0) return {static_cast<Arm>(found_), static_cast<Arm>(found_), round};
    const auto first = static_cast<Arm>(rng.below(k_));
    return {first, draw_other(first, k_, rng), round};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    if (found_ >= 0) return;
    const auto points = points_of(outcome, options_.ties, rng);
    if (!points) return;
    won_[duel.first] += 0.5 * points->first;
    ++answers_;
    const auto k = static_cast<double>(k_), t = static_cast<double>(answers_);
    std::vector<double> b;
    for (const double won : won_) b.push_back(k / t * won);
    const double c =
        2 *
        std::sqrt(k / t * std::log(2 * k * static_cast<double>(options_.horizon) / options_.delta));
    for (std::size_t i = 0; i < k_; ++i) {
      bool leads = true;
      for (std::size_t j = 0; j < k_; ++j) leads = leads && (i == j || b[i] - c > b[j] + c);
      if (leads) found_ = static_cast<int>(i);
    }
  }
  int found() const { return found_; }

 private:
  BordaCbOptions options_;
  std::size_t k_;
  std::vector<double> won_;
  int answers_ = 0;
  int found_ = -1;
};

TEST(BordaCb, is_its_literal_twin) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::size_t num_arms = 1 + seed % 4;
    BordaCbOptions options;
    options.horizon = 6001;
    options.delta = 0.9;
    options.ties = static_cast<Ties>(seed % 3);
    const auto make_twin = [](const BordaCbOptions& given, std::size_t k, RoundRng) {
      return BordaCbTwin(given, k);
    };
    expect_same_choices_as_twin<BordaCb>(options, num_arms, seed, 6000, make_twin);
    const PreferenceMatrix matrix = random_matrix(num_arms, seed);
    const auto pairs = record_trial<BordaCb>(options, matrix, seed, 0, 6000, true).pairs;
    if (num_arms > 1 && pairs.back().first == pairs.back().second) ++found;
  }
  EXPECT_GT(found, 4) << "it commits on some of the problems";
}

TEST(BordaCb, width_and_scores_are_as_worked_out_by_hand) {
  BordaCbOptions options;
  options.horizon = 1000;
  options.delta = 0.5;
  BordaCbExplorer explorer(options, 3, at(0));
  RoundRng rng = at(1);
  explorer.answered({0, 1, 1}, {2, 0}, rng);
  explorer.answered({0, 2, 2}, {1, 1}, rng);
  explorer.answered({2, 0, 3}, {0, 2}, rng);
  explorer.answered({1, 0, 4}, {2, 0}, rng);
  // (3/4) of the wins as the first arm.
  EXPECT_DOUBLE_EQ(explorer.score(0), 0.75 * 1.5);
  EXPECT_DOUBLE_EQ(explorer.score(1), 0.75);
  EXPECT_DOUBLE_EQ(explorer.score(2), 0);
  // 2 sqrt((3/4) ln(2 * 3 * 1000/0.5)).
  EXPECT_DOUBLE_EQ(explorer.width(), 2 * std::sqrt(0.75 * std::log(12'000.0)));
}

// Arm 0 wins all its duels, the others are even: the rule is looked at after every answer.
TEST(BordaCb, commits_once_the_lead_exceeds_both_widths) {
  BordaCbOptions options;
  options.horizon = 100'000;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Stream stream(seed, 0, Purpose::choice);
    BordaCb policy(options, 3, stream.at(0));
    std::vector<double> wins(3);
    Round t = 0;
    const double log_term = std::log(2 * 3 * 1e5 / 0.1);
    while (!policy.settled()) {
      ++t;
      const Duel duel = policy.take(t, stream.at(t));
      ASSERT_FALSE(duel.is_self());
      RoundRng rng = stream.at(t);
      const bool first_wins =
          duel.first == 0 || (duel.second != 0 && rng.below(1'000'000) % 2 == 0);
      policy.observe(duel, first_wins ? Outcome::first_wins : Outcome::second_wins, rng);
      wins[duel.first] += first_wins ? 1 : 0;
      const auto n = static_cast<double>(t);
      const double lead = 3 / n * (wins[0] - std::max(wins[1], wins[2]));
      const double width = 2 * std::sqrt(3 / n * log_term);
      ASSERT_EQ(policy.settled(), lead > 2 * width) << "t " << t;
    }
    EXPECT_EQ(policy.recommend(at(0)), 0U);
    EXPECT_TRUE(policy.take(t + 1, stream.at(t + 1)).is_self());
  }
}

}  // namespace
}  // namespace duel
