#include "duel/ranking/letor/synthetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
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

// Mean 0, standard deviation 1.
double centred_uniform(RoundRng& rng) { return (rng.uniform() - 0.5) * std::sqrt(12.0); }

// The features of a document.
class FeatureDraw {
 public:
  explicit FeatureDraw(const SyntheticOptions& options)
      : own_(std::sqrt(options.own / 12)), factors_(options.factors) {
    if (factors_ == 0) return;
    // By factor, so that a document is a sum of rows.
    const std::vector<double> loadings = synthetic_loadings(options);
    const double common = std::sqrt((1 - options.own) / 12);
    mixture_.resize(loadings.size());
    for (std::size_t f = 0; f < options.features; ++f) {
      for (std::size_t j = 0; j < factors_; ++j) {
        mixture_[j * options.features + f] = common * loadings[f * factors_ + j];
      }
    }
    values_.resize(options.features);
  }

  void operator()(RoundRng& rng, std::span<float> row) {
    if (factors_ == 0) {
      // 24 bits: exact in a float, so that the hidden ranker sees what a reader of the data sees.
      for (float& x : row) x = static_cast<float>(rng.bits() >> 40) * 0x1p-24F;
      return;
    }
    std::fill(values_.begin(), values_.end(), 0.5);
    for (std::size_t j = 0; j < factors_; ++j) {
      const double z = centred_uniform(rng);
      const double* loading = mixture_.data() + j * row.size();
      for (std::size_t f = 0; f < row.size(); ++f) values_[f] += loading[f] * z;
    }
    for (std::size_t f = 0; f < row.size(); ++f) {
      row[f] = static_cast<float>(values_[f] + own_ * centred_uniform(rng));
    }
  }

 private:
  double own_;
  std::size_t factors_;
  std::vector<double> mixture_, values_;
};

// 12 times the variance of w.x over documents: |w|^2 of independent features; else
// (1 - own) sum_j (sum_f w_f c_fj)^2 + own |w|^2.
double twelve_variances(const SyntheticOptions& options, const std::vector<double>& weights) {
  double squares = 0;
  for (const double w : weights) squares += w * w;
  if (options.factors == 0) return squares;
  const std::vector<double> loadings = synthetic_loadings(options);
  double common = 0;
  for (std::size_t j = 0; j < options.factors; ++j) {
    double sum = 0;
    for (std::size_t f = 0; f < weights.size(); ++f) {
      sum += weights[f] * loadings[f * options.factors + j];
    }
    common += sum * sum;
  }
  return (1 - options.own) * common + options.own * squares;
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
  static const OptionTable<SyntheticOptions> table =
      OptionTable<SyntheticOptions>()
          .count("queries", &SyntheticOptions::queries, 1, 1'000'000, "queries", Shown::always)
          .count("documents", &SyntheticOptions::documents, 1, 100'000, "documents of each query",
                 Shown::always)
          .count("features", &SyntheticOptions::features, 1, 10'000, "features of each document",
                 Shown::always)
          .count("grades", &SyntheticOptions::grades, 2, 31, "grades, 0 the worst")
          .number("noise", &SyntheticOptions::noise, {.least = 0, .most = 1e6},
                  "what the judges add to the hidden ranker's score, in its standard deviations")
          .count("factors", &SyntheticOptions::factors, 0, 10'000,
                 "factors that the features are mixtures of; 0: independent features")
          .number("own", &SyntheticOptions::own, {.least = 0, .most = 1},
                  "share of a feature's variance that is its own, where there are factors")
          .count("seed", &SyntheticOptions::seed, 0, (std::uint64_t{1} << 63) - 1, "randomness",
                 Shown::always);
  return table;
}

std::vector<double> synthetic_weights(const SyntheticOptions& options) {
  RoundRng rng = Stream(options.seed, 0, Purpose::generate, "synthetic weights").at(0);
  std::vector<double> weights;
  for (std::uint64_t f = 0; f < options.features; ++f) weights.push_back(2 * rng.uniform() - 1);
  return weights;
}

std::vector<double> synthetic_loadings(const SyntheticOptions& options) {
  const Stream stream(options.seed, 0, Purpose::generate, "synthetic loadings");
  std::vector<double> loadings;
  loadings.reserve(options.features * options.factors);
  for (std::uint64_t f = 0; f < options.features; ++f) {
    RoundRng rng = stream.at(f);
    double squares = 0;
    for (std::uint64_t j = 1; j <= options.factors; ++j) {
      const double loading = (2 * rng.uniform_open() - 1) / std::sqrt(static_cast<double>(j));
      loadings.push_back(loading);
      squares += loading * loading;
    }
    const double length = std::sqrt(squares);
    for (std::uint64_t j = 0; j < options.factors; ++j) {
      loadings[f * options.factors + j] /= length;
    }
  }
  return loadings;
}

JudgedQueries make_synthetic(const SyntheticOptions& options) {
  const std::vector<double> weights = synthetic_weights(options);
  const double squares = twelve_variances(options, weights);
  const double scale = squares > 0 ? std::sqrt(12 / squares) : 0;

  const std::size_t rows = options.queries * options.documents;
  FeatureMatrix features(rows, options.features);
  std::vector<double> merits(rows);
  const Stream documents(options.seed, 0, Purpose::generate, "synthetic documents");
  const Stream judges(options.seed, 0, Purpose::generate, "synthetic judges");
  FeatureDraw draw(options);
  for (std::size_t i = 0; i < rows; ++i) {
    RoundRng rng = documents.at(i);
    const auto row = features.row(i);
    draw(rng, row);
    double score = 0;
    for (std::size_t f = 0; f < row.size(); ++f) score += weights[f] * static_cast<double>(row[f]);
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
    return Error::invalid_argument("queries times documents times features is more than 2^34",
                                   to_string(call));
  }
  return make_synthetic(options);
}

}  // namespace duel
