// A board as a file: the active arms by rank, with strengths, intervals, ranks and counts.
#pragma once

#include <string>

#include "duel/verdict/board.h"

namespace duel {

// One row per arm, every number with all of its digits. REQUIRES: arms, and no space.
std::string board_csv(const Ledger& ledger, const Board& board);

// The verdict, the arms, and the share of decisive duels that each won against each other. Of a
// space: its dimensions and the points that were to be proved. With how several judges answer.
std::string board_markdown(const Ledger& ledger, const Board& board);

}  // namespace duel
