#include "duel/cli/ballot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "duel/core/display_width.h"
#include "duel/core/json.h"

namespace duel::cli {
namespace {

constexpr std::size_t kLeastSideBySide = 80;
constexpr std::size_t kPlain = 78;

// The bytes of the character at `at`; a broken one is one byte.
std::size_t character_size(std::string_view text, std::size_t at) {
  const auto lead = static_cast<std::uint8_t>(text[at]);
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return std::min(size, text.size() - at);
}

std::string harmless(std::string_view line) {
  std::string text;
  for (const char c : line) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '\t') {
      text += "    ";
    } else if (c != '\r') {
      text += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
  }
  return text;
}

void fold_line(const std::string& line, std::size_t width, std::vector<std::string>& out) {
  std::string_view rest = line;
  while (display_width(rest) > width) {
    std::size_t end = 0;
    std::size_t used = 0;
    std::size_t space = 0;
    while (end < rest.size()) {
      const std::size_t size = character_size(rest, end);
      used += display_width(rest.substr(end, size));
      if (used > width) break;
      if (rest[end] == ' ') space = end;
      end += size;
    }
    const bool at_space = space > 0 && rest.find_first_not_of(' ') < space;
    const std::size_t cut = at_space ? space : std::max<std::size_t>(end, character_size(rest, 0));
    out.emplace_back(rest.substr(0, cut));
    rest.remove_prefix(cut + (at_space ? 1 : 0));
  }
  out.emplace_back(rest);
}

// Breaks the text into lines of at most `width` columns, at a space if the line has one, and keeps
// the indentation. Control characters become '?': an arm's text must not steer the terminal.
std::vector<std::string> folded(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    fold_line(harmless(text.substr(at, end - at)), width, lines);
    at = end + 1;
  }
  return lines;
}

std::string item_text(const ShownArm& arm) {
  if (!arm.payload) return "(not a text: " + arm.path + ")";
  if (arm.payload->is_string()) return arm.payload->get<std::string>();
  std::string text = arm.payload->dump_pretty();
  text.pop_back();  // its newline
  return text;
}

std::vector<std::string> item_lines(const ShownArm& arm, std::size_t width, std::size_t most) {
  std::vector<std::string> lines = folded(item_text(arm), width);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.size() > most) {
    const std::size_t left = lines.size() - most + 1;
    lines.resize(most - 1);
    lines.push_back(shortened(fmt::format("(… {} more lines)", left), width));
  }
  return lines;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, display_width(text)), ' ');
}

}  // namespace

std::string ballot(const Question& question, std::size_t columns, std::size_t rows) {
  const bool side_by_side = columns >= kLeastSideBySide;
  const std::size_t width = columns == 0 ? kPlain : std::max<std::size_t>(columns - 1, 20);
  std::string text;
  std::size_t used = 4;  // titles and what is asked below
  if (question.task) {
    const std::string task =
        question.task->is_string() ? question.task->get<std::string>() : question.task->dump();
    std::vector<std::string> lines = folded(task, width);
    if (rows > 0 && lines.size() > rows / 3 + 1) lines.resize(rows / 3 + 1);
    for (const std::string& line : lines) text += line + "\n";
    text += "\n";
    used += lines.size() + 1;
  }
  const std::size_t room = rows > used + 4 ? rows - used : 4;
  if (!side_by_side) {
    const std::size_t most = rows == 0 ? ~std::size_t{0} : std::max<std::size_t>(2, room / 2 - 1);
    const ShownArm* arms[] = {&question.first, &question.second};
    for (std::size_t k = 0; k < 2; ++k) {
      text += fmt::format("--- {} ---\n", k + 1);
      for (const std::string& line : item_lines(*arms[k], width, most)) text += line + "\n";
    }
    return text;
  }
  const std::size_t half = (width - 3) / 2;
  const std::size_t most = rows == 0 ? ~std::size_t{0} : room;
  const std::vector<std::string> left = item_lines(question.first, half, most);
  const std::vector<std::string> right = item_lines(question.second, half, most);
  text += padded("← 1", half) + " │ " + "2 →\n";
  for (std::size_t k = 0; k < std::max(left.size(), right.size()); ++k) {
    std::string line =
        padded(k < left.size() ? left[k] : "", half) + " │ " + (k < right.size() ? right[k] : "");
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace duel::cli
