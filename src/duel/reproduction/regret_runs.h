// Regret of several policies on one matrix, as the papers' figures show it, with the values of
// every trial at hand.
//
//   const RegretPlan plan{.matrix = &matrix,
//                         .markers = markers_between(100, 10'000'000),
//                         .trials = 100,
//                         .contestants = {{"RUCB", "rucb(alpha=0.51)"},
//                                         fresh_runs("SAVAGE", "savage-condorcet")}};
//   DUEL_ASSIGN(const RegretRuns runs, play_regret(context, plan));
//   const Measured at_end = runs.find("RUCB").regret_at(10'000'000);
#pragma once

#include "duel/pictures/chart.h"
#include "duel/reproduction/reproduction.h"
#include "duel/simulation/simulation.h"
#include "duel/study/results.h"
#include "duel/truth/preference_matrix.h"
#include "duel/truth/regret.h"

namespace duel {

struct Contestant {
  std::string label;   // in figures and tables
  std::string policy;  // `rucb(alpha=0.51)`
  // Each marker is a fresh run with that horizon, as the papers do for policies that explore first.
  bool fresh_per_marker = false;
  Round most_rounds = 0;         // markers beyond are left out; 0: all are played
  std::uint32_t trials = 0;      // 0: the plan's
  std::vector<Round> markers{};  // empty: the plan's
};
Contestant fresh_runs(std::string label, std::string policy, std::vector<Round> markers = {},
                      std::uint32_t trials = 0);

struct RegretPlan {
  const PreferenceMatrix* matrix = nullptr;
  std::string name{};          // of the matrix in tables and figures; empty: its own
  std::vector<Round> markers;  // ascending
  std::uint32_t trials = 1;
  std::vector<RegretNotion> regrets = {RegretNotion::average};
  std::vector<Contestant> contestants{};
  std::string panel{};  // its title in a figure; empty: it is not drawn
};

// .., 10, 20, 50, 100, .. from `from` to `to`, with `to` itself; and the powers of ten alone.
std::vector<Round> markers_between(Round from, Round to);
std::vector<Round> decades_between(Round from, Round to);

// 1e5, 2e6, 1234.
std::string round_label(Round round);

class ContestantRun {
 public:
  ContestantRun(Contestant contestant, std::vector<Round> markers, PolicyRecord record)
      : contestant_(std::move(contestant)),
        markers_(std::move(markers)),
        summary_(summarize_policy(record, markers_)),
        trials_(std::move(record.trials)) {}

  const std::string& label() const { return contestant_.label; }
  const std::vector<Round>& markers() const { return markers_; }
  const TrialTable& trials() const { return trials_; }
  bool has(Round marker) const { return std::ranges::binary_search(markers_, marker); }

  // REQUIRES of all: has(marker). `regret` is an index into RegretPlan::regrets.
  std::vector<double> values_at(Round marker, std::size_t regret = 0) const;
  const CheckpointResult& at(Round marker) const { return summary_.checkpoints[index_of(marker)]; }
  Measured regret_at(Round marker, std::size_t regret = 0) const;
  Measured accuracy_at(Round marker) const;
  // Regret per unit of ln t between two markers of the same runs. REQUIRES: not fresh_per_marker.
  Measured slope(Round from, Round to) const;

 private:
  std::size_t index_of(Round marker) const;

  Contestant contestant_;
  std::vector<Round> markers_;
  PolicyResult summary_;
  TrialTable trials_;
};

struct RegretRuns {
  std::string name;
  MatrixFacts facts;
  std::vector<RegretNotion> regrets;
  std::vector<ContestantRun> runs;

  const ContestantRun& find(std::string_view label) const;  // REQUIRES: it took part
};

// All contestants, one after the other. An error where a policy refuses, and where it was stopped.
Result<RegretRuns> play_regret(const ReproductionContext& context, const RegretPlan& plan);

// The difference a - b of two contestants at a marker, paired by trial: they met the same answers.
// REQUIRES: as many trials of both.
Measured paired_difference(const ContestantRun& a, const ContestantRun& b, Round marker);
// mean a / mean b with the error of the delta method, paired by trial.
Measured ratio_of_means(const ContestantRun& a, const ContestantRun& b, Round marker);

// The tables and panels are of the first regret.
// matrix, policy, round | mean, se, trials, seed | median, min, max, accuracy.
TidyTable& add_regret_table(Reproduction& out, std::string name);
void add_regret_rows(TidyTable& table, const RegretRuns& runs);

enum class RegretBands { standard_errors, min_and_max };

// Log-log regret over rounds, each contestant a curve. With bands of standard errors come the
// asymptotic lower bounds where they are known: the true one, and the one whose best opponent is
// the winner where it differs.
ChartPanel regret_panel(const RegretRuns& runs, std::string title,
                        RegretBands bands = RegretBands::standard_errors);
// Share of trials that recommend the right arm, over rounds.
ChartPanel accuracy_panel(const RegretRuns& runs, std::string title);

// A figure of regret: what the plans give goes into one table, and each that is drawn has a panel.
struct RegretFigure {
  std::string name;  // of the table and of the picture
  std::string title, caption;
};
Result<std::vector<RegretRuns>> play_figure(const ReproductionContext& context,
                                            const RegretFigure& figure,
                                            const std::vector<RegretPlan>& plans,
                                            Reproduction& out);

// The given matrices of at least `arms` arms with a Condorcet winner; a remark on each without one.
std::vector<GivenMatrix> given_with_winner(const ReproductionContext& context, std::size_t arms,
                                           std::vector<std::string>& remarks);
// Arms a1, a2, ..; arm i beats arm j with probability p(i, j), both counted from 0.
Result<PreferenceMatrix> made_matrix(std::string name, std::size_t arms,
                                     const std::function<double(std::size_t, std::size_t)>& p);

}  // namespace duel
