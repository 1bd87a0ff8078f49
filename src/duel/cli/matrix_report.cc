#include "duel/cli/matrix_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostArmsInFull = 20;
constexpr std::size_t kBestArmsShown = 10;
constexpr std::size_t kNameColumns = 24;

// "a, b, c" or "a, b, c and 17 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  if (names.size() <= kShown + 1) return fmt::format("{}", fmt::join(names, ", "));
  const std::vector<std::string> first(names.begin(), names.begin() + kShown);
  return fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - kShown);
}

// "a 0.6", "b 0.4", the heaviest first; the name alone where it has all the weight.
std::vector<std::string> lottery(const PreferenceMatrix& matrix,
                                 const std::vector<double>& weights) {
  std::vector<Arm> support;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (weights[i] > 0) support.push_back(i);
  }
  if (support.size() == 1) return names_of(matrix, support);
  std::ranges::sort(
      support, [&](Arm a, Arm b) { return std::tie(weights[b], a) < std::tie(weights[a], b); });
  std::vector<std::string> parts;
  for (const Arm i : support) {
    parts.push_back(fmt::format("{} {:.4g}", matrix.arm_name(i), weights[i]));
  }
  return parts;
}

// 2 .. 6, then doubling, and all arms.
std::vector<std::size_t> subset_sizes(std::size_t num_arms) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 2; size < num_arms; size = size < 6 ? size + 1 : 2 * size) {
    sizes.push_back(size);
  }
  if (num_arms > 1) sizes.push_back(num_arms);
  return sizes;
}

// Columns are headed by the arms' names where those are short, otherwise by their numbers.
std::string cells(const MatrixDescription& facts) {
  const auto& names = facts.matrix.arm_names();
  const bool numbered =
      std::ranges::any_of(names, [](const std::string& name) { return display_width(name) > 7; });
  Table table;
  if (numbered) table.column("");
  table.column("", Align::left);
  for (std::size_t j = 0; j < names.size(); ++j) {
    table.column(numbered ? fmt::format("{}", j + 1) : names[j]);
  }
  for (Arm i = 0; i < names.size(); ++i) {
    std::vector<std::string> row;
    if (numbered) row.push_back(fmt::format("{}", i + 1));
    row.push_back(shortened(names[i], kNameColumns));
    for (const double p : facts.matrix.row(i)) row.push_back(fmt::format("{:.3f}", p));
    table.row(row);
  }
  return table.to_string();
}

std::string winners(const MatrixDescription& facts, const Paint& paint) {
  std::string text;
  const auto line = [&](const char* label, const std::string& value) {
    text += fmt::format("{} {}\n", paint.dim(fmt::format("{:<17}", label)), value);
  };
  line("Condorcet winner", facts.winner ? facts.matrix.arm_name(*facts.winner) : "none");
  line("Copeland winner",
       fmt::format("{}, {} of {} victories", listed(names_of(facts.matrix, facts.copeland.winners)),
                   facts.copeland.wins[facts.copeland.winners.front()],
                   facts.matrix.num_arms() - 1));
  line("Borda winner",
       fmt::format("{}, {:.4g}", listed(names_of(facts.matrix, facts.borda.winners)),
                   facts.borda.best()));
  if (facts.von_neumann.ok()) {
    const bool approximate = facts.von_neumann->guarantee < 0.5 - kProgrammedShortfall;
    line("von Neumann",
         listed(lottery(facts.matrix, facts.von_neumann->weights)) +
             (approximate ? fmt::format(" (approximate: no arm beats it by more than {:.1g})",
                                        0.5 - facts.von_neumann->guarantee)
                          : ""));
  } else {
    line("von Neumann", facts.von_neumann.error().message);
  }
  line("Smith set", fmt::format("{}: {}", counted(facts.smith.size(), "arm"),
                                listed(names_of(facts.matrix, facts.smith))));
  if (facts.gaps.winner) line("winner's gap", fmt::format("{:.4g}", *facts.gaps.winner));
  if (facts.gaps.any) line("smallest gap", fmt::format("{:.4g}", *facts.gaps.any));
  if (!facts.copeland.ties.empty()) {
    std::vector<std::string> pairs;
    for (const auto& [i, j] : facts.copeland.ties) {
      pairs.push_back(fmt::format("{} - {}", facts.matrix.arm_name(i), facts.matrix.arm_name(j)));
    }
    line("pairs at 1/2", fmt::format("{}: {}", pairs.size(), listed(pairs)));
  }
  return text;
}

// Best first; all of them, or the best few of many.
std::string arms(const MatrixDescription& facts, const Paint& paint) {
  const std::size_t num_arms = facts.matrix.num_arms();
  const std::size_t shown = num_arms <= kMostArmsInFull ? num_arms : kBestArmsShown;
  std::vector<Arm> order(num_arms);
  for (Arm i = 0; i < num_arms; ++i) order[facts.merit[i]] = i;
  Table table;
  table.column(shown == num_arms ? "arm, best first" : fmt::format("best {} arms", shown),
               Align::left);
  table.column("victories").column("Borda");
  if (facts.bound)
    table.column("gap").column("bound term").column("cheapest opponent", Align::left);
  for (std::size_t rank = 0; rank < shown; ++rank) {
    const Arm i = order[rank];
    std::vector<std::string> row{shortened(facts.matrix.arm_name(i), kNameColumns),
                                 fmt::format("{}", facts.copeland.wins[i]),
                                 fmt::format("{:.4f}", facts.borda.scores[i])};
    if (facts.bound && i != *facts.winner) {
      row.push_back(fmt::format("{:.4f}", facts.matrix.gap(*facts.winner, i)));
      row.push_back(fmt::format("{:.4f}", facts.bound->terms[i]));
      row.push_back(shortened(facts.matrix.arm_name(facts.bound->best_opponents[i]), kNameColumns));
    }
    table.row(row);
  }
  std::string text = table.to_string();
  if (shown < num_arms) {
    text +=
        paint.dim(fmt::format("{} more arms; all of them with --json", num_arms - shown)) + "\n";
  }
  return text;
}

std::string assumptions(const MatrixDescription& facts, const Paint& paint) {
  static const std::map<std::string, std::string> labels{{"total-order", "total order"},
                                                         {"wst", "weak transitivity (WST)"},
                                                         {"sst", "strong transitivity (SST)"},
                                                         {"sti", "triangle inequality (STI)"}};
  Table table;
  table.column("assumption", Align::left).column("holds", Align::left).column("violations");
  table.column("worst case, e = p - 1/2", Align::left);
  for (const AssumptionVerdict& verdict : facts.verdicts()) {
    table.row({labels.at(verdict.name), verdict.holds ? paint.green("yes") : paint.red("no"),
               fmt::format("{} of {}", verdict.violations, verdict.examined), verdict.detail});
  }
  std::string text = table.to_string();
  if (facts.assumptions.relaxed_sst_gamma) {
    text += fmt::format("relaxed SST holds from the winner with gamma = {:.4g}\n",
                        *facts.assumptions.relaxed_sst_gamma);
  }
  if (!facts.assumptions.chains.triangle.holds()) {
    text += fmt::format("relaxed STI holds with factor {:.4g}\n",
                        facts.assumptions.chains.triangle_factor);
  }
  return text;
}

std::string bounds(const MatrixDescription& facts, const Paint& paint) {
  std::string text;
  if (facts.bound) {
    text += fmt::format("{} {} ln T, average regret\n", paint.dim("lower bound"),
                        paint.bold(fmt::format("{:.4f}", facts.bound->value)));
    if (facts.bound->condorcet_target != facts.bound->value) {
      text += fmt::format("{} {:.4f} ln T\n", paint.dim("with the winner as only opponent"),
                          facts.bound->condorcet_target);
    }
  } else {
    text += "no lower bound: it needs a Condorcet winner\n";
  }
  std::vector<std::string> parts;
  for (const std::size_t size : subset_sizes(facts.matrix.num_arms())) {
    parts.push_back(fmt::format("k={} {:.3g} %", size, 100 * facts.subset_shares[size - 1]));
  }
  if (!parts.empty()) {
    text += fmt::format("{} {}\n", paint.dim("subsets of k arms with a Condorcet winner:"),
                        fmt::join(parts, ", "));
  }
  return text;
}

}  // namespace

std::string matrix_text(const MatrixDescription& facts, const Paint& paint) {
  std::string text = fmt::format("{}  {}\n\n", paint.bold(facts.matrix.name()),
                                 counted(facts.matrix.num_arms(), "arm"));
  if (facts.matrix.num_arms() <= kMostArmsInFull) text += cells(facts) + "\n";
  return text + winners(facts, paint) + "\n" + arms(facts, paint) + "\n" +
         assumptions(facts, paint) + "\n" + bounds(facts, paint);
}

std::string verdicts_text(const PreferenceMatrix& matrix,
                          const std::vector<AssumptionVerdict>& verdicts, const Paint& paint) {
  std::string text = fmt::format("{}  a preference matrix of {}\n", paint.bold(matrix.name()),
                                 counted(matrix.num_arms(), "arm"));
  for (const AssumptionVerdict& verdict : verdicts) {
    text += fmt::format("{:<12} {}{}{}", verdict.name,
                        verdict.holds ? paint.green("holds") : paint.red("fails"),
                        verdict.detail.empty() ? "" : "  ", verdict.detail);
    text += verdict.violations == 0 ? "\n"
                                    : fmt::format(" ({} of {} {})\n", verdict.violations,
                                                  verdict.examined, verdict.examines);
  }
  return text;
}

}  // namespace duel::cli
