#include "duel/continuous/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "duel/core/exponential.h"
#include "duel/core/id.h"
#include "duel/core/logarithm.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"

namespace duel {
namespace {

// 0.07 and not 0.07000000000000001 where a number is made of a step: twelve digits, read back.
double without_dust(double value) {
  const std::string text = fmt::format("{:.12g}", value);
  return std::strtod(text.c_str(), nullptr);
}

// Steps that fit between low and high.
double num_steps(const Dimension& dimension) {
  return std::floor((dimension.high - dimension.low) / dimension.step + 1e-9);
}

double rounded(const Dimension& dimension, double value) {
  if (!(dimension.step > 0)) return std::clamp(value, dimension.low, dimension.high);
  const double steps = std::floor((value - dimension.low) / dimension.step + 0.5);
  const double kept = std::clamp(steps, 0.0, num_steps(dimension));
  return without_dust(dimension.low + dimension.step * kept);
}

double value_of(const Dimension& dimension, double unit) {
  const double u = std::clamp(unit, 0.0, 1.0);
  if (dimension.scale == Scale::linear) {
    return rounded(dimension, dimension.low + u * (dimension.high - dimension.low));
  }
  const double ratio = natural_log(dimension.high / dimension.low);
  return rounded(dimension, dimension.low * exponential(u * ratio));
}

double unit_of(const Dimension& dimension, double value) {
  const double unit =
      dimension.scale == Scale::linear
          ? (value - dimension.low) / (dimension.high - dimension.low)
          : natural_log(value / dimension.low) / natural_log(dimension.high / dimension.low);
  return std::clamp(unit, 0.0, 1.0);
}

// Whether a number that somebody wrote is one of the dimension's.
Status check_value(const Dimension& dimension, double value) {
  if (!(value >= dimension.low && value <= dimension.high)) {
    return Error::invalid_argument(fmt::format("{} lies outside", format_number(value)))
        .with_hint(
            fmt::format("{} .. {}", format_number(dimension.low), format_number(dimension.high)));
  }
  const double nearest = rounded(dimension, value);
  if (dimension.step > 0 && std::fabs(nearest - value) > 1e-9 * dimension.step) {
    return Error::invalid_argument(fmt::format("{} lies between two steps", format_number(value)))
        .with_hint(fmt::format("the nearest is {}", format_number(nearest)));
  }
  return Done{};
}

Status check_dimension(const Dimension& dimension) {
  DUEL_RETURN_IF_ERROR(check_id("a dimension", dimension.name));
  for (const double value : {dimension.low, dimension.high, dimension.in_use, dimension.step}) {
    if (!std::isfinite(value)) return Error::invalid_argument("is not finite");
  }
  if (!(dimension.low < dimension.high) || !std::isfinite(dimension.high - dimension.low)) {
    return Error::invalid_argument(fmt::format("low = {} is not below high = {}",
                                               format_number(dimension.low),
                                               format_number(dimension.high)));
  }
  if (dimension.scale == Scale::log && !(dimension.low >= 1e-300)) {
    return Error::invalid_argument(
               fmt::format("a log scale from low = {}", format_number(dimension.low)))
        .with_hint("low > 0");
  }
  if (dimension.step < 0 || (dimension.step > 0 && num_steps(dimension) < 1)) {
    return Error::invalid_argument(
               fmt::format("a step of {} leaves one number", format_number(dimension.step)))
        .with_hint(
            fmt::format("0 (none) < step <= {}", format_number(dimension.high - dimension.low)));
  }
  return in_field("default", check_value(dimension, dimension.in_use));
}

Result<double> number_in(const Json& json, std::string_view name) {
  const Json* value = json.find(name);
  if (value == nullptr) return Error::invalid_argument("is missing").in_field(name);
  if (!value->is_number()) {
    return Error::invalid_argument("is not a number").in_field(name);
  }
  return value->get<double>();
}

Result<Dimension> dimension_of(const std::string& name, const Json& json, const Json* in_use) {
  static const std::vector<std::string> known = {"low", "high", "default", "scale", "step"};
  if (!json.is_object()) {
    return Error::invalid_argument("is no table").with_hint(R"({"low": 0, "high": 1})");
  }
  for (const Json::Member& member : json.members()) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    return Error::invalid_argument("is not known")
        .with_hint(spelling_hint(member.name, known))
        .in_field(member.name);
  }
  Dimension dimension{.name = name};
  DUEL_ASSIGN(dimension.low, number_in(json, "low"));
  DUEL_ASSIGN(dimension.high, number_in(json, "high"));
  if (in_use != nullptr) {
    if (json.contains("default")) {
      return Error::invalid_argument("is given twice, here and in default_point")
          .in_field("default");
    }
    if (!in_use->is_number()) return Error::invalid_argument("is not a number").in_field("default");
    dimension.in_use = in_use->get<double>();
  } else {
    DUEL_ASSIGN(dimension.in_use, number_in(json, "default"));
  }
  if (json.contains("step")) {
    DUEL_ASSIGN(dimension.step, number_in(json, "step"));
    if (!(dimension.step > 0)) {
      return Error::invalid_argument("is not above 0").in_field("step");
    }
  }
  if (const Json* scale = json.find("scale")) {
    if (!scale->is_string()) return Error::invalid_argument("is not a text").in_field("scale");
    DUEL_ASSIGN(dimension.scale, in_field("scale", parse_word<Scale>(scale->get<std::string>())));
  }
  return dimension;
}

// The field of a dimension, as "weight.low".
Error of_dimension(Error error, const std::string& name) {
  error.field = error.field.empty() ? name : name + "." + error.field;
  return error;
}

}  // namespace

Space::Space(std::vector<Dimension> dimensions) : dimensions_(std::move(dimensions)) {
  for (Dimension& dimension : dimensions_) {
    dimension.in_use = rounded(dimension, dimension.in_use);
    has_steps_ = has_steps_ || dimension.step > 0;
  }
}

Result<Space> Space::make(std::vector<Dimension> dimensions) {
  if (dimensions.empty() || dimensions.size() > kMostDimensions) {
    return Error::invalid_argument(fmt::format("a space of {} dimensions", dimensions.size()))
        .with_hint(fmt::format("1 .. {}", kMostDimensions));
  }
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    if (const Status status = check_dimension(dimensions[k]); !status.ok()) {
      return of_dimension(status.error(), dimensions[k].name);
    }
    for (std::size_t before = 0; before < k; ++before) {
      if (dimensions[before].name == dimensions[k].name) {
        return Error::invalid_argument(
            fmt::format("two dimensions are called '{}'", dimensions[k].name));
      }
    }
  }
  return Space(std::move(dimensions));
}

Result<Space> Space::from_json(const Json& space, const Json& default_point) {
  if (!space.is_object()) {
    return Error::invalid_argument("a space is a table of dimensions")
        .with_hint(R"({"weight": {"low": 0, "high": 1, "default": 0.5}})");
  }
  std::vector<Dimension> dimensions;
  for (const Json::Member& member : space.members()) {
    const Json* in_use = default_point.find(member.name);
    auto dimension = dimension_of(member.name, member.value, in_use);
    if (!dimension.ok()) return of_dimension(dimension.error(), member.name);
    dimensions.push_back(*std::move(dimension));
  }
  for (const Json::Member& member : default_point.members()) {
    if (space.contains(member.name)) continue;
    return Error::invalid_argument(fmt::format("the space has no dimension '{}'", member.name))
        .in_field("default_point");
  }
  return make(std::move(dimensions));
}

Json Space::to_json() const {
  Json space = Json::object();
  for (const Dimension& dimension : dimensions_) {
    Json json = {{"low", dimension.low}, {"high", dimension.high}, {"default", dimension.in_use}};
    if (dimension.scale != Scale::linear) json.add("scale", to_word(dimension.scale));
    if (dimension.step > 0) json.add("step", dimension.step);
    space.add(dimension.name, std::move(json));
  }
  return space;
}

std::vector<double> Space::values_in_use() const {
  std::vector<double> values;
  for (const Dimension& dimension : dimensions_) values.push_back(dimension.in_use);
  return values;
}

std::vector<double> Space::values(std::span<const double> point) const {
  DUEL_CHECK(point.size() == size());
  std::vector<double> values;
  values.reserve(size());
  for (std::size_t k = 0; k < size(); ++k) values.push_back(value_of(dimensions_[k], point[k]));
  return values;
}

std::vector<double> Space::point(std::span<const double> values) const {
  DUEL_CHECK(values.size() == size());
  std::vector<double> point;
  point.reserve(size());
  for (std::size_t k = 0; k < size(); ++k) point.push_back(unit_of(dimensions_[k], values[k]));
  return point;
}

void Space::round_to_steps(std::span<double> point) const {
  if (!has_steps_) return;
  for (std::size_t k = 0; k < size(); ++k) {
    const Dimension& dimension = dimensions_[k];
    if (dimension.step > 0) point[k] = unit_of(dimension, value_of(dimension, point[k]));
  }
}

Json Space::payload(std::span<const double> values) const {
  Json payload = Json::object();
  for (std::size_t k = 0; k < size(); ++k) payload.add(dimensions_[k].name, values[k]);
  return payload;
}

Result<std::vector<double>> Space::values_of(const Json& payload) const {
  std::vector<double> values;
  for (const Dimension& dimension : dimensions_) {
    auto value = number_in(payload, dimension.name);
    if (!value.ok()) return value.error();
    DUEL_RETURN_IF_ERROR(in_field(dimension.name, check_value(dimension, *value)));
    values.push_back(*value);
  }
  if (payload.size() == size()) return values;
  std::vector<std::string> known;
  for (const Dimension& dimension : dimensions_) known.push_back(dimension.name);
  for (const Json::Member& member : payload.members()) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    return Error::invalid_argument(fmt::format("there is no dimension '{}'", member.name))
        .with_hint(spelling_hint(member.name, known));
  }
  return values;
}

}  // namespace duel
