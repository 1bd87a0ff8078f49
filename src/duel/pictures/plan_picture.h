// The picture of a plan: the share of simulated experiments that were decided, over the duels
// spent.
#pragma once

#include <string>

#include "duel/pictures/plot.h"
#include "duel/study/plan.h"

namespace duel {

// A self-contained script that writes the picture to gnuplot's standard output. A step line per
// policy in the colours of Okabe and Ito; a dashed line stands where somebody who knows the winner
// could be on average (PlanResults::reference).
std::string plan_picture_script(const PlanResults& results, PlotFormat format);

}  // namespace duel
