#include "duel/core/display_width.h"

#include <algorithm>
#include <cstdint>

#include "duel/core/utf8.h"

namespace duel {
namespace {

// Decodes one character at `text[at]` and moves `at` behind it. What is broken is U+FFFD.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const Utf8Character character = utf8_character(text, at);
  at += character.bytes;
  return character.point;
}

// The common cases of Unicode's East Asian Width and combining marks; a terminal knows more.
std::size_t character_width(std::uint32_t c) {
  if (c < 0x20 || c == 0x7f) return 0;
  if ((c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || (c >= 0xfe00 && c <= 0xfe0f)) {
    return 0;
  }
  const bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
                    (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
                    (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
                    (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) ||
                    (c >= 0x20000 && c <= 0x3fffd);
  return wide ? 2 : 1;
}

// Moves `at` behind an escape sequence (`ESC [ ... letter`) that begins there.
bool skip_escape(std::string_view text, std::size_t& at) {
  if (text[at] != '\033' || at + 1 >= text.size() || text[at + 1] != '[') return false;
  at += 2;
  while (at < text.size() && (text[at] < '@' || text[at] > '~')) ++at;
  if (at < text.size()) ++at;
  return true;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!skip_escape(text, at)) width += character_width(next_character(text, at));
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const std::size_t more = character_width(next_character(text, next));
    if (used + more > width - 1) break;
    used += more;
    at = next;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string shortened_inside(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width < 3) return shortened(text, width);
  const std::size_t behind = (width - 1) / 2;
  // From the left, the first place from which on no more than `behind` columns are left.
  std::size_t at = 0;
  while (display_width(text.substr(at)) > behind) next_character(text, at);
  return shortened(text, width - display_width(text.substr(at))) + std::string(text.substr(at));
}

std::string printable_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint32_t c = next_character(text, at);
    const bool shows = c >= 0x20 && (c < 0x7f || c > 0x9f) && c != 0xfffd;
    line += shows ? text.substr(begin, at - begin) : "?";
  }
  return line;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      out += "\n" + std::string(indent, ' ');
      used = 0;
      ++at;
      continue;
    }
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    if (text[begin] == '\n') {
      at = begin;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t word_width = display_width(word);
    if (used > 0 && used + 1 + word_width > width) {
      out += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word_width;
    at = end;
  }
  return out;
}

}  // namespace duel
