#include "duel/inference/special_functions.h"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace duel {
namespace {

using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double normal_quantile(double probability) {
  return -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * probability, Plain());
}

double beta_quantile(double a, double b, double probability) {
  return boost::math::ibeta_inv(a, b, probability, Plain());
}

double chi_square_tail(double degrees, double x) {
  return boost::math::gamma_q(0.5 * degrees, 0.5 * x, Plain());
}

double fair_coin_tail(std::uint64_t heads, std::uint64_t throws) {
  if (heads == 0) return 1;
  return boost::math::ibeta(static_cast<double>(heads), static_cast<double>(throws - heads + 1),
                            0.5, Plain());
}

}  // namespace duel
