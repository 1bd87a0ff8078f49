#include "duel/core/json_objects.h"

#include <cstddef>

namespace duel {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// How deep brackets are open after a line, and whether a string is. JSON has no string over two
// lines, so one that is still open at the end of a line is an error that the parser reports.
std::size_t depth_after(std::string_view line, std::size_t depth) {
  bool in_string = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (in_string) {
      if (c == '\\') {
        ++k;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return depth;
}

}  // namespace

Result<std::optional<std::string_view>> JsonObjects::next() {
  for (;;) {
    DUEL_ASSIGN(const auto line, lines_.next());
    if (!line) return std::optional<std::string_view>();
    const std::string_view content = without_blanks(*line);
    if (content.empty()) continue;
    line_number_ = lines_.line_number();
    if (content != "{") return std::optional(*line);
    text_ = "{";
    for (std::size_t depth = 1; depth > 0;) {
      DUEL_ASSIGN(const auto more, lines_.next());
      if (!more) return Error::invalid_data("the JSON object does not end", here());
      depth = depth_after(*more, depth);
      text_ += '\n';
      text_ += *more;
      if (text_.size() > TextLimits().line_bytes) {
        return Error::invalid_data("the JSON object is too long", here());
      }
    }
    return std::optional<std::string_view>(text_);
  }
}

}  // namespace duel
