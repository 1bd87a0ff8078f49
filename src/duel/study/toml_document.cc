#include "duel/study/toml_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "duel/core/utf8.h"

namespace duel {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Line number `number`, 1-based.
std::string_view line_at(std::string_view text, std::size_t number) {
  for (; number > 1 && !text.empty(); --number) {
    const auto end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<TomlDocument> TomlDocument::parse(std::string_view text, const std::string& source) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  if (const auto at = find_invalid_utf8(text); at != std::string_view::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
    return Error::invalid_data("the text is not UTF-8", fmt::format("{}:{}", source, line));
  }
  std::string marker = "~u";
  while (text.find(marker) != std::string_view::npos) marker += 'u';
  TomlDocument document(source, marker);
  std::string ascii;
  ascii.reserve(text.size());
  for (const char c : text) {
    if (is_ascii(c)) {
      ascii += c;
    } else {
      ascii += fmt::format("{}{:02x}", marker, static_cast<unsigned char>(c));
    }
  }
  try {
    document.table_ = toml::parse(ascii);
  } catch (const toml::parse_error& error) {
    std::string message = document.spelled(error.description());
    const std::string_view line = line_at(text, error.source().begin.line);
    const auto tilde = message.find("'~'");
    if (tilde != std::string::npos && !std::all_of(line.begin(), line.end(), is_ascii)) {
      message.replace(tilde, 3, "a letter outside ASCII, which needs quotes");
    }
    return Error::invalid_data(message, document.where(error.source()));
  }
  return document;
}

std::string TomlDocument::spelled(std::string_view stored) const {
  std::string text;
  while (!stored.empty()) {
    const auto at = stored.find(marker_);
    text += stored.substr(0, at);
    if (at == std::string_view::npos) break;
    stored.remove_prefix(at + marker_.size());
    unsigned byte = 0;
    const std::string_view digits = stored.substr(0, 2);
    const auto [end, code] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (code != std::errc() || end != digits.data() + 2) {  // made by an escape, not by us
      text += marker_;
      continue;
    }
    text += static_cast<char>(byte);
    stored.remove_prefix(2);
  }
  return text;
}

std::string TomlDocument::where(const toml::source_region& region) const {
  return fmt::format("{}:{}", source_, region.begin.line);
}

}  // namespace duel
