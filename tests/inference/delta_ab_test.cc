#include "duel/inference/delta_ab.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duel/core/rng.h"

namespace duel {
namespace {

TEST(DeltaAb, follows_the_definition_by_hand) {
  // 3 wins, 1 loss, 4 ties: (3 + 2)/8 - 1/2 = 1/8.
  const std::vector<ClusterOutcomes> clusters = {{2, 0, 1}, {1, 0, 1}, {0, 1, 2}, {0, 0, 0}};
  const DeltaAb delta = delta_ab(clusters);
  EXPECT_EQ(delta.wins, 3U);
  EXPECT_EQ(delta.losses, 1U);
  EXPECT_EQ(delta.ties, 4U);
  EXPECT_EQ(delta.clusters, 3U) << "a cluster without an answer says nothing";
  EXPECT_DOUBLE_EQ(delta.value, 0.125);
  // Answers 1/2 (3), -1/2 (1), 0 (4): mean 1/8, mean of squares 1/8; variance 7/64 over 8 - 1.
  EXPECT_DOUBLE_EQ(*delta.independent_error, std::sqrt(7.0 / 64 / 7));
  // Residuals net/2 - answers/8: 1 - 3/8, 1/2 - 2/8, -1/2 - 3/8; their squares times 3/2, over 8.
  const double squares = 0.625 * 0.625 + 0.25 * 0.25 + 0.875 * 0.875;
  EXPECT_DOUBLE_EQ(*delta.clustered_error, std::sqrt(squares * 1.5) / 8);
}

TEST(DeltaAb, sign_tests_by_hand) {
  EXPECT_EQ(sign_test(0, 0), 1);
  EXPECT_EQ(sign_test(3, 3), 1);
  EXPECT_NEAR(sign_test(5, 0), 2.0 / 32, 1e-15);
  EXPECT_NEAR(sign_test(1, 4), 2.0 * 6 / 32, 1e-15);
  EXPECT_EQ(sign_test(3, 2), 1);  // 2 x 16/32
  EXPECT_NEAR(sign_test(7, 3), sign_test(3, 7), 1e-15);
  // Two clusters for the first, none for the second: 2/4, though the answers are 9 : 1.
  const std::vector<ClusterOutcomes> clusters = {{8, 1, 0}, {1, 0, 0}, {0, 0, 3}};
  const DeltaAb delta = delta_ab(clusters);
  EXPECT_NEAR(delta.cluster_sign_test, 0.5, 1e-15);
  EXPECT_NEAR(delta.sign_test, 2.0 * 11 / 1024, 1e-15);
}

TEST(DeltaAb, says_nothing_of_errors_where_there_is_nothing_to_say) {
  EXPECT_EQ(delta_ab({}).value, 0);
  EXPECT_EQ(delta_ab({}).sign_test, 1);
  EXPECT_FALSE(delta_ab({}).clustered_error);
  const std::vector<ClusterOutcomes> one = {{5, 1, 0}};
  EXPECT_FALSE(delta_ab(one).clustered_error);
  EXPECT_FALSE(delta_ab(one).bootstrap);
  EXPECT_TRUE(delta_ab(one).independent_error);
}

// Two answers, one each way: variance 1/4 over 2 - 1. As two clusters their residuals are 1/2 and
// -1/2, squares 1/2, times 2/(2 - 1), over 2 answers: the same, so that the design costs nothing.
TEST(DeltaAb, needs_two_answers_and_two_clusters) {
  const DeltaAb together = delta_ab(std::vector<ClusterOutcomes>{{1, 1, 0}});
  EXPECT_DOUBLE_EQ(together.independent_error.value(), 0.5);
  EXPECT_FALSE(together.clustered_error);
  EXPECT_FALSE(together.design_effect());
  const DeltaAb apart = delta_ab(std::vector<ClusterOutcomes>{{1, 0, 0}, {0, 1, 0}});
  EXPECT_DOUBLE_EQ(apart.clustered_error.value(), 0.5);
  EXPECT_DOUBLE_EQ(apart.design_effect().value(), 1);
  EXPECT_FALSE(delta_ab(std::vector<ClusterOutcomes>{{1, 0, 0}}).independent_error);
  // One user with all the wins, one with all the losses, ten each: residuals 5 and -5, squares 50
  // times 2, over 20, is 1/2; independent answers would give sqrt(1/4/19). Ratio^2 = 19.
  const DeltaAb users = delta_ab(std::vector<ClusterOutcomes>{{10, 0, 0}, {0, 10, 0}});
  EXPECT_NEAR(users.design_effect().value(), 19, 1e-12);
  // Without any difference between answers there is nothing to compare with.
  EXPECT_FALSE(delta_ab(std::vector<ClusterOutcomes>{{1, 0, 0}, {2, 0, 0}}).design_effect());
}

// Two clusters of one answer each, drawn with replacement: the value is 1/2, 0 and -1/2 with
// chances 1/4, 1/2 and 1/4. A share of 1000 draws has a standard error below 0.016, and the
// percentiles below are at least 0.1 from where the value changes.
TEST(DeltaAb, bootstrap_has_the_percentiles_of_the_clusters_drawn_again) {
  const std::vector<ClusterOutcomes> clusters = {{1, 0, 0}, {0, 1, 0}};
  const auto bootstrap = [&](double delta) {
    return delta_ab(clusters, {.delta = delta}).bootstrap.value();
  };
  EXPECT_EQ(bootstrap(0.05), (Interval{-0.5, 0.5}));
  EXPECT_EQ(bootstrap(0.3), (Interval{-0.5, 0.5}));
  EXPECT_EQ(bootstrap(0.7), (Interval{0, 0}));
  EXPECT_FALSE(delta_ab(clusters, {.resamples = 1}).bootstrap);
  EXPECT_TRUE(delta_ab(clusters, {.resamples = 2}).bootstrap);
}

TEST(DeltaAb, depends_on_its_arguments_alone) {
  const std::vector<ClusterOutcomes> clusters = {{2, 0, 1}, {1, 3, 1}, {0, 1, 2}, {4, 1, 0}};
  EXPECT_EQ(delta_ab(clusters).bootstrap, delta_ab(clusters).bootstrap);
  DeltaOptions other;
  other.seed = 1;
  other.resamples = 999;
  EXPECT_EQ(delta_ab(clusters, other).value, delta_ab(clusters).value);
}

// Half of the users always prefer one ranker and half the other, five impressions each: the
// rankers are even, and impressions are not independent. In standard errors over users the value is
// a standard normal; in those of independent impressions it is sqrt(5) times as wide.
TEST(DeltaAb, the_error_over_clusters_is_right_where_the_error_over_impressions_is_not) {
  constexpr int kStudies = 2000, kUsers = 100;
  double squares = 0, naive_squares = 0;
  int outside = 0, sign_alarms = 0, cluster_alarms = 0;
  for (int study = 0; study < kStudies; ++study) {
    RoundRng rng = Stream(4, 0, Purpose::test, "delta_ab").at(static_cast<Round>(study));
    std::vector<ClusterOutcomes> clusters(kUsers);
    for (ClusterOutcomes& cluster : clusters) {
      const double p = rng.coin() ? 0.95 : 0.05;
      for (int k = 0; k < 5; ++k) ++(rng.bernoulli(p) ? cluster.wins : cluster.losses);
    }
    const DeltaAb delta = delta_ab(clusters, {.resamples = 200});
    const double z = delta.value / *delta.clustered_error;
    const double naive = delta.value / *delta.independent_error;
    squares += z * z;
    naive_squares += naive * naive;
    outside += delta.bootstrap->contains(0) ? 0 : 1;
    sign_alarms += delta.sign_test < 0.05 ? 1 : 0;
    cluster_alarms += delta.cluster_sign_test < 0.05 ? 1 : 0;
  }
  // The mean of z^2 has a standard error of about sqrt(2/2000) = .032; five of them.
  EXPECT_NEAR(squares / kStudies, 1, 0.2);
  // Variance 1 + 4 x .81 = 4.24 times as large: .81 is the correlation of two answers of a user.
  EXPECT_NEAR(naive_squares / kStudies, 4.24, 0.7);
  // .05 has a standard error of .005; percentiles of 100 clusters miss a little more often.
  EXPECT_NEAR(outside / double(kStudies), 0.05, 0.035);
  EXPECT_LT(cluster_alarms / double(kStudies), 0.075);
  EXPECT_GT(sign_alarms / double(kStudies), 0.25) << "clusters that are ignored give false alarms";
}

}  // namespace
}  // namespace duel
