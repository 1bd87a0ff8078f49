#include "duel/core/json_line.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace duel {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  // Stretches that need no escape are copied whole. JSON lets DEL stand as it is, our readers of
  // lines take it for a sign of a binary file.
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != '\x7f';
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && plain(text[end])) ++end;
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

void append_json(std::string& out, const Json& value) {
  if (value.is_string()) return append_json_string(out, value.get<std::string>());
  out += value.dump();
}

}  // namespace duel
