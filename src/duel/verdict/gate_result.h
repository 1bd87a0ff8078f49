// What a gate says of one candidate, from the log of its duels against the baseline, and how it is
// written for people, for pull requests and for the machines that show test results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/experiment/ledger.h"
#include "duel/inference/confidence_sequence.h"
#include "duel/inference/gate.h"
#include "duel/inference/interval.h"
#include "duel/inference/serving_order.h"
#include "duel/verdict/experiment_result.h"

namespace duel {

// Takes the answers of an experiment of two arms, the baseline and then the candidate, in the order
// of serving.
class GateKeeper {
 public:
  explicit GateKeeper(const GateRule& rule) : gate_(rule) {}

  // The records of a log that is there: `ledger` has taken the entry.
  void hear(const Ledger& ledger, const LogEntry& entry);
  // A duel goes out; it is settled.
  void served(const std::string& duel_id, const LedgerDuel& duel);
  void settled(const std::string& duel_id, const LedgerDuel& duel);
  const Gate& gate() const { return gate_; }
  Interval interval() const { return mean_.interval(); }  // of the mean score, 95 %

 private:
  Gate gate_;
  HedgedCapital mean_{0.05};
  ServingOrder order_;
  std::uint64_t served_ = 0;
  std::map<std::string, std::uint64_t> open_;  // places by duel
  std::map<std::uint64_t, double> graded_;     // answers that wait for their turn, by place
};

struct GateResult {
  std::string candidate, baseline;
  // better | not worse | worse | undecided
  std::string verdict;
  GateEnd end = GateEnd::open;
  std::uint64_t answers = 0, wins = 0, ties = 0, losses = 0;
  std::optional<double> mean_score;
  Interval interval;
  std::string log, detail;

  static constexpr std::string_view schema = "GateResult";
  static constexpr FieldList fields{
      required("candidate", &GateResult::candidate),
      required("baseline", &GateResult::baseline),
      required("verdict", &GateResult::verdict, "",
               OneOf("better", "not worse", "worse", "undecided")),
      required("answers", &GateResult::answers, "that count, ties among them"),
      required("wins", &GateResult::wins, "of the candidate"),
      required("ties", &GateResult::ties),
      required("losses", &GateResult::losses),
      required("mean_score", &GateResult::mean_score,
               "of the candidate: 1 for a win, 1/2 for a tie; null before the first answer"),
      required("interval", &GateResult::interval, "of the mean score, 95 %, whenever you look"),
      required("log", &GateResult::log),
      required("detail", &GateResult::detail, "the statement in a sentence")};
};

GateResult gate_result_of(const GateKeeper& keeper, const GateRule& rule,
                          const std::string& baseline, const std::string& candidate,
                          const std::string& log);

// "2 of 3 candidates passed": the worst comes first.
std::string gate_headline(const std::vector<GateResult>& results);
// A table for a pull request.
std::string gate_markdown(const std::vector<GateResult>& results, const GateRule& rule);
// One test case for each candidate: worse is a failure, undecided an error.
std::string gate_junit(const std::vector<GateResult>& results);

}  // namespace duel
