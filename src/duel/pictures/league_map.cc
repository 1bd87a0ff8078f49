#include "duel/pictures/league_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "duel/core/numbers.h"
#include "duel/pictures/canvas.h"

namespace duel {
namespace {

// Cividis at 0, 1/8, .., 1.
constexpr std::array<Color, 9> kCividis = {{{0, 32, 77},
                                            {0, 53, 111},
                                            {57, 72, 107},
                                            {87, 93, 109},
                                            {112, 113, 115},
                                            {138, 134, 121},
                                            {165, 156, 116},
                                            {195, 179, 105},
                                            {255, 234, 70}}};
constexpr double kDarkestRatio = 100;

// Position on the scale: 1 (light) for the best, 0 (dark) for kDarkestRatio and more.
double lightness(double ratio) {
  return 1 - std::clamp(std::log(ratio) / std::log(kDarkestRatio), 0.0, 1.0);
}

std::string color_of(double position) { return color_at(kCividis, position); }

std::string ratio_text(double ratio) {
  if (ratio < 9.95) return fmt::format("{:.1f}", ratio);
  if (ratio < 9999.5) return fmt::format("{:.0f}", ratio);
  return fmt::format("{:.0e}", ratio);
}

constexpr double kCellWidth = 44;
constexpr double kCellHeight = 21;
constexpr double kPolicyCharacter = 7.2;  // of a policy's name
constexpr double kSmallCharacter = 6.2;   // of a problem's
constexpr double kMapMargin = 14;

}  // namespace

Result<std::string> league_map_script(const LeagueResults& results, PlotFormat format) {
  std::vector<const LeagueTable*> problems;
  double longest_problem = 0;
  for (const LeagueTable& table : results.problems) {
    const bool counted =
        std::ranges::find(results.not_counted, table.problem) == results.not_counted.end();
    if (!table.complete || table.entries.empty() || !counted) continue;
    problems.push_back(&table);
    longest_problem = std::max(longest_problem, characters(table.problem));
  }
  if (problems.empty()) {
    return Error::unsupported("there is no finished problem to draw");
  }
  double longest_policy = 12;
  for (const LeagueStanding& standing : results.standings) {
    longest_policy = std::max(longest_policy, characters(standing.policy));
  }

  const double columns = static_cast<double>(problems.size()) + 1;  // the last is the mean
  const auto rows = static_cast<double>(results.standings.size());
  const double left = kMapMargin + kPolicyCharacter * longest_policy + 8;
  // Problem names rise to the right at 45 degrees, so they take as much to the right as above.
  const double names_height =
      kSmallCharacter * std::max(longest_problem, 14.0) / std::numbers::sqrt2 + 14;
  const double legend_height = 62;
  const double title_height = 40;
  const double grid_width = kCellWidth * columns + 10;
  const double width = std::max(left + grid_width + names_height, 560.0);
  const double height = title_height + names_height + kCellHeight * rows + legend_height;
  const double top = height - title_height - names_height;

  Canvas canvas(width, height);
  const std::string title =
      fmt::format("Regret as a multiple of the best policy's; {}, {}",
                  counted(results.rounds, "round"), counted(results.trials, "trial"));
  canvas.text(kMapMargin, height - 20, title, "left noenhanced font ',13'");
  const auto column_left = [&](std::size_t column) {
    // A gap sets the mean off.
    return left + kCellWidth * static_cast<double>(column) + (column == problems.size() ? 10 : 0);
  };
  for (std::size_t c = 0; c <= problems.size(); ++c) {
    const std::string name = c == problems.size() ? "geometric mean" : problems[c]->problem;
    canvas.text(column_left(c) + kCellWidth / 2 - 4, top + 8, name,
                "left rotate by 45 noenhanced font ',10'");
  }
  const auto draw_cell = [&](std::size_t column, double bottom, double ratio, bool best,
                             bool wrong = false) {
    const double x = column_left(column);
    if (std::isnan(ratio)) {
      canvas.cell(x, bottom, kCellWidth - 1, kCellHeight - 1, "#e6e6e6");
      return;
    }
    const double position = lightness(ratio);
    canvas.cell(x, bottom, kCellWidth - 1, kCellHeight - 1, color_of(position));
    const std::string shown = ratio_text(ratio) + (wrong ? "*" : "");
    canvas.text(x + kCellWidth / 2, bottom + kCellHeight / 2,
                best ? fmt::format("{{/:Bold {}}}", shown) : shown,
                fmt::format("center font ',10' textcolor rgb '{}'",
                            position > 0.5 ? "#000000" : "#ffffff"));
  };
  for (std::size_t r = 0; r < results.standings.size(); ++r) {
    const LeagueStanding& standing = results.standings[r];
    const double bottom = top - kCellHeight * static_cast<double>(r + 1);
    canvas.text(left - 6, bottom + kCellHeight / 2, standing.policy, "right noenhanced font ',11'");
    for (std::size_t c = 0; c < problems.size(); ++c) {
      const auto& entries = problems[c]->entries;
      const auto entry = std::ranges::find(entries, standing.policy, &LeagueEntry::policy);
      if (entry == entries.end()) {
        draw_cell(c, bottom, kUndefined, false);
      } else {
        draw_cell(c, bottom, entry->ratio, !entry->told_apart, entry->rank == 0);
      }
    }
    // A mean over fewer problems is not comparable.
    draw_cell(problems.size(), bottom,
              standing.rank == 0 ? kUndefined : std::exp(standing.log_ratio),
              standing.rank != 0 && !standing.told_apart);
  }
  // The scale.
  constexpr int kSteps = 60;
  const double scale_width = std::min(300.0, width - 2 * kMapMargin);
  for (int step = 0; step < kSteps; ++step) {
    const double piece = scale_width / kSteps;
    canvas.cell(kMapMargin + piece * step, 32, piece + 0.5, 12,
                color_of(1 - (step + 0.5) / kSteps));
  }
  for (const int tick : {1, 2, 5, 10, 20, 50, 100}) {
    const double x = kMapMargin + scale_width * std::log(tick) / std::log(kDarkestRatio);
    canvas.text(x, 24, tick == 100 ? "100+" : std::to_string(tick), "center font ',9'");
  }
  canvas.text(kMapMargin, 9,
              "bold: the best, or indistinguishable from it; *: wrong too often to be ranked; "
              "grey: did not play",
              "left noenhanced font ',9'");

  return canvas.script(format, title, "duel league");
}

}  // namespace duel
