#include "duel/experiment/plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "duel/core/numbers.h"
#include "duel/core/spelling.h"

namespace duel {
namespace {

// Okabe and Ito (2008), without black (the lower bound); yellow comes last and darker, since theirs
// is faint on white.
constexpr std::array<const char*, 7> kColors = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                "#E69F00", "#56B4E9", "#B8A500"};
// Numbers of colours, dashes and markers have no common divisor with each other, so combinations
// repeat late.
constexpr std::array<const char*, 5> kDashes = {"solid", "(18,5)", "(10,4,2,4)", "(5,4)",
                                                "(18,4,2,4,2,4)"};
constexpr std::array<int, 8> kMarkers = {7, 5, 9, 13, 11, 6, 4, 8};

struct Point {
  double round;
  double mean;
  double low;
  double high;
};

struct Curve {
  std::string policy;
  std::size_t style;  // the same policy looks the same in every panel
  std::vector<Point> points;
};

struct Panel {
  std::string title;
  double bound = kUndefined;  // coefficient of ln t
  std::vector<Curve> curves;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

Result<std::size_t> index_of_regret(const StudyResults& results, const PlotOptions& options) {
  if (!options.regret) return std::size_t{0};
  std::vector<std::string> known;
  for (std::size_t i = 0; i < results.regrets.size(); ++i) {
    if (results.regrets[i] == *options.regret) return i;
    known.push_back(to_string(results.regrets[i]));
  }
  return Error{ErrorCode::invalid_argument,
               fmt::format("the results have no {} regret", to_string(*options.regret)), "",
               fmt::format("they have: {}", fmt::join(known, ", "))};
}

Result<std::vector<const MatrixResult*>> chosen_runs(const StudyResults& results,
                                                     const PlotOptions& options) {
  std::vector<const MatrixResult*> runs;
  if (options.matrices.empty()) {
    for (const MatrixResult& run : results.runs) runs.push_back(&run);
    return runs;
  }
  std::vector<std::string> known;
  for (const MatrixResult& run : results.runs) known.push_back(run.facts.matrix);
  for (const std::string& name : options.matrices) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      return Error{ErrorCode::invalid_argument,
                   fmt::format("the results have no matrix '{}'", name), "",
                   spelling_hint(name, known)};
    }
    runs.push_back(&results.runs[static_cast<std::size_t>(found - known.begin())]);
  }
  return runs;
}

// The bound is one of average regret; strong regret is twice that; no other notion has one here.
double bound_factor(RegretNotion notion) {
  if (notion == RegretNotion::average) return 1;
  if (notion == RegretNotion::strong) return 2;
  return kUndefined;
}

Panel panel_of(const MatrixResult& run, const StudyResults& results, std::size_t regret,
               std::vector<std::string>& policies) {
  Panel panel;
  std::uint32_t fewest = results.trials;
  for (const PolicyResult& policy : run.policies) fewest = std::min(fewest, policy.trials);
  panel.title = run.facts.num_arms == 0 ? fmt::format("{}, {} trials", run.facts.matrix, fewest)
                                        : fmt::format("{}, {} arms, {} trials", run.facts.matrix,
                                                      run.facts.num_arms, fewest);
  panel.bound = run.facts.lower_bound * bound_factor(results.regrets[regret]);
  for (const PolicyResult& policy : run.policies) {
    Curve curve;
    curve.policy = policy.policy;
    const auto known = std::find(policies.begin(), policies.end(), policy.policy);
    curve.style = static_cast<std::size_t>(known - policies.begin());
    if (known == policies.end()) policies.push_back(policy.policy);
    for (const CheckpointResult& checkpoint : policy.checkpoints) {
      const Summary& summary = checkpoint.regrets[regret];
      if (!(summary.mean > 0)) continue;  // zero has no place on a logarithmic axis
      const double half = std::isnan(summary.se) ? 0 : kBandStandardErrors * summary.se;
      curve.points.push_back({static_cast<double>(checkpoint.round), summary.mean,
                              std::max(summary.mean - half, summary.mean * 1e-3),
                              summary.mean + half});
    }
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

std::string line_style(std::size_t style) {
  return fmt::format("lc rgb '{}' lw 1.8 dt {}", kColors[style % kColors.size()],
                     kDashes[style % kDashes.size()]);
}

std::string marker_style(std::size_t style) {
  return fmt::format("pt {} ps 0.75 lc rgb '{}'", kMarkers[style % kMarkers.size()],
                     kColors[style % kColors.size()]);
}

constexpr const char* kBoundStyle = "lc rgb '#000000' lw 1.6 dt (7,5)";

// Pixels that a text of the legend takes, roughly.
double text_pixels(std::string_view text) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  });
  return 6.8 * static_cast<double>(characters);
}

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

  Layout(std::size_t panels, const std::vector<std::string>& legend, bool has_title) {
    columns = panels == 1 ? 1 : (panels <= 4 ? 2 : 3);
    rows = (panels + columns - 1) / columns;
    const double panel_width = panels == 1 ? 760 : 500;
    const double panel_height = panels == 1 ? 470 : 370;
    width = panel_width * static_cast<double>(columns);
    std::vector<double> entries;
    for (const std::string& text : legend) {
      entries.push_back(kLegendSample + text_pixels(text) + 22);
    }
    const double widest = *std::max_element(entries.begin(), entries.end());
    const auto most =
        std::clamp<std::size_t>(static_cast<std::size_t>((width - 20) / widest), 1, legend.size());
    // As many columns as the lines need: 4 entries in 2 lines stand 2 + 2, not 3 + 1.
    const std::size_t lines = (legend.size() + most - 1) / most;
    legend_columns.assign((legend.size() + lines - 1) / lines, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      double& column = legend_columns[i % legend_columns.size()];
      column = std::max(column, entries[i]);
    }
    legend_height = kLegendLine * static_cast<double>(lines) + 12;
    title_height = has_title ? 34 : 0;
    height = panel_height * static_cast<double>(rows) + legend_height + title_height;
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
std::string legend_entry(const Layout& layout, std::size_t index, const std::string& text,
                         const std::string& line, const std::string& marker) {
  const auto& widths = layout.legend_columns;
  const std::size_t columns = widths.size();
  const std::size_t line_number = index / columns;
  const double block = std::accumulate(widths.begin(), widths.end(), 0.0);
  const double left =
      std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(index % columns),
                      std::max(8.0, (layout.width - block) / 2));
  const double height =
      layout.legend_height - Layout::kLegendLine * (static_cast<double>(line_number) + 0.5);
  const double y = height / layout.height;
  const double length = Layout::kLegendSample - 8;
  std::string script =
      fmt::format("set arrow from screen {:.5f},{:.5f} to screen {:.5f},{:.5f} nohead {}\n",
                  left / layout.width, y, (left + length) / layout.width, y, line);
  if (!marker.empty()) {
    script += fmt::format("set label '' at screen {:.5f},{:.5f} point {}\n",
                          (left + length / 2) / layout.width, y, marker);
  }
  return script + fmt::format("set label {} at screen {:.5f},{:.5f} left noenhanced\n",
                              gnuplot_text(text), (left + Layout::kLegendSample) / layout.width, y);
}

}  // namespace

std::string to_string(PlotFormat format) {
  switch (format) {
    case PlotFormat::svg:
      return "svg";
    case PlotFormat::pdf:
      return "pdf";
    case PlotFormat::png:
      return "png";
  }
  return "";
}

Result<PlotFormat> plot_format_of(std::string_view file_name) {
  const auto dot = file_name.rfind('.');
  const std::string ending(dot == std::string_view::npos ? "" : file_name.substr(dot + 1));
  if (ending == "svg" || ending == "SVG") return PlotFormat::svg;
  if (ending == "pdf" || ending == "PDF") return PlotFormat::pdf;
  if (ending == "png" || ending == "PNG") return PlotFormat::png;
  return Error{ErrorCode::invalid_argument,
               fmt::format("'{}' does not end in a known picture format", file_name), "",
               "known: .svg, .pdf, .png"};
}

std::string gnuplot_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
    } else {
      out += c == '\'' ? std::string("''") : std::string(1, c);
    }
  }
  return out + "'";
}

std::string gnuplot_terminal(PlotFormat format, double width, double height) {
  switch (format) {
    case PlotFormat::svg:
      return fmt::format(
          "set terminal svg size {:.0f},{:.0f} enhanced font 'DejaVu Sans,Helvetica,Arial,"
          "sans-serif,12' background '#ffffff' butt\n",
          width, height);
    case PlotFormat::pdf:
      return fmt::format(
          "set terminal pdfcairo size {:.3f}in,{:.3f}in enhanced font 'DejaVu Sans,9' "
          "background '#ffffff' butt\n",
          width / 96, height / 96);
    case PlotFormat::png:  // at twice the size, for screens with small pixels
      return fmt::format(
          "set terminal pngcairo size {:.0f},{:.0f} enhanced font 'DejaVu Sans,12' fontscale 1.5 "
          "linewidth 2 pointscale 2 background '#ffffff' butt\n",
          2 * width, 2 * height);
  }
  return "";
}

Result<std::string> gnuplot_script(const StudyResults& results, const PlotOptions& options) {
  DUEL_ASSIGN(const std::size_t regret, index_of_regret(results, options));
  DUEL_ASSIGN(const auto runs, chosen_runs(results, options));

  std::vector<std::string> policies;
  std::vector<Panel> panels;
  Range rounds;
  Range regrets;
  bool any_bound = false;
  for (const MatrixResult* run : runs) {
    panels.push_back(panel_of(*run, results, regret, policies));
    for (const Curve& curve : panels.back().curves) {
      for (const Point& point : curve.points) rounds.include(point.round);
    }
    any_bound = any_bound || panels.back().bound > 0;
  }
  if (rounds.empty()) {
    return Error{ErrorCode::unsupported,
                 fmt::format("there is nothing to draw: every {} regret is zero or unknown",
                             to_string(results.regrets[regret])),
                 "", ""};
  }
  // The first rounds say little and would take half of a logarithmic axis.
  if (rounds.high >= 1e4) rounds.low = std::max(rounds.low, std::min(100.0, rounds.high / 1e3));
  if (rounds.low == rounds.high) rounds.low = std::max(1.0, rounds.low / 10);
  for (const Panel& panel : panels) {
    for (const Curve& curve : panel.curves) {
      for (const Point& point : curve.points) {
        if (point.round < rounds.low) continue;
        regrets.include(point.mean);
        regrets.include(std::max(point.low, point.mean / 3));
        regrets.include(point.high);
      }
    }
    if (panel.bound > 0) regrets.include(panel.bound * std::log(std::max(rounds.low, 2.0)));
  }

  std::vector<std::string> legend = policies;
  if (any_bound) legend.emplace_back("lower bound LB ln t (asymptotic)");
  const Layout layout(panels.size(), legend, !options.title.empty());

  std::string script = "# Written by `duel plot`; gnuplot writes the picture to standard output.\n";
  script += "set encoding utf8\n" + gnuplot_terminal(options.format, layout.width, layout.height);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    for (std::size_t c = 0; c < panels[p].curves.size(); ++c) {
      script += fmt::format("$curve_{}_{} << END\n", p, c);
      for (const Point& point : panels[p].curves[c].points) {
        script += fmt::format("{} {} {} {}\n", point.round, point.mean, point.low, point.high);
      }
      script += "END\n";
    }
  }
  script += fmt::format(
      "set logscale xy\n"
      "set xrange [{}:{}]\nset yrange [{}:{}]\n"
      "set format xy '10^{{%T}}'\n"
      "set mxtics 10\nset mytics 10\n"
      "set border 3 lw 0.8 lc rgb '#404040'\nset tics nomirror out scale 0.8,0.4\n"
      "set grid xtics ytics lt 1 lc rgb '#e4e4e4' lw 0.7\n"
      "set xlabel 'round' offset 0,0.3\n"
      "set ylabel {} offset -0.4,0 noenhanced\n"
      "set style fill transparent solid 0.16 noborder\n"
      "set samples 400\nunset key\n",
      rounds.low, rounds.high, regrets.low / 1.3, regrets.high * 1.3,
      gnuplot_text(fmt::format("cumulative regret ({})", to_string(results.regrets[regret]))));
  script += fmt::format("set multiplot{}\n",
                        options.title.empty()
                            ? ""
                            : " title " + gnuplot_text(options.title) + " noenhanced font ',15'");

  for (std::size_t p = 0; p < panels.size(); ++p) {
    const Panel& panel = panels[p];
    script += layout.margins(p);
    script += fmt::format("set title {} offset 0,-0.4 noenhanced\n",
                          gnuplot_text(fmt::format("{}; bands: mean ± {} standard errors",
                                                   panel.title, kBandStandardErrors)));
    if (p == 0) {  // one legend for all
      for (std::size_t style = 0; style < policies.size(); ++style) {
        script +=
            legend_entry(layout, style, policies[style], line_style(style), marker_style(style));
      }
      if (any_bound) {
        script += legend_entry(layout, policies.size(), legend.back(), kBoundStyle, "");
      }
    }
    std::vector<std::string> items;
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      items.push_back(fmt::format("$curve_{}_{} using 1:3:4 with filledcurves lc rgb '{}' notitle",
                                  p, c, kColors[panel.curves[c].style % kColors.size()]));
    }
    if (panel.bound > 0) {
      items.push_back(fmt::format("(x > 1 ? {} * log(x) : NaN) with lines {} notitle", panel.bound,
                                  kBoundStyle));
    }
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      items.push_back(fmt::format(
          "$curve_{}_{} using 1:2 with linespoints {} pt {} ps 0.75 notitle", p, c,
          line_style(panel.curves[c].style), kMarkers[panel.curves[c].style % kMarkers.size()]));
    }
    script += fmt::format("plot {}\n", fmt::join(items, ", \\\n     "));
    script += "unset arrow\nunset label\n";
  }
  script += "unset multiplot\n";
  return script;
}

}  // namespace duel
