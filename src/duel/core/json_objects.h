// The JSON objects of a text: one per line, or one over several lines, of which the first holds
// nothing but `{`, as programs print for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/result.h"
#include "duel/core/text_lines.h"

namespace duel {

class JsonObjects {
 public:
  explicit JsonObjects(TextLines lines) : lines_(std::move(lines)) {}

  // The text of the next object, or nullopt after the last; blank lines are passed over. A line
  // that holds something else is given as it is. The view lives until the next call.
  Result<std::optional<std::string_view>> next();

  std::uint64_t line_number() const { return line_number_; }  // where the object begins, from 1
  std::string here() const { return lines_.at_line(line_number_); }
  const std::string& name() const { return lines_.name(); }

 private:
  TextLines lines_;
  std::uint64_t line_number_ = 0;
  std::string text_;  // of an object over several lines
};

}  // namespace duel
