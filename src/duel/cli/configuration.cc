#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "duel/cli/command_line.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/study/toml_document.h"

namespace duel::cli {
namespace {

Error bad_setting(const std::string& where, std::string message, std::string hint = "") {
  return Error::invalid_argument(std::move(message), where, std::move(hint));
}

// `horizon-per-checkpoint` is DUEL_HORIZON_PER_CHECKPOINT.
std::string variable_name(const Option& option) {
  std::string name = "DUEL_" + option.key();
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

using Texts = std::vector<std::string>;

Result<Texts> texts_of(const TomlDocument& document, const toml::node& node,
                       const std::string& where) {
  if (const auto* array = node.as_array()) {
    Texts texts;
    for (const toml::node& item : *array) {
      DUEL_ASSIGN(const Texts inner, texts_of(document, item, where));
      texts.insert(texts.end(), inner.begin(), inner.end());
    }
    return texts;
  }
  if (const auto* text = node.as_string()) return Texts{document.spelled(text->get())};
  if (const auto* whole = node.as_integer()) return Texts{std::to_string(whole->get())};
  if (const auto* number = node.as_floating_point()) return Texts{format_number(number->get())};
  if (const auto* flag = node.as_boolean()) return Texts{flag->get() ? "true" : "false"};
  return bad_setting(where, "is not a text, a number, a flag or a list of these");
}

std::string user_file() {
  const char* base = std::getenv("XDG_CONFIG_HOME");
  if (base != nullptr && *base == '/') return std::string(base) + "/duel/config.toml";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return "";
  return std::string(home) + "/.config/duel/config.toml";
}

class Configurator {
 public:
  Configurator(const Command& program, CommandLine& line)
      : program_(program), command_(line.chosen()), line_(line) {
    for (Option& option : line.chosen().options) {
      if (!option.configurable) continue;
      options_.push_back(&option);
    }
    for (const Command* level = &command_; level->above != nullptr; level = level->above) {
      path_.insert(path_.begin(), level->name);
    }
  }

  bool has_options() const { return !options_.empty(); }

  Status from_variables() {
    for (Option* option : options_) {
      const std::string name = variable_name(*option);
      const char* value = std::getenv(name.c_str());
      if (option->given() || value == nullptr || *value == '\0') continue;
      DUEL_RETURN_IF_ERROR(line_.set(*option, {value}, name));
    }
    return Done{};
  }

  Status from_file(const std::string& path) {
    std::error_code ignored;
    if (path.empty() || !std::filesystem::exists(path, ignored)) return Done{};
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.good() && !file.eof()) return Error::io("cannot read", path);
    const Result<TomlDocument> parsed = TomlDocument::parse(text, path);
    if (!parsed.ok()) return bad_setting(parsed.error().where, parsed.error().message);
    const TomlDocument& document = *parsed;
    DUEL_RETURN_IF_ERROR(check_top(document));
    for (const auto& [key, node] : document.table()) {
      const Command* const named = command_named(program_, document.spelled(key.str()));
      DUEL_RETURN_IF_ERROR(check_table(document, *node.as_table(), *named));
    }
    return take_tables(document, document.table(), path_.begin());
  }

 private:
  static const Command* command_named(const Command& above, std::string_view name) {
    const auto found = std::ranges::find(above.commands, name, &Command::name);
    return found == above.commands.end() ? nullptr : &*found;
  }

  // What may stand in the table of a command: its own settings, and those of the commands below it,
  // for all of which they hold.
  static std::vector<std::string> settings_of(const Command& command) {
    std::vector<std::string> settings;
    for (const Option& option : command.options) {
      if (option.configurable) settings.push_back(option.key());
    }
    for (const Command& below : command.commands) {
      for (std::string& setting : settings_of(below)) {
        if (!contains(settings, setting)) settings.push_back(std::move(setting));
      }
    }
    return settings;
  }

  // Everything at the top must be the table of a command.
  Status check_top(const TomlDocument& document) const {
    const std::vector<std::string> commands = program_.command_names();
    for (const auto& [key, node] : document.table()) {
      const std::string name = document.spelled(key.str());
      const std::string where = document.where(node.source());
      if (!node.is_table()) {
        return bad_setting(where, fmt::format("'{}' is outside a table", name),
                           "settings live in the table of a command, such as [simulate]");
      }
      if (!contains(commands, name)) {
        return bad_setting(where, fmt::format("there is no command '{}'", name),
                           spelling_hint(name, commands));
      }
    }
    return Done{};
  }

  // A name that no command takes is a mistake, whichever command runs: what it was to set would be
  // left as it is, and nobody would know.
  Status check_table(const TomlDocument& document, const toml::table& table,
                     const Command& command) const {
    std::vector<std::string> known = settings_of(command);
    for (const auto& [key, node] : table) {
      const std::string name = document.spelled(key.str());
      if (contains(known, name)) continue;
      const Command* const below = command_named(command, name);
      if (below != nullptr && node.is_table()) {
        DUEL_RETURN_IF_ERROR(check_table(document, *node.as_table(), *below));
        continue;
      }
      std::ranges::copy(command.command_names(), std::back_inserter(known));
      return bad_setting(fmt::format("{}: {}", document.where(node.source()), name),
                         fmt::format("'{}' has no such setting", command.path()),
                         spelling_hint(name, known));
    }
    return Done{};
  }

  // The table of the command itself before those of the commands above it: what is said of `token
  // create` overrules what is said of `token`. `next`: of the path, below this table.
  Status take_tables(const TomlDocument& document, const toml::table& table,
                     std::vector<std::string>::const_iterator next) {
    if (next != path_.end()) {
      const toml::node* const below = table.get(*next);
      if (below != nullptr && below->is_table()) {
        DUEL_RETURN_IF_ERROR(take_tables(document, *below->as_table(), std::next(next)));
      }
    }
    if (next == path_.begin()) return Done{};  // the top holds tables only
    for (Option* option : options_) {
      const toml::node* const node = table.get(option->key());
      if (node == nullptr || option->given()) continue;
      const std::string where =
          fmt::format("{}: {}", document.where(node->source()), option->key());
      DUEL_ASSIGN(const Texts values, texts_of(document, *node, where));
      if (values.empty()) continue;
      DUEL_RETURN_IF_ERROR(line_.set(*option, values, where));
    }
    return Done{};
  }

  const Command& program_;
  const Command& command_;
  CommandLine& line_;
  std::vector<std::string> path_;  // names of the commands above it and its own
  std::vector<Option*> options_;
};

}  // namespace

Status apply_configuration(const Command& program, CommandLine& line) {
  Configurator configurator(program, line);
  if (!configurator.has_options()) return Done{};
  DUEL_RETURN_IF_ERROR(configurator.from_variables());
  DUEL_RETURN_IF_ERROR(configurator.from_file("duel.toml"));
  return configurator.from_file(user_file());
}

}  // namespace duel::cli
