// Three examples of the slides on dueling bandits of the course CS 159 (Caltech, 2016): a matrix of
// six rankers, team-draft interleaving of two lists of six documents, and a table of duels. All
// exact.
#include <map>

#include "duel/core/pair_counts.h"
#include "duel/ranking/interleaving/team_draft.h"
#include "duel/reproduction/reproduction.h"
#include "duel/truth/assumptions.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

// --- slides-matrix ------------------------------------------------------------------------------

Result<Reproduction> run_matrix(const ReproductionContext& context) {
  DUEL_ASSIGN(const PreferenceMatrix matrix, resolve_matrix("slides"));
  DUEL_ASSIGN(const LowerBound bound, regret_lower_bound(matrix));
  const Assumptions assumptions = check_assumptions(matrix);
  Reproduction out{context.seed};
  const auto holds = [&](const char* what, bool yes) {
    out.findings.that(what, "holds", yes ? "holds" : "fails", "holds", yes);
  };
  holds("total order A > B > C > D > E > F", assumptions.total_order.holds());
  holds("strong stochastic transitivity", assumptions.chains.strong.holds());
  holds("stochastic triangle inequality", assumptions.chains.triangle.holds());
  out.findings.within("gamma of relaxed transitivity", "1",
                      exactly(assumptions.relaxed_sst_gamma.value_or(kUndefined)), {1, 1},
                      "exactly");
  out.findings.within("constant of the lower bound on regret", derived("23.4656"),
                      exactly(bound.value), {23.46555, 23.46565}, "to four decimals");
  TidyTable& table = out.add_table("gaps", "arm,against");
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    for (Arm j = 0; j < matrix.num_arms(); ++j) {
      table.add({matrix.arm_name(i), matrix.arm_name(j)}, exactly(matrix.gap(i, j)));
    }
  }
  out.remarks.emplace_back("The slides print the matrix; the lower bound is worked out from it.");
  return out;
}

// --- slides-tdi ---------------------------------------------------------------------------------

using Picks = std::pair<std::string, std::string>;  // documents, and the teams that picked them

// Every sequence of coins, one a round, by the slide's rule word for word.
std::map<Picks, double> draft_by_hand(const std::vector<Document>& a,
                                      const std::vector<Document>& b) {
  std::map<Picks, double> law;
  const std::size_t rounds = a.size() / 2;
  for (std::size_t coins = 0; coins < (std::size_t{1} << rounds); ++coins) {
    Picks picks;
    const auto pick = [&](const std::vector<Document>& ranking, char team) {
      for (const Document document : ranking) {
        const char name = static_cast<char>('0' + document);
        if (picks.first.find(name) != std::string::npos) continue;
        picks.first += name;
        picks.second += team;
        return;
      }
    };
    for (std::size_t round = 0; round < rounds; ++round) {
      const bool a_first = (coins >> round & 1U) == 0;
      pick(a_first ? a : b, a_first ? 'A' : 'B');
      pick(a_first ? b : a, a_first ? 'B' : 'A');
    }
    law[picks] += std::ldexp(1.0, -static_cast<int>(rounds));
  }
  return law;
}

Result<Reproduction> run_draft(const ReproductionContext& context) {
  const std::vector<Document> a = {1, 2, 3, 4, 5, 6};
  const std::vector<Document> b = {4, 1, 2, 3, 5, 6};
  DUEL_ASSIGN(const std::vector<WeightedInterleaving> lists,
              TeamDraftInterleaver().enumerate(a, b, a.size()));
  std::map<Picks, double> law;
  for (const WeightedInterleaving& list : lists) {
    Picks picks;
    for (std::size_t k = 0; k < list.shown.size(); ++k) {
      picks.first += static_cast<char>('0' + list.shown.documents[k]);
      picks.second += list.shown.teams[k] == Team::first ? 'A' : 'B';
    }
    law[picks] += list.probability;
  }
  Reproduction out{context.seed};
  TidyTable& table = out.add_table("lists", "shown,picked_by");
  double shown = 0;
  for (const auto& [picks, probability] : law) {
    table.add({picks.first, picks.second}, exactly(probability));
    if (picks.first == "142356") shown += probability;
  }
  const double example = law.contains({"142356", "ABBAAB"}) ? law[{"142356", "ABBAAB"}] : 0;
  out.findings.within("list 1, 4, 2, 3, 5, 6 by picks A, B, B, A, A, B", "shown", exactly(example),
                      {0.125, 0.125}, "1/8");
  out.findings.within("list 1, 4, 2, 3, 5, 6 by any picks", "-", exactly(shown), {0.5, 0.5}, "1/2");
  out.findings.that("law of lists and picks over the eight sequences of coins", "-",
                    fmt::format("{} lists with their picks, each 1/8", law.size()),
                    "that of the rule by hand", law == draft_by_hand(a, b));
  // Documents 1 and 4 are always picked by the ranking that has them on top.
  double told_apart = 0;
  for (const auto& [picks, probability] : law) {
    const bool first = picks.second[picks.first.find('1')] == 'A';
    const bool fourth = picks.second[picks.first.find('4')] == 'B';
    told_apart += first && fourth ? probability : 0;
  }
  out.findings.within("document 1 counts for A and document 4 for B", "-", exactly(told_apart),
                      {1, 1}, "always");
  return out;
}

// --- slides-abc ---------------------------------------------------------------------------------

Result<Reproduction> run_duels(const ReproductionContext& context) {
  constexpr Arm kA = 0, kB = 1, kC = 2;
  struct Played {
    Arm winner, loser;
  };
  constexpr std::array<Played, 4> kDuels = {{{kB, kA}, {kC, kA}, {kC, kB}, {kA, kC}}};
  PairCounts counts(3);
  for (const Played& duel : kDuels) counts.add(duel.winner, duel.loser, Points{2, 0});
  Reproduction out{context.seed};
  TidyTable& table = out.add_table("duels", "first,second", "wins_of_second");
  struct Cell {
    Arm i, j;
    const char* name;
    const char* printed;
  };
  for (const Cell& cell :
       {Cell{kA, kB, "A-B", "0-1"}, Cell{kA, kC, "A-C", "1-1"}, Cell{kB, kC, "B-C", "0-1"}}) {
    const std::string ours =
        fmt::format("{}-{}", counts.wins(cell.i, cell.j), counts.wins(cell.j, cell.i));
    out.findings.that(fmt::format("wins and losses of {}", cell.name), cell.printed, ours,
                      "the same", ours == cell.printed);
    table.add({std::string(1, cell.name[0]), std::string(1, cell.name[2])},
              exactly(counts.wins(cell.i, cell.j)), {counts.wins(cell.j, cell.i)});
  }
  return out;
}

const bool slides_are_registered =
    register_paper("CS 159 slides (Caltech, 2016)",
                   {{"slides-matrix", "matrix of six rankers",
                     "What the printed matrix fulfils, and its lower bound on regret.", run_matrix},
                    {"slides-tdi", "team-draft example of six documents",
                     "The law of the shown list over all sequences of coins.", run_draft},
                    {"slides-abc", "walk-through with three rankers",
                     "The table of wins after four duels.", run_duels}});

}  // namespace
}  // namespace duel
