// Text files line by line in bounded memory, for readers whose errors name file and line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

#include "duel/core/result.h"

namespace duel {

// How much text a reader takes before it refuses.
struct TextLimits {
  std::uint64_t bytes = std::uint64_t{2} << 30;  // in the whole file
  std::size_t line_bytes = std::size_t{16} << 20;
};

// The lines of a file, of standard input, or of a text in memory. Takes LF and CRLF, skips a UTF-8
// byte order mark, and refuses bytes that no text has.
class TextLines {
 public:
  // `path` may be "-", standard input. An error for what does not exist, is a directory, cannot be
  // read, or is larger than `limits.bytes`.
  static Result<TextLines> open(const std::string& path, TextLimits limits = {});

  // `name` stands for the file in messages. REQUIRES: `text` outlives the object.
  static TextLines of_text(std::string name, std::string_view text, TextLimits limits = {});

  // The next line without its end, or nullopt after the last. The view lives until the next call.
  Result<std::optional<std::string_view>> next();

  std::uint64_t line_number() const { return line_number_; }  // of the line last given, from 1
  const std::string& name() const { return name_; }
  std::string here() const { return at_line(line_number_); }  // "file:line"
  std::string at_line(std::uint64_t line) const;

 private:
  TextLines(std::string name, TextLimits limits) : name_(std::move(name)), limits_(limits) {}

  bool refill();
  bool append_up_to_newline();
  std::optional<Error> check_line();

  std::string name_;
  TextLimits limits_;
  std::unique_ptr<std::streambuf> owned_;
  std::streambuf* source_ = nullptr;
  std::string chunk_;  // read and not given yet from at_ on
  std::size_t at_ = 0;
  std::string line_;
  std::uint64_t line_number_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace duel
