#include "duel/truth/regret.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "duel/core/spelling.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

// In the order of RegretNotion.
constexpr std::array<std::string_view, 9> kNotionNames = {
    "average",     "strong",  "weak",           "copeland",    "borda",
    "von-neumann", "utility", "utility-strong", "utility-weak"};

bool needs_condorcet_winner(RegretNotion notion) {
  return notion == RegretNotion::average || notion == RegretNotion::strong ||
         notion == RegretNotion::weak;
}

bool needs_utilities(RegretNotion notion) {
  return notion == RegretNotion::utility || notion == RegretNotion::utility_strong ||
         notion == RegretNotion::utility_weak;
}

// Those that one arm of a duel decides: the better one, or the worse one.
bool is_weak(RegretNotion notion) {
  return notion == RegretNotion::weak || notion == RegretNotion::utility_weak;
}
bool is_of_the_worse(RegretNotion notion) { return notion == RegretNotion::utility_strong; }

// What one appearance of each arm costs: a duel of i and j costs cost[i] + cost[j], except under
// weak regret, where it costs the smaller of the two, and where the worse arm counts, the larger.
std::vector<double> costs_against_winner(RegretNotion notion, std::vector<double> costs) {
  if (notion == RegretNotion::average || notion == RegretNotion::utility) {
    for (double& cost : costs) cost /= 2;
  }
  return costs;
}

std::vector<double> half_shortfalls(const std::vector<double>& scores) {
  const double best = *std::max_element(scores.begin(), scores.end());
  std::vector<double> costs;
  for (const double score : scores) costs.push_back((best - score) / 2);
  return costs;
}

std::vector<double> normalised_copeland(const PreferenceMatrix& matrix) {
  const CopelandScores copeland = copeland_scores(matrix);
  std::vector<double> scores;
  for (Arm i = 0; i < matrix.num_arms(); ++i) scores.push_back(copeland.normalised(i));
  return scores;
}

double weighted_sum(const std::vector<std::uint64_t>& counts, const double* costs) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) sum += static_cast<double>(counts[i]) * costs[i];
  return sum;
}

}  // namespace

std::string to_string(RegretNotion notion) {
  return std::string(kNotionNames[static_cast<std::size_t>(notion)]);
}

Result<RegretNotion> parse_regret_notion(std::string_view text) {
  const auto found = std::ranges::find(kNotionNames, text);
  if (found != kNotionNames.end()) return static_cast<RegretNotion>(found - kNotionNames.begin());
  return Error::invalid_argument(fmt::format("unknown regret notion '{}'", text))
      .with_hint(spelling_hint(text, regret_notion_names()));
}

std::vector<std::string> regret_notion_names() {
  return {kNotionNames.begin(), kNotionNames.end()};
}

Result<RegretMeter> RegretMeter::create(RegretNotion notion, const PreferenceMatrix& matrix) {
  if (needs_utilities(notion)) {
    return Error::unsupported(fmt::format("{} regret needs utilities of the arms, and matrix '{}' "
                                          "has none",
                                          to_string(notion), matrix.name()))
        .with_hint("linear(..), table(..) and strengths(..) have them");
  }
  RegretMeter meter;
  meter.notion_ = notion;
  meter.num_arms_ = matrix.num_arms();
  if (needs_condorcet_winner(notion)) {
    const auto winner = condorcet_winner(matrix);
    if (!winner) {
      return Error::unsupported(
                 fmt::format("{} regret needs a Condorcet winner, and matrix '{}' has none",
                             to_string(notion), matrix.name()))
          .with_hint("copeland and borda regret need none");
    }
    meter.per_arm_ = costs_against_winner(notion, gaps_to_winner(matrix, *winner));
  } else if (notion == RegretNotion::copeland) {
    meter.per_arm_ = half_shortfalls(normalised_copeland(matrix));
  } else if (notion == RegretNotion::borda) {
    meter.per_arm_ = half_shortfalls(borda_scores(matrix).scores);
  } else {
    for (Arm k = 0; k < matrix.num_arms(); ++k) {
      for (const double p : matrix.row(k)) meter.edge_.push_back(p - 0.5);
    }
  }
  return meter;
}

Result<RegretMeter> RegretMeter::create(RegretNotion notion, std::vector<double> gaps_to_winner,
                                        std::vector<double> utility_gaps) {
  if (!needs_condorcet_winner(notion) && !needs_utilities(notion)) {
    return Error::unsupported(
               fmt::format("{} regret needs the numbers of all pairs", to_string(notion)))
        .with_hint("average, strong, weak and utility regret need the winner's alone");
  }
  RegretMeter meter;
  meter.notion_ = notion;
  meter.num_arms_ = gaps_to_winner.size();
  meter.per_arm_ = costs_against_winner(
      notion, std::move(needs_utilities(notion) ? utility_gaps : gaps_to_winner));
  return meter;
}

double RegretMeter::total(const PlayTally& tally) const {
  if (is_weak(notion_)) return weighted_sum(tally.better, per_arm_.data());
  if (is_of_the_worse(notion_)) {
    return weighted_sum(tally.plays, per_arm_.data()) - weighted_sum(tally.better, per_arm_.data());
  }
  if (notion_ != RegretNotion::von_neumann) return weighted_sum(tally.plays, per_arm_.data());
  double most = 0;  // never negative: the average over what was played is 0
  for (std::size_t k = 0; k < num_arms_; ++k) {
    most = std::max(most, weighted_sum(tally.plays, edge_.data() + k * num_arms_) / 2);
  }
  return most;
}

double RegretMeter::of_duel(Arm i, Arm j) const {
  if (is_weak(notion_)) return std::min(per_arm_[i], per_arm_[j]);
  if (is_of_the_worse(notion_)) return std::max(per_arm_[i], per_arm_[j]);
  if (notion_ != RegretNotion::von_neumann) return per_arm_[i] + per_arm_[j];
  double most = 0;
  for (std::size_t k = 0; k < num_arms_; ++k) {
    most = std::max(most, (edge_[k * num_arms_ + i] + edge_[k * num_arms_ + j]) / 2);
  }
  return most;
}

}  // namespace duel
