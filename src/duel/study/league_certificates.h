// A league of certificates: policies choose the duels of the same simulated experiments, the
// stopping rule of `plan` ends them, and they are ranked by how many duels that takes.
//
// An experiment that is undecided at the cap counts as the cap, so that the mean of a policy that
// leaves many undecided is too small: the share undecided stands beside it. Comparisons within a
// problem and over the problems are those of the league (league.h), with duels in place of regret.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/goal.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/study/league.h"
#include "duel/study/plan.h"

namespace duel {

// A plan whose truth is each of the problems in turn.
struct CertificateLeagueSpec : PlanSpec {
  std::vector<LeagueProblem> problems;  // names differ

  CertificateLeagueSpec() {
    max_duels = 50'000;
    trials = 50;
  }
};

// Those of the league but self-sparring, which draws thousands of self-duels between two questions.
std::vector<CallSpec> certificate_league_policies();

// A league of policies that stop by themselves, `own_stop` being set: `certify`, whose certificates
// are the yardstick, and all of them, each with an error of at most `alpha`.
std::vector<CallSpec> identification_league_policies();
// Problems for them: small and large gaps, many arms, and one without a Condorcet winner.
std::vector<std::string> identification_league_matrices();
// `call` with the error level of the league where the policy has an option for it (`delta`) and the
// call does not give it.
CallSpec at_level(const CallSpec& call, double alpha);

struct CertificateTable {
  LeagueTable league;              // entries best first; their `regret` is the number of duels
  std::vector<PlanEntry> entries;  // in the same order, without their trials
  // Arms that the goal calls right, of a set or an order all that must be named; empty: "no winner"
  // is right, or nothing.
  std::vector<std::string> winners;
  // What no rule of this level can come below on average, the answer known. For Condorcet winners,
  // sets and orders, nothing taken for granted.
  std::optional<double> least;
};

struct CertificateStanding {
  LeagueStanding league;
  // Over all its experiments on finished problems.
  std::uint64_t experiments = 0, undecided = 0, wrong = 0, far = 0;
  double wrong_limit = kUndefined;  // 95 % upper confidence limit of the rate of wrong certificates
};

struct CertificateLeagueResults {
  Goal goal = Goal::condorcet;
  double alpha = 0;
  std::uint64_t max_duels = 0;
  std::uint32_t trials = 0;
  std::uint64_t seed = 0;
  bool own_stop = false;  // as in the spec
  std::vector<CertificateTable> problems;
  std::vector<CertificateStanding> standings;  // ranked as in the league
  bool interrupted = false;
};

// Problem by problem and policy by policy, as `run_league`. An error: no problem or policy, a
// policy given twice or unknown, a problem of one arm, a level out of range.
Result<CertificateLeagueResults> run_certificate_league(const CertificateLeagueSpec& spec,
                                                        const LeagueOptions& options = {});

// certificates.csv: a row per problem and policy, best first.
std::string to_certificates_csv(const CertificateLeagueResults& results);
// ranking.csv: a row per policy.
std::string to_certificate_ranking_csv(const CertificateLeagueResults& results);
Json to_json(const CertificateLeagueResults& results);
// certificates.md: the ranking, then a table with a row per problem and a column per policy.
std::string to_certificates_markdown(const CertificateLeagueResults& results);

}  // namespace duel
