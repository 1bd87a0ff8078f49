#include "duel/inference/order_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "duel/core/duel.h"
#include "duel/inference/order_certificate.h"

namespace duel {
namespace {

// How K arms can beat each other: 1 at (i, j) where i beats j. A tie beats nobody.
struct Pattern {
  std::size_t num_arms;
  std::vector<int> beats;
  bool operator()(Arm i, Arm j) const { return beats[i * num_arms + j] != 0; }
};

// Calls visit(pattern) for all 2^(K (K - 1)/2) tournaments, or with ties for all 3^(..) patterns.
void for_each_pattern(std::size_t num_arms, bool ties,
                      const std::function<void(const Pattern&)>& visit) {
  Pattern pattern{num_arms, std::vector<int>(num_arms * num_arms)};
  const std::function<void(Arm, Arm)> fill = [&](Arm i, Arm j) {
    if (j == num_arms) {
      ++i;
      j = i + 1;
    }
    if (j >= num_arms) return visit(pattern);
    for (int way = 0; way < (ties ? 3 : 2); ++way) {
      pattern.beats[i * num_arms + j] = way == 0 ? 1 : 0;
      pattern.beats[j * num_arms + i] = way == 1 ? 1 : 0;
      fill(i, j + 1);
    }
  };
  fill(0, 1);
}

// All candidates of a goal: sets, ascending, or sequences.
std::vector<std::vector<Arm>> candidates_of(const Goal& goal, std::size_t num_arms) {
  const auto k = static_cast<std::size_t>(goal.arms_named(num_arms));
  std::vector<std::vector<Arm>> candidates;
  std::vector<Arm> chosen;
  const std::function<void()> extend = [&] {
    if (chosen.size() == k) return candidates.push_back(chosen);
    const Arm first = goal.kind == Goal::set && !chosen.empty() ? chosen.back() + 1 : 0;
    for (Arm i = first; i < num_arms; ++i) {
      if (std::find(chosen.begin(), chosen.end(), i) != chosen.end()) continue;
      chosen.push_back(i);
      extend();
      chosen.pop_back();
    }
  };
  extend();
  return candidates;
}

struct Weighed {
  double of_false = 0;  // sum of q^l over the false candidates
  bool exists = false;  // a candidate is true
};

// The needed pairs of the candidates, worked out once.
class Candidates {
 public:
  Candidates(const Goal& goal, std::size_t num_arms) {
    for (const std::vector<Arm>& candidate : candidates_of(goal, num_arms)) {
      needed_.push_back(needed_pairs(goal, candidate, num_arms));
    }
  }
  const std::vector<std::vector<Duel>>& needed() const { return needed_; }
  Weighed weigh(const Pattern& pattern, double q) const {
    Weighed sum;
    for (const std::vector<Duel>& needed : needed_) {
      double weight = 1;
      for (const Duel& pair : needed) weight *= pattern(pair.first, pair.second) ? 1 : q;
      if (weight == 1) {
        sum.exists = true;
      } else {
        sum.of_false += weight;
      }
    }
    return sum;
  }

 private:
  std::vector<std::vector<Duel>> needed_;
};

double bound_of(const Goal& goal, std::size_t num_arms, double q, bool exists) {
  return goal.kind == Goal::set ? false_set_bound(q, exists)
                                : false_sequence_bound(q, goal.arms_named(num_arms), exists);
}

std::vector<Goal> goals_of(std::size_t num_arms) {
  std::vector<Goal> goals;
  for (std::uint64_t k = 1; k < num_arms; ++k) {
    goals.emplace_back(Goal::set, k);
    goals.emplace_back(Goal::order, k);
  }
  goals.emplace_back(Goal::ranking);
  return goals;
}

// The largest sums over all tournaments of five arms, as worked out by hand for the issue.
TEST(FalseCandidates, weigh_what_enumeration_says) {
  constexpr double q = 0.05;
  const auto largest = [&](const Goal& goal, bool exists) {
    const Candidates candidates(goal, 5);
    double most = 0;
    for_each_pattern(5, false, [&](const Pattern& pattern) {
      const Weighed sum = candidates.weigh(pattern, q);
      if (sum.exists == exists) most = std::max(most, sum.of_false);
    });
    return most;
  };
  EXPECT_NEAR(largest(Goal(Goal::set, 2), false), 0.150501, 5e-7);
  EXPECT_NEAR(largest(Goal(Goal::set, 2), true), 0.055263, 5e-7);
  EXPECT_NEAR(largest(Goal(Goal::order, 2), false), 0.158026, 5e-7);
  EXPECT_NEAR(largest(Goal(Goal::order, 2), true), 0.108026, 5e-7);
  EXPECT_NEAR(false_set_bound(q, false), 0.150546, 5e-7);
}

// The bounds of the proof against all tournaments of up to five arms, with ties too (3^10
// patterns).
TEST(FalseCandidates, weigh_no_more_than_the_bounds_whatever_beats_whatever) {
  for (const std::size_t num_arms : {2U, 3U, 4U, 5U}) {
    for (const Goal& goal : goals_of(num_arms)) {
      const Candidates candidates(goal, num_arms);
      for (const double q : {0.005, 0.05, 0.15, 0.3, 0.5}) {
        // With ties only where a proof rests on them: all patterns of five arms take seconds.
        const bool ties = num_arms < 5 || q == 0.05 || q == 0.3;
        const double without = bound_of(goal, num_arms, q, false) * (1 + 1e-12);
        const double with = bound_of(goal, num_arms, q, true) * (1 + 1e-12);
        std::uint64_t above = 0;
        for_each_pattern(num_arms, ties, [&](const Pattern& pattern) {
          const Weighed sum = candidates.weigh(pattern, q);
          above += sum.of_false > (sum.exists ? with : without) ? 1 : 0;
        });
        EXPECT_EQ(above, 0U) << static_cast<int>(goal.kind) << " of " << goal.top << ", "
                             << num_arms << " arms, q = " << q;
      }
    }
  }
}

// The sum of q^l over the shortest false beginnings of at most `most` places.
double weigh_beginnings(const Pattern& pattern, double q, std::size_t most) {
  std::vector<Arm> left(pattern.num_arms);
  std::iota(left.begin(), left.end(), Arm{0});
  double sum = 0;
  for (std::size_t place = 0; place < most; ++place) {
    auto true_one = left.end();
    for (auto x = left.begin(); x != left.end(); ++x) {
      double weight = 1;
      for (const Arm y : left) weight *= y == *x || pattern(*x, y) ? 1 : q;
      if (weight == 1) {
        true_one = x;
      } else {
        sum += weight;
      }
    }
    if (true_one == left.end()) break;
    left.erase(true_one);
  }
  return sum;
}

// What the bound of the whole covers: all beginnings of a ranking and of the first two, and those
// of an order that are shorter than the whole.
TEST(FalseCandidates, that_are_beginnings_weigh_no_more_than_the_bound_of_the_whole) {
  for (const std::size_t num_arms : {2U, 3U, 4U, 5U}) {
    for (const double q : {0.005, 0.05, 0.15, 0.3, 0.5}) {
      const bool ties = num_arms < 5 || q == 0.05 || q == 0.3;
      for_each_pattern(num_arms, ties, [&](const Pattern& pattern) {
        for (std::uint64_t k = 1; k < num_arms; ++k) {
          const bool all = k + 1 == num_arms || k == 2;
          const double bound = k == 1 ? static_cast<double>(num_arms) * q
                                      : false_sequence_bound(q, k, false) * (1 + 1e-12);
          ASSERT_LE(weigh_beginnings(pattern, q, all ? k : k - 1), bound)
              << k << " of " << num_arms << " arms, q = " << q;
        }
      });
    }
  }
  // A circle of three behind two clear places: the whole order of the first three is not covered.
  Pattern circle{5, std::vector<int>(25)};
  for (Arm i = 0; i < 2; ++i) {
    for (Arm j = i + 1; j < 5; ++j) circle.beats[i * 5 + j] = 1;
  }
  circle.beats[2 * 5 + 3] = circle.beats[3 * 5 + 4] = circle.beats[4 * 5 + 2] = 1;
  EXPECT_GT(weigh_beginnings(circle, 0.05, 3), false_sequence_bound(0.05, 3, false));
}

// K - 1 false pairs leave one candidate, whatever beats whatever: "v(t + 1) does not beat v(t)"
// along a path in which each arm beats or equals the next. One more rules it out if it is false.
TEST(FalseCandidates, all_need_one_of_k_false_pairs) {
  for (const std::size_t num_arms : {2U, 3U, 4U, 5U}) {
    std::vector<Candidates> all;
    const std::vector<Goal> goals = goals_of(num_arms);
    for (const Goal& goal : goals) all.emplace_back(goal, num_arms);
    for_each_pattern(num_arms, true, [&](const Pattern& pattern) {
      // Insertion: before the first arm that the new one beats.
      std::vector<Arm> path;
      for (Arm i = 0; i < num_arms; ++i) {
        const auto place =
            std::find_if(path.begin(), path.end(), [&](Arm j) { return pattern(i, j); });
        path.insert(place, i);
      }
      for (std::size_t t = 0; t + 1 < num_arms; ++t) {
        ASSERT_FALSE(pattern(path[t + 1], path[t]));
      }
      for (std::size_t g = 0; g < goals.size(); ++g) {
        std::size_t left = 0;
        bool left_is_false = false, exists = false;
        for (const std::vector<Duel>& needed : all[g].needed()) {
          bool hit = false, is_false = false;
          for (const Duel& pair : needed) {
            is_false = is_false || !pattern(pair.first, pair.second);
            for (std::size_t t = 0; t + 1 < num_arms; ++t) {
              hit = hit || (pair.first == path[t + 1] && pair.second == path[t]);
            }
          }
          exists = exists || !is_false;
          if (hit) continue;
          ++left;
          left_is_false = is_false;
        }
        ASSERT_EQ(left, 1U);
        // Where there is a true candidate, it is the one that is left.
        ASSERT_EQ(left_is_false, !exists);
      }
    });
  }
}

TEST(OrderThreshold, keeps_the_bounds_below_alpha) {
  for (int step = 1; step <= 1000; ++step) {
    const double alpha = 0.0005 * step;  // (0, 1/2]
    for (const bool exists : {false, true}) {
      EXPECT_LE(false_set_bound(1 / set_threshold(alpha, 2, exists), exists), alpha) << alpha;
      for (const std::uint64_t k : {1, 2, 3, 4, 9, 99}) {
        const double q = 1 / sequence_threshold(alpha, k, exists);
        EXPECT_LE(false_sequence_bound(q, k, exists), alpha * (1 + 1e-9)) << alpha << " " << k;
        // And no larger than it must be, by more than a unit.
        if (k > 1) {
          EXPECT_GE(false_sequence_bound(1 / (1 / q - 1), k, exists), alpha) << alpha << " " << k;
        }
      }
    }
  }
}

// One arm: the sum over arms with l = 1, 2, .. losses, at most 1, 1, 1, .. of each beside a winner.
TEST(OrderThreshold, of_one_arm_is_that_of_a_winner) {
  for (const double alpha : {0.01, 0.05, 0.3}) {
    const double q = 1 / set_threshold(alpha, 1, true);
    EXPECT_NEAR(q / (1 - q), alpha, 1e-12);
    EXPECT_DOUBLE_EQ(set_threshold(alpha, 1, false), 3 / alpha + 1);
    EXPECT_DOUBLE_EQ(sequence_threshold(alpha, 1, true), set_threshold(alpha, 1, true));
  }
}

TEST(OrderThreshold, is_what_the_table_says) {
  const Goal set(Goal::set, 3), order(Goal::order, 3), pair(Goal::order, 2), ranking(Goal::ranking);
  EXPECT_DOUBLE_EQ(order_threshold(set, 10, 0.05, false), 61);
  EXPECT_NEAR(order_threshold(order, 10, 0.05, false), 61.99, 0.005);
  EXPECT_NEAR(order_threshold(ranking, 10, 0.05, false), 184.96, 0.005);
  EXPECT_DOUBLE_EQ(order_threshold(Goal(Goal::set, 3, 0, Assumption::order), 10, 0.05, false), 22);
  EXPECT_NEAR(order_threshold(Goal(Goal::order, 3, 0, Assumption::order), 10, 0.05, false), 61.99,
              0.005);
  const double q = 1 / order_threshold(pair, 10, 0.05, false);
  EXPECT_NEAR(std::pow(1 - q, -2) - (1 - q), 0.05, 1e-12);
  EXPECT_NEAR(order_threshold(Goal(Goal::order, 2, 0, Assumption::order), 10, 0.05, false),
              1 / (1 - 1 / std::sqrt(1.05)), 1e-9);
  // Where pairs share causes, and where K/alpha is less.
  for (const Goal& goal : {set, order, pair, ranking}) {
    EXPECT_DOUBLE_EQ(order_threshold(goal, 10, 0.05, true), 200);
    Goal known = goal;
    known.assume = Assumption::order;
    EXPECT_DOUBLE_EQ(order_threshold(known, 10, 0.05, true), 180);
  }
  EXPECT_DOUBLE_EQ(order_threshold(Goal(Goal::set, 1), 2, 0.05, false), 40);
  EXPECT_DOUBLE_EQ(order_threshold(ranking, 100, 0.05, false), 2000);
  EXPECT_DOUBLE_EQ(order_threshold(Goal(Goal::ranking, 0, 0, Assumption::order), 10, 0.05, false),
                   180);
}

TEST(PartitionProduct, has_the_partition_numbers_for_coefficients) {
  // 1 + q + 2 q^2 + 3 q^3 + 5 q^4 + 7 q^5 + 11 q^6 + ..
  const double q = 0.001;
  EXPECT_NEAR(partition_product(q), 1 + q + 2 * q * q + 3 * q * q * q + 5 * std::pow(q, 4), 1e-14);
  EXPECT_DOUBLE_EQ(partition_product(0), 1);
}

TEST(CheckGoal, says_what_does_not_fit) {
  const auto field = [](const Goal& goal, std::size_t num_arms) {
    const Status status = check_goal(goal, num_arms);
    return status.ok() ? std::string() : status.error().field;
  };
  EXPECT_EQ(field(Goal(Goal::set, 3), 4), "");
  EXPECT_EQ(field(Goal(Goal::set, 0), 4), "top");
  EXPECT_EQ(field(Goal(Goal::set, 4), 4), "top");
  EXPECT_EQ(field(Goal(Goal::order, 4), 4), "top");
  EXPECT_EQ(field(Goal(Goal::ranking, 2), 4), "top");
  EXPECT_EQ(field(Goal::ranking, 4), "");
  EXPECT_EQ(field(Goal(Goal::condorcet, 2), 4), "top");
  EXPECT_EQ(field(Goal::epsilon, 4), "epsilon");
  EXPECT_EQ(field(Goal(Goal::epsilon, 0, 0.5), 4), "epsilon");
  EXPECT_EQ(field(Goal(Goal::epsilon, 0, 0.05), 4), "");
  EXPECT_EQ(field(Goal(Goal::set, 2, 0.05), 4), "epsilon");
  EXPECT_EQ(field(Goal(Goal::epsilon, 0, 0.05, Assumption::order), 4), "assume");
  EXPECT_EQ(field(Goal(Goal::borda, 0, 0, Assumption::order), 4), "assume");
  EXPECT_EQ(field(Goal(Goal::condorcet, 0, 0, Assumption::order), 4), "");
}

}  // namespace
}  // namespace duel
