#include "duel/continuous/direction.h"

#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

double density(double x) { return exponential(-0.5 * x * x); }

// Marsaglia (1964): beyond r the normal is r + x with x = -ln(u)/r, kept if -2 ln(v) > x^2.
double draw_tail(Xoshiro& words) {
  constexpr double kTail = ZigguratTable::kTail;
  for (;;) {
    const double x = -natural_log(words.uniform_open()) / kTail;
    if (-2.0 * natural_log(words.uniform_open()) > x * x) return kTail + x;
  }
}

}  // namespace

ZigguratTable::ZigguratTable() {
  // The area of every layer: kTail f(kTail) plus the tail's integral sqrt(pi/2) erfc(kTail/sqrt 2).
  constexpr double kArea = 0.004928673233974658;
  edge[0] = kArea / density(kTail);
  edge[1] = kTail;
  for (std::size_t i = 1; i + 1 < kLayers; ++i) {
    edge[i + 1] = std::sqrt(-2.0 * natural_log(kArea / edge[i] + density(edge[i])));
  }
  edge[kLayers] = 0;
  for (std::size_t i = 0; i < kLayers; ++i) inside[i] = edge[i + 1] / edge[i];
}

const ZigguratTable& ziggurat() {
  static const ZigguratTable table;
  return table;
}

bool finish_normal(const ZigguratTable& table, std::size_t layer, double place, Xoshiro& words,
                   double& value) {
  if (layer == 0) {
    value = place < 0 ? -draw_tail(words) : draw_tail(words);
    return true;
  }
  // Uniform in height between the curve's values at the layer's two ends.
  value = place * table.edge[layer];
  const double low = density(table.edge[layer]);
  const double high = density(table.edge[layer + 1]);
  return low + words.uniform() * (high - low) < density(value);
}

void draw_normals(Xoshiro& words, std::span<double> values) {
  const ZigguratTable& table = ziggurat();
  Xoshiro own = words;  // in registers
  for (double& value : values) value = draw_normal(table, own);
  words = own;
}

void draw_direction(RoundRng& rng, std::span<double> direction) {
  DUEL_CHECK(!direction.empty());
  Xoshiro words(rng);
  double square = 0;
  do {
    draw_normals(words, direction);
    square = squared_norm(direction);
  } while (square == 0);
  // For d = 1 the quotient x / |x| may round; the sign is exact.
  if (direction.size() == 1) {
    direction[0] = direction[0] < 0 ? -1 : 1;
  } else {
    scale(direction, 1.0 / std::sqrt(square));
  }
}

}  // namespace duel
