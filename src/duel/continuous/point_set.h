// The sets that learners of points move in, and the nearest point of a set.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// Immutable and shared between threads.
class PointSet {
 public:
  virtual ~PointSet() = default;
  std::size_t dimension() const { return dimension_; }
  // Replaces `point` by the nearest point of the set; a point of the set keeps its bits, except on
  // the unit sphere. REQUIRES: `dimension()` finite coordinates.
  virtual void project(std::span<double> point) const = 0;
  // Whether `point` lies in the set, or within `tolerance` of it along every constraint.
  virtual bool contains(std::span<const double> point, double tolerance = 1e-9) const = 0;
  // The radius R of a ball around the origin that holds the set.
  double radius() const { return radius_; }
  virtual bool convex() const { return true; }
  // "ball of radius 10 in 50 dimensions".
  const std::string& to_string() const { return name_; }

 protected:
  PointSet(std::size_t dimension, double radius, std::string name)
      : dimension_(dimension), radius_(radius), name_(std::move(name)) {}

 private:
  std::size_t dimension_;
  double radius_;
  std::string name_;
};
using PointSetPtr = std::shared_ptr<const PointSet>;

// |w| <= radius. Errors: dimension 0, radius not finite and > 0.
Result<PointSetPtr> make_ball(std::size_t dimension, double radius);

// low_k <= w_k <= high_k. Errors: no coordinate, unequal sizes, an empty or unbounded side.
Result<PointSetPtr> make_box(std::vector<double> low, std::vector<double> high);

// w_k >= 0, sum w_k = total. Errors: dimension 0, total not finite and > 0.
Result<PointSetPtr> make_simplex(std::size_t dimension, double total = 1);

// normal . w <= offset.
struct HalfSpace {
  std::vector<double> normal;
  double offset = 0;
};

// The half-spaces within the ball of `radius`, by Dykstra's alternating projections, to 1e-10.
// Errors: wrong dimensions, a normal that is zero or not finite, an offset < 0 (the origin must
// belong to the set, so that it is not empty).
Result<PointSetPtr> make_half_spaces(std::size_t dimension, std::vector<HalfSpace> half_spaces,
                                     double radius);

// |w| = 1, for what only the direction matters to, such as linear rankers. Not convex; the origin
// goes to the first axis. Errors: dimension 0.
Result<PointSetPtr> make_unit_sphere(std::size_t dimension);

// All of R^d: nothing is projected, and R is infinite, so that step sizes cannot be derived from
// it.
Result<PointSetPtr> make_whole_space(std::size_t dimension);

}  // namespace duel
