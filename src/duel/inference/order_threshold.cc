#include "duel/inference/order_threshold.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"

namespace duel {
namespace {

double power(double base, std::uint64_t exponent) {
  double product = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) product *= base;
  }
  return product;
}

// The root of (1 - q)^-2 - (1 - q) = alpha: x^3 + alpha x^2 = 1 for x = 1 - q, which is rising.
double pair_sequence_threshold(double alpha) {
  double low = 0, high = 1;
  for (int step = 0; step < 100; ++step) {
    const double x = 0.5 * (low + high);
    (x * x * (x + alpha) < 1.0 ? low : high) = x;
  }
  return 1.0 / (1.0 - high);
}

}  // namespace

double partition_product(double q) {
  DUEL_CHECK(q >= 0 && q < 1);
  double product = 1;
  // Factors beyond change nothing: 1 - q^m rounds to 1.
  for (double power_of_q = q; power_of_q > 0x1p-54; power_of_q *= q) product /= 1.0 - power_of_q;
  return product;
}

double false_set_bound(double q, bool exists) {
  DUEL_CHECK(q >= 0 && q <= 0.5);
  const double all = partition_product(q);
  if (exists) return all - 1.0;
  const double cube = q * q * q;
  const double none = all * (3.0 * q / (1.0 + q + q * q) + cube + cube * cube);
  // Ties may make a set a false one that would be true if they were broken.
  return std::max(none, all - 1.0 + q);
}

double false_sequence_bound(double q, std::uint64_t k, bool exists) {
  DUEL_CHECK(q >= 0 && q <= 0.5 && k >= 1);
  const double all = 1.0 / power(1.0 - q, k);
  if (exists) return all - 1.0;
  return k >= 3 ? all - 1.0 : all * (1.0 - power(1.0 - q, 3));
}

double set_threshold(double alpha, std::uint64_t k, bool exists) {
  DUEL_CHECK(alpha > 0 && alpha < 1 && k >= 1);
  if (!exists) return 3.0 / alpha + 1.0;
  // One arm: q + q^2 + .. = alpha. Of more the sum is at most q + 2 q^2 + 4 q^3 + ..
  return 1.0 / alpha + (k == 1 ? 1.0 : 2.0);
}

double sequence_threshold(double alpha, std::uint64_t k, bool exists) {
  DUEL_CHECK(alpha > 0 && alpha < 1 && k >= 1);
  if (k == 1) return set_threshold(alpha, 1, exists);
  if (k == 2 && !exists) return pair_sequence_threshold(alpha);
  return 1.0 / (1.0 - exponential(-natural_log(1.0 + alpha) / static_cast<double>(k)));
}

double union_threshold(double alpha, std::size_t num_arms, bool exists) {
  DUEL_CHECK(alpha > 0 && alpha < 1 && num_arms >= 2);
  return static_cast<double>(exists ? num_arms - 1 : num_arms) / alpha;
}

double order_threshold(const Goal& goal, std::size_t num_arms, double alpha, bool shared_causes) {
  DUEL_CHECK(goal.is_order());
  const bool exists = goal.assume == Assumption::order;
  const double by_union = union_threshold(alpha, num_arms, exists);
  if (shared_causes) return by_union;
  const std::uint64_t k = goal.arms_named(num_arms);
  return std::min(by_union, goal.kind == Goal::set ? set_threshold(alpha, k, exists)
                                                   : sequence_threshold(alpha, k, exists));
}

Status check_goal(const Goal& goal, std::size_t num_arms) {
  if (goal.kind == Goal::set || goal.kind == Goal::order) {
    if (goal.top == 0) {
      return Error::invalid_argument("is missing")
          .with_hint("how many arms the goal names")
          .in_field("top");
    }
    if (goal.top >= num_arms) {
      return Error::invalid_argument(
                 fmt::format("the top {} of {} arms leaves none out", goal.top, num_arms))
          .with_hint(goal.kind == Goal::set
                         ? "at least one arm must be left; for the order of all arms take the goal "
                           "ranking"
                         : "for the order of all arms take the goal ranking")
          .in_field("top");
    }
  } else if (goal.top != 0) {
    return Error::invalid_argument("belongs to the goals set and order").in_field("top");
  }
  if (goal.kind == Goal::epsilon) {
    if (!(goal.margin > 0 && goal.margin < 0.5)) {
      return Error::invalid_argument(goal.margin == 0
                                         ? std::string("is missing")
                                         : fmt::format("{} is out of range", goal.margin))
          .with_hint("0 < epsilon < 0.5; 0.05 lets an arm lose up to 55 % to another")
          .in_field("epsilon");
    }
  } else if (goal.margin != 0) {
    return Error::invalid_argument("belongs to the goal epsilon").in_field("epsilon");
  }
  if (goal.kind == Goal::ranking && num_arms < 2) {
    return Error::invalid_argument("one arm has no order").in_field("goal");
  }
  if (goal.assume == Assumption::order && (goal.is_score() || goal.kind == Goal::epsilon)) {
    return Error::invalid_argument(
               "an order of the arms would not lower the threshold of this goal")
        .with_hint("leave it out, or take the goal condorcet, set, order or ranking")
        .in_field("assume");
  }
  return Done{};
}

}  // namespace duel
