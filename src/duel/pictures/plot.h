// The picture of a study: cumulative regret over rounds, both logarithmic, one panel per matrix,
// as a script for gnuplot. Running gnuplot is left to the caller.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/pictures/picture.h"
#include "duel/study/results.h"
#include "duel/truth/regret.h"

namespace duel {

struct PlotOptions {
  PlotFormat format = PlotFormat::svg;
  std::optional<RegretNotion> regret;  // none: the first one of the results
  std::vector<std::string> matrices;   // empty: all of them
  std::string title;                   // above all panels; empty: none
};

// A self-contained script that writes the picture to gnuplot's standard output. Each policy is a
// line through its means with a band of two standard errors on each side, in a colour (Okabe and
// Ito's, which colour-blind readers tell apart), a dash and a marker of its own; the asymptotic
// lower bound, where the regret has one, is a black dashed line. The legend stands below the
// panels.
Result<std::string> gnuplot_script(const StudyResults& results, const PlotOptions& options);

// The lower bound is one of average regret; strong regret is twice that; no other notion has one:
// NaN.
double bound_factor(RegretNotion notion);

// Above this many standard errors from the mean ends the band.
inline constexpr double kBandStandardErrors = 2;

}  // namespace duel
