// Which columns of a table say who was compared and who won, in tables that do not use the names of
// comparison_table.h: `left,right,winner`, `Model A;Model B;Vote`, a column per judge. They are
// guessed from the names and from what the columns hold; the guess can be shown and replaced.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/log/record.h"

namespace duel {

struct VoteColumns {
  std::string a, b;                  // the arms
  std::vector<std::string> winners;  // several: each column is a judge, who votes in every row
  std::string judge, time;           // empty where no column says it

  friend bool operator==(const VoteColumns&, const VoteColumns&) = default;
};

// `a=left,b=right,winner=vote,judge=worker,time=date`, as `to_text` writes it; several winners are
// `winner=human,winner=gpt4`. `a`, `b` and `winner` are needed.
Result<VoteColumns> parse_vote_columns(std::string_view text);
std::string to_text(const VoteColumns& columns);

// The columns of a table of which the first rows are given, each with as many cells as `names`. An
// error says what is missing, what is `expected` of a table, and which columns there are.
Result<VoteColumns> guess_vote_columns(const std::vector<std::string>& names,
                                       const std::vector<std::vector<std::string>>& rows,
                                       const std::string& where, std::string_view expected);

// Whether a column is called like what says who won.
bool names_winner(std::string_view column);

enum class Side { first, second };
struct ReadVote {
  enum class Kind { win, tie, both_bad, skip, none } kind = Kind::none;  // none: the cell is empty
  Side winner = Side::first;
};

// What a cell of a column of winners says: the name of an arm, the name of its column or the part
// of it that tells the two apart ("A" of "Model A"), left and right, tie and the like. Nothing for
// what it does not know, and an error where it could be either arm.
Result<std::optional<ReadVote>> read_vote(std::string_view cell, std::string_view a,
                                          std::string_view b, const VoteColumns& columns);

}  // namespace duel
