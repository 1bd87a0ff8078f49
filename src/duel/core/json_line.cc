#include "duel/core/json_line.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace duel {
namespace {

// JSON lets DEL stand as it is, our readers of lines take it for a sign of a binary file.
bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != '\x7f';
}

// The same for eight characters at once, since every line and every answer is made of such texts.
bool are_plain(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighBits = 0x80 * kOnes;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, sizeof bytes);
  const auto some_below = [](std::uint64_t values, std::uint64_t limit) {
    return (values - limit * kOnes) & ~values & kHighBits;
  };
  const auto some_equal = [&](char c) {
    return some_below(bytes ^ (kOnes * static_cast<unsigned char>(c)), 1);
  };
  return (some_below(bytes, 0x20) | some_equal('"') | some_equal('\\') | some_equal('\x7f')) == 0;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  // Stretches that need no escape are copied whole.
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end + 8 <= text.size() && are_plain(text.data() + end)) end += 8;
    while (end < text.size() && is_plain(text[end])) ++end;
    out.append(text, begin, end - begin);
    begin = end + 1;
    if (end == text.size()) break;
    switch (text[end]) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(text[end]));
    }
  }
  out += '"';
}

void append_json_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const std::size_t begin = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
}

void append_json(std::string& out, const Json& value) {
  if (value.is_string()) return append_json_string(out, value.get<std::string>());
  out += value.dump();
}

}  // namespace duel
