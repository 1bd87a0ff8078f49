// Charts of lines: panels side by side, one legend below, as a script for gnuplot. The same label
// has the same colour (Okabe and Ito's, which colour-blind readers tell apart), dash and marker in
// every panel.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/pictures/picture.h"
#include "duel/simulation/aggregate.h"

namespace duel {

struct ChartPoint {
  double x = 0;
  double y = 0;
  // The band around it; NaN: none.
  double low = kUndefined;
  double high = kUndefined;
};

enum class ChartLine {
  curve,         // in the colour, dash and marker of its label
  plain,         // the same without markers, for many points
  points,        // markers alone
  bound,         // black and dashed, without markers
  second_bound,  // grey and dotted, without markers
};

enum class ChartBand {
  filled,  // standard errors
  dotted,  // two thin lines: smallest and largest
};

struct ChartCurve {
  std::string label;
  std::vector<ChartPoint> points;
  ChartLine line = ChartLine::curve;
  ChartBand band = ChartBand::filled;
  // In gnuplot's language, of x: drawn in place of the points, which then only widen the ranges.
  std::string formula{};
};

struct ChartRange {
  double low = 0;
  double high = 1;
};

struct ChartPanel {
  std::string title;
  std::string x_label;
  std::string y_label;
  // Points that have no place on a logarithmic axis are left out.
  bool log_x = false;
  bool log_y = false;
  std::optional<ChartRange> x_range{};  // none: from the curves
  std::optional<ChartRange> y_range{};
  std::vector<ChartCurve> curves{};
};

struct Chart {
  std::string title;  // above all panels; empty: none
  std::vector<ChartPanel> panels;
  std::size_t columns = 0;  // of panels; 0: chosen by their number
};

// A self-contained script that writes the picture to gnuplot's standard output. An error where
// there is nothing to draw.
Result<std::string> chart_script(const Chart& chart, PlotFormat format);

}  // namespace duel
