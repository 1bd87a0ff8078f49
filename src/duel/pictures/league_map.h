// The picture of a league: policies down, problems across, the colour of a cell says how many times
// the best one's regret the policy paid there.
#pragma once

#include <string>

#include "duel/pictures/plot.h"
#include "duel/study/league.h"

namespace duel {

// A self-contained script that writes the picture to gnuplot's standard output. The colours are
// those of cividis (Nunez, Anderton and Renslow 2018), which look alike to readers with and without
// colour-blindness, logarithmic from 1 (light) to 100 and more (dark); the number stands in the
// cell, bold where the policy is the best or indistinguishable from it, with a star where it
// recommends a wrong arm too often to be ranked. Grey: did not play.
// Problems that were not finished are not drawn; an error where that leaves none.
Result<std::string> league_map_script(const LeagueResults& results, PlotFormat format);

}  // namespace duel
