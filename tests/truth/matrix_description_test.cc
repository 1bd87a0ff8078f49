#include "duel/truth/matrix_description.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

using Names = std::vector<std::string>;

// What the numbers should be is tested with winners, assumptions and bounds.
TEST(MatrixDescription, has_a_verdict_on_every_assumption_that_can_be_checked) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const MatrixDescription facts(matrix);
  Names names;
  for (const AssumptionVerdict& verdict : facts.verdicts()) {
    names.push_back(verdict.name);
    EXPECT_EQ(verdict.holds, verdict.violations == 0) << verdict.name;
    EXPECT_EQ(verdict.holds, verdict.detail.empty()) << verdict.name;
  }
  EXPECT_EQ(names, (Names{"total-order", "wst", "sst", "sti"}));
  EXPECT_EQ(facts.verdicts()[0].detail, "r4 does not beat r6: p = 0.5");
  EXPECT_EQ(facts.verdicts()[2].detail, "r4 > r5 > r6: e_ik = 0 < max(0.04, 0.01)");
}

TEST(MatrixDescription, rounds_differences_to_what_the_matrix_says) {
  const PreferenceMatrix matrix =
      PreferenceMatrix::create("two", {"a", "b"}, {0.5, 0.55, 0.45, 0.5}).value();
  EXPECT_NE(0.55 - 0.5, 0.05);
  EXPECT_EQ(MatrixDescription(matrix).gaps.winner, 0.05);
  const Json json = MatrixDescription(matrix).to_json();
  EXPECT_EQ(json["gaps"]["winner"].get<double>(), 0.05);
  EXPECT_EQ(json["gaps"]["per_arm"].get<std::vector<double>>(), (std::vector<double>{0, 0.05}));
}

TEST(MatrixDescription, is_null_in_json_where_nobody_wins) {
  const PreferenceMatrix matrix = resolve_matrix("no-condorcet(k=5,seed=1)").value();
  const Json json = MatrixDescription(matrix).to_json();
  for (const char* name :
       {"condorcet_winner", "lower_bound", "lower_bound_terms", "best_opponents"}) {
    EXPECT_TRUE(json[name].is_null()) << name;
  }
}

TEST(Requirements, are_answered_in_the_order_in_which_they_were_asked) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const auto verdicts = check_requirements(matrix, {"wst", "total-order", "condorcet"}).value();
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_FALSE(all_hold(verdicts));
  EXPECT_EQ(verdicts[2].detail, "r1");
  const Json json = to_json(matrix, verdicts);
  EXPECT_EQ(json["holds"].get<bool>(), false);
  EXPECT_EQ(json["checks"].items()[0]["require"].get<std::string>(), "wst");
  EXPECT_EQ(json["checks"].items()[2]["winner"].get<std::string>(), "r1");
  EXPECT_TRUE(all_hold(check_requirements(matrix, {}).value()));
}

TEST(Requirements, are_refused_where_they_are_unknown) {
  const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  const Error error = check_requirements(matrix, {"condorcet", "wts"}).error();
  EXPECT_EQ(error.field, "require");
  EXPECT_EQ(error.message, "unknown requirement 'wts'");
  EXPECT_TRUE(error.hint.starts_with("did you mean 'wst'?")) << error.hint;
}

}  // namespace
}  // namespace duel
