// What is tuned: a box of named numbers, and the point of it that is in use today.
//
// Learners move in the unit cube, where every dimension counts alike; people and programs see the
// numbers themselves. A dimension with a step takes only low, low + step, low + 2 step, ..: points
// that round to the same numbers are the same point.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/core/words.h"

namespace duel {

// How equal steps of the unit interval are spread over a dimension: by equal differences, or by
// equal ratios.
enum class Scale { linear, log };

template <>
struct Words<Scale> {
  static constexpr std::string_view noun = "scale";
  static constexpr auto all = words_table<Scale>({{"linear", Scale::linear}, {"log", Scale::log}});
};

struct Dimension {
  std::string name;
  double low = 0;
  double high = 1;
  double in_use = 0;  // the default: today's value
  Scale scale = Scale::linear;
  double step = 0;  // 0: every number between low and high

  friend bool operator==(const Dimension&, const Dimension&) = default;
};

class Space {
 public:
  static constexpr std::size_t kMostDimensions = 100;

  // Errors: no dimension or too many, two of one name, low >= high, a log scale that reaches 0, a
  // step that leaves one number, a default outside or between two steps.
  static Result<Space> make(std::vector<Dimension> dimensions);
  // {"weight": {"low": 0, "high": 1, "default": 0.5, "scale": "log", "step": 0.01}, ..}. The
  // defaults may come apart from it, as {"weight": 0.5, ..}. An error names the member.
  static Result<Space> from_json(const Json& space, const Json& default_point = {});
  // As `from_json` takes it, with the defaults in it.
  Json to_json() const;

  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  std::size_t size() const { return dimensions_.size(); }
  // Today's numbers.
  std::vector<double> values_in_use() const;

  // The numbers of a point of the unit cube, rounded to their steps.
  std::vector<double> values(std::span<const double> point) const;
  // The point of the unit cube with these numbers. REQUIRES: they lie within the box.
  std::vector<double> point(std::span<const double> values) const;
  // The point as it is served: on the steps. Changes nothing where no dimension has one.
  void round_to_steps(std::span<double> point) const;
  bool has_steps() const { return has_steps_; }

  // {"weight": 0.5, ..}
  Json payload(std::span<const double> values) const;
  // Back. Errors: a name that is missing or unknown, a number outside or between two steps.
  Result<std::vector<double>> values_of(const Json& payload) const;

  friend bool operator==(const Space& one, const Space& other) {
    return one.dimensions_ == other.dimensions_;
  }

 private:
  explicit Space(std::vector<Dimension> dimensions);

  std::vector<Dimension> dimensions_;
  bool has_steps_ = false;
};
using SpacePtr = std::shared_ptr<const Space>;

}  // namespace duel
