#include "duel/study/league_certificates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

LeagueProblem problem(const std::string& name, std::vector<std::string> arms,
                      std::vector<double> p) {
  return {name, std::make_shared<const PreferenceMatrix>(
                    PreferenceMatrix::create(name, std::move(arms), std::move(p)).value())};
}

LeagueProblem catalogued(const std::string& name) {
  return {name, std::make_shared<const PreferenceMatrix>(resolve_matrix(name).value())};
}

LeagueProblem sure_winner() { return problem("sure", {"a", "b"}, {0.5, 1, 0, 0.5}); }

CertificateLeagueSpec small_spec(std::vector<LeagueProblem> problems) {
  CertificateLeagueSpec spec;
  spec.problems = std::move(problems);
  spec.policies = {{"certify", {}}, {"uniform", {}}};
  spec.max_duels = 20'000;
  spec.trials = 10;
  spec.seed = 3;
  spec.threads = 1;
  return spec;
}

const PlanEntry& entry_of(const CertificateTable& table, const std::string& policy) {
  return *std::find_if(table.entries.begin(), table.entries.end(),
                       [&](const PlanEntry& entry) { return entry.policy == policy; });
}

const CertificateStanding& standing_of(const CertificateLeagueResults& results,
                                       const std::string& policy) {
  return *std::find_if(
      results.standings.begin(), results.standings.end(),
      [&](const CertificateStanding& standing) { return standing.league.policy == policy; });
}

// Nine wins in a row are evidence of 2/alpha = 40 (plan_test.cc works it out), for any policy.
TEST(CertificateLeague, counts_the_duels_of_a_sure_winner_exactly) {
  const auto results = run_certificate_league(small_spec({sure_winner()})).value();
  ASSERT_EQ(results.problems.size(), 1U);
  const CertificateTable& table = results.problems[0];
  ASSERT_EQ(table.entries.size(), 3U) << "round-robin stands beside the policies";
  for (const PlanEntry& entry : table.entries) {
    EXPECT_EQ(entry.p50, 9) << entry.policy;
    EXPECT_EQ(entry.mean, 9) << entry.policy;
    EXPECT_EQ(entry.undecided, 0U);
  }
  EXPECT_EQ(table.winners, std::vector<std::string>{"a"});
  EXPECT_NEAR(*table.least, std::log(20.0) / std::log(2.0), 1e-9);
  // All need the same, so that nobody pays more than the best.
  for (const CertificateStanding& standing : results.standings) {
    EXPECT_NEAR(standing.league.log_ratio, 0, 1e-12);
    EXPECT_EQ(standing.experiments, 10U);
  }
}

// Each entry must be that of a plan for the same matrix, seed and cap.
TEST(CertificateLeague, plays_the_experiments_of_a_plan) {
  CertificateLeagueSpec spec = small_spec({catalogued("cyclic"), catalogued("arxiv")});
  spec.max_duels = 2000;  // some are decided by then, some are not
  spec.trials = 5;
  for (const Goal goal : {Goal::condorcet, Goal::copeland, Goal::borda}) {
    spec.goal = goal;
    const auto results = run_certificate_league(spec).value();
    for (std::size_t m = 0; m < spec.problems.size(); ++m) {
      PlanSpec plan;
      plan.truth = known_truth(*spec.problems[m].matrix);
      plan.policies = spec.policies;
      plan.goal = goal;
      plan.max_duels = spec.max_duels;
      plan.trials = spec.trials;
      plan.seed = spec.seed;
      plan.threads = 1;
      const PlanResults planned = run_plan(plan).value();
      const std::vector<std::string> names = {"certify", "uniform", "round-robin"};
      for (std::size_t p = 0; p < names.size(); ++p) {
        const PlanEntry& mine = entry_of(results.problems[m], names[p]);
        EXPECT_EQ(mine.mean, planned.entries[p].mean) << names[p];
        EXPECT_EQ(mine.p99, planned.entries[p].p99) << names[p];
        EXPECT_EQ(mine.undecided, planned.entries[p].undecided) << names[p];
        EXPECT_EQ(mine.wrong, planned.entries[p].wrong) << names[p];
      }
    }
  }
}

// The ranking is the geometric mean of the ratios of the means, worked out from the tables.
TEST(CertificateLeague, ranks_by_the_geometric_mean_of_the_ratios) {
  const auto results =
      run_certificate_league(small_spec({sure_winner(), catalogued("cyclic")})).value();
  const CertificateTable& cyclic = results.problems[1];
  EXPECT_EQ(cyclic.entries[0].policy, "certify");
  const double ratio = entry_of(cyclic, "uniform").mean / entry_of(cyclic, "certify").mean;
  EXPECT_GT(ratio, 1.5);
  const CertificateStanding& uniform = standing_of(results, "uniform");
  EXPECT_NEAR(uniform.league.log_ratio, 0.5 * std::log(ratio), 1e-12);  // the other problem: ln 1
  EXPECT_NEAR(uniform.league.worst_ratio, ratio, 1e-12);
  EXPECT_EQ(uniform.league.worst_problem, "cyclic");
  EXPECT_EQ(standing_of(results, "certify").league.rank, 1U);
  EXPECT_TRUE(uniform.league.told_apart);
}

// Two even arms: any certificate is wrong, and all but about 5 % of the experiments reach the cap.
TEST(CertificateLeague, counts_the_undecided_as_the_cap_and_the_wrong_as_wrong) {
  CertificateLeagueSpec spec = small_spec({problem("even", {"a", "b"}, {0.5, 0.5, 0.5, 0.5})});
  spec.max_duels = 300;
  spec.trials = 400;
  const auto results = run_certificate_league(spec).value();
  const PlanEntry& entry = entry_of(results.problems[0], "certify");
  EXPECT_EQ(entry.undecided + entry.wrong, 400U);
  EXPECT_EQ(entry.p50, 300);
  EXPECT_TRUE(results.problems[0].winners.empty());
  EXPECT_FALSE(results.problems[0].least);
  // Level 0.05: more than 42 of 400 has probability below 1e-5. Some are seen at 300 duels, so that
  // the column is not merely zero (a rate of 0.01 gives none with probability 0.02; the seed is
  // fixed).
  EXPECT_LT(entry.wrong, 43U);
  EXPECT_GT(entry.wrong, 0U);
  EXPECT_EQ(standing_of(results, "certify").wrong, entry.wrong);
  EXPECT_GT(standing_of(results, "certify").wrong_limit, static_cast<double>(entry.wrong) / 400.0);
}

// Nobody beats everybody; b loses to a alone, and is the Borda winner.
TEST(CertificateLeague, judges_by_the_winner_of_the_goal) {
  const LeagueProblem circle =
      problem("circle", {"a", "b", "c"}, {0.5, 0.7, 0.2, 0.3, 0.5, 0.95, 0.8, 0.05, 0.5});
  CertificateLeagueSpec spec = small_spec({circle});
  EXPECT_TRUE(run_certificate_league(spec)->problems[0].winners.empty());
  spec.goal = Goal::borda;
  const auto borda = run_certificate_league(spec).value();
  EXPECT_EQ(borda.problems[0].winners, std::vector<std::string>{"b"});
  EXPECT_EQ(entry_of(borda.problems[0], "uniform").winners, 10U);
  EXPECT_EQ(entry_of(borda.problems[0], "uniform").wrong, 0U);
  spec.goal = Goal::copeland;
  EXPECT_EQ(run_certificate_league(spec)->problems[0].winners.size(), 3U);
}

TEST(CertificateLeague, gives_the_same_numbers_on_any_number_of_threads) {
  CertificateLeagueSpec spec = small_spec({catalogued("cyclic")});
  const std::string one = to_json(run_certificate_league(spec).value()).dump();
  spec.threads = 3;
  EXPECT_EQ(to_json(run_certificate_league(spec).value()).dump(), one);
}

TEST(CertificateLeague, leaves_out_who_refuses_and_says_so) {
  CertificateLeagueSpec spec =
      small_spec({catalogued("cyclic"), catalogued("random-condorcet(k=10,seed=1,gap=0.05)")});
  spec.policies.push_back({"cw-rmed", {}});  // takes at most 8 arms
  spec.trials = 2;
  const auto results = run_certificate_league(spec).value();
  EXPECT_TRUE(results.problems[0].league.left_out.empty());
  ASSERT_EQ(results.problems[1].league.left_out.size(), 1U);
  EXPECT_EQ(standing_of(results, "cw-rmed").league.rank, 0U);
  spec.problems.erase(spec.problems.begin());
  EXPECT_FALSE(run_certificate_league(spec).ok());
  LeagueOptions lenient;
  lenient.refused_everywhere_is_error = false;
  EXPECT_TRUE(run_certificate_league(spec, lenient).ok());
}

TEST(CertificateLeague, keeps_what_had_finished_when_stopped) {
  CertificateLeagueSpec spec = small_spec({sure_winner(), catalogued("cyclic")});
  std::atomic<bool> stop = false;
  LeagueOptions options;
  options.stop = &stop;
  options.progress = [&](const LeagueProgress& now) {
    if (now.problem == "sure" && now.policy == "round-robin" && now.trials_done == 30) stop = true;
  };
  const auto results = run_certificate_league(spec, options).value();
  EXPECT_TRUE(results.interrupted);
  ASSERT_EQ(results.problems.size(), 2U);
  EXPECT_TRUE(results.problems[0].league.complete);
  EXPECT_FALSE(results.problems[1].league.complete);
  EXPECT_EQ(standing_of(results, "certify").league.problems, 1U);
}

TEST(CertificateLeague, refuses_what_makes_no_sense) {
  CertificateLeagueSpec spec = small_spec({sure_winner()});
  spec.alpha = 0.6;
  EXPECT_EQ(run_certificate_league(spec).error().to_string(),
            "alpha: 0.6 is out of range (0 < alpha < 0.5)");
  spec = small_spec({problem("one", {"a"}, {0.5})});
  EXPECT_EQ(run_certificate_league(spec).error().message, "one arm has no rival");
  spec = small_spec({sure_winner()});
  spec.policies = {{"auto", {}}, {"certify", {}}};
  EXPECT_EQ(run_certificate_league(spec).error().message,
            "policy 'certify(alpha=0.05)' is given twice");
  spec.policies = {};
  EXPECT_EQ(run_certificate_league(spec).error().message, "a league needs a policy");
}

TEST(CertificateLeague, default_policies_are_those_of_the_league_but_one) {
  const auto policies = certificate_league_policies();
  EXPECT_EQ(policies.size() + 1, league_policies().size());
  EXPECT_TRUE(std::none_of(policies.begin(), policies.end(),
                           [](const CallSpec& call) { return call.name == "self-sparring"; }));
}

TEST(CertificateLeague, reports_have_a_row_per_problem_and_policy) {
  CertificateLeagueSpec spec = small_spec({sure_winner(), catalogued("cyclic")});
  spec.max_duels = 9;  // the sure winner is certified, nothing else is
  const auto results = run_certificate_league(spec).value();
  const std::string csv = to_certificates_csv(results);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 3);
  EXPECT_NE(csv.find("\nsure,2,certify,condorcet,0.05,9,10,3,"), std::string::npos) << csv;
  const std::string ranking = to_certificate_ranking_csv(results);
  EXPECT_EQ(std::count(ranking.begin(), ranking.end(), '\n'), 1 + 3);
  const auto json = nlohmann::json::parse(to_json(results).dump());
  EXPECT_EQ(json["problems"][0]["policies"][0]["undecided"], 0);
  EXPECT_EQ(json["problems"][1]["policies"][0]["undecided"], 10);
  EXPECT_EQ(json["ranking"][0]["undecided"], 10);
  const std::string markdown = to_certificates_markdown(results);
  EXPECT_NE(markdown.find("| >9 / >9 / >9 (100 %) |"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("| cyclic | 4 | 446 |"), std::string::npos) << markdown;
}

CertificateLeagueSpec identification_spec(std::vector<LeagueProblem> problems,
                                          std::vector<CallSpec> policies) {
  CertificateLeagueSpec spec = small_spec(std::move(problems));
  spec.policies = std::move(policies);
  spec.own_stop = true;
  spec.round_robin = false;
  return spec;
}

// One arm always wins. A certificate takes nine duels, as above; pocowista's test 2^n/(n+1) >= 40
// is met at n = 9, too; noisy-tournament asks for a lead of ln(39)/ln(0.55/0.45) = 18.3 duels.
TEST(IdentificationLeague, plays_each_policy_until_it_stops) {
  const auto results =
      run_certificate_league(
          identification_spec({sure_winner()},
                              {{"certify", {}}, {"pocowista", {}}, {"noisy-tournament", {}}}))
          .value();
  const CertificateTable& table = results.problems[0];
  ASSERT_EQ(table.entries.size(), 3U);
  const std::vector<std::pair<std::string, double>> expected = {
      {"certify", 9}, {"pocowista", 9}, {"noisy-tournament", 19}};
  for (const auto& [policy, duels] : expected) {
    EXPECT_EQ(entry_of(table, policy).mean, duels) << policy;
    EXPECT_EQ(entry_of(table, policy).winners, 10U);
    EXPECT_EQ(entry_of(table, policy).wrong, 0U);
  }
}

// A cycle of three has no winner. A policy that assumes one is wrong in every run, and by more than
// 0.05; one that can say "none" is right.
TEST(IdentificationLeague, counts_what_is_wrong_and_by_how_much) {
  const auto cycle =
      problem("cycle", {"a", "b", "c"}, {0.5, 0.9, 0.1, 0.1, 0.5, 0.9, 0.9, 0.1, 0.5});
  const auto results = run_certificate_league(
                           identification_spec({cycle}, {{"noisy-tournament", {}}, {"select", {}}}))
                           .value();
  const CertificateTable& table = results.problems[0];
  const PlanEntry& none = entry_of(table, "noisy-tournament");
  EXPECT_EQ(none.no_winners, 10U);
  EXPECT_EQ(none.wrong, 0U);
  const PlanEntry& some = entry_of(table, "select");
  EXPECT_EQ(some.wrong, 10U);
  EXPECT_EQ(some.far, 10U);
  EXPECT_EQ(nlohmann::json::parse(to_json(results).dump())["ranking"].size(), 2U);
}

TEST(IdentificationLeague, counts_a_policy_that_is_cut_off_as_undecided) {
  CertificateLeagueSpec spec = identification_spec({catalogued("arxiv")}, {{"select", {}}});
  spec.max_duels = 100;
  const auto results = run_certificate_league(spec).value();
  EXPECT_EQ(results.problems[0].entries[0].undecided, 10U);
  EXPECT_EQ(results.problems[0].entries[0].mean, 100);
}

TEST(IdentificationLeague, gives_every_policy_its_error_level) {
  EXPECT_EQ(to_string(at_level({"knockout", {}}, 0.01)), "knockout(delta=0.01)");
  EXPECT_EQ(to_string(at_level({"knockout", {{"delta", "0.2"}}}, 0.01)), "knockout(delta=0.2)");
  EXPECT_EQ(to_string(at_level({"certify", {}}, 0.01)), "certify");
  EXPECT_EQ(to_string(at_level({"btm-pac", {}}, 0.01)), "btm-pac");
  const auto policies = identification_league_policies();
  EXPECT_EQ(policies.front().name, "certify");
  EXPECT_GE(policies.size(), 11U);
}

}  // namespace
}  // namespace duel
