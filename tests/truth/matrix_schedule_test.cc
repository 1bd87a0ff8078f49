#include <gtest/gtest.h>

#include <string>

#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

std::string error_of(const std::string& text) {
  const auto schedule = resolve_schedule(text);
  return schedule.ok() ? "" : schedule.error().to_string();
}

TEST(MatrixSchedule, plain_matrix_is_a_schedule_without_changes) {
  const MatrixSchedule schedule = resolve_schedule("arxiv").value();
  EXPECT_EQ(schedule.name, "arxiv");
  ASSERT_EQ(schedule.segments.size(), 1U);
  EXPECT_EQ(schedule.segments[0].from, 1U);
  EXPECT_EQ(schedule.segments[0].matrix.num_arms(), 6U);
}

TEST(MatrixSchedule, changing_names_the_first_round_of_each_matrix) {
  const MatrixSchedule schedule =
      resolve_schedule("changing(1=arxiv, 1e4=slides, 20000=random-condorcet(k=6,seed=3))").value();
  ASSERT_EQ(schedule.segments.size(), 3U);
  EXPECT_EQ(schedule.segments[1].from, 10000U);
  EXPECT_EQ(schedule.segments[2].from, 20000U);
  // The canonical name means the same schedule.
  const MatrixSchedule again = resolve_schedule(schedule.name).value();
  EXPECT_EQ(again.name, schedule.name);
  EXPECT_EQ(again.segments.size(), 3U);
}

TEST(MatrixSchedule, says_what_is_wrong_and_where) {
  EXPECT_NE(error_of("changing").find("names no matrix"), std::string::npos);
  EXPECT_NE(error_of("changing(5=arxiv)").find("from round 1, not 5"), std::string::npos);
  EXPECT_NE(error_of("changing(1=arxiv,soon=slides)").find("'soon'"), std::string::npos);
  EXPECT_NE(error_of("changing(1=arxiv,50=slides,40=arxiv)").find("does not come after"),
            std::string::npos);
  EXPECT_NE(error_of("changing(1=arxiv,50=cyclic)").find("has 4 arms, and 'arxiv' has 6"),
            std::string::npos);
  const std::string unknown = error_of("changing(1=arxiv,50=slide)");
  EXPECT_NE(unknown.find("round 50"), std::string::npos);
  EXPECT_NE(unknown.find("slides"), std::string::npos);
}

}  // namespace
}  // namespace duel
