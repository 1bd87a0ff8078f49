// A league: policies play the same trials of the same problems and are ranked by regret.
//
// A problem with a Condorcet winner is judged by average regret, one without by Copeland regret.
// Within a problem the policies are compared trial by trial: they meet the same answers from the
// same pair, so the difference of two policies has a smaller error than either of them.
//
// Some policies have little regret in most trials because they settle early, and now and then on a
// wrong arm. So beside regret stands how often a policy recommends a wrong arm at the end, and one
// that is wrong too often (`max_wrong`) on a problem has no rank there and is no yardstick for the
// others; one that is wrong too often over all problems has no rank over them. A single trial bars
// nobody. Where preferences change, or arms have features, the last recommendation is shown to be
// wrong but bars nobody: an arm may have become the best just now, or be nearly as good.
//
// Over the problems counts the mean of ln(regret / regret of the best on that problem): its
// exponential, the geometric mean of the ratios, is how many times the best's regret a policy pays.
// Regret differs by orders of magnitude between problems, so a plain mean would be the hardest
// problem's alone; and ranks depend on who else takes part and do not see by how much somebody
// lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/duel.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/jobs/jobs.h"
#include "duel/simulation/aggregate.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/preference_matrix.h"
#include "duel/truth/regret.h"

namespace duel {

struct Problem;

struct LeagueProblem {
  std::string name;
  std::shared_ptr<const PreferenceMatrix> matrix;  // null where `other` is given
  // Where preferences change: what is in force when. The matrix is that of its first segment.
  std::shared_ptr<const MatrixSchedule> schedule = nullptr;
  std::uint64_t batch = 1;  // duels that are asked before any of their answers is heard
  // Arms with features, contexts, sets of arms (study/problem.h): for regret alone. Where arms have
  // utilities regret is counted in them.
  std::shared_ptr<const Problem> other = nullptr;
};

struct LeagueSpec {
  std::vector<LeagueProblem> problems;  // names differ
  std::vector<CallSpec> policies;
  Round rounds = 100'000;
  std::uint32_t trials = 50;
  std::uint64_t seed = 0;
  unsigned threads = 0;  // 0: one per core
  // A policy that recommends a wrong arm in a larger share of the trials has no rank.
  double max_wrong = 0.01;
};

// The built-in problems as calls of the matrix catalogue: every name of it, some in several sizes.
std::vector<std::string> league_matrices();
// Every registered policy as it is by default but those that cannot show here what they are for:
// `auto`, which plays as another; policies that stop by themselves (policies/stopping.h), whose
// regret is that of their search; and those that use features, of which matrices have none.
std::vector<CallSpec> league_policies();

// Built-in matrices and problems, files, and directories, whose files *.csv are matrices. There
// NAME.KIND.csv beside NAME.csv is data about it (counts, single duels) and not read. An error
// names the directory without a matrix, or the file that is none.
Result<std::vector<LeagueProblem>> league_problems(const std::vector<std::string>& matrices,
                                                   const std::vector<std::string>& directories);

// Each problem once for each number of changes: so often in `rounds` rounds, at equal distances,
// its arms exchange their places and another one is the best (truth/matrix_changes.h).
Result<std::vector<LeagueProblem>> with_changes(const std::vector<LeagueProblem>& problems,
                                                const std::vector<std::uint64_t>& changes,
                                                Round rounds, std::uint64_t seed);
// Each problem once for each size of a batch.
std::vector<LeagueProblem> with_batches(const std::vector<LeagueProblem>& problems,
                                        const std::vector<std::uint64_t>& sizes);
// Problems whose arms have features, of 5 and 20 numbers and 20 and 1000 arms, and contexts; and
// who should be seen on them: policies that use features, and some that do not.
std::vector<std::string> feature_league_problems();
std::vector<CallSpec> feature_league_policies();
// A few problems with a Condorcet winner, and who should be seen on them where preferences change:
// policies that are made for it, and the best that are not.
std::vector<std::string> changing_league_matrices();
std::vector<CallSpec> changing_league_policies();

// Two policies are told apart where their paired difference is larger than this many of its
// standard errors.
inline constexpr double kToldApart = 2;

struct LeagueEntry {
  std::string policy;
  Summary regret;
  std::uint64_t wrong = 0;  // trials in which the last recommendation is wrong
  // 1 + the number of ranked policies with smaller mean; 0: wrong too often.
  std::size_t rank = 0;
  double ratio = kUndefined;  // mean / mean of the best; NaN where the best has no regret
  // Paired difference to the best of the problem; 0 for the best itself.
  double difference = 0;
  double difference_se = 0;
  bool told_apart = false;  // from the best
};

struct LeftOut {
  std::string policy;
  std::string reason;
};

struct LeagueTable {
  std::string problem;
  std::size_t num_arms = 0;
  std::string condorcet_winner;  // empty where there is none
  RegretNotion regret = RegretNotion::average;
  bool bars_wrong = false;  // whether who is wrong too often has no rank
  // By regret, those without a rank after the others. The first is the best that the others are
  // compared with: where nobody has a rank, whoever has the least regret.
  std::vector<LeagueEntry> entries;
  std::vector<LeftOut> left_out;  // policies that refuse the problem
  bool complete = false;          // everybody played all trials
};

struct LeagueStanding {
  std::string policy;
  std::size_t rank = 0;           // 0: did not play on all problems, or is wrong too often
  std::size_t problems = 0;       // counted ones on which it played
  double log_ratio = kUndefined;  // mean of ln(mean / mean of the best)
  double log_ratio_se =
      kUndefined;  // delta method over the trials, the best policies taken as given
  // Paired difference to the leader's log_ratio.
  double difference = kUndefined;
  double difference_se = kUndefined;
  bool told_apart = false;
  // On the counted problems that bar who is wrong too often.
  std::uint64_t trials = 0, wrong = 0;
  std::size_t best_on = 0;  // problems on which it is the best or indistinguishable from it
  std::string worst_problem;
  double worst_ratio = kUndefined;
};

struct LeagueResults {
  Round rounds = 0;
  std::uint32_t trials = 0;
  std::uint64_t seed = 0;
  double max_wrong = 0;
  std::vector<LeagueTable> problems;
  // Ranked ones in order, then those that are wrong too often, then those that did not play
  // everywhere.
  std::vector<LeagueStanding> standings;
  // The same over the problems with a Condorcet winner alone, which is all that most policies look
  // for; empty where all or none of the problems have one.
  std::vector<LeagueStanding> condorcet_standings;
  std::vector<std::string> not_counted;  // problems on which the best has no regret at all
  bool interrupted = false;
};

// What was played on one problem.
struct LeagueScores {
  LeagueTable facts;                        // without entries
  std::vector<std::vector<double>> values;  // by policy: regret of every trial; empty: did not play
  std::vector<std::uint64_t> wrong = {};    // by policy: trials; empty: none
};

// Whether `wrong` of so many trials are more than the share that is allowed, and not just one.
bool is_wrong_too_often(std::uint64_t wrong, std::uint64_t trials, double max_wrong);

// The statistics alone. `policies` names the rows of `values`. Problems that are not complete have
// a table but do not count in the standings.
LeagueResults judge_league(const std::vector<std::string>& policies,
                           const std::vector<LeagueScores>& scores,
                           double max_wrong = LeagueSpec{}.max_wrong);

struct LeagueProgress {
  std::uint64_t trials_done = 0;
  std::uint64_t trials_total = 0;
  std::string problem;
  std::string policy;
};

struct LeagueOptions {
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const LeagueProgress&)> progress;
  // Whether a policy that no problem accepts is an error; otherwise it is left out like the others.
  bool refused_everywhere_is_error = true;
};

struct PlayedTrials {
  std::vector<double> values;  // what the league goes by, of every trial
  std::uint64_t wrong = 0;     // trials that ended with a wrong recommendation
};
// Nothing where they were interrupted.
using TrialValues = std::optional<PlayedTrials>;

// A policy made ready for a problem.
struct LeaguePlayer {
  std::string label;  // canonical: two spellings of one policy have the same
  std::function<Result<TrialValues>(const JobHooks& hooks)> play;  // all trials
};

// What is played.
struct LeagueGame {
  // Whether the problem can be played at all. An error ends the league.
  std::function<Status(const LeagueProblem& problem)> check;
  // An error says why the policy refuses the problem: there it is left out.
  std::function<Result<LeaguePlayer>(const LeagueProblem& problem, const CallSpec& policy)> enter;
  double max_wrong = LeagueSpec{}.max_wrong;
};

// Problem by problem and policy by policy, those of a problem in the order given. After an
// interruption the results hold the policies that had finished all their trials; a problem that not
// all of them finished has a table but does not count. An error: a policy given twice.
Result<LeagueResults> play_league(const std::vector<LeagueProblem>& problems,
                                  const std::vector<CallSpec>& policies, std::uint32_t trials,
                                  const LeagueGame& game, const LeagueOptions& options);

// Whether there is somebody to play and something to play on.
Status check_league(const std::vector<LeagueProblem>& problems,
                    const std::vector<CallSpec>& policies);

// For regret. An error: no problem or policy, a policy given twice or unknown.
Result<LeagueResults> run_league(const LeagueSpec& spec, const LeagueOptions& options = {});

// league.csv: a row per problem and policy, best first.
std::string to_league_csv(const LeagueResults& results);
// ranking.csv: a row per policy.
std::string to_ranking_csv(const LeagueResults& results);
Json to_json(const LeagueResults& results);

}  // namespace duel
