#include "duel/pictures/plan_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "duel/pictures/curve_style.h"

namespace duel {
namespace {

// (duels, share decided by then), a point per decided trial.
std::string steps_of(const PlanEntry& entry, std::uint64_t max_duels) {
  std::vector<std::uint64_t> duels;
  for (const PlanTrial& trial : entry.trials) {
    if (trial.ending != PlanTrial::Ending::undecided) duels.push_back(trial.duels);
  }
  std::sort(duels.begin(), duels.end());
  const auto all = static_cast<double>(entry.trials.size());
  std::string points;
  if (!duels.empty()) points += fmt::format("{} 0\n", std::max<std::uint64_t>(1, duels[0]));
  for (std::size_t k = 0; k < duels.size(); ++k) {
    points += fmt::format("{} {:.6g}\n", std::max<std::uint64_t>(1, duels[k]),
                          100.0 * static_cast<double>(k + 1) / all);
  }
  points += fmt::format("{} {:.6g}\n", max_duels, 100.0 * static_cast<double>(duels.size()) / all);
  return points;
}

// 1, 2 and 5 times the powers of ten in view.
std::string tics_between(double low, double high) {
  std::string tics;
  for (std::uint64_t power = 1; static_cast<double>(power) <= high; power *= 10) {
    for (const std::uint64_t digit : {1, 2, 5}) {
      const std::uint64_t at = digit * power;
      if (static_cast<double>(at) < low || static_cast<double>(at) > high) continue;
      const std::string label = at >= 1'000'000
                                    ? fmt::format("{:g}M", static_cast<double>(at) / 1e6)
                                : at >= 1'000 ? fmt::format("{:g}k", static_cast<double>(at) / 1e3)
                                              : fmt::format("{}", at);
      tics += fmt::format("{}'{}' {}", tics.empty() ? "" : ", ", label, at);
    }
  }
  return tics;
}

}  // namespace

std::string plan_picture_script(const PlanResults& results, PlotFormat format) {
  std::uint64_t fewest = results.max_duels, most = 1;
  for (const PlanEntry& entry : results.entries) {
    for (const PlanTrial& trial : entry.trials) {
      fewest = std::min(fewest, std::max<std::uint64_t>(1, trial.duels));
      most = std::max(most, trial.duels);
    }
  }
  double left = static_cast<double>(fewest);
  if (results.reference) left = std::min(left, std::max(1.0, *results.reference));
  // A problem that was described by its number of arms says so itself.
  const bool counts = results.truth.find(" arms") != std::string::npos;
  const std::string title =
      fmt::format("Duels to a certificate: {}{}, error level {}", results.truth,
                  counts ? "" : fmt::format(", {} arms", results.num_arms), results.alpha);
  std::string script = title_line(title) + gnuplot_terminal(format, 760, 480);
  for (std::size_t k = 0; k < results.entries.size(); ++k) {
    script += fmt::format("$design{} << EOD\n{}EOD\n", k, steps_of(results.entries[k], most));
  }
  script += fmt::format("set title {} noenhanced\n", gnuplot_text(title));
  script += "set xlabel 'duels'\nset ylabel 'experiments decided (%)'\nset logscale x\n";
  left *= 0.8;
  const double right = 1.1 * static_cast<double>(most);
  script += fmt::format("set xrange [{:.6g}:{:.6g}]\nset yrange [0:105]\n", left, right);
  script += fmt::format("set xtics ({})\n", tics_between(left, right));
  script += "set grid ytics xtics lc rgb '#dddddd'\nset key outside below noenhanced\n";
  script += "set border 3\nset tics nomirror\n";
  if (results.reference) {
    script += fmt::format(
        "set arrow from {0:.6g},0 to {0:.6g},100 nohead dt 2 lc rgb '#555555'\n"
        "set label 'least mean' at {0:.6g},102 center textcolor rgb '#555555' font ',10'\n",
        *results.reference);
  }
  script += "plot";
  for (std::size_t k = 0; k < results.entries.size(); ++k) {
    script += fmt::format("{} $design{} with steps {} title {}", k == 0 ? "" : ",", k,
                          curve_line_style(k), gnuplot_text(results.entries[k].policy));
  }
  return script + "\n";
}

}  // namespace duel
