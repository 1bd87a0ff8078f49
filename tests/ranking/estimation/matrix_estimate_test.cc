#include "duel/ranking/estimation/matrix_estimate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/exact_clicks.h"
#include "duel/ranking/estimation/multileave_estimate.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/letor_reader.h"
#include "duel/ranking/letor/ranker_catalogue.h"

namespace duel {
namespace {

ClickSetting setting(const std::string& method, const std::string& user, std::size_t num_grades) {
  return {configure_interleaver(method).value(), configure_click_model(user, num_grades).value()};
}

RankedQueries ranked(const JudgedQueries& data, std::size_t length,
                     const std::string& rankers = "features") {
  return RankedQueries::create(data, resolve_rankers(rankers, data).value(), length, 1).value();
}

JudgedQueries small_data() {
  return resolve_judged_queries("synthetic(queries=7,documents=6,features=4,grades=3,seed=5)")
      .value();
}

// One query of two documents that two rankers order differently; the first document is relevant.
JudgedQueries two_documents() {
  return read_letor_text("data", "1 qid:1 1:2 2:1\n0 qid:1 1:1 2:2\n").value();
}

TEST(MatrixEstimate, perfect_users_of_two_documents_by_hand) {
  // Team draft shows (1,2) or (2,1) with probability 1/2 each, in both cases document 1 is the pick
  // of the ranker that has it first. A perfect user of two grades clicks it and nothing else.
  const RankedQueries queries = ranked(two_documents(), 2);
  const auto exact = exact_matrix(queries, setting("team-draft", "perfect", 2), {});
  ASSERT_TRUE(exact.ok()) << exact.error().to_string();
  ASSERT_EQ(exact->pairs.size(), 1U);
  EXPECT_DOUBLE_EQ(exact->pairs[0].outcomes.first_wins, 1.0);
  EXPECT_DOUBLE_EQ(exact->matrix(0, 1), 1.0);
  EXPECT_EQ(exact->pairs[0].standard_error, 0.0);
}

TEST(MatrixEstimate, navigational_users_of_two_documents_by_hand) {
  // Two grades: P(click) .95 and .05, P(stop after a click) .9 and .2. Shown (1,2): only 1 clicked:
  // .95 (.9 + .1 * .95) = .94525, only 2 clicked: .05 * .05 = .0025, both .95 * .1 * .05 = .00475.
  // Shown (2,1): only 2: .05 (.2 + .8 * .05) = .012, only 1: .95 * .95 = .9025, both
  // .05 * .8 * .95 = .038. Document 1 is the first ranker's pick in both.
  const RankedQueries queries = ranked(two_documents(), 2);
  const auto exact = exact_matrix(queries, setting("team-draft", "navigational", 2), {});
  ASSERT_TRUE(exact.ok());
  const OutcomeShares& outcomes = exact->pairs[0].outcomes;
  EXPECT_NEAR(outcomes.first_wins, (0.94525 + 0.9025) / 2, 1e-12);
  EXPECT_NEAR(outcomes.second_wins, (0.0025 + 0.012) / 2, 1e-12);
  EXPECT_NEAR(outcomes.ties, (0.00475 + 0.038) / 2, 1e-12);
  EXPECT_NEAR(outcomes.no_feedback, 0.05 * 0.95, 1e-12);
  EXPECT_NEAR(exact->matrix(0, 1), 0.5 + 0.5 * (outcomes.first_wins - outcomes.second_wins), 1e-15);
  const auto dropped =
      exact_matrix(queries, setting("team-draft", "navigational", 2), {.ties = TieShare::drop});
  EXPECT_NEAR(dropped->matrix(0, 1),
              outcomes.first_wins / (outcomes.first_wins + outcomes.second_wins), 1e-15);
}

// The law of the outcome once more, without the library's shortcuts: every list, every subset of
// its positions as clicks.
OutcomeShares literal_shares(const RankedQueries& queries, const ClickSetting& how,
                             std::size_t first, std::size_t second, std::size_t query) {
  OutcomeShares shares;
  const auto lists =
      how.method->enumerate(queries.top(first, query), queries.top(second, query), queries.length())
          .value();
  for (const WeightedInterleaving& list : lists) {
    std::vector<Grade> grades;
    for (const Document d : list.shown.documents) grades.push_back(queries.grades(query)[d]);
    for (unsigned subset = 0; subset < 1U << grades.size(); ++subset) {
      std::vector<Position> clicks;
      for (Position k = 0; k < grades.size(); ++k) {
        if ((subset >> k & 1) != 0) clicks.push_back(k);
      }
      shares.add(how.method->credit(list.shown, clicks).outcome,
                 list.probability * click_pattern_probability(*how.user, grades, clicks));
    }
  }
  return shares;
}

TEST(MatrixEstimate, exact_shares_agree_with_going_through_everything) {
  const JudgedQueries data = small_data();
  const RankedQueries queries = ranked(data, 4);
  for (const char* method :
       {"team-draft", "balanced", "probabilistic", "optimised", "probabilistic(credit=marginal)"}) {
    for (const char* user : {"navigational", "position-based", "user-browsing", "cascade"}) {
      const ClickSetting how = setting(method, user, 3);
      for (std::size_t query = 0; query < 2; ++query) {
        const OutcomeShares expected = literal_shares(queries, how, 0, 2, query);
        const auto exact = exact_comparison(queries, how, 0, 2, query);
        ASSERT_TRUE(exact.ok()) << method << ' ' << exact.error().to_string();
        EXPECT_NEAR(exact->first_wins, expected.first_wins, 1e-12) << method << ' ' << user;
        EXPECT_NEAR(exact->second_wins, expected.second_wins, 1e-12) << method << ' ' << user;
        EXPECT_NEAR(exact->ties, expected.ties, 1e-12) << method << ' ' << user;
        EXPECT_NEAR(exact->no_feedback, expected.no_feedback, 1e-12) << method << ' ' << user;
        EXPECT_NEAR(exact->no_contest, expected.no_contest, 1e-12) << method << ' ' << user;
        EXPECT_NEAR(exact->total(), 1.0, 1e-12);
      }
    }
  }
}

TEST(MatrixEstimate, sampling_agrees_with_the_exact_matrix) {
  const JudgedQueries data = small_data();
  const RankedQueries queries = ranked(data, 4);
  for (const char* method : {"team-draft", "balanced", "probabilistic", "optimised"}) {
    for (const char* user : {"perfect", "informational"}) {
      const ClickSetting how = setting(method, user, 3);
      const auto exact = exact_matrix(queries, how, {});
      const EstimatePlan plan{.comparisons = 20000, .seed = 3};
      const auto sampled = estimate_matrix(queries, how, plan);
      ASSERT_TRUE(exact.ok() && sampled.ok());
      for (std::size_t k = 0; k < exact->pairs.size(); ++k) {
        const OutcomeShares& truth = exact->pairs[k].outcomes;
        const OutcomeShares& counts = sampled->pairs[k].outcomes;
        EXPECT_EQ(counts.total(), 20000);
        // A share of n draws is binomial; 5 standard errors plus one count for shares near 0. Over
        // the 8 x 6 pairs and 5 outcomes of this test a false alarm has probability below 2e-4.
        const auto close = [&](double count, double share, const char* what) {
          const double n = 20000;
          EXPECT_NEAR(count / n, share, 5 * std::sqrt(share * (1 - share) / n) + 1 / n)
              << method << ' ' << user << " pair " << k << ' ' << what;
        };
        close(counts.first_wins, truth.first_wins, "first wins");
        close(counts.second_wins, truth.second_wins, "second wins");
        close(counts.ties, truth.ties, "ties");
        close(counts.no_feedback, truth.no_feedback, "no feedback");
        close(counts.no_contest, truth.no_contest, "no contest");
      }
    }
  }
}

TEST(MatrixEstimate, identical_rankers_are_exactly_even) {
  const JudgedQueries data = small_data();
  const Rankers twins = read_rankers_text("twins", "a 1:1\nb 1:2\n", 4).value();
  const RankedQueries queries = RankedQueries::create(data, twins, 4, 1).value();
  for (const char* method : {"team-draft", "balanced", "probabilistic", "optimised"}) {
    const auto exact = exact_matrix(queries, setting(method, "informational", 3), {});
    ASSERT_TRUE(exact.ok());
    EXPECT_EQ(exact->matrix(0, 1), 0.5) << method;
    EXPECT_EQ(exact->pairs[0].outcomes.no_contest, 1.0) << method;
  }
}

TEST(MatrixEstimate, depends_on_the_seed_and_not_on_the_threads) {
  const JudgedQueries data = small_data();
  const RankedQueries queries = ranked(data, 5);
  const ClickSetting how = setting("probabilistic", "navigational", 3);
  const auto one = estimate_matrix(queries, how, {.comparisons = 500, .seed = 1, .threads = 1});
  const auto four = estimate_matrix(queries, how, {.comparisons = 500, .seed = 1, .threads = 4});
  const auto other = estimate_matrix(queries, how, {.comparisons = 500, .seed = 2});
  bool differs = false;
  for (Arm i = 0; i < 4; ++i) {
    for (Arm j = 0; j < 4; ++j) {
      EXPECT_EQ(one->matrix(i, j), four->matrix(i, j));
      differs = differs || one->matrix(i, j) != other->matrix(i, j);
    }
  }
  EXPECT_TRUE(differs);
}

TEST(MatrixEstimate, standard_errors_are_those_of_the_outcomes) {
  // 3 wins, 1 loss, 4 ties of 8: outcomes 1, 0, 1/2 with mean 5/8 and mean square 4/8, so the
  // variance is 1/2 - 25/64 = 7/64.
  const OutcomeShares outcomes{3, 1, 2, 1, 1};
  EXPECT_DOUBLE_EQ(win_probability(outcomes, TieShare::half), 5.0 / 8);
  EXPECT_DOUBLE_EQ(*win_standard_error(outcomes, 8, TieShare::half), std::sqrt(7.0 / 64 / 8));
  // Of the 4 decided: 3/4.
  EXPECT_DOUBLE_EQ(win_probability(outcomes, TieShare::drop), 0.75);
  EXPECT_DOUBLE_EQ(*win_standard_error(outcomes, 8, TieShare::drop), std::sqrt(0.75 * 0.25 / 4));
  // Of the 6 answered, worth 1, 1, 1, 0 and twice 1/2: mean 4/6, mean of squares 3.5/6, and the
  // variance is 21/36 - 16/36 = 5/36.
  EXPECT_DOUBLE_EQ(win_probability(outcomes, TieShare::answered), 4.0 / 6);
  EXPECT_DOUBLE_EQ(*win_standard_error(outcomes, 8, TieShare::answered), std::sqrt(5.0 / 36 / 6));
  EXPECT_EQ(win_probability({0, 0, 0, 4, 4}, TieShare::answered), 0.5);
  EXPECT_EQ(win_standard_error({0, 0, 0, 4, 4}, 8, TieShare::answered), std::nullopt);
  const OutcomeShares undecided{0, 0, 5, 0, 3};
  EXPECT_EQ(win_probability(undecided, TieShare::drop), 0.5);
  EXPECT_EQ(win_standard_error(undecided, 8, TieShare::drop), std::nullopt);
  EXPECT_EQ(win_standard_error(undecided, 8, TieShare::half), 0.0);
}

TEST(MatrixEstimate, too_many_lists_are_an_error_that_names_the_pair) {
  const JudgedQueries data =
      resolve_judged_queries("synthetic(queries=2,documents=30,features=2)").value();
  const auto exact = exact_matrix(ranked(data, 10), setting("probabilistic", "perfect", 5), {});
  ASSERT_FALSE(exact.ok());
  EXPECT_EQ(exact.error().code, ErrorCode::unsupported);
  EXPECT_NE(exact.error().to_string().find("f1 against f2"), std::string::npos)
      << exact.error().to_string();
}

MultileaveSetting all_at_once(const std::string& method, const std::string& user,
                              std::size_t grades) {
  return {configure_multileaver(method).value(), configure_click_model(user, grades).value()};
}

TEST(MultileaveEstimate, of_two_rankers_is_the_estimate_by_interleaving) {
  const JudgedQueries data = small_data();
  const Rankers two = read_rankers_text("two", "a 1:1\nb 2:1\n", 4).value();
  const RankedQueries queries = RankedQueries::create(data, two, 4, 1).value();
  for (const auto& [many, pair] : std::vector<std::pair<std::string, std::string>>{
           {"team-draft-multileave", "team-draft"},
           {"probabilistic-multileave", "probabilistic(credit=marginal)"},
           {"probabilistic-multileave(assignments=drawn)", "probabilistic"}}) {
    const auto one = exact_multileave_matrix(queries, all_at_once(many, "navigational", 3), {});
    const auto other = exact_matrix(queries, setting(pair.c_str(), "navigational", 3), {});
    ASSERT_TRUE(one.ok() && other.ok()) << many;
    EXPECT_NEAR(one->matrix(0, 1), other->matrix(0, 1), 1e-12) << many;
    EXPECT_NEAR(one->pairs[0].outcomes.ties, other->pairs[0].outcomes.ties, 1e-12) << many;
  }
}

TEST(MultileaveEstimate, sampling_agrees_with_the_exact_matrix_on_any_number_of_threads) {
  const JudgedQueries data = small_data();
  const RankedQueries queries = ranked(data, 3);
  for (const char* method : {"team-draft-multileave", "pairwise-preference-multileave",
                             "probabilistic-multileave(assignments=drawn)"}) {
    const MultileaveSetting how = all_at_once(method, "informational", 3);
    const auto exact = exact_multileave_matrix(queries, how, {});
    ASSERT_TRUE(exact.ok()) << method << exact.error().to_string();
    const EstimatePlan plan{.comparisons = 20'000, .seed = 3, .threads = 1};
    const auto sampled = multileave_matrix(queries, how, plan);
    const auto threads =
        multileave_matrix(queries, how, {.comparisons = 20'000, .seed = 3, .threads = 3});
    ASSERT_TRUE(sampled.ok() && threads.ok());
    for (std::size_t k = 0; k < exact->pairs.size(); ++k) {
      EXPECT_EQ(sampled->pairs[k].probability, threads->pairs[k].probability);
      EXPECT_EQ(sampled->pairs[k].outcomes.total(), 20'000);
      // Five standard errors, and a count for shares near 0.
      EXPECT_NEAR(sampled->pairs[k].probability, exact->pairs[k].probability,
                  5 * *sampled->pairs[k].standard_error + 5e-5)
          << method << " pair " << k;
    }
  }
}

TEST(MultileaveEstimate, too_many_lists_are_an_error_that_names_the_query) {
  const JudgedQueries data =
      resolve_judged_queries("synthetic(queries=2,documents=30,features=4)").value();
  const auto exact = exact_multileave_matrix(
      ranked(data, 10), all_at_once("probabilistic-multileave", "perfect", 5), {});
  ASSERT_FALSE(exact.ok());
  EXPECT_NE(exact.error().to_string().find("query 1"), std::string::npos)
      << exact.error().to_string();
}

TEST(MatrixEstimate, a_stopped_run_has_no_matrix) {
  const std::atomic<bool> stop{true};
  const auto estimate = estimate_matrix(ranked(small_data(), 4),
                                        setting("team-draft", "perfect", 3), {}, {.stop = &stop});
  ASSERT_FALSE(estimate.ok());
  EXPECT_EQ(estimate.error().code, ErrorCode::interrupted);
}

}  // namespace
}  // namespace duel
