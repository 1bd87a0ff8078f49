#include "duel/inference/delta_ab.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/core/rng.h"
#include "duel/inference/special_functions.h"

namespace duel {
namespace {

constexpr std::size_t kMostBlocks = 10'000;

double value_of(double net, double answers) { return answers > 0 ? 0.5 * net / answers : 0; }

double net_of(const ClusterOutcomes& cluster) {
  return static_cast<double>(cluster.wins) - static_cast<double>(cluster.losses);
}

}  // namespace

std::optional<double> DeltaAb::design_effect() const {
  if (!independent_error || !clustered_error || !(*independent_error > 0)) return std::nullopt;
  const double ratio = *clustered_error / *independent_error;
  return ratio * ratio;
}

double sign_test(std::uint64_t wins, std::uint64_t losses) {
  const std::uint64_t more = std::max(wins, losses), trials = wins + losses;
  if (2 * more == trials) return 1;
  return std::min(1.0, 2 * fair_coin_tail(more, trials));
}

DeltaAb delta_ab(std::span<const ClusterOutcomes> all, const DeltaOptions& options) {
  DeltaAb result;
  std::vector<ClusterOutcomes> clusters;
  std::uint64_t for_first = 0, for_second = 0;
  for (const ClusterOutcomes& cluster : all) {
    if (cluster.answers() == 0) continue;
    clusters.push_back(cluster);
    result.wins += cluster.wins;
    result.losses += cluster.losses;
    result.ties += cluster.ties;
    for_first += cluster.wins > cluster.losses ? 1 : 0;
    for_second += cluster.wins < cluster.losses ? 1 : 0;
  }
  result.clusters = clusters.size();
  const auto answers = static_cast<double>(result.wins + result.losses + result.ties);
  const double net = static_cast<double>(result.wins) - static_cast<double>(result.losses);
  result.value = value_of(net, answers);
  result.sign_test = sign_test(result.wins, result.losses);
  result.cluster_sign_test = sign_test(for_first, for_second);
  if (answers >= 2) {
    // Answers worth 1/2, 0 and -1/2.
    const double decided = static_cast<double>(result.wins + result.losses) / answers;
    const double variance = std::max(0.0, decided / 4 - result.value * result.value);
    result.independent_error = std::sqrt(variance / (answers - 1));
  }
  const std::size_t count = clusters.size();
  if (count < 2) return result;

  // A ratio of two sums over clusters: its error is that of the residuals net/2 - value x answers.
  double squares = 0;
  for (const ClusterOutcomes& cluster : clusters) {
    const double residual = 0.5 * net_of(cluster) - result.value * cluster.answers();
    squares += residual * residual;
  }
  const auto g = static_cast<double>(count);
  result.clustered_error = std::sqrt(squares * g / (g - 1)) / answers;

  if (options.resamples < 2) return result;
  // Clusters that are independent stay so in blocks. Many thousand blocks say as much as millions.
  struct Block {
    std::int64_t net = 0, answers = 0;
  };
  std::vector<Block> blocks(std::min(count, kMostBlocks));
  for (std::size_t k = 0; k < count; ++k) {
    Block& block = blocks[k % blocks.size()];
    block.net += std::int64_t{clusters[k].wins} - std::int64_t{clusters[k].losses};
    block.answers += clusters[k].answers();
  }
  std::vector<double> values;
  values.reserve(options.resamples);
  const Stream stream(options.seed, 0, Purpose::generate, "delta_ab");
  for (std::uint32_t r = 0; r < options.resamples; ++r) {
    RoundRng rng = stream.at(r);
    std::int64_t drawn_net = 0, drawn_answers = 0;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const Block& block = blocks[static_cast<std::size_t>(rng.below(blocks.size()))];
      drawn_net += block.net;
      drawn_answers += block.answers;
    }
    values.push_back(value_of(static_cast<double>(drawn_net), static_cast<double>(drawn_answers)));
  }
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::lround(share * last))];
  };
  result.bootstrap = Interval{at(options.delta / 2), at(1 - options.delta / 2)};
  return result;
}

}  // namespace duel
