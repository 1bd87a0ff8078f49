#include "duel/core/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace duel {
namespace {

// A read-only stream over characters that lie in memory already.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

std::string readable_size(std::uint64_t bytes) {
  constexpr double kGibibyte = 1 << 30;
  return bytes >= (std::uint64_t{1} << 30)
             ? fmt::format("{:.3g} GiB", static_cast<double>(bytes) / kGibibyte)
             : fmt::format("{} bytes", bytes);
}

Error too_large(const std::string& name, std::uint64_t limit) {
  return Error::invalid_data(fmt::format("more than {} of text", readable_size(limit)), name,
                             "that is the most that is read");
}

bool is_binary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return ((byte < 0x20) & (byte != '\t') & (byte != '\r')) | (byte == 0x7f);
}

}  // namespace

Result<TextLines> TextLines::open(const std::string& path, TextLimits limits) {
  if (path == "-") {
    TextLines lines("<stdin>", limits);
    lines.source_ = std::cin.rdbuf();
    return lines;
  }
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) {
    if (status.type() == std::filesystem::file_type::not_found) {
      return Error::not_found("there is no such file", path);
    }
    return Error::io("cannot be read: " + code.message(), path);
  }
  if (std::filesystem::is_directory(status)) {
    return Error::io("is a directory, not a file", path);
  }
  if (std::filesystem::is_regular_file(status)) {
    const std::uint64_t size = std::filesystem::file_size(path, code);
    if (!code && size > limits.bytes) return too_large(path, limits.bytes);
  }
  auto file = std::make_unique<std::filebuf>();
  errno = 0;
  if (file->open(path, std::ios::in | std::ios::binary) == nullptr) {
    return Error::io(fmt::format("cannot be read: {}", std::strerror(errno)), path);
  }
  TextLines lines(path, limits);
  lines.source_ = file.get();
  lines.owned_ = std::move(file);
  return lines;
}

TextLines TextLines::of_text(std::string name, std::string_view text, TextLimits limits) {
  TextLines lines(std::move(name), limits);
  lines.owned_ = std::make_unique<ViewBuffer>(text);
  lines.source_ = lines.owned_.get();
  return lines;
}

std::string TextLines::at_line(std::uint64_t line) const {
  return fmt::format("{}:{}", name_, line);
}

// Fills `line_`; false where nothing is left to read. Stops early beyond the limits.
// What the source has at hand, without waiting for more than a byte: a terminal gives line by line.
bool TextLines::refill() {
  using Traits = std::streambuf::traits_type;
  if (Traits::eq_int_type(source_->sgetc(), Traits::eof())) return false;
  constexpr std::streamsize kMost = 1 << 16;
  const auto size = std::clamp<std::streamsize>(source_->in_avail(), 1, kMost);
  chunk_.resize(static_cast<std::size_t>(size));
  chunk_.resize(static_cast<std::size_t>(source_->sgetn(chunk_.data(), size)));
  at_ = 0;
  return !chunk_.empty();
}

bool TextLines::append_up_to_newline() {
  line_.clear();
  bool any = false;
  while (line_.size() <= limits_.line_bytes && bytes_ <= limits_.bytes) {
    if (at_ == chunk_.size() && !refill()) return any;
    any = true;
    const std::string_view rest = std::string_view(chunk_).substr(at_);
    const std::size_t newline = rest.find('\n');
    const std::string_view taken = rest.substr(0, newline);
    line_ += taken;
    const bool ended = newline != std::string_view::npos;
    at_ += taken.size() + (ended ? 1 : 0);
    bytes_ += taken.size() + (ended ? 1 : 0);
    if (ended) return true;
  }
  return true;
}

std::optional<Error> TextLines::check_line() {
  std::uint8_t any = 0;  // over the whole line, which the compiler does many bytes at a time
  for (const char c : line_) any |= static_cast<std::uint8_t>(is_binary(c));
  for (std::size_t i = 0; any != 0 && i < line_.size(); ++i) {
    if (is_binary(line_[i])) {
      return Error::invalid_data(
          fmt::format("this is not text: byte 0x{:02x} at position {} of the line",
                      static_cast<unsigned char>(line_[i]), i + 1),
          here());
    }
  }
  if (line_.size() > limits_.line_bytes) {
    return Error::invalid_data(
        fmt::format("the line is longer than {}", readable_size(limits_.line_bytes)), here());
  }
  if (bytes_ > limits_.bytes) return too_large(name_, limits_.bytes);
  return std::nullopt;
}

Result<std::optional<std::string_view>> TextLines::next() {
  bool any = false;
  try {
    any = append_up_to_newline();
  } catch (const std::exception& failure) {  // filebuf throws where the disk fails
    return Error::io(fmt::format("cannot be read: {}", failure.what()), name_);
  }
  if (!any) return std::optional<std::string_view>();
  ++line_number_;
  if (const auto error = check_line()) return *error;
  std::string_view line = line_;
  if (line_number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::optional(line);
}

}  // namespace duel
