#include "duel/policies/parts/beliefs.h"

#include <algorithm>

#include "duel/core/beta.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {
namespace {

// -ln(1 - x) for 0 <= x < 1.
double minus_log_complement(double x) {
  if (x < 0.01) {
    // The term after x^9/9 lies below 2^-56 of the sum.
    double sum = 1.0 / 9;
    for (int k = 8; k >= 1; --k) sum = sum * x + 1.0 / k;
    return x * sum;
  }
  return -natural_log(1.0 - x);
}

}  // namespace

Beliefs::Beliefs(std::size_t num_arms)
    : num_arms_(num_arms),
      underdog_(num_arms * num_arms),
      cost_(num_arms * num_arms),
      row_cost_(num_arms),
      num_favoured_(num_arms) {
  const double even = natural_log(2.0);
  for (std::size_t i = 0; i < num_arms; ++i) {
    for (std::size_t j = 0; j < num_arms; ++j) {
      if (i == j) continue;
      underdog_[i * num_arms + j] = i < j ? 0.5 : -0.5;
      num_favoured_[i] += i < j ? 0 : 1;
      cost_[i * num_arms + j] = even;
      row_cost_[i] += even;
    }
  }
}

std::pair<double, bool> Beliefs::set_shares(Arm i, Arm j, double wins, double losses) {
  // A share may be 0 as a double; its logarithm is still finite and far out of reach.
  constexpr double kLeast = 1e-300;
  const HalfShares shares = beta_half_shares(wins, losses);
  const bool is_underdog = shares.above < shares.below || (shares.above == shares.below && i < j);
  const double smaller = std::max(kLeast, std::min(shares.above, shares.below));
  num_favoured_[i] -= favours(i, j) ? 1 : 0;
  num_favoured_[j] -= favours(j, i) ? 1 : 0;
  ++num_favoured_[is_underdog ? j : i];
  underdog_[i * num_arms_ + j] = is_underdog ? smaller : -smaller;
  underdog_[j * num_arms_ + i] = is_underdog ? -smaller : smaller;
  return {smaller, is_underdog};
}

void Beliefs::refresh(Arm i, Arm j, double wins, double losses) {
  const auto [smaller, is_underdog] = set_shares(i, j, wins, losses);
  const double underdog_cost = -natural_log(smaller);
  const double favourite_cost = minus_log_complement(smaller);
  cost_[i * num_arms_ + j] = is_underdog ? underdog_cost : favourite_cost;
  cost_[j * num_arms_ + i] = is_underdog ? favourite_cost : underdog_cost;
  for (const Arm a : {i, j}) {
    const double* row = &cost_[a * num_arms_];
    double sum = 0;
    for (std::size_t k = 0; k < num_arms_; ++k) sum += row[k];
    row_cost_[a] = sum;
  }
}

std::uint32_t SampledTournament::losses(Arm i, std::uint32_t enough) const {
  // In blocks, so that the flips of a block do not wait for each other.
  constexpr Arm kBlock = 8;
  const auto num_arms = static_cast<Arm>(beliefs_.num_arms());
  std::uint32_t count = 0;
  for (Arm begin = 0; begin < num_arms && count <= enough; begin += kBlock) {
    const Arm end = std::min<Arm>(begin + kBlock, num_arms);
    if (setback_ == nullptr) {
      for (Arm j = begin; j < end; ++j) count += beliefs_.beats(i, j, draws_) ? 0 : 1;
    } else {
      for (Arm j = begin; j < end; ++j) count += j == i || beats(i, j) ? 0 : 1;
    }
  }
  return count;
}

void SampledTournament::count_wins(std::vector<std::uint32_t>& wins) const {
  const auto num_arms = static_cast<Arm>(beliefs_.num_arms());
  std::fill(wins.begin(), wins.end(), 0);
  if (setback_ != nullptr) {
    for (Arm i = 1; i < num_arms; ++i) {
      for (Arm j = 0; j < i; ++j) ++wins[beats(i, j) ? i : j];
    }
    return;
  }
  for (Arm i = 1; i < num_arms; ++i) {
    std::uint32_t won = 0;
    for (Arm j = 0; j < i; ++j) {
      const std::uint32_t wins_pair = beliefs_.beats(i, j, draws_) ? 1 : 0;
      won += wins_pair;
      wins[j] += 1 - wins_pair;
    }
    wins[i] += won;
  }
}

double draw_exponential_below(double below, double u) {
  // Inversion: 1 - exp(-x) = u (1 - exp(-below)). Rounding must not carry it over the end.
  const double x = minus_log_complement(u * complement_of_exponential(below));
  return std::min(x, below * (1.0 - 0x1p-52));
}

}  // namespace duel
