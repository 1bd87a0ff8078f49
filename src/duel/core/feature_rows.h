// What is known of each arm in numbers: one row per arm, all equally long. A prompt's embedding, a
// document's features, or what a user and an arm have in common in one round (a context).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"

namespace duel {

class FeatureRows {
 public:
  static constexpr std::size_t kMostWidth = 10'000;

  FeatureRows() = default;
  // REQUIRES: values.size() is a multiple of `width`, which is 1 or more.
  FeatureRows(std::size_t width, std::vector<double> values);
  // Row i is the i-th unit vector: each arm has a utility of its own.
  static FeatureRows identity(std::size_t num_arms);
  // Errors: no row, rows that are not equally long, a number that is not finite or beyond 10^6.
  static Result<FeatureRows> create(const std::vector<std::vector<double>>& rows);
  // Comma-separated numbers, a line for each arm, in the order of the arms; a first line that holds
  // no number is a heading. `source` names the text in errors.
  static Result<FeatureRows> parse(std::string_view text, const std::string& source);
  static Result<FeatureRows> read(const std::filesystem::path& file);

  std::size_t size() const { return width_ == 0 ? 0 : values_.size() / width_; }
  std::size_t width() const { return width_; }
  std::span<const double> operator[](std::size_t row) const {
    return {values_.data() + row * width_, width_};
  }
  const std::vector<double>& values() const { return values_; }
  friend bool operator==(const FeatureRows&, const FeatureRows&) = default;

 private:
  std::size_t width_ = 0;
  std::vector<double> values_;
};

}  // namespace duel
