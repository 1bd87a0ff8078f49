#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/winners.h"

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

TEST(MatrixSchedule, switching_gives_each_stretch_another_winner) {
  const MatrixSchedule schedule =
      resolve_schedule("switching(base=arxiv,changes=7,rounds=8000,seed=3)").value();
  ASSERT_EQ(schedule.segments.size(), 8U);
  EXPECT_EQ(resolve_schedule(schedule.name).value().name, schedule.name);
  const PreferenceMatrix arxiv = resolve_matrix("arxiv").value();
  std::vector<double> entries(arxiv.row_major().begin(), arxiv.row_major().end());
  std::ranges::sort(entries);
  for (std::size_t s = 0; s < 8; ++s) {
    EXPECT_EQ(schedule.segments[s].from, 1000 * s + 1);
    const PreferenceMatrix& matrix = schedule.segments[s].matrix;
    std::vector<double> same(matrix.row_major().begin(), matrix.row_major().end());
    std::ranges::sort(same);
    EXPECT_EQ(same, entries) << "the arms are only renamed";
    if (s == 0) continue;
    EXPECT_NE(condorcet_winner(matrix), condorcet_winner(schedule.segments[s - 1].matrix));
  }
  // Without a Condorcet winner the matrix changes at least.
  const MatrixSchedule none =
      resolve_schedule("switching(base=no-condorcet(k=5,seed=1),changes=3,rounds=100)").value();
  for (std::size_t s = 1; s < 4; ++s) {
    EXPECT_FALSE(std::ranges::equal(none.segments[s].matrix.row_major(),
                                    none.segments[s - 1].matrix.row_major()));
  }
}

TEST(MatrixSchedule, drifting_goes_from_one_matrix_to_the_other_in_equal_steps) {
  const MatrixSchedule schedule =
      resolve_schedule("drifting(from=arxiv,to=slides,rounds=500,steps=4)").value();
  ASSERT_EQ(schedule.segments.size(), 5U);
  const PreferenceMatrix from = resolve_matrix("arxiv").value();
  const PreferenceMatrix to = resolve_matrix("slides").value();
  for (std::size_t s = 0; s < 5; ++s) {
    EXPECT_EQ(schedule.segments[s].from, 100 * s + 1);
    const double share = static_cast<double>(s) / 4;
    EXPECT_NEAR(schedule.segments[s].matrix(0, 4), (1 - share) * from(0, 4) + share * to(0, 4),
                1e-15);
  }
  EXPECT_TRUE(std::ranges::equal(schedule.segments[0].matrix.row_major(), from.row_major()));
  EXPECT_TRUE(std::ranges::equal(schedule.segments[4].matrix.row_major(), to.row_major()));
}

TEST(MatrixSchedule, says_why_a_matrix_cannot_switch_or_drift) {
  EXPECT_NE(error_of("switching(base=arxiv,changes=9,rounds=5)").find("10 matrices do not fit"),
            std::string::npos);
  EXPECT_NE(error_of("switching(base=mallows(k=3,phi=1))").find("all alike"), std::string::npos);
  EXPECT_NE(error_of("switching(bases=arxiv)").find("no option 'bases'"), std::string::npos);
  EXPECT_NE(error_of("switching(base=arxive)").find("did you mean 'arxiv'"), std::string::npos);
  EXPECT_NE(error_of("drifting(from=arxiv,to=cyclic)").find("has 4 arms"), std::string::npos);
}

}  // namespace
}  // namespace duel
