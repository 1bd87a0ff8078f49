#include "duel/pictures/chart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "duel/pictures/canvas.h"
#include "duel/pictures/curve_style.h"

namespace duel {
namespace {

std::string line_style(ChartLine line, std::size_t style) {
  if (line == ChartLine::bound) return "lc rgb '#000000' lw 1.6 dt (7,5)";
  if (line == ChartLine::second_bound) return "lc rgb '#707070' lw 1.6 dt (2,3)";
  return curve_line_style(style);
}

bool has_markers(ChartLine line) { return line == ChartLine::curve || line == ChartLine::points; }
bool is_bound(ChartLine line) {
  return line == ChartLine::bound || line == ChartLine::second_bound;
}

// What stands in the legend, once per label, in the order of first appearance, bounds last.
struct LegendEntry {
  std::string label;
  ChartLine line;
  std::size_t style;  // the number of its colour, dash and marker
};

std::vector<LegendEntry> legend_of(const Chart& chart) {
  std::vector<LegendEntry> curves;
  std::vector<LegendEntry> bounds;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartCurve& curve : panel.curves) {
      auto& entries = is_bound(curve.line) ? bounds : curves;
      if (std::ranges::find(entries, curve.label, &LegendEntry::label) != entries.end()) continue;
      entries.push_back({curve.label, curve.line, entries.size()});
    }
  }
  curves.insert(curves.end(), bounds.begin(), bounds.end());
  return curves;
}

std::size_t style_of(const std::vector<LegendEntry>& legend, const std::string& label) {
  return std::ranges::find(legend, label, &LegendEntry::label)->style;
}

// Pixels that a character of the legend takes, roughly.
constexpr double kLegendCharacter = 6.8;

// Sizes in pixels; a PDF is the same at 96 pixels an inch.
struct Layout {
  std::size_t columns = 1;
  std::size_t rows = 1;
  double width = 0;
  double height = 0;
  std::vector<double> legend_columns;  // widths
  double legend_height = 0;
  double title_height = 0;

  static constexpr double kLeft = 84;
  static constexpr double kRight = 24;
  static constexpr double kTop = 38;
  static constexpr double kBottom = 60;
  static constexpr double kLegendLine = 19;
  static constexpr double kLegendSample = 44;  // the piece of line and the gap after it

  Layout(std::size_t panels, std::size_t asked_columns, const std::vector<LegendEntry>& legend,
         bool has_title) {
    columns = panels == 1 ? 1 : (panels <= 4 ? 2 : 3);
    if (asked_columns != 0) columns = std::min(asked_columns, panels);
    rows = (panels + columns - 1) / columns;
    const double panel_width = panels == 1 ? 760 : 500;
    const double panel_height = panels == 1 ? 470 : 370;
    width = panel_width * static_cast<double>(columns);
    std::vector<double> entries;
    for (const LegendEntry& entry : legend) {
      entries.push_back(kLegendSample + kLegendCharacter * characters(entry.label) + 22);
    }
    // As few lines as fit, and then as few columns as these lines need: 4 entries in 2 lines stand
    // 2 + 2, not 3 + 1.
    std::size_t lines = 1;
    while (lines < entries.size() && !fits(entries, columns_for(entries.size(), lines))) ++lines;
    legend_columns = column_widths(entries, columns_for(entries.size(), lines));
    legend_height = kLegendLine * static_cast<double>(lines) + 12;
    title_height = has_title ? 34 : 0;
    height = panel_height * static_cast<double>(rows) + legend_height + title_height;
  }

  static std::size_t columns_for(std::size_t entries, std::size_t lines) {
    return (entries + lines - 1) / lines;
  }
  static std::vector<double> column_widths(const std::vector<double>& entries, std::size_t count) {
    std::vector<double> widths(count, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      widths[i % count] = std::max(widths[i % count], entries[i]);
    }
    return widths;
  }
  bool fits(const std::vector<double>& entries, std::size_t count) const {
    const std::vector<double> widths = column_widths(entries, count);
    return std::accumulate(widths.begin(), widths.end(), 0.0) <= width - 20;
  }

  std::string margins(std::size_t panel) const {
    const double cell_width = width / static_cast<double>(columns);
    const double cell_height = (height - legend_height - title_height) / static_cast<double>(rows);
    const auto column = static_cast<double>(panel % columns);
    const std::size_t row_number = panel / columns;
    const auto row = static_cast<double>(row_number);
    const double left = column * cell_width + kLeft;
    const double right = (column + 1) * cell_width - kRight;
    const double top = height - title_height - row * cell_height - kTop;
    const double bottom = height - title_height - (row + 1) * cell_height + kBottom;
    return fmt::format(
        "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
        "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
        left / width, right / width, top / height, bottom / height);
  }
};

// Entry `index` of the legend, drawn by hand: gnuplot's own key guesses widths and may not fit.
void draw_legend(Canvas& canvas, const Layout& layout, std::size_t index,
                 const LegendEntry& entry) {
  const auto& widths = layout.legend_columns;
  const std::size_t columns = widths.size();
  const std::size_t line_number = index / columns;
  const double block = std::accumulate(widths.begin(), widths.end(), 0.0);
  const double left =
      std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(index % columns),
                      std::max(8.0, (layout.width - block) / 2));
  const double y =
      layout.legend_height - Layout::kLegendLine * (static_cast<double>(line_number) + 0.5);
  const double length = Layout::kLegendSample - 8;
  if (entry.line != ChartLine::points) {
    canvas.line(left, y, left + length, y, line_style(entry.line, entry.style));
  }
  if (has_markers(entry.line)) {
    canvas.text(left + length / 2, y, "",
                fmt::format("point pt {} ps 0.75 lc rgb '{}'", curve_marker(entry.style),
                            curve_color(entry.style)));
  }
  canvas.text(left + Layout::kLegendSample, y, entry.label, "left noenhanced");
}

bool has_place(double value, bool logarithmic) {
  return std::isfinite(value) && (!logarithmic || value > 0);
}

class Extent {
 public:
  explicit Extent(bool logarithmic) : logarithmic_(logarithmic) {}
  void include(double value) {
    if (!has_place(value, logarithmic_)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  bool empty() const { return low_ > high_; }
  // With some room at both ends where `padded`.
  ChartRange range(bool padded) const {
    if (logarithmic_) {
      const double room = padded || low_ == high_ ? 1.3 : 1;
      return {low_ / room, high_ * room};
    }
    double room = padded ? 0.05 * (high_ - low_) : 0;
    if (low_ == high_) room = low_ == 0 ? 1 : 0.1 * std::abs(low_);
    return {low_ - room, high_ + room};
  }

 private:
  bool logarithmic_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

struct Ranges {
  ChartRange x;
  ChartRange y;
};

Result<Ranges> ranges_of(const ChartPanel& panel) {
  Extent x(panel.log_x);
  for (const ChartCurve& curve : panel.curves) {
    for (const ChartPoint& point : curve.points) {
      if (has_place(point.y, panel.log_y)) x.include(point.x);
    }
  }
  if (x.empty() && !panel.x_range) {
    return Error::unsupported("there is nothing to draw", panel.title);
  }
  const ChartRange across = panel.x_range ? *panel.x_range : x.range(false);
  Extent y(panel.log_y);
  for (const ChartCurve& curve : panel.curves) {
    for (const ChartPoint& point : curve.points) {
      if (point.x < across.low || point.x > across.high) continue;
      y.include(point.y);
      y.include(point.high);
      // A band that nearly touches zero would take all of a logarithmic axis.
      if (!panel.log_y) y.include(point.low);
      if (panel.log_y && !std::isnan(point.low)) y.include(std::max(point.low, point.y / 3));
    }
  }
  if (y.empty() && !panel.y_range) {
    return Error::unsupported("there is nothing to draw", panel.title);
  }
  return Ranges{across, panel.y_range ? *panel.y_range : y.range(true)};
}

bool has_band(const ChartCurve& curve) {
  return curve.formula.empty() && std::ranges::any_of(curve.points, [](const ChartPoint& point) {
           return !std::isnan(point.low) && !std::isnan(point.high);
         });
}

std::string curve_data(const ChartPanel& panel, const ChartCurve& curve, const std::string& name) {
  std::string script = fmt::format("{} << END\n", name);
  for (const ChartPoint& point : curve.points) {
    if (!has_place(point.x, panel.log_x) || !has_place(point.y, panel.log_y)) continue;
    const double low = std::isnan(point.low) ? point.y : point.low;
    const double high = std::isnan(point.high) ? point.y : point.high;
    script += fmt::format("{} {} {} {}\n", point.x, point.y,
                          panel.log_y ? std::max(low, point.y * 1e-3) : low, high);
  }
  return script + "END\n";
}

void add_band(const ChartCurve& curve, std::size_t style, const std::string& data,
              std::vector<std::string>& items) {
  if (!has_band(curve)) return;
  if (curve.band == ChartBand::filled) {
    items.push_back(fmt::format("{} using 1:3:4 with filledcurves lc rgb '{}' notitle", data,
                                curve_color(style)));
    return;
  }
  for (const int column : {3, 4}) {
    items.push_back(fmt::format("{} using 1:{} with lines lc rgb '{}' lw 0.9 dt (1,3) notitle",
                                data, column, curve_color(style)));
  }
}

std::string plot_item(const ChartCurve& curve, std::size_t style, const std::string& data) {
  const std::string line = line_style(curve.line, style);
  if (!curve.formula.empty()) {
    return fmt::format("({}) with lines {} notitle", curve.formula, line);
  }
  if (curve.line == ChartLine::points) {
    return fmt::format("{} using 1:2 with points pt {} ps 0.75 lc rgb '{}' notitle", data,
                       curve_marker(style), curve_color(style));
  }
  if (!has_markers(curve.line)) {
    return fmt::format("{} using 1:2 with lines {} notitle", data, line);
  }
  return fmt::format("{} using 1:2 with linespoints {} pt {} ps 0.75 notitle", data, line,
                     curve_marker(style));
}

// 1, 2, 5, 10, 20, .. within the range, for a logarithmic axis of less than two decades.
std::string one_two_five(const ChartRange& range) {
  std::vector<std::string> ticks;
  for (int exponent = static_cast<int>(std::floor(std::log10(range.low)));
       std::pow(10.0, exponent) <= range.high; ++exponent) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10.0, exponent);
      if (tick >= range.low && tick <= range.high) ticks.push_back(fmt::format("{:g}", tick));
    }
  }
  return fmt::format("({})", fmt::join(ticks, ","));
}

std::string axis(char name, bool logarithmic, const ChartRange& range) {
  const bool short_range = logarithmic && range.high / range.low < 100;
  return fmt::format(
      "{} logscale {}\nset {}range [{}:{}]\nset format {} '{}'\nset {}tics {}\nset m{}tics {}\n",
      logarithmic ? "set" : "unset", name, name, range.low, range.high, name,
      logarithmic && !short_range ? "10^{%T}" : "%g", name,
      short_range ? one_two_five(range) : "autofreq", name, logarithmic ? 10 : 2);
}

}  // namespace

Result<std::string> chart_script(const Chart& chart, PlotFormat format) {
  const std::vector<LegendEntry> legend = legend_of(chart);
  if (legend.empty()) {
    return Error::unsupported("there is nothing to draw", chart.title);
  }
  const Layout layout(chart.panels.size(), chart.columns, legend, !chart.title.empty());

  std::string script = "# Written by `duel`; gnuplot writes the picture to standard output.\n";
  script += title_line(chart.title.empty() ? chart.panels.front().title : chart.title);
  script += "set encoding utf8\n" + gnuplot_terminal(format, layout.width, layout.height);
  const auto data_name = [](std::size_t p, std::size_t c) {
    return fmt::format("$curve_{}_{}", p, c);
  };
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    const ChartPanel& panel = chart.panels[p];
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      if (!panel.curves[c].formula.empty()) continue;
      script += curve_data(panel, panel.curves[c], data_name(p, c));
    }
  }
  script +=
      "set border 3 lw 0.8 lc rgb '#404040'\nset tics nomirror out scale 0.8,0.4\n"
      "set grid xtics ytics lt 1 lc rgb '#e4e4e4' lw 0.7\n"
      "set style fill transparent solid 0.16 noborder\n"
      "set samples 400\nunset key\n";
  script += fmt::format(
      "set multiplot{}\n",
      chart.title.empty() ? "" : " title " + gnuplot_text(chart.title) + " noenhanced font ',15'");
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    const ChartPanel& panel = chart.panels[p];
    DUEL_ASSIGN(const Ranges ranges, ranges_of(panel));
    script += layout.margins(p) + axis('x', panel.log_x, ranges.x);
    script += axis('y', panel.log_y, ranges.y);
    script += fmt::format(
        "set xlabel {} offset 0,0.3 noenhanced\nset ylabel {} offset -0.4,0 noenhanced\n"
        "set title {} offset 0,-0.4 noenhanced\n",
        gnuplot_text(panel.x_label), gnuplot_text(panel.y_label), gnuplot_text(panel.title));
    if (p == 0) {  // one legend for all
      Canvas canvas(layout.width, layout.height);
      for (std::size_t i = 0; i < legend.size(); ++i) draw_legend(canvas, layout, i, legend[i]);
      script += canvas.commands();
    }
    // Bands lie below everything, bounds below the curves.
    std::vector<std::string> items;
    std::vector<std::string> curves;
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      const ChartCurve& curve = panel.curves[c];
      const std::size_t style = style_of(legend, curve.label);
      add_band(curve, style, data_name(p, c), items);
      if (!is_bound(curve.line)) curves.push_back(plot_item(curve, style, data_name(p, c)));
    }
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      if (is_bound(panel.curves[c].line)) {
        items.push_back(plot_item(panel.curves[c], 0, data_name(p, c)));
      }
    }
    items.insert(items.end(), curves.begin(), curves.end());
    script += fmt::format("plot {}\n", fmt::join(items, ", \\\n     "));
    script += "unset arrow\nunset label\n";
  }
  script += "unset multiplot\n";
  return script;
}

}  // namespace duel
