#include "duel/ranking/metrics/judged_measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

using Grades = std::vector<Grade>;

// 1/log2(rank + 1), as the C library has it.
double discount(int rank) { return 1 / std::log2(rank + 1.0); }

TEST(Dcg, by_hand_with_both_gains_and_both_bases) {
  const Grades ranked{2, 0, 1};
  EXPECT_NEAR(dcg(ranked, 3), 3 + 1 * 0.5, 1e-15);
  EXPECT_NEAR(dcg(ranked, 3, Gain::linear), 2 + 0.5, 1e-15);
  EXPECT_NEAR(dcg(ranked, 3, Gain::exponential, DiscountBase::natural),
              3 / std::log(2.0) + 1 / std::log(4.0), 1e-14);
  EXPECT_EQ(dcg(ranked, 1), 3);
  EXPECT_EQ(dcg(ranked, 0), 0);
  EXPECT_NEAR(dcg(ranked, 100), 3.5, 1e-15);
}

TEST(Dcg, discounts_match_the_c_library_at_all_depths) {
  for (const int rank : {1, 2, 3, 10, 1000, 1024, 1025, 5000}) {
    Grades ranked(static_cast<std::size_t>(rank), 0);
    ranked.back() = 1;
    EXPECT_NEAR(dcg(ranked, ranked.size()), discount(rank), 1e-15);
  }
}

TEST(Dcg, of_high_grades_is_finite) {
  EXPECT_EQ(dcg(Grades{255}, 1), std::ldexp(1.0, 255));
  EXPECT_EQ(dcg(Grades{52}, 1), std::ldexp(1.0, 52) - 1);
}

TEST(Ndcg, by_hand) {
  // Shown 1, 0, 2; best 2, 1, 0. Gains 2^g - 1.
  const Grades ranked{1, 0, 2};
  const double ideal = 3 + 1 * discount(2);
  EXPECT_NEAR(ideal_dcg(ranked, 3), ideal, 1e-15);
  EXPECT_NEAR(ndcg(ranked, ranked, 3), (1 + 3 * discount(3)) / ideal, 1e-15);
  EXPECT_NEAR(ndcg(ranked, ranked, 2), 1 / ideal, 1e-15);
  EXPECT_NEAR(ndcg(ranked, ranked, 1), 1 / 3.0, 1e-15);
  EXPECT_NEAR(ndcg(ranked, ranked, 3, Gain::linear), (1 + 2 * discount(3)) / (2 + 1 * discount(2)),
              1e-15);
}

TEST(Ndcg, of_fewer_than_k_documents_compares_with_what_there_is) {
  const Grades ranked{0, 1};
  EXPECT_NEAR(ndcg(ranked, ranked, 10), discount(2), 1e-15);
  EXPECT_EQ(ndcg(Grades{1, 0}, Grades{0, 1}, 10), 1);
  EXPECT_EQ(ndcg(Grades{}, Grades{}, 10), 0);
}

TEST(Ndcg, of_a_short_list_is_held_to_the_whole_query) {
  // Two of four documents were shown; the ideal comes from all four.
  EXPECT_NEAR(ndcg(Grades{1, 0}, Grades{1, 0, 2, 2}, 2), 1 / (3 + 3 * discount(2)), 1e-15);
}

TEST(Ndcg, of_a_query_without_relevant_documents_is_zero) {
  const Grades none{0, 0, 0};
  EXPECT_EQ(ndcg(none, none, 3), 0);
  EXPECT_FALSE(has_relevant(none));
}

TEST(Ndcg, ideal_is_the_sorted_order) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    RoundRng rng = Stream(1, 0, Purpose::test, "ideal").at(i);
    Grades grades(rng.below(30));
    for (Grade& g : grades) g = static_cast<Grade>(rng.below(5));
    Grades best = grades;
    std::sort(best.rbegin(), best.rend());
    const std::size_t k = rng.below(35);
    EXPECT_EQ(ideal_dcg(grades, k), dcg(best, k));
    EXPECT_LE(ndcg(grades, grades, k), 1);
  }
}

TEST(TieAveragedNdcg, without_ties_is_ndcg) {
  EXPECT_NEAR(tie_averaged_ndcg(std::vector<double>{3, 1, 2}, Grades{1, 2, 0}, 3),
              ndcg(Grades{1, 0, 2}, Grades{1, 0, 2}, 3), 1e-15);
}

TEST(TieAveragedNdcg, is_the_mean_over_all_orders_of_equal_scores) {
  // Six documents in groups of 1, 3 and 2; all 3! 2! orders.
  const std::vector<double> scores{5, 4, 4, 4, 1, 1};
  const Grades grades{0, 2, 0, 1, 3, 0};
  for (const std::size_t k : {1, 2, 3, 5, 10}) {
    std::vector<int> order{0, 1, 2, 3, 4, 5};
    double sum = 0;
    int count = 0;
    do {
      if (!std::is_sorted(order.begin(), order.end(), [&](int a, int b) {
            return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
          })) {
        continue;
      }
      Grades ranked;
      for (const int d : order) ranked.push_back(grades[static_cast<std::size_t>(d)]);
      sum += ndcg(ranked, grades, k);
      ++count;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(count, 12);
    EXPECT_NEAR(tie_averaged_ndcg(scores, grades, k), sum / count, 1e-14) << k;
  }
}

TEST(Precision, by_hand) {
  const Grades ranked{1, 0, 2, 0};
  EXPECT_EQ(precision(ranked, 1), 1);
  EXPECT_EQ(precision(ranked, 2), 0.5);
  EXPECT_NEAR(precision(ranked, 3), 2.0 / 3, 1e-15);
  EXPECT_EQ(precision(ranked, 8), 0.25);  // empty places are not relevant
  EXPECT_EQ(precision(ranked, 4, 2), 0.25);
}

TEST(AveragePrecision, by_hand) {
  // Relevant at ranks 1 and 3: (1/1 + 2/3)/2.
  EXPECT_NEAR(average_precision(Grades{1, 0, 2, 0}, Grades{1, 0, 2, 0}), (1 + 2.0 / 3) / 2, 1e-15);
  // A third relevant document was not shown.
  EXPECT_NEAR(average_precision(Grades{1, 0, 2}, Grades{1, 0, 2, 1}), (1 + 2.0 / 3) / 3, 1e-15);
  EXPECT_NEAR(average_precision(Grades{1, 0, 2}, Grades{1, 0, 2}, 2), 1.0 / 3, 1e-15);
  EXPECT_EQ(average_precision(Grades{0, 0}, Grades{0, 0}), 0);
}

TEST(Dcg, discounts_as_the_letor_tools_do_on_request) {
  // Ranks 1 .. 4 by 1, 1, 1/log2 3, 1/2.
  const Grades ranked{1, 1, 1, 1};
  const double third = std::log(2.0) / std::log(3.0);
  EXPECT_NEAR(dcg(ranked, 4, Gain::exponential, DiscountBase::letor), 2 + third + 0.5, 1e-12);
  const Grades shown{0, 1, 2};
  EXPECT_NEAR(ndcg(shown, shown, 3, Gain::exponential, DiscountBase::letor),
              (1 + 3 * third) / (3 + 1), 1e-12);
}

TEST(ReciprocalRank, by_hand) {
  EXPECT_EQ(reciprocal_rank(Grades{0, 0, 1, 2}), 1.0 / 3);
  EXPECT_EQ(reciprocal_rank(Grades{0, 0, 1, 2}, 2), 0.25);
  EXPECT_EQ(reciprocal_rank(Grades{0}), 0);
  EXPECT_EQ(reciprocal_rank(Grades{}), 0);
}

TEST(ExpectedReciprocalRank, by_hand) {
  // Scale 0 .. 2: stops with 3/4, 0, 1/4.
  const Grades ranked{2, 0, 1};
  EXPECT_NEAR(expected_reciprocal_rank(ranked, 3, 2), 0.75 + 0.25 * 0.25 / 3, 1e-15);
  EXPECT_EQ(expected_reciprocal_rank(ranked, 1, 2), 0.75);
  EXPECT_NEAR(expected_reciprocal_rank(ranked, 10, 4), 3 / 16.0 + 13 / 16.0 * (1 / 16.0) / 3,
              1e-15);
  EXPECT_EQ(expected_reciprocal_rank(Grades{0, 0}, 2, 4), 0);
}

TEST(MeasureWords, name_their_kinds_and_an_unknown_one_names_the_field) {
  EXPECT_EQ(gain_named("linear").value(), Gain::linear);
  EXPECT_EQ(discount_named("ln").value(), DiscountBase::natural);
  EXPECT_EQ(no_relevant_named("skip").value(), NoRelevant::skip);
  const Error error = discount_named("leter").error();
  EXPECT_EQ(error.field, "discount");
  EXPECT_EQ(error.hint, "did you mean 'letor'? known: log2, ln, letor");
}

}  // namespace
}  // namespace duel
