#include "duel/continuous/point_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "duel/continuous/direction.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

std::vector<double> random_point(std::size_t dimension, double size, RoundRng rng) {
  Xoshiro words(rng);
  std::vector<double> point(dimension);
  draw_normals(words, point);
  scale(point, size);
  return point;
}

// p is the nearest point of a convex set to x iff (x - p).(z - p) <= 0 for every z of the set.
double worst_angle(const std::vector<double>& x, const std::vector<double>& p,
                   const std::vector<double>& z) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - p[k]) * (z[k] - p[k]);
  return sum;
}

// Projects random points of several sizes and holds them to the optimality condition against points
// `member(k)` of the set, of which the extreme points suffice where there are finitely many.
void expect_nearest(const PointSet& set, std::size_t members,
                    const std::function<std::vector<double>(std::size_t)>& member,
                    double tolerance) {
  const Stream stream(3, 0, Purpose::test, set.to_string());
  for (Round round = 0; round < 60; ++round) {
    const double size = round % 3 == 0 ? 0.1 : round % 3 == 1 ? 1.0 : 30.0;
    const std::vector<double> x = random_point(set.dimension(), size, stream.at(round));
    std::vector<double> p = x;
    set.project(p);
    ASSERT_TRUE(set.contains(p, 1e-9)) << set.to_string();
    ASSERT_LE(norm(p), set.radius() * (1 + 1e-12));
    if (set.contains(x, 0)) {
      ASSERT_EQ(p, x);
    }
    for (std::size_t k = 0; k < members; ++k) {
      const std::vector<double> z = member(k);
      ASSERT_TRUE(set.contains(z, 1e-9));
      ASSERT_LE(worst_angle(x, p, z), tolerance * (1 + size)) << set.to_string();
    }
    std::vector<double> again = p;
    set.project(again);
    for (std::size_t k = 0; k < p.size(); ++k) ASSERT_NEAR(again[k], p[k], 1e-9);
  }
}

TEST(PointSet, ball_gives_the_nearest_point) {
  const PointSetPtr ball = make_ball(7, 2.5).value();
  const Stream stream(4, 0, Purpose::test);
  expect_nearest(
      *ball, 300,
      [&](std::size_t k) {
        std::vector<double> z(7);
        RoundRng rng = stream.at(k);
        draw_direction(rng, z);  // the surface is what bounds the products
        scale(z, 2.5);
        return z;
      },
      1e-12);
  std::vector<double> far = {1e200, -1e200, 0, 0, 0, 0, 0};  // squares overflow
  ball->project(far);
  EXPECT_NEAR(far[0], 2.5 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(far[1], -2.5 / std::sqrt(2.0), 1e-12);
}

TEST(PointSet, box_gives_the_nearest_point) {
  const std::vector<double> low = {-1, 0, -3, 2}, high = {1, 0, -2, 5};
  const PointSetPtr box = make_box(low, high).value();
  expect_nearest(
      *box, 16,
      [&](std::size_t corner) {
        std::vector<double> z(4);
        for (std::size_t k = 0; k < 4; ++k) z[k] = (corner >> k) % 2 == 0 ? low[k] : high[k];
        return z;
      },
      1e-12);
  EXPECT_DOUBLE_EQ(box->radius(), std::sqrt(1.0 + 0 + 9 + 25));
}

TEST(PointSet, simplex_gives_the_nearest_point) {
  const PointSetPtr simplex = make_simplex(6, 2).value();
  expect_nearest(
      *simplex, 6,
      [](std::size_t corner) {
        std::vector<double> z(6, 0.0);
        z[corner] = 2;
        return z;
      },
      1e-12);
  // By hand: (3, 1, 0) on total 1: r = 1, threshold 2.
  std::vector<double> point = {3, 1, 0};
  make_simplex(3).value()->project(point);
  EXPECT_EQ(point, (std::vector<double>{1, 0, 0}));
}

TEST(PointSet, half_spaces_give_the_nearest_point) {
  // The triangle x >= -1, y >= -1, x + y <= 1 with corners (-1,-1), (2,-1), (-1,2), in a wide ball.
  const PointSetPtr triangle =
      make_half_spaces(2, {{{-2, 0}, 2}, {{0, -1}, 1}, {{1, 1}, 1}}, 10).value();
  const std::vector<std::vector<double>> corners = {{-1, -1}, {2, -1}, {-1, 2}};
  expect_nearest(*triangle, 3, [&](std::size_t k) { return corners[k]; }, 1e-8);
  std::vector<double> corner = {5, -7};
  triangle->project(corner);
  EXPECT_NEAR(corner[0], 2, 1e-9);
  EXPECT_NEAR(corner[1], -1, 1e-9);
}

TEST(PointSet, half_spaces_within_a_ball_give_the_nearest_point) {
  // The half-disk x <= 0.5 of radius 2; its extreme points are on the arc and the chord's ends.
  const PointSetPtr cap = make_half_spaces(2, {{{3, 0}, 1.5}}, 2).value();
  const double first = std::acos(0.25);
  expect_nearest(
      *cap, 500,
      [&](std::size_t k) {
        const double angle =
            first + (2 * std::numbers::pi - 2 * first) * static_cast<double>(k) / 499.0;
        return std::vector<double>{2 * std::cos(angle), 2 * std::sin(angle)};
      },
      1e-8);
  // Many half-spaces around the origin in 5 dimensions: members by shrinking random points.
  std::vector<HalfSpace> half_spaces;
  const Stream stream(5, 0, Purpose::test);
  for (Round k = 0; k < 12; ++k) half_spaces.push_back({random_point(5, 1, stream.at(k)), 0.7});
  const PointSetPtr set = make_half_spaces(5, half_spaces, 3).value();
  expect_nearest(
      *set, 200,
      [&](std::size_t k) {
        std::vector<double> z = random_point(5, 2, stream.at(100 + k));
        while (!set->contains(z, 0)) scale(z, 0.98);
        return z;
      },
      1e-7);
}

TEST(PointSet, sphere_gives_the_nearest_direction) {
  const PointSetPtr sphere = make_unit_sphere(4).value();
  EXPECT_FALSE(sphere->convex());
  const Stream stream(6, 0, Purpose::test);
  for (Round round = 0; round < 100; ++round) {
    const std::vector<double> x = random_point(4, 3, stream.at(round));
    std::vector<double> p = x;
    sphere->project(p);
    ASSERT_NEAR(norm(p), 1, 1e-15);
    for (Round k = 0; k < 50; ++k) {
      std::vector<double> z(4);
      RoundRng rng = stream.at(1000 + k);
      draw_direction(rng, z);
      ASSERT_GE(dot(x, p), dot(x, z) - 1e-12);
    }
  }
  std::vector<double> origin(4, 0.0);
  sphere->project(origin);
  EXPECT_EQ(origin, (std::vector<double>{1, 0, 0, 0}));
}

TEST(PointSet, refuses_what_is_no_set) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(make_ball(0, 1).ok());
  for (const double radius : {0.0, -1.0, nan, inf}) {
    EXPECT_FALSE(make_ball(2, radius).ok());
    EXPECT_FALSE(make_simplex(2, radius).ok());
    EXPECT_FALSE(make_half_spaces(2, {}, radius).ok());
  }
  EXPECT_FALSE(make_unit_sphere(0).ok());
  EXPECT_FALSE(make_whole_space(0).ok());
  EXPECT_FALSE(make_box({}, {}).ok());
  EXPECT_FALSE(make_box({0, 0}, {1}).ok());
  const auto empty_side = make_box({0, 2}, {1, 1});
  ASSERT_FALSE(empty_side.ok());
  EXPECT_EQ(empty_side.error().to_string(),
            "coordinate 2: the box runs from 2 to 1 (allowed: finite ends, low <= high)");
  EXPECT_FALSE(make_box({0}, {inf}).ok());
  EXPECT_FALSE(make_half_spaces(2, {{{1}, 1}}, 1).ok());
  EXPECT_FALSE(make_half_spaces(2, {{{0, 0}, 1}}, 1).ok());
  EXPECT_FALSE(make_half_spaces(2, {{{nan, 1}, 1}}, 1).ok());
  const auto without_origin = make_half_spaces(2, {{{1, 0}, -1}}, 1);
  ASSERT_FALSE(without_origin.ok());
  EXPECT_EQ(without_origin.error().where, "half-space 1");
}

}  // namespace
}  // namespace duel
