#include "duel/cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "duel/cli/help.h"
#include "duel/core/spelling.h"
#include "duel/policies/registry.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/reproduction/registry.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/regret.h"

// The scripts are written from the tree of commands itself, so they know what this binary knows.
namespace duel::cli {
namespace {

// What an option's or an argument's value is completed with. The word that stands for the value on
// the help page decides.
struct Values {
  bool files = false;
  bool directories = false;
  bool list = false;               // several, separated by commas
  std::vector<std::string> words;  // empty: none known
};

struct OptionNode {
  std::vector<std::string> names;  // with their dashes
  bool takes_value = false;
  Values values;
  std::string doc;
};

struct CommandNode {
  std::string path;                                           // "duel matrix show"
  std::vector<std::pair<std::string, std::string>> commands;  // name, first line of its text
  std::vector<OptionNode> options;
  Values argument;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// `bash|zsh|fish` -> its parts; anything else -> nothing.
std::vector<std::string> alternatives(const std::string& text) {
  std::vector<std::string> parts;
  if (text.find('|') == std::string::npos) return parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || text[i] == '|') {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return parts;
}

Values values_of(const CLI::Option& option) {
  std::string word = option.get_type_name();
  if (option.get_positional()) word += " " + option.get_name(true);
  const auto says = [&](std::string_view part) { return word.find(part) != std::string::npos; };
  Values values;
  values.words = alternatives(option.get_type_name());
  if (!values.words.empty()) return values;
  values.list = says("LIST");
  values.directories = says("DIR");
  values.files = says("FILE");
  if (says("POLICY")) values.words = policy_names();
  if (says("REGRET")) values.words = regret_notion_names();
  if (says("REPRODUCTION")) values.words = reproduction_catalogue().names();
  if (says("METHOD")) values.words = interleaving_method_names();
  if (says("MATRIX")) {
    values.words = matrix_catalogue().names();
    values.files = true;
  }
  return values;
}

void collect(const CLI::App& app, std::vector<CommandNode>& nodes) {
  CommandNode node;
  node.path = command_path(&app);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : commands) {
    node.commands.emplace_back(command->get_name(), first_line(command->get_description()));
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      if (node.argument.words.empty() && !node.argument.files && !node.argument.directories) {
        node.argument = values_of(*option);
      }
      continue;
    }
    OptionNode entry;
    for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
    entry.takes_value = option->get_type_size() != 0;
    if (entry.takes_value) entry.values = values_of(*option);
    entry.doc = first_line(option->get_description());
    node.options.push_back(std::move(entry));
  }
  nodes.push_back(std::move(node));
  for (const CLI::App* command : commands) collect(*command, nodes);
}

std::string fish_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// `        'duel matrix') at='duel matrix' ;;` for every command below the program.
std::string path_cases(const std::vector<CommandNode>& nodes) {
  std::string text;
  for (const CommandNode& node : nodes) {
    if (node.path.find(' ') == std::string::npos) continue;
    text += fmt::format("      {0}) at={0} ;;\n", shell_quoted(node.path));
  }
  return text;
}

// --- bash ---------------------------------------------------------------------------------------

std::string bash_values(const Values& values) {
  std::string calls;
  if (!values.words.empty()) {
    calls += fmt::format("_duel_{} {}; ", values.list ? "list" : "words",
                         shell_quoted(joined(values.words)));
  }
  if (values.files) calls += "_duel_files; ";
  if (values.directories) calls += "_duel_directories; ";
  return calls;
}

std::string bash_script(const std::vector<CommandNode>& nodes) {
  std::string text = R"(# bash completion for duel, written by `duel completion bash`.
# For this shell:   source <(duel completion bash)
# For all to come:  duel completion bash > ~/.local/share/bash-completion/completions/duel

_duel_words() {
  COMPREPLY+=($(compgen -W "$1" -- "$cur"))
}
_duel_list() {
  local done=''
  [[ $cur == *,* ]] && done=${cur%,*},
  COMPREPLY+=($(compgen -P "$done" -W "$1" -- "${cur##*,}"))
}
_duel_files() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -- "$cur"))
}
_duel_directories() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -d -- "$cur"))
}

_duel() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} at=duel i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at ${COMP_WORDS[i]}" in
)";
  text += path_cases(nodes);
  text += "    esac\n  done\n  case \"$at $previous\" in\n";
  for (const CommandNode& node : nodes) {
    for (const OptionNode& option : node.options) {
      if (!option.takes_value) continue;
      std::string patterns;
      for (const std::string& name : option.names) {
        patterns += (patterns.empty() ? "" : "|") + shell_quoted(node.path + " " + name);
      }
      text += fmt::format("    {}) {}return ;;\n", patterns, bash_values(option.values));
    }
  }
  text += "  esac\n  case \"$at\" in\n";
  for (const CommandNode& node : nodes) {
    std::vector<std::string> options;
    for (const OptionNode& option : node.options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
    }
    std::vector<std::string> commands;
    for (const auto& [name, doc] : node.commands) commands.push_back(name);
    text += fmt::format("    {})\n      if [[ $cur == -* ]]; then\n        _duel_words {}\n",
                        shell_quoted(node.path), shell_quoted(joined(options)));
    std::string rest = bash_values(node.argument);
    if (!commands.empty()) rest += fmt::format("_duel_words {}; ", shell_quoted(joined(commands)));
    if (!rest.empty())
      text += fmt::format("      else\n        {}\n", rest.substr(0, rest.size() - 2));
    text += "      fi ;;\n";
  }
  text += "  esac\n}\ncomplete -F _duel duel\n";
  return text;
}

// --- zsh ----------------------------------------------------------------------------------------

std::string zsh_values(const Values& values) {
  std::string calls;
  if (!values.words.empty()) {
    if (values.list) calls += "compset -P '*,'; ";
    calls += fmt::format("compadd -- {}; ", joined(values.words));
  }
  if (values.files) calls += "_files; ";
  if (values.directories) calls += "_files -/; ";
  return calls;
}

// `name:doc` for _describe.
std::string zsh_item(const std::string& name, const std::string& doc) {
  std::string escaped;
  for (const char c : name) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  return shell_quoted(escaped + ":" + doc);
}

std::string zsh_script(const std::vector<CommandNode>& nodes) {
  std::string text = R"(#compdef duel
# zsh completion for duel, written by `duel completion zsh`.
# For this shell:   source <(duel completion zsh)
# For all to come:  duel completion zsh > "${fpath[1]}/_duel"

_duel() {
  local at=duel i
  local -a choices
  for ((i = 2; i < CURRENT; i++)); do
    case "$at ${words[i]}" in
)";
  text += path_cases(nodes);
  text += "    esac\n  done\n  case \"$at ${words[CURRENT-1]}\" in\n";
  for (const CommandNode& node : nodes) {
    for (const OptionNode& option : node.options) {
      if (!option.takes_value) continue;
      std::string patterns;
      for (const std::string& name : option.names) {
        patterns += (patterns.empty() ? "" : "|") + shell_quoted(node.path + " " + name);
      }
      text += fmt::format("    {}) {}return ;;\n", patterns, zsh_values(option.values));
    }
  }
  text += "  esac\n  case \"$at\" in\n";
  for (const CommandNode& node : nodes) {
    text += fmt::format("    {})\n      if [[ $PREFIX == -* ]]; then\n        choices=(\n",
                        shell_quoted(node.path));
    for (const OptionNode& option : node.options) {
      for (const std::string& name : option.names) {
        text += fmt::format("          {}\n", zsh_item(name, option.doc));
      }
    }
    text += "        )\n        _describe option choices\n";
    std::string rest = zsh_values(node.argument);
    if (!rest.empty()) rest.resize(rest.size() - 2);
    if (!rest.empty() || !node.commands.empty()) text += "      else\n";
    if (!rest.empty()) text += "        " + rest + "\n";
    if (!node.commands.empty()) {
      text += "        choices=(\n";
      for (const auto& [name, doc] : node.commands) {
        text += fmt::format("          {}\n", zsh_item(name, doc));
      }
      text += "        )\n        _describe command choices\n";
    }
    text += "      fi ;;\n";
  }
  text += R"(  esac
}
if [[ $funcstack[1] == _duel ]]; then
  _duel "$@"
else
  compdef _duel duel
fi
)";
  return text;
}

// --- fish ---------------------------------------------------------------------------------------

// Whether a value follows, and whether fish may offer files for it.
std::string value_flag(const OptionNode& option) {
  if (!option.takes_value) return "";
  return option.values.files ? " -r" : " -x";
}

std::string fish_script(const std::vector<CommandNode>& nodes) {
  std::string text = R"(# fish completion for duel, written by `duel completion fish`.
# For this shell:   duel completion fish | source
# For all to come:  duel completion fish > ~/.config/fish/completions/duel.fish

function __duel_at
    set -l at duel
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
)";
  std::vector<std::string> paths;
  for (const CommandNode& node : nodes) {
    if (node.path.find(' ') != std::string::npos) paths.push_back(fish_text(node.path));
  }
  text += fmt::format("            case {}\n                set at \"$at $word\"\n",
                      fmt::join(paths, " "));
  text += R"(        end
    end
    test "$at" = "$argv"
end
function __duel_list
    set -l done (string replace -r '[^,]*$' '' -- (commandline -ct))
    for word in $argv
        echo $done$word
    end
end
complete -c duel -f
)";
  for (const CommandNode& node : nodes) {
    const std::string when = fish_text("__duel_at " + node.path);
    const auto values_text = [](const Values& values) {
      std::string out;
      if (!values.words.empty()) {
        out += " -a " + fish_text(values.list ? "(__duel_list " + joined(values.words) + ")"
                                              : joined(values.words));
      }
      if (values.directories) out += " -a '(__fish_complete_directories)'";
      if (values.files) out += " -F";
      return out;
    };
    for (const auto& [name, doc] : node.commands) {
      text += fmt::format("complete -c duel -n {} -a {} -d {}\n", when, name, fish_text(doc));
    }
    if (const std::string values = values_text(node.argument); !values.empty()) {
      text += fmt::format("complete -c duel -n {}{}\n", when, values);
    }
    for (const OptionNode& option : node.options) {
      std::string names;
      for (const std::string& name : option.names) {
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text += fmt::format("complete -c duel -n {}{}{}{} -d {}\n", when, names, value_flag(option),
                          values_text(option.values), fish_text(option.doc));
    }
  }
  return text;
}

}  // namespace

void add_completion_command(CLI::App& app, CommandContext& context) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "completion",
      "Prints a script that completes commands, options and names in a shell.\n"
      "The script knows the commands, options, policies and matrices of this binary.");
  command->add_option("SHELL", *shell, "bash, zsh or fish.")
      ->required()
      ->type_name("bash|zsh|fish");
  command->footer("Example:\n  source <(duel completion bash)");
  context.on(command, [shell, &app, &context]() -> Result<int> {
    const std::vector<std::string> known = {"bash", "zsh", "fish"};
    std::vector<CommandNode> nodes;
    collect(app, nodes);
    if (*shell == "bash") {
      context.print(bash_script(nodes));
    } else if (*shell == "zsh") {
      context.print(zsh_script(nodes));
    } else if (*shell == "fish") {
      context.print(fish_script(nodes));
    } else {
      return Error::invalid_argument(
                 fmt::format("there is no completion for the shell '{}'", *shell))
          .with_hint(spelling_hint(*shell, known));
    }
    return kExitDone;
  });
}

}  // namespace duel::cli
