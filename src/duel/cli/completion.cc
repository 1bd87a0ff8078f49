// The scripts ask the binary, which answers from what its commands declare: completion knows what
// the binary knows.

#include <algorithm>
#include <array>
#include <ranges>

#include "duel/cli/commands.h"
#include "duel/core/spelling.h"
#include "duel/policies/registry.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/learners/learner_catalogue.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/regret.h"

namespace duel::cli {
namespace {

constexpr std::string_view kBash = R"(# bash completion for duel, written by `duel completion bash`.
# For this shell:   source <(duel completion bash)
# For all to come:  duel completion bash > ~/.local/share/bash-completion/completions/duel

_duel() {
  local cur=${COMP_WORDS[COMP_CWORD]} line IFS=$'\n'
  [[ $cur == = ]] && cur=''
  COMPREPLY=()
  while read -r line; do
    case $line in
      :files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$cur")) ;;
      :directories) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$cur")) ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _duel duel
)";

constexpr std::string_view kZsh = R"(#compdef duel
# zsh completion for duel, written by `duel completion zsh`.
# For this shell:   source <(duel completion zsh)
# For all to come:  duel completion zsh > "${fpath[1]}/_duel"

_duel() {
  local line tab=$'\t'
  local -a before choices
  before=("${(@)words[2,CURRENT-1]}")
  if [[ $PREFIX == --*=* ]]; then
    before+=("${PREFIX%%=*}")
    compset -P '--[^=]#='
  fi
  for line in "${(@f)$(${~words[1]} __complete "${before[@]}" "$PREFIX" 2>/dev/null)}"; do
    case $line in
      :files) _files ;;
      :directories) _files -/ ;;
      ?*) choices+=("${${line//:/\\:}/$tab/:}") ;;
    esac
  done
  _describe duel choices
}
if [[ $funcstack[1] == _duel ]]; then
  _duel "$@"
else
  compdef _duel duel
fi
)";

constexpr std::string_view kFish = R"(# fish completion for duel, written by `duel completion fish`.
# For this shell:   duel completion fish | source
# For all to come:  duel completion fish > ~/.config/fish/completions/duel.fish

function __duel_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l option (string match -r -- '^--[^=]+=' $token)
    if test -n "$option"
        set -a words (string replace '=' '' -- $option)
        set token (string replace -- $option '' $token)
    end
    for line in ($words[1] __complete $words[2..-1] "$token" 2>/dev/null)
        switch $line
            case ':files'
                set line (__fish_complete_path "$token")
            case ':directories'
                set line (__fish_complete_directories "$token")
        end
        string replace -r '^' -- "$option" $line
    end
end
complete -c duel -f -a '(__duel_complete)'
)";

struct Script {
  std::string_view shell;
  std::string_view text;
};
constexpr std::array<Script, 3> kScripts = {{{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}}};

// The word that stands for a value on the help page says what the value is.
struct NamedValues {
  std::string_view word;
  std::vector<std::string> (*names)();
};
constexpr std::array<NamedValues, 6> kNamedValues = {
    {{"POLICY", policy_names},
     {"MATRIX", [] { return matrix_catalogue().names(); }},
     {"REGRET", regret_notion_names},
     {"METHOD", interleaving_method_names},
     {"MODEL", [] { return click_model_catalogue().names(); }},
     {"LEARNER", ranker_learner_names}}};
constexpr std::array<std::string_view, 6> kFileWords = {"FILE", "LOG",  "MATRIX",
                                                        "ARM",  "DATA", "RANKERS"};

// `bash|zsh|fish` -> its parts; a word without a bar is no choice.
std::vector<std::string> alternatives(std::string_view word) {
  std::vector<std::string> parts;
  if (word.find('|') == std::string_view::npos) return parts;
  for (const auto part : std::views::split(word, '|')) {
    parts.emplace_back(part.begin(), part.end());
  }
  return parts;
}

// Collects what begins as the user did.
class Offers {
 public:
  explicit Offers(std::string begun) : begun_(std::move(begun)) {}

  void add(const std::string& word, const std::string& doc = "") {
    if (!word.starts_with(begun_)) return;
    text_ += word;
    if (!doc.empty()) text_ += "\t" + doc.substr(0, doc.find('\n'));
    text_ += "\n";
  }

  void add_values_of(const Option& option) {
    const std::string& word = option.word.empty() ? option.names : option.word;
    const auto says = [&](std::string_view part) { return word.find(part) != std::string::npos; };
    std::vector<std::string> words = option.offers ? option.offers() : alternatives(word);
    for (const NamedValues& values : kNamedValues) {
      if (words.empty() && says(values.word)) words = values.names();
    }
    const std::string before = says("LIST") ? begun_.substr(0, last_item()) : "";
    for (const std::string& name : words) add(before + name);
    if (says("DIR")) text_ += ":directories\n";
    if (!option.offers && std::ranges::any_of(kFileWords, says)) {
      text_ += ":files\n";
    }
  }

  const std::string& text() const { return text_; }

 private:
  // Where the last item of a list begins: behind the last comma outside parentheses.
  std::size_t last_item() const {
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < begun_.size(); ++i) {
      if (begun_[i] == '(') ++depth;
      if (begun_[i] == ')') --depth;
      if (begun_[i] == ',' && depth == 0) begin = i + 1;
    }
    return begin;
  }

  std::string begun_;
  std::string text_;
};

struct CompletionArguments {
  std::string shell;
};

Result<int> run_completion(const CompletionArguments& arguments, CommandContext& context) {
  std::vector<std::string> known;
  for (const Script& script : kScripts) {
    known.emplace_back(script.shell);
    if (script.shell != arguments.shell) continue;
    return context.done(script.text);
  }
  return Error::invalid_argument(
             fmt::format("there is no completion for the shell '{}'", arguments.shell))
      .with_hint(spelling_hint(arguments.shell, known));
}

}  // namespace

std::string completions(const Command& program, const std::vector<std::string>& words) {
  const Command* at = &program;
  const Option* open = nullptr;  // its value comes next
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "=") continue;  // bash gives `--policy=rucb` as three words
    if (open != nullptr) {
      open = nullptr;
      continue;
    }
    for (const Option& option : at->options) {
      const auto& names = option.spellings;
      const bool called = std::ranges::find(names, word) != names.end();
      if (called && option.takes_value()) open = &option;
    }
    for (const Command& command : at->commands) {
      if (command.name == word) at = &command;
    }
  }
  const std::string begun = words.empty() || words.back() == "=" ? "" : words.back();
  Offers offers(begun);
  if (open != nullptr) {
    offers.add_values_of(*open);
    return offers.text();
  }
  const bool is_option = begun.starts_with("-");
  for (const Option& option : at->options) {
    if (option.is_argument() && !is_option) offers.add_values_of(option);
    if (!is_option) continue;
    for (const std::string& spelling : option.spellings) offers.add(spelling, option.doc);
  }
  for (const Command& command : at->commands) offers.add(command.name, command.about);
  return offers.text();
}

void add_completion_command(Command& program) {
  Command& command = program.add_command(
      "completion",
      "Prints a script that completes commands, options and names in a shell.\n"
      "The script knows the commands, options, policies and matrices of this binary.");
  CompletionArguments& arguments = command.runs(run_completion);
  command.add_required("SHELL bash|zsh|fish", &arguments.shell, "bash, zsh or fish.");
  command.footer = "Example:\n  source <(duel completion bash)";
}

}  // namespace duel::cli
