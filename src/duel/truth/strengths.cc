#include "duel/truth/strengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/core/options.h"
#include "duel/core/rng.h"
#include "duel/truth/arena.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

struct StrengthOptions {
  std::uint64_t k = 10'000;
  std::uint64_t seed = 1;
  double spread = 1;
};

OptionTable<StrengthOptions> option_table() {
  OptionTable<StrengthOptions> table;
  table.count("k", &StrengthOptions::k, 2, Strengths::kMostArms, "number of arms", Shown::always);
  table.count("seed", &StrengthOptions::seed, 0, (std::uint64_t{1} << 63) - 1,
              "seed of the random numbers", Shown::always);
  table.number("spread", &StrengthOptions::spread, {.above = 0, .most = 1000},
               "standard deviation of the log-strengths u_i", Shown::always);
  return table;
}

}  // namespace

std::vector<double> normal_utilities(std::uint64_t count, std::uint64_t seed, double spread,
                                     std::string_view owner) {
  const Stream stream(seed, 0, Purpose::generate, owner);
  std::vector<double> utilities;
  utilities.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) utilities.push_back(spread * stream.at(i).normal());
  return utilities;
}

Result<std::shared_ptr<const Strengths>> Strengths::create(const CallSpec& call) {
  const auto table = option_table();
  DUEL_ASSIGN(const StrengthOptions options, table.parse(call, {}, "matrix"));
  return of(table.canonical(kName, options),
            normal_utilities(options.k, options.seed, options.spread, "bradley-terry"));
}

Result<std::shared_ptr<const Strengths>> Strengths::of(std::string name,
                                                       std::vector<double> utilities) {
  Strengths made(std::move(name), std::move(utilities));
  const auto& u = made.utilities_;
  made.winner_ = static_cast<Arm>(std::max_element(u.begin(), u.end()) - u.begin());
  for (Arm j = 0; j < made.num_arms(); ++j) {
    if (j == made.winner_ || made.chance(made.winner_, j) > 0.5) continue;
    return Error::unsupported(
        fmt::format("{} and {} are equally strong", made.arm_name(made.winner_), made.arm_name(j)),
        made.name_, "take another seed or a larger spread");
  }
  return std::make_shared<const Strengths>(std::move(made));
}

std::string Strengths::arm_name(Arm arm) const { return fmt::format("a{}", arm + 1); }

double Strengths::chance(Arm i, Arm j) const {
  if (i == j) return 0.5;
  const auto upper = [&](Arm low, Arm high) {
    return 1 / (1 + std::exp(utilities_[high] - utilities_[low]));
  };
  // As a PreferenceMatrix: the number is that of the lower arm, and the other is what is left to 1.
  return i < j ? upper(i, j) : 1 - upper(j, i);
}

std::vector<double> Strengths::gaps_to_winner() const {
  std::vector<double> gaps;
  for (Arm j = 0; j < num_arms(); ++j) gaps.push_back(chance(winner_, j) - 0.5);
  return gaps;
}

std::vector<double> Strengths::utility_gaps() const {
  std::vector<double> gaps;
  for (const double utility : utilities_) gaps.push_back(utilities_[winner_] - utility);
  return gaps;
}

std::vector<std::uint32_t> Strengths::merit_ranks() const { return ranks_by_gap(gaps_to_winner()); }

std::unique_ptr<OutcomeSource> Strengths::outcomes(std::uint64_t seed, std::uint32_t trial) const {
  // The rule of TrialArena::meet.
  const auto answer = [this, outcomes = OutcomeStream(seed, trial)](Arm low, Arm high,
                                                                    std::uint32_t meeting) {
    const std::uint64_t draw = outcomes.draw(low, high, meeting);
    return static_cast<double>(draw) < chance(low, high) * 0x1p53 ? Outcome::first_wins
                                                                  : Outcome::second_wins;
  };
  return std::make_unique<AnsweredBy<decltype(answer)>>(answer);
}

}  // namespace duel
