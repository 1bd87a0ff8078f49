#include "duel/ranking/letor/normalisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "duel/core/spelling.h"

namespace duel {
namespace {

// x becomes (x - shift)/scale; scale 0 marks a constant feature.
struct Scaling {
  double shift = 0;
  double scale = 0;
};

std::vector<Scaling> min_max_of(const JudgedQueries& queries, std::size_t query) {
  const auto first = queries.features(query, 0);
  std::vector<float> low(first.begin(), first.end());
  std::vector<float> high = low;
  for (Document d = 1; d < queries.num_documents(query); ++d) {
    const auto row = queries.features(query, d);
    for (std::size_t f = 0; f < row.size(); ++f) {
      low[f] = std::min(low[f], row[f]);
      high[f] = std::max(high[f], row[f]);
    }
  }
  std::vector<Scaling> scalings;
  for (std::size_t f = 0; f < low.size(); ++f) {
    scalings.push_back({low[f], static_cast<double>(high[f]) - static_cast<double>(low[f])});
  }
  return scalings;
}

// Two passes: the sums of squares of centred values do not cancel.
std::vector<Scaling> z_score_of(const JudgedQueries& queries, std::size_t query) {
  std::vector<Scaling> scalings = min_max_of(queries, query);
  const auto n = static_cast<Document>(queries.num_documents(query));
  std::vector<double> mean(scalings.size());
  for (Document d = 0; d < n; ++d) {
    const auto row = queries.features(query, d);
    for (std::size_t f = 0; f < row.size(); ++f) mean[f] += static_cast<double>(row[f]) / n;
  }
  std::vector<double> variance(scalings.size());
  for (Document d = 0; d < n; ++d) {
    const auto row = queries.features(query, d);
    for (std::size_t f = 0; f < row.size(); ++f) {
      const double centred = static_cast<double>(row[f]) - mean[f];
      variance[f] += centred * centred / n;
    }
  }
  for (std::size_t f = 0; f < scalings.size(); ++f) {
    // Constant by comparison, not by a variance that rounding left above 0.
    const bool constant = scalings[f].scale == 0;
    scalings[f] = {mean[f], constant ? 0 : std::sqrt(variance[f])};
  }
  return scalings;
}

}  // namespace

Status normalise(JudgedQueries& queries, std::string_view kind) {
  if (kind == "none") return Done{};
  if (kind != "min-max" && kind != "z-score") {
    const std::string known[] = {"none", "min-max", "z-score"};
    return Error::invalid_argument(fmt::format("there is no normalisation '{}'", kind))
        .with_hint(spelling_hint(kind, known));
  }
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    const auto scalings = kind == "min-max" ? min_max_of(queries, q) : z_score_of(queries, q);
    for (Document d = 0; d < queries.num_documents(q); ++d) {
      const auto row = queries.features(q, d);
      for (std::size_t f = 0; f < row.size(); ++f) {
        const auto [shift, scale] = scalings[f];
        row[f] =
            scale == 0 ? 0.0F : static_cast<float>((static_cast<double>(row[f]) - shift) / scale);
      }
    }
  }
  return Done{};
}

}  // namespace duel
