// What a gate says of its candidates, from the logs of their duels against the baseline, and how it
// is written for people, for pull requests and for the machines that show test results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/json.h"
#include "duel/experiment/ledger.h"
#include "duel/inference/confidence_sequence.h"
#include "duel/inference/gate.h"
#include "duel/inference/interval.h"
#include "duel/inference/serving_order.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/health.h"

namespace duel {

// Takes the answers of an experiment of two arms, the baseline and then the candidate, in the order
// of serving. `rule` is that of one candidate.
class GateKeeper {
 public:
  explicit GateKeeper(const GateRule& rule) : gate_(rule), mean_(rule.alpha) {}

  // A record of the log, from the first on. `ledger` has taken it.
  void hear(const Ledger& ledger, const LogEntry& entry);

  const Gate& gate() const { return gate_; }
  bool decided() const { return gate_.end() != GateEnd::open; }
  Interval interval() const { return mean_.interval(); }  // of the mean score, at 1 - alpha
  // How many answers would have to be the reverse of what they are until the mean score of the
  // candidate is no longer above 1/2 - `margin`, or where it is below 1/2 no longer below. Nothing
  // where no number of them is enough.
  std::optional<std::uint64_t> reversed_by(GateClaim claim, double margin) const;

 private:
  struct Open {
    std::uint64_t place = 0;
    Arm first = 0;
    Arm second = 0;
  };
  void settled(const std::string& duel_id, const Ledger& ledger, const Answer* answer);

  Gate gate_;
  HedgedCapital mean_;
  ServingOrder order_;
  std::uint64_t served_ = 0;
  std::map<std::string, Open> open_;        // by duel
  std::map<std::uint64_t, double> graded_;  // answers that wait for their turn, by place
  std::vector<double> counted_;             // from the candidate's side, -1 to 1
};

// Why nothing more was asked about a candidate.
enum class GateStop { decided, max_duels, tasks_used_up, budget, interrupted };
template <>
struct Words<GateStop> {
  static constexpr std::string_view noun = "end of a gate";
  static constexpr auto all = words_table<GateStop>({{"decided", GateStop::decided},
                                                     {"max_duels", GateStop::max_duels},
                                                     {"tasks_used_up", GateStop::tasks_used_up},
                                                     {"budget", GateStop::budget},
                                                     {"interrupted", GateStop::interrupted}});
};

struct GateResult {
  std::string candidate, baseline;  // as whoever asked calls them
  // better | not worse | worse | undecided
  std::string verdict;
  GateEnd end = GateEnd::open;
  GateStop ended = GateStop::decided;
  std::uint64_t answers = 0, wins = 0, ties = 0, losses = 0, graded = 0;
  std::optional<double> mean_score;
  Interval interval;
  std::optional<std::uint64_t> reversed_by;
  std::vector<std::string> health;
  std::string log, detail;

  static constexpr std::string_view schema = "GateResult";
  static constexpr FieldList fields{
      required("candidate", &GateResult::candidate),
      required("baseline", &GateResult::baseline),
      required("verdict", &GateResult::verdict, "",
               OneOf("better", "not worse", "worse", "undecided")),
      required("ended", &GateResult::ended, "why nothing more was asked"),
      required("answers", &GateResult::answers, "that count, ties among them"),
      required("wins", &GateResult::wins, "of the candidate"),
      required("ties", &GateResult::ties),
      required("losses", &GateResult::losses),
      required("graded", &GateResult::graded, "answers that say how much"),
      required("mean_score", &GateResult::mean_score,
               "of the candidate: 1 for a win, 1/2 for a tie; null before the first answer"),
      required("interval", &GateResult::interval,
               "of the mean score, at the level of the candidate's statements, whenever you look"),
      required("reversed_by", &GateResult::reversed_by,
               "how many answers would have to be the reverse of what they are for the mean score "
               "to be on the other side of what was shown; null while undecided"),
      required("health", &GateResult::health, "the health checks that failed"),
      required("log", &GateResult::log),
      required("detail", &GateResult::detail, "the statement in a sentence")};
};

struct GateNames {
  std::string candidate, baseline;
};

// `rule` is that of one candidate, `health` the checks of its log.
GateResult gate_result_of(const GateKeeper& keeper, const GateRule& rule, const GateNames& names,
                          GateStop ended, const std::vector<HealthCheck>& health,
                          const std::string& log);

// The rule for each of so many candidates: its statements share alpha evenly.
GateRule rule_for_each(GateRule rule, std::size_t candidates);

struct GateReport {
  GateRule rule;  // alpha: of all candidates together
  std::vector<GateResult> candidates;

  // Failed if one failed, otherwise open if one is undecided.
  GateEnd end() const;
  // The worst of the candidates' verdicts.
  std::string verdict() const;
  // "2 of 3 candidates passed, 1 worse".
  std::string headline() const;
  // For a terminal.
  std::string text() const;
  // A table for a pull request.
  std::string markdown() const;
  // One test case for each candidate: worse is a failure, undecided an error.
  std::string junit() const;
  Json json() const;
};

}  // namespace duel
