#include "duel/core/beta.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "duel/core/check.h"
#include "duel/core/divergence.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {
namespace {

// Standard normal draws by Marsaglia's polar method, the two of a pair one after the other.
template <class Rng>
class PolarNormals {
 public:
  explicit PolarNormals(Rng& rng) : rng_(rng) {}

  double draw() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    for (;;) {
      const double x = 2.0 * rng_.uniform_open() - 1.0;
      const double y = 2.0 * rng_.uniform_open() - 1.0;
      const double s = x * x + y * y;
      if (s >= 1.0 || s == 0.0) continue;
      const double scale = std::sqrt(-2.0 * natural_log(s) / s);
      spare_ = y * scale;
      has_spare_ = true;
      return x * scale;
    }
  }

 private:
  Rng& rng_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// Gamma(shape, 1), Marsaglia and Tsang's squeeze; half a squared normal for shape 1/2.
template <class Rng>
double draw_gamma(double shape, PolarNormals<Rng>& normals, Rng& rng) {
  if (shape < 1.0) {
    const double x = normals.draw();
    return 0.5 * x * x;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normals.draw();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    const double u = rng.uniform_open();
    const double z = x * x;
    if (u < 1.0 - 0.0331 * z * z) return d * v;
    if (natural_log(u) < 0.5 * z + d * (1.0 - v + natural_log(v))) return d * v;
  }
}

// delta(z) = ln Gamma(z + 1) - ln(sqrt(2 pi z) (z/e)^z), Stirling's error, at z = 1/2, 1, .., 31/2.
// The first entry is not used.
constexpr std::array kStirlingError = {
    0.000000000000000000000,  0.15342640972002734529,   0.08106146679532725822,
    0.054814121051917653896,  0.041340695955409294094,  0.033162873519936287485,
    0.027677925684998339149,  0.023746163656297495971,  0.020790672103765093112,
    0.018488450532673185231,  0.016644691189821192163,  0.015134973221917378874,
    0.013876128823070747999,  0.012810465242920226924,  0.011896709945891770095,
    0.011104559758206917327,  0.010411265261972096497,  0.0097994161261588032984,
    0.0092554621827127329177, 0.008768700134139385463,  0.0083305634333628712565,
    0.0079341145643140205472, 0.007573675487951840795,  0.0072445543013203831795,
    0.0069428401072095298657, 0.0066652470327076824424, 0.0064089941880042070684,
    0.0061717122630394576475, 0.0059513701127588477356, 0.005746216513010115682,
    0.005554733551962801371,  0.0053755990329268344936};

double stirling_error(double z) {
  if (z < 16.0) return kStirlingError[static_cast<std::size_t>(2.0 * z)];
  const double y = 1.0 / (z * z);
  return (1.0 / 12 + y * (-1.0 / 360 + y * (1.0 / 1260 + y * (-1.0 / 1680 + y / 1188)))) / z;
}

// Gamma(a + m + 1)/(Gamma(a + 1) Gamma(m + 1)) 2^-(a + m), the binomial weight of m out of a + m,
// also for halves. With Stirling's formula (Loader 2000) the large parts cancel before they are
// computed: sqrt(n/(2 pi a m)) exp(-n d(m/n, 1/2) + delta(n) - delta(a) - delta(m)).
double half_weight(double a, double m) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  const double n = a + m;
  if (m == 0.0) return exponential(-n * kLn2);
  constexpr double kTwoPi = 0x1.921fb54442d18p+2;
  const double exponent = -n * divergence_from_half((a - m) / n) + stirling_error(n) -
                          stirling_error(a) - stirling_error(m);
  return std::sqrt(n / (kTwoPi * a * m)) * exponential(exponent);
}

// P(Beta(a, b) < 1/2) for a >= b >= 1, the smaller side. Integrating by parts,
//   I(a, b) = weight(a, b - 1) + I(a + 1, b - 1),
// so the answer is weight(a, b - 1) (1 + (b-1)/(a+1) + (b-1)(b-2)/((a+1)(a+2)) + ..). It ends at
// b = 1, where I(a, 1) is the weight itself, or at b = 1/2, where the power series
//   I(a, 1/2) = weight(a, -1/2)/2 (1 + (a+b)/(a+1)/2 + ..) takes over.
double smaller_share(double a, double b) {
  constexpr double kNegligible = 0x1p-58;
  const double first = half_weight(a, b - 1.0);
  double sum = 0, term = 1;
  while (b >= 1.0) {
    sum += term;
    term *= (b - 1.0) / (a + 1.0);
    a += 1.0;
    b -= 1.0;
    if (term < kNegligible * sum) return first * sum;
  }
  term *= 0.5;
  while (term >= kNegligible * sum) {
    sum += term;
    term *= 0.5 * (a + b) / (a + 1.0);
    a += 1.0;
  }
  return first * sum;
}

}  // namespace

template <class Rng>
double draw_beta(double a, double b, Rng& rng) {
  DUEL_CHECK(a >= 0.5 && b >= 0.5);
  PolarNormals<Rng> normals(rng);
  const double x = draw_gamma(a, normals, rng);
  const double y = draw_gamma(b, normals, rng);
  return x / (x + y);
}

template <class Rng>
double draw_beta_above_half(double a, double b, Rng& rng) {
  DUEL_CHECK(a >= 1.0 && b >= 1.0);
  // Not rare: draw until it is so.
  const double deficit = b - a;
  if (deficit < 1.0 || deficit * deficit < 0.16 * (a + b)) {
    for (;;) {
      const double x = draw_beta(a, b, rng);
      if (x > 0.5) return x;
    }
  }
  // Rare: with x = (1 + v)/2 the density (1 + v)^(a-1) (1 - v)^(b-1) is log-concave, so it lies
  // below its tangent at v = 0, exp(-(b - a) v).
  for (;;) {
    const double v = -natural_log(rng.uniform_open()) / deficit;
    if (v >= 1.0) continue;
    const double log_density =
        (a - 1.0) * natural_log(1.0 + v) + (b - 1.0) * natural_log(1.0 - v) + deficit * v;
    if (natural_log(rng.uniform_open()) <= log_density) return 0.5 + 0.5 * v;
  }
}

template double draw_beta(double, double, RoundRng&);
template double draw_beta(double, double, Xoshiro&);
template double draw_beta_above_half(double, double, RoundRng&);
template double draw_beta_above_half(double, double, Xoshiro&);

HalfShares beta_half_shares(double wins, double losses) {
  if (wins == losses) return {};
  if (wins > losses) {
    const double below = smaller_share(wins + 1.0, losses + 1.0);
    return {1.0 - below, below};
  }
  const double above = smaller_share(losses + 1.0, wins + 1.0);
  return {above, 1.0 - above};
}

}  // namespace duel
