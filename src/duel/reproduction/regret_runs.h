// Regret of several policies on one matrix, as the papers' figures show it, with the values of
// every trial at hand.
//
//   RegretPlan plan{.matrix = &matrix, .markers = markers_to(1e7), .trials = 100};
//   plan.contestants = {{.label = "RUCB", .policy = "rucb(alpha=0.51)"},
//                       {.label = "SAVAGE", .policy = "savage", .fresh_per_marker = true}};
//   DUEL_ASSIGN(const RegretRuns runs, play_regret(context, plan, {0.0, 1.0}));
//   const Measured at_end = runs.find("RUCB").regret_at(10'000'000);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

struct RegretPlan {
  const PreferenceMatrix* matrix = nullptr;
  std::string name{};          // of the matrix in tables and figures; empty: its own
  std::vector<Round> markers;  // ascending
  std::uint32_t trials = 1;
  std::vector<RegretNotion> regrets = {RegretNotion::average};
  std::vector<Contestant> contestants{};
};

// .., 10, 20, 50, 100, .. from `from` to `to`, with `to` itself; and the powers of ten alone.
std::vector<Round> markers_between(Round from, Round to);
std::vector<Round> decades_between(Round from, Round to);

// 1e5, 2e6, 1234.
std::string round_label(Round round);

class ContestantRun {
 public:
  ContestantRun(Contestant contestant, std::vector<Round> markers, TrialTable trials,
                double seconds)
      : contestant_(std::move(contestant)),
        markers_(std::move(markers)),
        trials_(std::move(trials)),
        seconds_(seconds) {}

  const std::string& label() const { return contestant_.label; }
  const Contestant& contestant() const { return contestant_; }
  const std::vector<Round>& markers() const { return markers_; }
  const TrialTable& trials() const { return trials_; }
  double seconds() const { return seconds_; }  // wall time of all its trials
  bool has(Round marker) const;

  // REQUIRES of all: has(marker). `regret` is an index into RegretPlan::regrets.
  std::vector<double> values_at(Round marker, std::size_t regret = 0) const;
  Measured regret_at(Round marker, std::size_t regret = 0) const;
  Summary summary_at(Round marker, std::size_t regret = 0) const;
  Measured accuracy_at(Round marker) const;
  // Regret per unit of ln t between two markers of the same runs. REQUIRES: not fresh_per_marker.
  Measured slope(Round from, Round to, std::size_t regret = 0) const;

 private:
  std::size_t index_of(Round marker) const;

  Contestant contestant_;
  std::vector<Round> markers_;
  TrialTable trials_;
  double seconds_;
};

struct RegretRuns {
  std::string name;
  MatrixFacts facts;
  std::vector<RegretNotion> regrets;
  std::vector<ContestantRun> runs;

  const ContestantRun& find(std::string_view label) const;  // REQUIRES: it took part
};

// Which part of the reproduction's progress this is.
struct ProgressPart {
  double begin = 0;
  double end = 1;
};

// All contestants, one after the other. An error where a policy refuses, and where it was stopped.
Result<RegretRuns> play_regret(const ReproductionContext& context, const RegretPlan& plan,
                               ProgressPart part = {});

// The difference a - b of two contestants at a marker, paired by trial: they met the same answers.
// REQUIRES: as many trials of both.
Measured paired_difference(const ContestantRun& a, const ContestantRun& b, Round marker,
                           std::size_t regret = 0);
// mean a / mean b with the error of the delta method, paired by trial.
Measured ratio_of_means(const ContestantRun& a, const ContestantRun& b, Round marker,
                        std::size_t regret = 0);

// matrix, policy, round | mean, se, trials, seed | median, min, max, accuracy.
TidyTable regret_table(std::string name, std::uint64_t seed);
void add_regret_rows(TidyTable& table, const RegretRuns& runs, std::size_t regret = 0);

enum class RegretBands { standard_errors, min_and_max };

// Log-log regret over rounds, each contestant a curve, with the asymptotic lower bounds where they
// are known: the true one, and the one whose best opponent is the winner where it differs.
ChartPanel regret_panel(const RegretRuns& runs, std::string title, std::size_t regret = 0,
                        RegretBands bands = RegretBands::standard_errors);
// Share of trials that recommend the right arm, over rounds.
ChartPanel accuracy_panel(const RegretRuns& runs, std::string title);

}  // namespace duel
