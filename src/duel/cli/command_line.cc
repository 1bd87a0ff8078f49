#include "duel/cli/command_line.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>

#include "duel/core/spelling.h"

namespace duel::cli {
namespace {

CLI::Option* add_to(CLI::App& app, const Option& option) {
  if (auto* const* flag = std::get_if<bool*>(&option.target)) {
    return app.add_flag(option.names, **flag);
  }
  if (auto* const* number = std::get_if<double*>(&option.target)) {
    return app.add_option(option.names, **number);
  }
  if (auto* const* text = std::get_if<std::string*>(&option.target)) {
    return app.add_option(option.names, **text);
  }
  if (auto* const* texts = std::get_if<std::vector<std::string>*>(&option.target)) {
    CLI::Option* added = app.add_option(option.names, **texts);
    // One value each time, so that `--policy a b` does not swallow the file b.
    if (!option.is_argument()) added->allow_extra_args(false);
    return option.once ? added->expected(1) : added;
  }
  if (const auto* reader = std::get_if<Check>(&option.target)) {
    return app.add_option_function<std::string>(
        option.names, [reader, &option](const std::string& text) {
          const std::string complaint = (*reader)(text);
          if (!complaint.empty()) throw CLI::ValidationError(option.name(), complaint);
        });
  }
  return option.name() == "--help" ? app.set_help_flag(option.names)
                                   : app.set_version_flag(option.names);
}

std::string unexpected_argument(const Command& command, const std::string& argument) {
  if (argument.size() > 1 && argument[0] == '-') {
    std::vector<std::string> known;
    for (const Option& option : command.options) {
      for (const std::string& spelling : option.spellings) {
        if (spelling.starts_with("--")) known.push_back(spelling);
      }
    }
    const std::string name = argument.substr(0, argument.find('='));
    const std::string nearest = nearest_spelling(name, known);
    return fmt::format("'{}' has no option '{}'{}", command.path(), name,
                       nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest));
  }
  if (!command.commands.empty()) {
    return fmt::format("'{}' has no command '{}' ({})", command.path(), argument,
                       spelling_hint(argument, command.command_names()));
  }
  return fmt::format("'{}' does not expect the argument '{}'", command.path(), argument);
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

struct CommandLine::Parser {
  explicit Parser(Command& program) : app("", program.name) { declare(app, program); }

  void declare(CLI::App& level, Command& command) {
    commands[&level] = &command;
    for (Option& option : command.options) {
      CLI::Option* added = options[&option] = add_to(level, option);
      added->required(option.required);
      if (option.check) added->check(option.check);
      if (option.not_negative) added->check(CLI::NonNegativeNumber);
      if (option.needs != nullptr) added->needs(options.at(option.needs));
      if (option.excludes != nullptr) added->excludes(options.at(option.excludes));
    }
    if (command.needs_command) level.require_subcommand(1);
    for (Command& below : command.commands) declare(*level.add_subcommand(below.name), below);
  }

  const CLI::App* chosen() const {
    const CLI::App* level = &app;
    while (!level->get_subcommands().empty()) level = level->get_subcommands().front();
    return level;
  }

  std::string explain(const CLI::ParseError& error) const {
    const Command& command = *commands.at(chosen());
    std::string message;
    // What was not understood explains more than what is missing because of it.
    for (const CLI::App* level = chosen(); level != nullptr && message.empty();
         level = level->get_parent()) {
      const auto remaining = level->remaining(false);
      if (!remaining.empty()) {
        message = unexpected_argument(*commands.at(level), remaining.front());
      }
    }
    if (message.empty() && command.needs_command) {
      message = fmt::format("'{}' needs a command (known: {})", command.path(),
                            fmt::join(command.command_names(), ", "));
    }
    if (message.empty()) message = reworded(error);
    return fmt::format("{}\nTry '{} --help'.", message, command.path());
  }

  CLI::App app;
  std::map<const CLI::App*, Command*> commands;
  std::map<const Option*, CLI::Option*> options;
};

CommandLine::CommandLine(Command& program) : parser_(std::make_unique<Parser>(program)) {}
CommandLine::~CommandLine() = default;

Command& CommandLine::chosen() const { return *parser_->commands.at(parser_->chosen()); }

Result<CommandLine::Wish> CommandLine::read(int argc, const char* const* argv) {
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Wish::help;
  } catch (const CLI::CallForVersion&) {
    return Wish::version;
  } catch (const CLI::ParseError& error) {
    return Error::invalid_argument(parser_->explain(error));
  }
  for (Option& option : chosen().options) option.texts = parser_->options.at(&option)->results();
  return Wish::work;
}

Status CommandLine::set(Option& option, const std::vector<std::string>& values,
                        const std::string& where) {
  CLI::Option& known = *parser_->options.at(&option);
  try {
    known.clear();
    for (const std::string& value : values) known.add_result(value);
    known.run_callback();
  } catch (const CLI::ConversionError&) {
    return Error::invalid_argument(
        fmt::format("'{}' is not a value for {}", values.front(), option.key()), where);
  } catch (const CLI::ParseError& error) {
    // "--rounds: 'x' is not a number": the place replaces the option's name.
    const std::string text = error.what();
    const std::string prefix = option.name() + ": ";
    return Error::invalid_argument(text.starts_with(prefix) ? text.substr(prefix.size()) : text,
                                   where);
  }
  option.texts = known.results();
  option.configured = true;
  return Done{};
}

}  // namespace duel::cli
