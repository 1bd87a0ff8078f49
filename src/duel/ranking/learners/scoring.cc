#include "duel/ranking/learners/scoring.h"

#include <cstring>

#include "duel/core/rows.h"

namespace duel {
namespace {

using FloatQuad __attribute__((vector_size(16))) = float;
using DoubleQuad __attribute__((vector_size(32))) = double;

// Four features as doubles, in two pairs. Converted as one vector, which compilers do within registers;
// pairs of floats they would convert one by one.
struct Features {
  DoubleLanes low, high;
};
inline Features load_features(const float* from) {
  FloatQuad floats;
  std::memcpy(&floats, from, sizeof(floats));
  const DoubleQuad doubles = __builtin_convertvector(floats, DoubleQuad);
  const DoubleLanes low = {doubles[0], doubles[1]}, high = {doubles[2], doubles[3]};
  return {low, high};
}

// The scalar products of one row with N vectors at once, so that a feature is read and converted once.
// The order of additions does not depend on N.
template <std::size_t N>
inline void score_row(std::span<const float> row, const double* const (&weights)[N],
                      double (&scores)[N]) {
  DoubleLanes low[N] = {}, high[N] = {};
  const std::size_t size = row.size();
  std::size_t k = 0;
  for (; k + 4 <= size; k += 4) {
    const auto [x_low, x_high] = load_features(row.data() + k);
    for (std::size_t n = 0; n < N; ++n) {
      low[n] += x_low * load_lanes<DoubleLanes>(weights[n] + k);
      high[n] += x_high * load_lanes<DoubleLanes>(weights[n] + k + 2);
    }
  }
  for (std::size_t n = 0; n < N; ++n) {
    const DoubleLanes sum = low[n] + high[n];
    scores[n] = sum[0] + sum[1];
  }
  for (; k < size; ++k) {
    for (std::size_t n = 0; n < N; ++n) scores[n] += static_cast<double>(row[k]) * weights[n][k];
  }
}

}  // namespace

void score_documents(const QueryDocuments& documents, std::span<const double> weights,
                     std::span<double> scores) {
  const double* const vectors[1] = {weights.data()};
  for (Document d = 0; d < scores.size(); ++d) {
    double score[1];
    score_row(documents.row(d), vectors, score);
    scores[d] = score[0];
  }
}

void score_documents(const QueryDocuments& documents, std::span<const double> first,
                     std::span<const double> second, std::span<double> first_scores,
                     std::span<double> second_scores) {
  const double* const vectors[2] = {first.data(), second.data()};
  for (Document d = 0; d < first_scores.size(); ++d) {
    double score[2];
    score_row(documents.row(d), vectors, score);
    first_scores[d] = score[0];
    second_scores[d] = score[1];
  }
}

void add_document(const QueryDocuments& documents, Document document, double factor,
                  std::span<double> weights) {
  const float* x = documents.row(document).data();
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] += factor * static_cast<double>(x[k]);
  }
}

}  // namespace duel
