#include "duel/cli/help.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "duel/core/display_width.h"

namespace duel::cli {
namespace {

// As wide as the terminal if it is narrow, otherwise a width that is easy to read.
std::size_t page_width() {
  constexpr std::size_t kWidest = 96;
  const std::size_t terminal = terminal_size(STDOUT_FILENO).columns;
  return terminal == 0 ? kWidest : std::clamp<std::size_t>(terminal, 50, kWidest);
}

constexpr std::size_t kNameColumn = 26;

// `  name   text`, the text wrapped; on its own line where the name is long.
std::string entry(const std::string& name, const std::string& text) {
  std::string line = "  " + name;
  const std::size_t used = display_width(line);
  if (text.empty()) return line + "\n";
  line += used + 2 > kNameColumn ? "\n" + std::string(kNameColumn, ' ')
                                 : std::string(kNameColumn - used, ' ');
  return line + wrapped(text, page_width() - kNameColumn, kNameColumn) + "\n";
}

// The arguments or the options, under a heading.
std::string section(const std::string& heading, const Command& command, bool arguments) {
  std::string text;
  for (const Option& option : command.options) {
    if (option.is_argument() == arguments) text += entry(spelled_option(option), option.doc);
  }
  return text.empty() ? "" : "\n" + heading + ":\n" + text;
}

}  // namespace

std::string first_sentence(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const auto stop = line.find(". ");
  return stop == std::string::npos ? line : line.substr(0, stop + 1);
}

std::string usage_line(const Command& command) {
  std::string text = command.path();
  const bool has_commands = !command.commands.empty();
  if (has_commands) text += command.needs_command ? " COMMAND" : " [COMMAND]";
  for (const Option& option : command.options) {
    if (!option.is_argument()) continue;
    const std::string name = option.names + (option.is_list() ? "..." : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  return text + (has_commands ? " ..." : " [OPTIONS]");
}

std::string spelled_option(const Option& option) {
  if (option.is_argument()) return option.names;
  std::string text = option.spellings.front().starts_with("--") ? "    " : "";
  text += fmt::format("{}", fmt::join(option.spellings, ", "));
  return option.word.empty() ? text : text + " " + option.word;
}

std::string help_page(const Command& command) {
  std::string page =
      wrapped(command.about, page_width()) + "\n\nUsage: " + usage_line(command) + "\n";
  page += section("Arguments", command, true) + section("Options", command, false);
  if (!command.commands.empty()) page += "\nCommands:\n";
  for (const Command& below : command.commands) {
    page += entry(below.name, first_sentence(below.about));
  }
  return page + "\n" + command.footer + "\n";
}

}  // namespace duel::cli
