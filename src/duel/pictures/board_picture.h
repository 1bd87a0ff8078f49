// The picture of a board: places, and strengths with their intervals, on the left, who beats whom
// on the right, the arms in both by rank.
#pragma once

#include <string>

#include "duel/pictures/picture.h"
#include "duel/verdict/board.h"

namespace duel {

// A self-contained script that writes the picture to gnuplot's standard output. A cell is blue
// where the row wins and orange where it loses (colours of Okabe and Ito), the deeper the more
// evidence the pair has (pair_weight.h), and grey where that is too little; its number is the share
// of decisive duels in percent. Beside the names are the places that the evidence leaves open.
// Where the duels allow no strengths, only the map is drawn. REQUIRES: the board has an arm.
std::string board_picture_script(const Ledger& ledger, const Board& board, PlotFormat format);

}  // namespace duel
