// Reads the command line by what the commands declare. Its source is the only one that knows CLI11,
// which takes ten seconds to compile wherever it is included.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duel/cli/options.h"
#include "duel/core/result.h"

namespace duel::cli {

class CommandLine {
 public:
  // REQUIRES: `program` is declared completely, and lives longer.
  explicit CommandLine(Command& program);
  ~CommandLine();

  enum class Wish { work, help, version };
  // Fills the targets of the options. Wrong usage is explained for people, with the nearest known
  // spelling and the help page to look at.
  Result<Wish> read(int argc, const char* const* argv);

  // The innermost command that the line named.
  Command& chosen() const;

  // Gives the option values as if they stood on the line. Errors name the place `where` instead of
  // the option.
  Status set(Option& option, const std::vector<std::string>& values, const std::string& where);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// Sets the configurable options of the chosen command that the command line left open. They come
// from, first found wins: the variable DUEL_<NAME>, ./duel.toml, $XDG_CONFIG_HOME/duel/config.toml
// (~/.config by default). The files hold a table per command: [simulate] threads = 2.
Status apply_configuration(const Command& program, CommandLine& line);

}  // namespace duel::cli
