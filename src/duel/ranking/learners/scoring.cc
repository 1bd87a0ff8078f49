#include "duel/ranking/learners/scoring.h"

#include <cstring>

#include "duel/core/rows.h"

namespace duel {
namespace {

using FloatQuad __attribute__((vector_size(16))) = float;
using DoubleQuad __attribute__((vector_size(32))) = double;

// Four features as doubles, in two pairs. Converted as one vector, which compilers do within
// registers; pairs of floats they would convert one by one.
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

// The scalar products of `Rows` rows with N vectors at once, so that a feature is read and
// converted once for all vectors and a weight is read once for all rows. The order of additions
// depends neither on N nor on `Rows`.
template <std::size_t Rows, std::size_t N>
inline void score_rows(const QueryDocuments& documents, Document begin,
                       const double* const* weights, double* const* scores) {
  DoubleLanes low[Rows][N] = {}, high[Rows][N] = {};
  const float* const first = documents.row(begin).data();
  const std::size_t size = documents.num_features();
  std::size_t k = 0;
  for (; k + 4 <= size; k += 4) {
    Features x[Rows];
    for (std::size_t r = 0; r < Rows; ++r) x[r] = load_features(first + r * size + k);
    for (std::size_t n = 0; n < N; ++n) {
      const auto w_low = load_lanes<DoubleLanes>(weights[n] + k);
      const auto w_high = load_lanes<DoubleLanes>(weights[n] + k + 2);
      for (std::size_t r = 0; r < Rows; ++r) {
        low[r][n] += x[r].low * w_low;
        high[r][n] += x[r].high * w_high;
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    const float* const row = first + r * size;
    for (std::size_t n = 0; n < N; ++n) {
      const DoubleLanes sum = low[r][n] + high[r][n];
      double score = sum[0] + sum[1];
      for (std::size_t i = k; i < size; ++i) score += static_cast<double>(row[i]) * weights[n][i];
      scores[n][begin + r] = score;
    }
  }
}

template <std::size_t N>
void score_under(const QueryDocuments& documents, const double* const* weights,
                 double* const* scores) {
  // One or two vectors wait for the memory, which reads ahead best along one row.
  constexpr std::size_t kRows = N > 2 ? 2 : 1;
  const std::size_t count = documents.num_documents();
  Document d = 0;
  for (; d + kRows <= count; d += kRows) score_rows<kRows, N>(documents, d, weights, scores);
  for (; d < count; ++d) score_rows<1, N>(documents, d, weights, scores);
}

}  // namespace

void score_documents(const QueryDocuments& documents, std::span<const double> weights,
                     std::span<double> scores) {
  const double* const vectors[] = {weights.data()};
  double* const arrays[] = {scores.data()};
  score_under<1>(documents, vectors, arrays);
}

void score_documents(const QueryDocuments& documents, std::span<const double* const> weights,
                     std::span<double* const> scores) {
  // Four vectors and two rows fill the registers. The documents stay in the cache between blocks.
  std::size_t n = 0;
  for (; n + 4 <= weights.size(); n += 4) {
    score_under<4>(documents, weights.data() + n, scores.data() + n);
  }
  for (; n + 2 <= weights.size(); n += 2) {
    score_under<2>(documents, weights.data() + n, scores.data() + n);
  }
  if (n < weights.size()) score_under<1>(documents, weights.data() + n, scores.data() + n);
}

void add_document(const QueryDocuments& documents, Document document, double factor,
                  std::span<double> weights) {
  const float* x = documents.row(document).data();
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] += factor * static_cast<double>(x[k]);
  }
}

}  // namespace duel
