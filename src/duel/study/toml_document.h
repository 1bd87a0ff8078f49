// TOML text, parsed by toml++ but kept away from two weak spots of version 3.3. It has undefined
// behaviour where it asks whether a letter outside ASCII is white space: such letters are spelled
// in ASCII before it reads them, and spelled back in what it gives. And it asserts on some wrong
// input ("[[[") that it goes on to report properly: its assertions are off in every kind of build.
#pragma once

#ifndef TOML_ASSERT
#define TOML_ASSERT(condition) static_assert(true)
#endif
#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

class TomlDocument {
 public:
  // `source` names the text in errors: "study.toml:7".
  static Result<TomlDocument> parse(std::string_view text, const std::string& source);

  // Keys and strings in it pass through `spelled` before they mean anything.
  const toml::table& table() const { return table_; }
  std::string spelled(std::string_view stored) const;

  std::string where(const toml::source_region& region) const;

 private:
  TomlDocument(std::string source, std::string marker)
      : source_(std::move(source)), marker_(std::move(marker)) {}

  std::string source_;
  std::string
      marker_;  // stands before the two hexadecimal digits of a byte; not in the text itself
  toml::table table_;
};

}  // namespace duel
