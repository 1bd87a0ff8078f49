#include "duel/continuous/space.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace duel {
namespace {

Json json(const char* text) { return Json::parse(text).value(); }

TEST(Space, reads_dimensions_with_their_defaults_inside_or_apart) {
  const Space inside = Space::from_json(json(R"({"weight": {"low": 0, "high": 1, "default": 0.5},
      "k1": {"low": 0.1, "high": 10, "scale": "log", "default": 1.2, "step": 0.1}})"))
                           .value();
  const Space apart = Space::from_json(json(R"({"weight": {"low": 0, "high": 1},
      "k1": {"low": 0.1, "high": 10, "scale": "log", "step": 0.1}})"),
                                       json(R"({"k1": 1.2, "weight": 0.5})"))
                          .value();
  EXPECT_EQ(inside, apart);
  EXPECT_EQ(inside.values_in_use(), (std::vector<double>{0.5, 1.2}));
  EXPECT_EQ(Space::from_json(inside.to_json()).value(), inside);
}

TEST(Space, rounds_to_steps_and_writes_them_without_dust) {
  const Space space =
      Space::from_json(json(R"({"w": {"low": 0, "high": 1, "step": 0.01, "default": 0.5}})"))
          .value();
  // 0.01 * 7 is 0.07000000000000001 in doubles.
  EXPECT_EQ(space.payload(space.values(std::vector{0.0701})).dump(), R"({"w":0.07})");
  EXPECT_EQ(space.values(std::vector{1.0}), (std::vector<double>{1.0}));
  std::vector<double> one = {0.3349}, other = {0.3251};
  space.round_to_steps(one);
  space.round_to_steps(other);
  EXPECT_EQ(one, other) << "both round to 0.33";
}

TEST(Space, never_steps_beyond_its_upper_end) {
  const Space space =
      Space::from_json(json(R"({"w": {"low": 0, "high": 1, "step": 0.3, "default": 0}})")).value();
  // 0, 0.3, 0.6, 0.9; the next step would be 1.2.
  EXPECT_EQ(space.values(std::vector{1.0}), (std::vector<double>{0.9}));
}

TEST(Space, spreads_a_log_scale_by_ratios) {
  const Space space = Space::from_json(json(R"({"c": {"low": 0.01, "high": 100, "scale": "log",
      "default": 1}})"))
                          .value();
  // Half of the way from 1e-2 to 1e2 is 1.
  EXPECT_NEAR(space.values(std::vector{0.5})[0], 1.0, 1e-14);
  EXPECT_NEAR(space.values(std::vector{0.75})[0], 10.0, 1e-13);
  EXPECT_NEAR(space.point(std::vector{10.0})[0], 0.75, 1e-14);
  EXPECT_EQ(space.point(space.values_in_use())[0], 0.5);
}

TEST(Space, reads_back_what_it_gave_out) {
  const Space space = Space::from_json(json(R"({"a": {"low": -3, "high": 5, "default": 0},
      "b": {"low": 0.5, "high": 64, "scale": "log", "default": 8},
      "c": {"low": 1, "high": 20, "step": 1, "default": 4}})"))
                          .value();
  for (const double u : {0.0, 0.1, 0.37, 0.5, 0.99, 1.0}) {
    const std::vector<double> values = space.values(std::vector{u, 1 - u, u});
    const Json payload = json(space.payload(values).dump().c_str());
    EXPECT_EQ(space.values_of(payload).value(), values);
  }
}

TEST(Space, says_what_is_wrong_and_where) {
  const auto message = [](const char* text, const char* in_use = "null") {
    const auto space = Space::from_json(json(text), json(in_use));
    return space.ok() ? "" : space.error().to_string();
  };
  EXPECT_EQ(message("[]"),
            "a space is a table of dimensions ({\"weight\": {\"low\": 0, \"high\": 1, "
            "\"default\": 0.5}})");
  EXPECT_EQ(message("{}"), "a space of 0 dimensions (1 .. 100)");
  EXPECT_EQ(message(R"({"w": 1})"), "w: is no table ({\"low\": 0, \"high\": 1})");
  EXPECT_EQ(message(R"({"w": {"low": 0, "high": 1}})"), "w.default: is missing");
  EXPECT_EQ(message(R"({"w": {"low": 0, "hihg": 1, "default": 0}})"),
            "w.hihg: is not known (did you mean 'high'? known: low, high, default, scale, step)");
  EXPECT_EQ(message(R"({"w": {"low": 0, "high": "1", "default": 0}})"), "w.high: is not a number");
  EXPECT_EQ(message(R"({"w": {"low": 1, "high": 0, "default": 0}})"),
            "w: low = 1 is not below high = 0");
  EXPECT_EQ(message(R"({"w": {"low": 0, "high": 1, "default": 2}})"),
            "w.default: 2 lies outside (0 .. 1)");
  EXPECT_EQ(message(R"({"w": {"low": 0, "high": 1, "default": 0.55, "step": 0.1}})"),
            "w.default: 0.55 lies between two steps (the nearest is 0.6)");
  EXPECT_EQ(message(R"({"w": {"low": 0, "high": 1, "default": 0.5, "scale": "log"}})"),
            "w: a log scale from low = 0 (low > 0)");
  EXPECT_EQ(message(R"({"w": {"low": 0, "high": 1, "default": 0, "step": 2}})"),
            "w: a step of 2 leaves one number (0 (none) < step <= 1)");
  EXPECT_EQ(message(R"({"w": {"low": 0, "high": 1}})", R"({"w": 0.5, "v": 1})"),
            "default_point: the space has no dimension 'v'");
  EXPECT_EQ(message(R"({"w": {"low": 0, "high": 1, "default": 0.1}})", R"({"w": 0.5})"),
            "w.default: is given twice, here and in default_point");
}

TEST(Space, refuses_payloads_of_other_spaces) {
  const Space space =
      Space::from_json(json(R"({"w": {"low": 0, "high": 1, "default": 0.5}})")).value();
  EXPECT_FALSE(space.values_of(json("{}")).ok());
  EXPECT_FALSE(space.values_of(json(R"({"w": 2})")).ok());
  EXPECT_FALSE(space.values_of(json(R"({"w": 0.5, "v": 1})")).ok());
  EXPECT_FALSE(space.values_of(json("3")).ok());
}

}  // namespace
}  // namespace duel
