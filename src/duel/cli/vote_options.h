// The option that says what the columns of a table of votes are.
#pragma once

#include <optional>
#include <string>

#include "duel/cli/options.h"
#include "duel/core/result.h"
#include "duel/experiment/vote_columns.h"

namespace duel::cli {

inline const Option& add_columns_option(Command& command, std::string& columns) {
  return command.add("--columns LIST", not_empty(&columns),
                     "What the columns of a table of votes are, as in "
                     "a=left,b=right,winner=vote,judge=worker,time=date; several winner=.. are "
                     "several judges. Guessed by default.");
}

// Nothing where the columns are to be guessed. A log has none.
inline Result<std::optional<VoteColumns>> columns_option(const std::string& text, bool is_log) {
  if (text.empty()) return std::optional<VoteColumns>();
  if (is_log) return Error::invalid_argument("is for a file of comparisons", "--columns");
  DUEL_ASSIGN(VoteColumns columns, in_field("columns", parse_vote_columns(text)));
  return std::optional(std::move(columns));
}

}  // namespace duel::cli
