#include "duel/cli/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "duel/cli/help.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/study/toml_document.h"

namespace duel::cli {
namespace {

std::string key_of(const CLI::Option& option) { return option.get_lnames().front(); }

Error bad_setting(const std::string& where, std::string message, std::string hint = "") {
  return Error::invalid_argument(std::move(message), where, std::move(hint));
}

// Gives the option a value as if it stood on the command line.
Status set_option(CLI::Option& option, const std::vector<std::string>& values,
                  const std::string& where) {
  try {
    option.clear();
    for (const std::string& value : values) option.add_result(value);
    option.run_callback();
  } catch (const CLI::ConversionError&) {
    return bad_setting(where,
                       fmt::format("'{}' is not a value for {}", values.front(), key_of(option)));
  } catch (const CLI::ParseError& error) {
    // "--rounds: 'x' is not a number": the place replaces the option's name.
    const std::string text = error.what();
    const std::string prefix = "--" + key_of(option) + ": ";
    return bad_setting(where, text.starts_with(prefix) ? text.substr(prefix.size()) : text);
  }
  return Done{};
}

Result<std::vector<std::string>> texts_of(const TomlDocument& document, const toml::node& node,
                                          const std::string& where) {
  if (const auto* array = node.as_array()) {
    std::vector<std::string> texts;
    for (const toml::node& item : *array) {
      DUEL_ASSIGN(const std::vector<std::string> inner, texts_of(document, item, where));
      texts.insert(texts.end(), inner.begin(), inner.end());
    }
    return texts;
  }
  if (const auto* text = node.as_string()) {
    return std::vector<std::string>{document.spelled(text->get())};
  }
  if (const auto* whole = node.as_integer()) {
    return std::vector<std::string>{std::to_string(whole->get())};
  }
  if (const auto* number = node.as_floating_point()) {
    return std::vector<std::string>{format_number(number->get())};
  }
  if (const auto* flag = node.as_boolean()) {
    return std::vector<std::string>{flag->get() ? "true" : "false"};
  }
  return bad_setting(where, "is not a text, a number, a flag or a list of these");
}

std::string user_file() {
  const char* base = std::getenv("XDG_CONFIG_HOME");
  if (base != nullptr && *base == '/') return std::string(base) + "/duel/config.toml";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return "";
  return std::string(home) + "/.config/duel/config.toml";
}

bool is_command_of(const CLI::App& app, const std::string& name) {
  return !app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; })
              .empty();
}

class Configurator {
 public:
  Configurator(const CLI::App& app, const CLI::App& command, CommandContext& context)
      : app_(app), command_(command), context_(context) {
    for (CLI::Option* option : context.configurable_options()) {
      const auto& own = command.get_options();
      if (std::find(own.begin(), own.end(), option) != own.end()) options_.push_back(option);
    }
    for (const CLI::Option* option : options_) known_.push_back(key_of(*option));
  }

  bool has_options() const { return !options_.empty(); }

  Status from_variables() {
    for (CLI::Option* option : options_) {
      const std::string name = variable_name(*option);
      const char* value = std::getenv(name.c_str());
      if (option->count() > 0 || value == nullptr || *value == '\0') continue;
      DUEL_RETURN_IF_ERROR(set_option(*option, {value}, name));
      context_.mark_configured(option);
    }
    return Done{};
  }

  Status from_file(const std::string& path) {
    std::error_code ignored;
    if (path.empty() || !std::filesystem::exists(path, ignored)) return Done{};
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.good() && !file.eof()) {
      return Error::io("cannot read", path);
    }
    const Result<TomlDocument> parsed = TomlDocument::parse(text, path);
    if (!parsed.ok()) return bad_setting(parsed.error().where, parsed.error().message);
    const TomlDocument& document = *parsed;
    DUEL_RETURN_IF_ERROR(check_tables(document, app_));
    const toml::table* table = &document.table();
    for (const std::string& name : table_path()) {
      const toml::node* inner = table->get(name);
      if (inner == nullptr) return Done{};
      table = inner->as_table();
    }
    for (const auto& [key, node] : *table) {
      const std::string name = document.spelled(key.str());
      if (node.is_table() && is_command_of(command_, name)) continue;
      const std::string where = fmt::format("{}: {}", document.where(node.source()), name);
      const auto option = std::find_if(options_.begin(), options_.end(),
                                       [&](const CLI::Option* o) { return o->check_lname(name); });
      if (option == options_.end()) {
        return bad_setting(where, fmt::format("'{}' has no such setting", command_path(&command_)),
                           spelling_hint(name, known_));
      }
      if ((*option)->count() > 0) continue;
      DUEL_ASSIGN(const std::vector<std::string> values, texts_of(document, node, where));
      if (values.empty()) continue;
      DUEL_RETURN_IF_ERROR(set_option(**option, values, where));
      context_.mark_configured(*option);
    }
    return Done{};
  }

 private:
  // The names of the command and of those above it, without the program's.
  std::vector<std::string> table_path() const {
    std::vector<std::string> path;
    for (const CLI::App* level = &command_; level->get_parent() != nullptr;
         level = level->get_parent()) {
      path.insert(path.begin(), level->get_name());
    }
    return path;
  }

  // Everything at the top must be the table of a command.
  static Status check_tables(const TomlDocument& document, const CLI::App& app) {
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      commands.push_back(command->get_name());
    }
    for (const auto& [key, node] : document.table()) {
      const std::string name = document.spelled(key.str());
      const std::string where = document.where(node.source());
      if (!node.is_table()) {
        return bad_setting(where, fmt::format("'{}' stands outside a table", name),
                           "settings live in the table of a command, such as [simulate]");
      }
      if (std::find(commands.begin(), commands.end(), name) == commands.end()) {
        return bad_setting(where, fmt::format("there is no command '{}'", name),
                           spelling_hint(name, commands));
      }
    }
    return Done{};
  }

  const CLI::App& app_;
  const CLI::App& command_;
  CommandContext& context_;
  std::vector<CLI::Option*> options_;
  std::vector<std::string> known_;
};

}  // namespace

std::string variable_name(const CLI::Option& option) {
  std::string name = "DUEL_" + key_of(option);
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

Status apply_configuration(const CLI::App& app, CommandContext& context) {
  Configurator configurator(app, *chosen_command(app), context);
  if (!configurator.has_options()) return Done{};
  DUEL_RETURN_IF_ERROR(configurator.from_variables());
  DUEL_RETURN_IF_ERROR(configurator.from_file("duel.toml"));
  return configurator.from_file(user_file());
}

}  // namespace duel::cli
