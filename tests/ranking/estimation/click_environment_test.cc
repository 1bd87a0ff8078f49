#include "duel/ranking/estimation/click_environment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "duel/core/call_spec.h"

namespace duel {
namespace {

Result<std::shared_ptr<ClickEnvironment>> environment(const std::string& text) {
  return ClickEnvironment::create(parse_call(text).value(), 1);
}

const char* const kTeamDraft =
    "clicks(data=synthetic(queries=6,documents=5,features=3,grades=3,seed=4),interleave=team-draft,"
    "length=4)";

TEST(ClickEnvironment, outcomes_follow_the_exact_matrix) {
  const auto made = environment(kTeamDraft);
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  ASSERT_TRUE((*made)->truth().has_value());
  const auto source = ClickEnvironment::outcomes(*made, 7, 0);
  const int n = 40000;
  for (const auto& [low, high] : {std::pair<Arm, Arm>{0, 1}, {0, 2}, {1, 2}}) {
    double sum = 0, squares = 0;
    int answered = 0, ties = 0;
    for (int k = 0; k < n; ++k) {
      const Outcome outcome = source->answer(low, high, static_cast<std::uint32_t>(k));
      if (outcome == Outcome::none) continue;
      const double points = outcome == Outcome::first_wins ? 1.0
                            : outcome == Outcome::tie      ? 0.5
                                                           : 0;
      ++answered;
      ties += outcome == Outcome::tie ? 1 : 0;
      sum += points;
      squares += points * points;
    }
    EXPECT_GT(ties, 0) << "clicks that credit both sides alike";
    EXPECT_LT(answered, n) << "users who do not click";
    // Outcomes 1, 1/2, 0 have a mean whose standard error comes from the sample; 5 of them.
    const double mean = sum / answered;
    const double se = std::sqrt((squares / answered - mean * mean) / answered);
    EXPECT_NEAR(mean, (*made)->truth().value()(low, high), 5 * se);
  }
}

// Every list of two rankers that are the same is no contest; a policy that waits for an answer, as
// RMED's first rounds do, would wait for ever.
TEST(ClickEnvironment, rankers_alike_for_every_query_tie) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("duel-alike-" + std::to_string(::getpid()) + ".txt");
  std::ofstream(path) << "one 1 0\nsame 2 0\nother 0 1\n";
  const auto made = environment(
      "clicks(data=synthetic(queries=4,features=2),length=3,interleave="
      "team-draft,rankers=" +
      path.string() + ")");
  std::filesystem::remove(path);
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  const auto source = ClickEnvironment::outcomes(*made, 3, 0);
  for (std::uint32_t k = 0; k < 50; ++k) EXPECT_EQ(source->answer(0, 1, k), Outcome::tie);
  EXPECT_EQ((*made)->truth().value()(0, 1), 0.5);
}

TEST(ClickEnvironment, an_answer_depends_on_seed_trial_pair_and_meeting_alone) {
  const auto made = environment(kTeamDraft);
  ASSERT_TRUE(made.ok());
  const auto one = ClickEnvironment::outcomes(*made, 1, 3);
  const auto again = ClickEnvironment::outcomes(*made, 1, 3);
  const auto other_trial = ClickEnvironment::outcomes(*made, 1, 4);
  const auto other_seed = ClickEnvironment::outcomes(*made, 2, 3);
  int trial_differs = 0, seed_differs = 0;
  for (std::uint32_t k = 200; k-- > 0;) {  // in another order
    const Outcome outcome = one->answer(0, 2, k);
    (void)again->answer(0, 1, k);
    EXPECT_EQ(again->answer(0, 2, k), outcome);
    trial_differs += other_trial->answer(0, 2, k) != outcome ? 1 : 0;
    seed_differs += other_seed->answer(0, 2, k) != outcome ? 1 : 0;
  }
  EXPECT_GT(trial_differs, 0);
  EXPECT_GT(seed_differs, 0);
}

TEST(ClickEnvironment, has_no_truth_where_the_exact_matrix_is_out_of_reach) {
  const auto made = environment("clicks(data=synthetic(queries=3,documents=30,features=3))");
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  EXPECT_FALSE((*made)->truth().has_value());
  const std::vector<Arm> best = (*made)->best_by_judgement();
  ASSERT_EQ(best.size(), 1U);
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_LE((*made)->queries().mean_ndcg(r), (*made)->queries().mean_ndcg(best[0]));
  }
  const auto exact =
      environment("clicks(data=synthetic(queries=3,documents=30,features=3),truth=exact)");
  ASSERT_FALSE(exact.ok());
  EXPECT_EQ(exact.error().code, ErrorCode::unsupported);
  EXPECT_NE(exact.error().to_string().find("option 'truth' of environment 'clicks'"),
            std::string::npos)
      << exact.error().to_string();
}

TEST(ClickEnvironment, truth_may_be_named_or_left_out) {
  const std::string data = "clicks(data=synthetic(queries=3,features=6),truth=";
  const auto wrong = environment(data + "arxiv)");  // six arms of other names
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().to_string().find("are not the rankers"), std::string::npos);
  EXPECT_FALSE((*environment(data + "none)"))->truth().has_value());

  const auto path = std::filesystem::temp_directory_path() /
                    ("duel-truth-" + std::to_string(::getpid()) + ".csv");
  std::ofstream(path) << "f1,f2\n0.5,0.7\n0.3,0.5\n";
  const auto named =
      environment("clicks(data=synthetic(queries=3,features=2),truth=" + path.string() + ")");
  std::filesystem::remove(path);
  ASSERT_TRUE(named.ok()) << named.error().to_string();
  EXPECT_EQ((*named)->truth().value()(0, 1), 0.7);
}

TEST(ClickEnvironment, bad_options_are_named) {
  const std::pair<std::string, std::string> cases[] = {
      {"clicks", "has no data"},
      {"clicks(daat=x)", "did you mean 'data'?"},
      {"clicks(data=absent.txt)", "option 'data' of environment 'clicks', absent.txt"},
      {"clicks(data=synthetic(queries=2),user=perfekt)", "did you mean 'perfect'?"},
      {"clicks(data=synthetic(queries=2),interleave=ballanced)", "did you mean 'balanced'?"},
      {"clicks(data=synthetic(queries=2),length=0)", "length"},
  };
  for (const auto& [text, message] : cases) {
    const auto made = environment(text);
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_NE(made.error().to_string().find(message), std::string::npos)
        << made.error().to_string();
  }
}

TEST(ClickEnvironment, the_fingerprint_tells_environments_apart) {
  const auto print = [](const std::string& text) { return (*environment(text))->fingerprint(); };
  EXPECT_EQ(print(kTeamDraft), print(kTeamDraft));
  EXPECT_NE(print("clicks(data=synthetic(queries=3,seed=1),truth=none)"),
            print("clicks(data=synthetic(queries=3,seed=2),truth=none)"));
  EXPECT_NE(print("clicks(data=synthetic(queries=3),user=perfect,truth=none)"),
            print("clicks(data=synthetic(queries=3),user=informational,truth=none)"));
}

}  // namespace
}  // namespace duel
