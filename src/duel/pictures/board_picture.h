// The picture of a board: strengths with their intervals on the left, who won how much against whom
// on the right, the arms in both by rank.
#pragma once

#include <string>

#include "duel/pictures/picture.h"
#include "duel/verdict/board.h"

namespace duel {

// A self-contained script that writes the picture to gnuplot's standard output. A cell is blue
// where the row won more than half of the decisive duels, orange where it lost more (colours of
// Okabe and Ito), grey where there was none; its number is the share in percent. Where the duels
// allow no strengths, only the map is drawn. REQUIRES: the board has an arm.
std::string board_picture_script(const Ledger& ledger, const Board& board, PlotFormat format);

}  // namespace duel
