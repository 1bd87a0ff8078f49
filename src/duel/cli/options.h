// The commands, and what each takes: declared once, read by the parser (command_line.h), the help
// pages (help.h), the configuration (configuration.cc) and completion (completion.cc).
//
// A subcommand is one file with one function, listed in commands.h:
//
//   void add_policies_command(Command& program) {
//     Command& command = program.add_command("policies", "Lists the policies. ...");
//     Arguments& arguments = command.runs(run);
//     command.add("NAME POLICY", &arguments.name, "Policy to describe.");
//     command.add("--setting TEXT", not_empty(&arguments.setting), "Only policies whose ...");
//     command.add("--json", &arguments.json, "Print JSON.");
//     command.footer = "Example:\n  duel policies rucb";
//   }
//
// `run(const Arguments&, CommandContext&)` gives Result<int>: an exit code, or an error that main
// prints as `duel: error: ...`. `--help` and `--quiet` are added to every command.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "duel/cli/command.h"
#include "duel/core/count_range.h"
#include "duel/core/result.h"

namespace duel::cli {

// Says what is wrong with a text, or "".
using Check = std::function<std::string(const std::string&)>;

// Where the value of an option goes: a flag, a number, a text as it is, the texts of an option that
// may be repeated, or a check that keeps what it read. `monostate` is --help and --version.
using Target =
    std::variant<std::monostate, bool*, double*, std::string*, std::vector<std::string>*, Check>;

// A target with what it asks of each text.
struct Value {
  Value() = default;
  template <class T>
    requires std::constructible_from<Target, T>
  Value(T to) : target(std::move(to)) {}  // NOLINT(google-explicit-constructor)

  Target target;
  Check check{};
  std::vector<std::string> words{};  // the only ones allowed; empty: any
};
Value checked(Target target, Check check);
Value not_empty(Target target);
Value one_of(Target target, std::vector<std::string> words);
// A whole number that may be written 1e6 (core/numbers.h), from `least` to `most`.
Value count(std::uint64_t* target, std::uint64_t least, std::uint64_t most);
inline Value count(std::uint64_t* target, CountRange range) {
  return count(target, range.least, range.most);
}
// Several of them, different ones, separated by commas.
Value counts(std::vector<std::uint64_t>* target, std::uint64_t least, std::uint64_t most);
// A number that fits; `allowed` says which do.
Value number(double* target, bool (*fits)(double), std::string allowed);
// The probability that a certificate may be wrong.
Value error_level(double* target);

// An option, a flag or an argument of a command.
struct Option {
  // `--output`; of an argument its name.
  std::string name() const;
  // `output`. REQUIRES: it has a long name.
  std::string key() const { return name().substr(2); }
  bool is_argument() const { return spellings.empty(); }
  bool takes_value() const { return target.index() > 1; }
  bool is_list() const { return std::holds_alternative<std::vector<std::string>*>(target); }

  // Known when the command line and the configuration were read.
  bool given() const { return !texts.empty(); }
  bool on_command_line() const { return given() && !configured; }

  std::string names;                   // as declared: `-o,--output`
  std::vector<std::string> spellings;  // `-o` and `--output`; none of an argument
  std::string word;                    // stands for the value on the help page
  std::string doc;
  Target target;
  Check check;
  // What completion offers, where `word` does not say it.
  std::function<std::vector<std::string>()> offers;
  bool required = false;
  bool configurable = false;
  bool once = false;  // of one whose target is a list: it is given at most once
  bool not_negative = false;
  const Option* needs = nullptr;
  const Option* excludes = nullptr;
  std::vector<std::string> texts;  // what was given
  bool configured = false;         // and whether by the configuration
};

// The first of them that was given; null where none was.
const Option* first_given(const std::vector<const Option*>& options);

class Command {
 public:
  using Action = std::function<Result<int>(CommandContext&)>;

  Command(std::string name, std::string about, const Command* above = nullptr);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command& add_command(std::string name, std::string about);

  // Declared by its names and the word for its value, as on the help page: "-o,--output FILE",
  // "--json". An argument has a name without dashes; the word after it is for completion.
  Option& add(std::string_view declared, Value value, std::string doc);
  Option& add_required(std::string_view declared, Value value, std::string doc);
  // May also come from the variable DUEL_<NAME> and from the tables [command] of duel.toml and
  // config.toml.
  Option& add_configurable(std::string_view declared, Value value, std::string doc);

  // What several commands declare alike.
  void add_seed(std::uint64_t* seed);
  void add_threads(std::uint64_t* threads, std::uint64_t least = 0);
  Option& add_judged_data(std::string* data);
  void add_rankers(std::string* rankers);
  void add_scale(std::string* normalise, std::uint64_t* grades);

  // Something that lives as long as the command.
  template <class T>
  T& keep() {
    auto kept = std::make_shared<T>();
    kept_.push_back(kept);
    return *kept;
  }

  // The work of the command, on arguments to be declared.
  template <class Arguments>
  Arguments& runs(Result<int> (*run)(const Arguments&, CommandContext&)) {
    Arguments& arguments = keep<Arguments>();
    action = [&arguments, run](CommandContext& context) { return run(arguments, context); };
    return arguments;
  }
  // The same of work that asks which options were given.
  template <class Arguments>
  Arguments& runs(Result<int> (*run)(const Arguments&, const Command&, CommandContext&)) {
    Arguments& arguments = keep<Arguments>();
    action = [&, run](CommandContext& context) { return run(arguments, *this, context); };
    return arguments;
  }

  // `duel matrix show`: the command with those above it.
  std::string path() const;
  std::vector<std::string> command_names() const;

  const std::string name;
  const std::string about;  // the first sentence stands in the list of commands
  const Command* const above;
  std::string footer;
  bool needs_command = false;
  Action action;
  std::list<Option> options;  // and arguments; nothing declared ever moves
  std::list<Command> commands;

 private:
  std::vector<std::shared_ptr<void>> kept_;
};

// An error of the library, its field spelled as the option or argument of the command that gave it:
// "max_duels" is `--max-duels`. So is every field in backquotes in the hint.
Error as_option(const Command& command, Error error);

}  // namespace duel::cli
