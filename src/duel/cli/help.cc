#include "duel/cli/help.h"

#include <fmt/format.h>

#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <vector>

#include "duel/cli/command.h"
#include "duel/core/display_width.h"
#include "duel/core/spelling.h"

namespace duel::cli {
namespace {

constexpr std::size_t kPageWidth = 96;
constexpr std::size_t kNameColumn = 26;

// `  name   text`, the text wrapped; on its own line where the name is long.
std::string entry(const std::string& name, const std::string& text) {
  std::string line = "  " + name;
  const std::size_t used = display_width(line);
  if (text.empty()) return line + "\n";
  line += used + 2 > kNameColumn ? "\n" + std::string(kNameColumn, ' ')
                                 : std::string(kNameColumn - used, ' ');
  return line + wrapped(text, kPageWidth - kNameColumn, kNameColumn) + "\n";
}

// Up to the first full stop or line break.
std::string first_sentence(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const auto stop = line.find(". ");
  return stop == std::string::npos ? line : line.substr(0, stop + 1);
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { label("Positionals", "Arguments"); }

  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), kPageWidth) + "\n\n";
  }

  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    std::string usage = "Usage: " + command_path(app);
    const bool has_commands = !app->get_subcommands({}).empty();
    if (has_commands) usage += app->get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND]";
    for (const CLI::Option* option :
         app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      const std::string more = option->get_expected_max() > 1 ? "..." : "";
      const std::string name = option->get_name(true) + more;
      usage += option->get_required() ? " " + name : " [" + name + "]";
    }
    return usage + (has_commands ? " ...\n" : " [OPTIONS]\n");
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    std::string text = "\n" + group + ":\n";
    for (const CLI::Option* option : options) text += make_option(option, is_positional);
    return text;
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name;
    if (is_positional) {
      name = option->get_name(true);
    } else {
      const auto& shorts = option->get_snames();
      const auto& longs = option->get_lnames();
      name = shorts.empty() ? "    " : "-" + shorts.front() + (longs.empty() ? "" : ", ");
      if (!longs.empty()) name += "--" + longs.front();
      if (option->get_type_size() != 0 && !option->get_type_name().empty()) {
        name += " " + option->get_type_name();
      }
    }
    return entry(name, option->get_description());
  }

  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode /*mode*/) const override {
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty()) return "";
    std::string text = "\nCommands:\n";
    for (const CLI::App* command : commands) {
      text += entry(command->get_name(), first_sentence(command->get_description()));
    }
    return text;
  }

  std::string make_footer(const CLI::App* app) const override {
    const std::string footer = app->get_footer();
    const auto begin = footer.find_first_not_of('\n');
    return begin == std::string::npos ? "" : footer.substr(begin) + "\n";
  }
};

std::vector<std::string> option_names(const CLI::App* command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::string unexpected_argument(const CLI::App* command, const std::string& argument) {
  if (argument.size() > 1 && argument[0] == '-') {
    const std::string name = argument.substr(0, argument.find('='));
    const std::string nearest = nearest_spelling(name, option_names(command));
    return fmt::format("'{}' has no option '{}'{}", command_path(command), name,
                       nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest));
  }
  const std::vector<std::string> commands = command_names(command);
  if (!commands.empty()) {
    return fmt::format("'{}' has no command '{}' ({})", command_path(command), argument,
                       spelling_hint(argument, commands));
  }
  return fmt::format("'{}' does not expect the argument '{}'", command_path(command), argument);
}

// CLI11 writes "--rounds: 1 required N missing"; we say it in words.
std::string reworded(const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string subject = text.substr(0, text.find(':'));
  if (error.get_name() == "ArgumentMismatch") {
    const bool too_many =
        text.find("At Most") != std::string::npos || text.find("at most") != std::string::npos;
    return too_many ? subject + " is given more than once" : subject + " needs a value";
  }
  if (error.get_name() == "ExcludesError") {
    const auto at = text.find(" excludes ");
    if (at != std::string::npos) {
      return text.substr(0, at) + " cannot be given with " + text.substr(at + 10);
    }
  }
  if (error.get_name() == "RequiredError") {
    const std::string name = text.substr(0, text.find(" is required"));
    return name.starts_with("-") ? "the option " + name + " is missing" : name + " is missing";
  }
  return text;
}

}  // namespace

void set_help_layout(CLI::App& app) { app.formatter(std::make_shared<HelpFormatter>()); }

const CLI::App* chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (true) {
    const auto chosen = command->get_subcommands();
    if (chosen.empty()) return command;
    command = chosen.front();
  }
}

std::string command_path(const CLI::App* command) {
  std::string path = command->get_name();
  for (const CLI::App* above = command->get_parent(); above != nullptr;
       above = above->get_parent()) {
    path = above->get_name() + " " + path;
  }
  return path;
}

std::string explain_usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = chosen_command(app);
  std::string message;
  // What was not understood explains more than what is missing because of it.
  for (const CLI::App* level = command; level != nullptr && message.empty();
       level = level->get_parent()) {
    const auto remaining = level->remaining(false);
    if (!remaining.empty()) message = unexpected_argument(level, remaining.front());
  }
  if (message.empty() && command->get_require_subcommand_min() > 0) {
    std::string names;
    for (const std::string& name : command_names(command)) {
      names += (names.empty() ? "" : ", ") + name;
    }
    message = fmt::format("'{}' needs a command (known: {})", command_path(command), names);
  }
  if (message.empty()) message = reworded(error);
  return fmt::format("{}\nTry '{} --help'.", message, command_path(command));
}

}  // namespace duel::cli
