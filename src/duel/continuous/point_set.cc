#include "duel/continuous/point_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

Error no_dimension() {
  return Error::invalid_argument("a set of points needs at least one dimension");
}

Error bad_size(std::string_view what, double value) {
  return Error::invalid_argument(fmt::format("{} is {}", what, format_number(value)))
      .with_hint("allowed: finite and > 0");
}

bool positive(double x) { return x > 0 && std::isfinite(x); }

class Ball final : public PointSet {
 public:
  Ball(std::size_t dimension, double radius)
      : PointSet(
            dimension, radius,
            fmt::format("ball of radius {} in {} dimensions", format_number(radius), dimension)) {}

  void project(std::span<double> point) const override {
    const double square = squared_norm(point);
    if (square <= radius() * radius()) return;
    const double length = std::isfinite(square) ? std::sqrt(square) : norm(point);
    scale(point, radius() / length);
  }
  bool contains(std::span<const double> point, double tolerance) const override {
    return norm(point) <= radius() + tolerance;
  }
};

class Box final : public PointSet {
 public:
  Box(std::vector<double> low, std::vector<double> high)
      : PointSet(low.size(), farthest_corner(low, high),
                 fmt::format("box in {} dimensions", low.size())),
        low_(std::move(low)),
        high_(std::move(high)) {}

  void project(std::span<double> point) const override {
    for (std::size_t k = 0; k < point.size(); ++k) {
      point[k] = std::clamp(point[k], low_[k], high_[k]);
    }
  }
  bool contains(std::span<const double> point, double tolerance) const override {
    for (std::size_t k = 0; k < point.size(); ++k) {
      if (!(point[k] >= low_[k] - tolerance && point[k] <= high_[k] + tolerance)) return false;
    }
    return true;
  }

 private:
  static double farthest_corner(std::vector<double> low, const std::vector<double>& high) {
    for (std::size_t k = 0; k < low.size(); ++k) {
      low[k] = std::max(std::fabs(low[k]), std::fabs(high[k]));
    }
    return norm(low);
  }

  std::vector<double> low_, high_;
};

class Simplex final : public PointSet {
 public:
  Simplex(std::size_t dimension, double total)
      : PointSet(
            dimension, total,  // the radius: a corner
            fmt::format("simplex of total {} in {} dimensions", format_number(total), dimension)),
        total_(total) {}

  // Held, Wolfe and Crowder (1974): with the coordinates in falling order, the largest r for which
  // w_r > (w_1 + .. + w_r - total)/r =: threshold; the answer is max(w - threshold, 0).
  void project(std::span<double> point) const override {
    if (in_set(point)) return;
    thread_local std::vector<double> sorted;
    sorted.assign(point.begin(), point.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double sum = 0, threshold = 0;
    for (std::size_t r = 0; r < sorted.size(); ++r) {
      sum += sorted[r];
      const double candidate = (sum - total_) / static_cast<double>(r + 1);
      if (sorted[r] <= candidate) break;
      threshold = candidate;
    }
    for (double& value : point) value = std::max(value - threshold, 0.0);
  }
  bool contains(std::span<const double> point, double tolerance) const override {
    double sum = 0;
    for (const double value : point) {
      if (!(value >= -tolerance)) return false;
      sum += value;
    }
    return std::fabs(sum - total_) <= tolerance;
  }

 private:
  // Within the rounding of the sum itself.
  bool in_set(std::span<const double> point) const {
    return std::all_of(point.begin(), point.end(), [](double x) { return x >= 0; }) &&
           contains(point, 1e-15 * total_ * static_cast<double>(dimension()));
  }

  double total_;
};

class HalfSpaces final : public PointSet {
 public:
  HalfSpaces(std::size_t dimension, std::vector<HalfSpace> half_spaces, double radius)
      : PointSet(dimension, radius,
                 fmt::format("{} half-spaces within a {}", half_spaces.size(),
                             Ball(dimension, radius).to_string())),
        ball_(dimension, radius),
        half_spaces_(std::move(half_spaces)) {
    // Normals of length 1: distances can be read off, and multipliers are lengths.
    for (HalfSpace& half_space : half_spaces_) {
      const double length = norm(half_space.normal);
      scale(half_space.normal, 1.0 / length);
      half_space.offset /= length;
    }
  }

  // Boyle and Dykstra (1986): go round the sets; before each projection give back what the last one
  // of the same set took away. For a half-space that is a multiple of its normal, so one number.
  // The stop is Birgin and Raydan's (2005): the corrections of a whole turn changed by less than
  // the tolerance together. The distance to the limit falls geometrically for half-spaces; the cap
  // is for sets that touch in a point.
  void project(std::span<double> point) const override {
    if (contains(point, 0)) return;
    constexpr double kTolerance = 1e-11;
    constexpr int kMostTurns = 1'000'000;
    thread_local std::vector<double> multiplier, ball_correction, before;
    multiplier.assign(half_spaces_.size(), 0);
    ball_correction.assign(point.size(), 0);
    before.resize(point.size());
    const double size = 1.0 + norm(point);
    for (int turn = 0; turn < kMostTurns; ++turn) {
      double change = 0;
      for (std::size_t i = 0; i < half_spaces_.size(); ++i) {
        const HalfSpace& half_space = half_spaces_[i];
        const double excess = dot(half_space.normal, point) + multiplier[i] - half_space.offset;
        const double next = std::max(excess, 0.0);
        const double step = multiplier[i] - next;
        add_scaled(point, step, half_space.normal, point);
        multiplier[i] = next;
        change += step * step;
      }
      for (std::size_t k = 0; k < point.size(); ++k) {
        point[k] += ball_correction[k];
        before[k] = point[k];
      }
      ball_.project(point);
      for (std::size_t k = 0; k < point.size(); ++k) {
        const double correction = before[k] - point[k];
        change += (correction - ball_correction[k]) * (correction - ball_correction[k]);
        ball_correction[k] = correction;
      }
      if (change <= kTolerance * kTolerance * size * size) return;
    }
  }
  bool contains(std::span<const double> point, double tolerance) const override {
    for (const HalfSpace& half_space : half_spaces_) {
      if (!(dot(half_space.normal, point) <= half_space.offset + tolerance)) return false;
    }
    return ball_.contains(point, tolerance);
  }

 private:
  Ball ball_;
  std::vector<HalfSpace> half_spaces_;
};

class UnitSphere final : public PointSet {
 public:
  explicit UnitSphere(std::size_t dimension)
      : PointSet(dimension, 1, fmt::format("unit sphere in {} dimensions", dimension)) {}

  void project(std::span<double> point) const override {
    const double length = norm(point);
    if (length == 0) {
      point[0] = 1;  // all points are equally near
      return;
    }
    for (double& value : point) value /= length;
  }
  bool contains(std::span<const double> point, double tolerance) const override {
    return std::fabs(norm(point) - 1) <= tolerance;
  }
  bool convex() const override { return false; }
};

class WholeSpace final : public PointSet {
 public:
  explicit WholeSpace(std::size_t dimension)
      : PointSet(dimension, std::numeric_limits<double>::infinity(),
                 fmt::format("all of {} dimensions", dimension)) {}

  void project(std::span<double> /*point*/) const override {}
  bool contains(std::span<const double> /*point*/, double /*tolerance*/) const override {
    return true;
  }
};

}  // namespace

Result<PointSetPtr> make_ball(std::size_t dimension, double radius) {
  if (dimension == 0) return no_dimension();
  if (!positive(radius)) return bad_size("the radius of a ball", radius);
  return PointSetPtr(std::make_shared<Ball>(dimension, radius));
}

Result<PointSetPtr> make_box(std::vector<double> low, std::vector<double> high) {
  if (low.empty()) return no_dimension();
  if (low.size() != high.size()) {
    return Error::invalid_argument(
               fmt::format("a box has {} lower and {} upper ends", low.size(), high.size()))
        .with_hint("one of each for every coordinate");
  }
  for (std::size_t k = 0; k < low.size(); ++k) {
    if (!(low[k] <= high[k]) || !std::isfinite(low[k]) || !std::isfinite(high[k])) {
      return Error::invalid_argument(
          fmt::format("the box runs from {} to {}", format_number(low[k]), format_number(high[k])),
          fmt::format("coordinate {}", k + 1), "allowed: finite ends, low <= high");
    }
  }
  return PointSetPtr(std::make_shared<Box>(std::move(low), std::move(high)));
}

Result<PointSetPtr> make_simplex(std::size_t dimension, double total) {
  if (dimension == 0) return no_dimension();
  if (!positive(total)) return bad_size("the total of a simplex", total);
  return PointSetPtr(std::make_shared<Simplex>(dimension, total));
}

Result<PointSetPtr> make_half_spaces(std::size_t dimension, std::vector<HalfSpace> half_spaces,
                                     double radius) {
  if (dimension == 0) return no_dimension();
  if (!positive(radius)) return bad_size("the radius around half-spaces", radius);
  for (std::size_t i = 0; i < half_spaces.size(); ++i) {
    const HalfSpace& half_space = half_spaces[i];
    const std::string where = fmt::format("half-space {}", i + 1);
    if (half_space.normal.size() != dimension) {
      return Error::invalid_argument(
          fmt::format("its normal has {} coordinates", half_space.normal.size()), where,
          fmt::format("the set has {} dimensions", dimension));
    }
    const double length = norm(half_space.normal);
    const bool finite = std::all_of(half_space.normal.begin(), half_space.normal.end(),
                                    [](double x) { return std::isfinite(x); });
    if (!finite || !positive(length)) {
      return Error::invalid_argument("its normal is zero or not finite", where);
    }
    if (!(half_space.offset >= 0) || !std::isfinite(half_space.offset)) {
      return Error::invalid_argument(
          fmt::format("its offset is {}", format_number(half_space.offset)), where,
          "allowed: finite and >= 0, so that the origin belongs to the set");
    }
  }
  return PointSetPtr(std::make_shared<HalfSpaces>(dimension, std::move(half_spaces), radius));
}

Result<PointSetPtr> make_unit_sphere(std::size_t dimension) {
  if (dimension == 0) return no_dimension();
  return PointSetPtr(std::make_shared<UnitSphere>(dimension));
}

Result<PointSetPtr> make_whole_space(std::size_t dimension) {
  if (dimension == 0) return no_dimension();
  return PointSetPtr(std::make_shared<WholeSpace>(dimension));
}

}  // namespace duel
