#include "duel/policies/sparring_exp3s.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "tests/policies/side_by_side.h"
#include "tests/policies/signature.h"

namespace duel {
namespace {

const RecordedSignature sparring_exp3s_signature("sparring-exp3s", 0x4edbf51d96871c45);

static_assert(Policy<SparringExp3s>);

// Weights as they are, and the probabilities of a round kept until its answer.
class Exp3sTwin {
 public:
  Exp3sTwin(const SparringExp3sOptions& options, std::size_t num_arms)
      : ties_(options.ties), horizon_(static_cast<double>(options.horizon)), k_(num_arms) {
    const auto k = static_cast<double>(num_arms), s = static_cast<double>(options.switches);
    const double e = std::exp(1.0);
    gamma_ = std::min(1.0, std::sqrt(k * (s * std::log(k * horizon_) + e) / ((e - 1) * horizon_)));
    for (auto& player : w_) player.assign(num_arms, 1);
  }
  Duel next(Round round, RoundRng rng) {
    Arm arms[2];
    for (int player = 0; player < 2; ++player) {
      double left = rng.uniform();
      Arm arm = 0;
      while (arm + 1 < k_ && (left -= p(player, arm)) >= 0) ++arm;
      arms[player] = arm;
      drawn_[round][player] = p(player, arm);
    }
    return {arms[0], arms[1], round};
  }
  void tell(const Duel& duel, Outcome outcome, RoundRng rng) {
    const auto points = points_of(outcome, ties_, rng);
    if (!points) return;
    learn(0, duel.first, drawn_[duel.round][0], points->first / 2.0);
    learn(1, duel.second, drawn_[duel.round][1], points->second / 2.0);
  }

 private:
  double p(int player, Arm arm) const {
    double sum = 0;
    for (const double w : w_[player]) sum += w;
    return (1 - gamma_) * w_[player][arm] / sum + gamma_ / static_cast<double>(k_);
  }
  void learn(int player, Arm arm, double p, double reward) {
    const auto k = static_cast<double>(k_);
    w_[player][arm] *= std::exp(gamma_ * reward / (k * p));
    double sum = 0;
    for (const double w : w_[player]) sum += w;
    for (double& w : w_[player]) w += std::exp(1.0) / (horizon_ * k) * sum;
  }

  Ties ties_;
  double horizon_, gamma_;
  std::size_t k_;
  std::vector<double> w_[2];
  std::map<Round, double[2]> drawn_;
};

TEST(SparringExp3s, makes_the_choices_of_its_literal_twin) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SparringExp3sOptions options;
    options.horizon = seed % 2 == 0 ? 100 : 5000;
    options.switches = 1 + seed % 4;
    options.ties = static_cast<Ties>(seed % 3);
    expect_same_choices_as_twin<SparringExp3s>(
        options, 1 + seed % 7, seed, 400,
        [](const auto& given, std::size_t k, RoundRng) { return Exp3sTwin(given, k); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

// K = 10, T = 1e5, S = 5: sqrt(10 (5 ln 1e6 + e)/((e - 1) 1e5)).
TEST(SparringExp3s, has_the_gamma_worked_out_by_hand) {
  SparringExp3sOptions options;
  options.horizon = 100'000;
  options.switches = 5;
  EXPECT_NEAR(SparringExp3s(options, 10, RoundRng(1, 0, 0)).gamma(), 0.06464, 5e-6);
}

TEST(SparringExp3s, keeps_its_weights_at_sum_one) {
  SparringExp3sOptions options;
  options.horizon = 1000;
  const Stream stream(1, 0, Purpose::choice);
  SparringExp3s policy(options, 5, stream.at(0));
  for (Round t = 1; t <= 5000; ++t) {
    policy.observe(policy.take(t, stream.at(t)), Outcome::first_wins, stream.at(t));
  }
  for (std::size_t player = 0; player < 2; ++player) {
    double sum = 0;
    for (Arm arm = 0; arm < 5; ++arm) sum += policy.weight(player, arm);
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

}  // namespace
}  // namespace duel
