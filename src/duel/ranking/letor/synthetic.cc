#include "duel/ranking/letor/synthetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "duel/core/rng.h"

namespace duel {
namespace {

// Standard deviation 1 and near normal: twelve uniforms less their mean (Irwin and Hall).
double near_normal(RoundRng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += rng.uniform();
  return sum;
}

// Grades by quantiles of merit; equal merits are graded by row, which is as good as any order.
std::vector<Grade> grade_by_quantile(const std::vector<double>& merits, std::size_t num_grades) {
  std::vector<std::size_t> order(merits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return merits[a] != merits[b] ? merits[a] < merits[b] : a < b;
  });
  // The first `ends[g]` documents have grade <= g: n (1 - 2^-(g+1))/(1 - 2^-G), rounded down.
  const auto n = static_cast<double>(merits.size());
  const double whole = 1 - std::ldexp(1.0, -static_cast<int>(num_grades));
  std::vector<Grade> grades(merits.size());
  std::size_t begin = 0;
  for (std::size_t g = 0; g < num_grades; ++g) {
    const double share = (1 - std::ldexp(1.0, -static_cast<int>(g) - 1)) / whole;
    const std::size_t end =
        g + 1 == num_grades ? merits.size() : static_cast<std::size_t>(std::floor(n * share));
    for (; begin < end; ++begin) grades[order[begin]] = static_cast<Grade>(g);
  }
  return grades;
}

}  // namespace

const OptionTable<SyntheticOptions>& synthetic_options() {
  static const OptionTable<SyntheticOptions> table = [] {
    OptionTable<SyntheticOptions> t;
    t.count("queries", &SyntheticOptions::queries, 1, 1'000'000, "queries", Shown::always)
        .count("documents", &SyntheticOptions::documents, 1, 100'000, "documents of each query",
               Shown::always)
        .count("features", &SyntheticOptions::features, 1, 10'000, "features of each document",
               Shown::always)
        .count("grades", &SyntheticOptions::grades, 2, 31, "grades, 0 the worst")
        .number("noise", &SyntheticOptions::noise, {.least = 0, .most = 1e6},
                "what the judges add to the hidden ranker's score, in its standard deviations")
        .count("seed", &SyntheticOptions::seed, 0, (std::uint64_t{1} << 63) - 1, "randomness",
               Shown::always);
    return t;
  }();
  return table;
}

std::vector<double> synthetic_weights(const SyntheticOptions& options) {
  RoundRng rng = Stream(options.seed, 0, Purpose::generate, "synthetic weights").at(0);
  std::vector<double> weights;
  for (std::uint64_t f = 0; f < options.features; ++f) weights.push_back(2 * rng.uniform() - 1);
  return weights;
}

JudgedQueries make_synthetic(const SyntheticOptions& options) {
  const std::vector<double> weights = synthetic_weights(options);
  // A uniform feature has variance 1/12, so w.x has standard deviation |w|/sqrt(12).
  double squares = 0;
  for (const double w : weights) squares += w * w;
  const double scale = squares > 0 ? std::sqrt(12 / squares) : 0;

  const std::size_t rows = options.queries * options.documents;
  FeatureMatrix features(rows, options.features);
  std::vector<double> merits(rows);
  const Stream documents(options.seed, 0, Purpose::generate, "synthetic documents");
  const Stream judges(options.seed, 0, Purpose::generate, "synthetic judges");
  for (std::size_t i = 0; i < rows; ++i) {
    RoundRng rng = documents.at(i);
    double score = 0;
    const auto row = features.row(i);
    for (std::size_t f = 0; f < row.size(); ++f) {
      // 24 bits: exact in a float, so that the hidden ranker sees what a reader of the data sees.
      row[f] = static_cast<float>(rng.bits() >> 40) * 0x1p-24F;
      score += weights[f] * static_cast<double>(row[f]);
    }
    RoundRng judge = judges.at(i);
    merits[i] = score * scale + options.noise * near_normal(judge);
  }

  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint64_t> qids;
  for (std::uint64_t q = 1; q <= options.queries; ++q) {
    qids.push_back(q);
    offsets.push_back(q * options.documents);
  }
  return {std::move(features), grade_by_quantile(merits, options.grades), std::move(offsets),
          std::move(qids)};
}

Result<JudgedQueries> make_synthetic(const CallSpec& call) {
  DUEL_ASSIGN(const SyntheticOptions options,
              synthetic_options().parse(call, SyntheticOptions{}, "data set"));
  constexpr std::uint64_t kMostValues = std::uint64_t{1} << 34;
  if (options.queries * options.documents > kMostValues / options.features) {
    return Error{ErrorCode::invalid_argument,
                 "queries times documents times features is more than 2^34", to_string(call), ""};
  }
  return make_synthetic(options);
}

}  // namespace duel
