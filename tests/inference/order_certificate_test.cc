#include "duel/inference/order_certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "duel/core/rng.h"
#include "duel/inference/contest.h"
#include "duel/inference/order_threshold.h"

namespace duel {
namespace {

// A certifier and the certifier of the goal, told of the same answers.
class Both {
 public:
  Both(const Goal& goal, std::size_t num_arms, CertificateOptions options = {.arms_fixed = true})
      : pairs(Certifier::make(num_arms, options).value()),
        orders(OrderCertifier::make(goal, num_arms, options).value()) {}
  // The winner is shown first and second in turn, which must not matter.
  void win(Arm winner, Arm loser, int times = 1) {
    for (int k = 0; k < times; ++k) {
      winner_first = !winner_first;
      const Duel duel{.first = winner_first ? winner : loser,
                      .second = winner_first ? loser : winner};
      pairs.observe(duel, winner_first ? Outcome::first_wins : Outcome::second_wins);
      orders.observe(pairs, duel.first, duel.second);
    }
  }
  Certifier pairs;
  OrderCertifier orders;
  bool winner_first = false;
};

// Straight wins until E reaches c.
int wins_to(double c) {
  const PairEvidence evidence;
  int wins = 0;
  while (evidence.log_evidence(static_cast<std::uint64_t>(wins), 0) < std::log(c)) ++wins;
  return wins;
}

using Arms = std::vector<Arm>;

TEST(NeededPairs, are_those_in_which_a_candidate_puts_one_arm_before_another) {
  const auto list = [](const Goal& goal, const Arms& named, std::size_t num_arms) {
    std::vector<std::pair<Arm, Arm>> pairs;
    for (const Duel& duel : needed_pairs(goal, named, num_arms)) {
      pairs.emplace_back(duel.first, duel.second);
    }
    return pairs;
  };
  using Pairs = std::vector<std::pair<Arm, Arm>>;
  EXPECT_EQ(list(Goal(Goal::set, 2), {1, 3}, 4), (Pairs{{1, 0}, {1, 2}, {3, 0}, {3, 2}}));
  EXPECT_EQ(list(Goal(Goal::order, 2), {3, 1}, 4), (Pairs{{3, 0}, {3, 1}, {3, 2}, {1, 0}, {1, 2}}));
  // The last arm of a ranking follows from the others.
  EXPECT_EQ(list(Goal::ranking, {2, 0, 1}, 3), (Pairs{{2, 0}, {2, 1}, {0, 1}}));
  EXPECT_EQ(list(Goal::ranking, {2, 0}, 3), (Pairs{{2, 0}, {2, 1}, {0, 1}}));
}

TEST(OrderCertificate, of_a_set_needs_every_member_over_every_outsider_and_no_more) {
  Both both(Goal(Goal::set, 2), 5);
  const int enough = wins_to(61);
  for (const Arm i : {3, 1}) {
    for (const Arm j : {0, 2, 4}) both.win(i, j, enough - (i == 1 && j == 4 ? 1 : 0));
  }
  EXPECT_FALSE(both.orders.certificate());
  both.win(1, 4);
  ASSERT_TRUE(both.orders.certificate());
  const OrderCertificate& given = *both.orders.certificate();
  EXPECT_EQ(given.named, (Arms{1, 3}));
  EXPECT_EQ(given.findings.size(), 6U);
  EXPECT_EQ(given.decisive, static_cast<std::uint64_t>(6 * enough));
  for (const PairFinding& finding : given.findings) {
    EXPECT_EQ(finding.wins_then, static_cast<std::uint64_t>(enough));
    EXPECT_GE(finding.log_evidence, finding.log_threshold);
    EXPECT_NEAR(finding.log_threshold, std::log(61), 1e-12);
  }
}

TEST(OrderCertificate, of_a_sequence_needs_each_over_all_that_come_later) {
  Both order(Goal(Goal::order, 2), 4), ranking(Goal::ranking, 4);
  const int enough = wins_to(200);
  for (Both* both : {&order, &ranking}) {
    for (const Arm j : {0, 1, 3}) both->win(2, j, enough);
    EXPECT_FALSE(both->orders.certificate());
    both->win(0, 1, enough);
    both->win(0, 3, enough);
  }
  ASSERT_TRUE(order.orders.certificate());
  EXPECT_EQ(order.orders.certificate()->named, (Arms{2, 0}));
  EXPECT_EQ(order.orders.certificate()->findings.size(), 5U);
  EXPECT_FALSE(ranking.orders.certificate());
  EXPECT_EQ(ranking.orders.certain_beginning(), (Arms{2, 0}));
  ranking.win(3, 1, enough);
  ASSERT_TRUE(ranking.orders.certificate());
  EXPECT_EQ(ranking.orders.certificate()->named, (Arms{2, 0, 3, 1}));
}

TEST(OrderCertificate, stays_as_it_was_given) {
  Both both(Goal(Goal::set, 1), 2);
  both.win(0, 1, 20);
  ASSERT_TRUE(both.orders.certificate());
  both.win(1, 0, 500);
  EXPECT_EQ(both.orders.certificate()->named, Arms{0});
}

// The literal rule: some candidate has all its needed pairs at c. Where both directions of a pair
// have reached c, the certificate may come later, never sooner.
TEST(OrderCertificate, comes_when_enumeration_finds_a_candidate) {
  std::uint64_t given = 0, contradictions = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    RoundRng rng = Stream(5, trial, Purpose::test, "orders").at(1);
    constexpr std::size_t kArms = 4;
    const std::uint64_t k = 1 + rng.below(3);
    const Goal goal = rng.coin() ? Goal(Goal::set, k) : Goal(Goal::order, k);
    // A high level, so that errors are common.
    const CertificateOptions options{.alpha = 0.6, .arms_fixed = true};
    Both both(goal, kArms, options);
    const double c = order_threshold(goal, kArms, 0.6, false);
    const PairEvidence evidence;
    std::vector<std::uint64_t> wins(kArms * kArms);
    std::vector<bool> reached(kArms * kArms);
    const double gap = rng.coin() ? 0.0 : 0.2;
    for (int t = 0; t < 400 && !both.orders.certificate(); ++t) {
      Arm i = static_cast<Arm>(rng.below(kArms)), j = (i + 1 + static_cast<Arm>(rng.below(3))) % 4;
      if (i > j) std::swap(i, j);
      if (!rng.bernoulli(0.5 + gap)) std::swap(i, j);
      both.win(i, j);
      ++wins[i * kArms + j];
      if (evidence.log_evidence(wins[i * kArms + j], wins[j * kArms + i]) >= std::log(c)) {
        reached[i * kArms + j] = true;
      }
      bool contradiction = false;
      for (Arm a = 0; a < kArms; ++a) {
        for (Arm b = 0; b < a; ++b) {
          contradiction = contradiction || (reached[a * kArms + b] && reached[b * kArms + a]);
        }
      }
      Arms order(kArms);
      std::iota(order.begin(), order.end(), Arm{0});
      bool found = false;
      do {
        const Arms named(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
        bool all = true;
        for (const Duel& pair : needed_pairs(goal, named, kArms)) {
          all = all && reached[pair.first * kArms + pair.second];
        }
        found = found || all;
      } while (std::next_permutation(order.begin(), order.end()));
      if (both.orders.certificate()) {
        ASSERT_TRUE(found) << trial << " " << t;
      } else if (!contradiction) {
        ASSERT_FALSE(found) << trial << " " << t;
      }
      contradictions += contradiction ? 1 : 0;
    }
    given += both.orders.certificate() ? 1 : 0;
  }
  EXPECT_GT(given, 50U);
  EXPECT_GT(contradictions, 0U) << "the case is not met";
}

// (1, 0) falsely reaches c first. What is ahead now counts, so that the truth is not kept out.
TEST(OrderCertificate, is_not_kept_out_by_a_pair_that_was_wrong_at_first) {
  Both both(Goal(Goal::set, 2), 4);
  both.win(2, 0, 30);  // an outsider that seemed to beat a member, and two others
  both.win(2, 3, 30);
  both.win(2, 1, 30);
  both.win(0, 2, 200);
  both.win(1, 2, 200);
  both.win(0, 3, 30);
  EXPECT_FALSE(both.orders.certificate());
  both.win(1, 3, 30);
  ASSERT_TRUE(both.orders.certificate());
  EXPECT_EQ(both.orders.certificate()->named, (Arms{0, 1}));
}

TEST(OrderCertificate, of_one_look_counts_what_is_there_then) {
  const CertificateOptions options{
      .alpha = 0.05, .arms_fixed = true, .shared_causes = true, .one_look = true};
  Both both(Goal::ranking, 3, options);
  const int enough = wins_to(60);  // K/alpha
  both.win(0, 1, enough);
  both.win(0, 2, enough);
  both.win(1, 2, enough);
  EXPECT_FALSE(both.orders.certificate());
  both.pairs.look();
  both.orders.look(both.pairs);
  ASSERT_TRUE(both.orders.certificate());
  EXPECT_EQ(both.orders.certificate()->named, (Arms{0, 1, 2}));
  // A maximum that is gone does not count.
  Both fallen(Goal(Goal::set, 1), 2, options);
  fallen.win(0, 1, enough);
  fallen.win(1, 0, enough);
  fallen.pairs.look();
  fallen.orders.look(fallen.pairs);
  EXPECT_FALSE(fallen.orders.certificate());
}

TEST(OrderCertificate, waits_for_the_number_of_duels_that_was_asked_for) {
  Both both(Goal(Goal::set, 1), 2, {.arms_fixed = true, .min_decisive_per_pair = 50});
  both.win(0, 1, 49);
  EXPECT_FALSE(both.orders.certificate());
  both.win(0, 1);
  EXPECT_TRUE(both.orders.certificate());
}

TEST(OrderCertificate, refuses_what_its_proof_does_not_cover) {
  const auto error = [](const Goal& goal, const CertificateOptions& options) {
    return OrderCertifier::make(goal, 4, options).error().to_string();
  };
  EXPECT_NE(error(Goal::ranking, {}).find("fixed set"), std::string::npos);
  EXPECT_NE(error(Goal(Goal::set, 4), {.arms_fixed = true}).find("leaves none out"),
            std::string::npos);
}

// All pairs but one stand at the very threshold of the whole, which is below K/alpha.
TEST(CertainBeginning, is_told_at_the_threshold_of_the_whole) {
  constexpr Arm kArms = 10;
  const Goal goal(Goal::order, 3);
  Both both(goal, kArms);
  const int enough = wins_to(order_threshold(goal, kArms, 0.05, false));
  ASSERT_LT(enough, wins_to(union_threshold(0.05, kArms, false)));
  EXPECT_TRUE(both.orders.certain_beginning().empty());
  for (Arm i = 0; i < 3; ++i) {
    for (Arm j = i + 1; j < kArms; ++j) both.win(i, j, i == 2 && j == 9 ? enough - 1 : enough);
  }
  EXPECT_FALSE(both.orders.certificate());
  EXPECT_EQ(both.orders.certain_beginning(), (Arms{0, 1}));
  both.win(2, 9);
  ASSERT_TRUE(both.orders.certificate());
  EXPECT_EQ(both.orders.certain_beginning(), both.orders.certificate()->named);
}

TEST(CertainBeginning, grows_with_each_place_and_is_empty_while_the_first_is_open) {
  Both both(Goal(Goal::order, 3), 6);
  const int enough = wins_to(order_threshold(Goal(Goal::order, 3), 6, 0.05, false));
  for (Arm j = 2; j < 6; ++j) both.win(1, j, enough);  // all but the arm in front of it
  for (Arm j = 2; j < 6; ++j) both.win(0, j, enough);
  EXPECT_TRUE(both.orders.certain_beginning().empty());
  both.win(0, 1, enough);
  EXPECT_EQ(both.orders.certain_beginning(), (Arms{0, 1}));
}

TEST(CertainBeginning, is_none_of_a_set) {
  Both both(Goal(Goal::set, 2), 4);
  for (Arm j = 1; j < 4; ++j) both.win(0, j, 50);
  EXPECT_TRUE(both.orders.certain_beginning().empty());
}

// Where errors are most likely: two even arms behind two clear places, so that every beginning of
// three is false. Counted are experiments in which one was ever certified, looked at after every
// duel. For two even arms the chance is at most 2/c = 0.091.
TEST(CertainBeginning, is_false_more_rarely_than_alpha) {
  constexpr double kAlpha = 0.2;
  constexpr Arm kArms = 5;
  constexpr std::uint32_t kTrials = 1000;
  std::uint64_t wrong = 0, shown = 0;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    RoundRng rng = Stream(31, trial, Purpose::test, "beginnings").at(1);
    Both both(Goal::ranking, kArms, {.alpha = kAlpha, .arms_fixed = true});
    bool is_wrong = false, was_shown = false;
    for (int t = 0; t < 1500 && !is_wrong; ++t) {
      Arm i = static_cast<Arm>(rng.below(kArms));
      Arm j = (i + 1 + static_cast<Arm>(rng.below(kArms - 1))) % kArms;
      if (i > j) std::swap(i, j);
      const bool first = rng.bernoulli(i == 2 && j == 3 ? 0.5 : 0.8);
      both.win(first ? i : j, first ? j : i);
      const Arms beginning = both.orders.certain_beginning();
      was_shown = was_shown || beginning.size() == 2;
      for (std::size_t a = 0; a < beginning.size(); ++a) {
        is_wrong = is_wrong || a >= 2 || beginning[a] != a;
      }
    }
    wrong += is_wrong ? 1 : 0;
    shown += was_shown ? 1 : 0;
  }
  EXPECT_GT(shown, kTrials * 9 / 10);
  // 5 standard errors of a share of 0.2 are 0.063: a rate above alpha would be seen.
  EXPECT_LE(static_cast<double>(wrong), kTrials * (kAlpha - 0.063)) << wrong;
  EXPECT_GT(wrong, 0U) << "the case is not met";
}

TEST(OrderContest, is_the_open_pair_of_the_arms_in_front_with_the_least_evidence) {
  Both both(Goal(Goal::order, 2), 4);
  both.win(2, 0, 30);
  both.win(2, 1, 30);
  both.win(2, 3, 30);
  both.win(0, 1, 5);
  both.win(0, 3, 3);
  EXPECT_EQ(order_so_far(both.pairs).front(), 2U);
  const auto contest = closest_contest(both.pairs, both.orders);
  ASSERT_TRUE(contest);
  EXPECT_EQ(contest->leader, 0U);
  EXPECT_EQ(contest->rival, 3U);
  const auto busy = closest_contest(both.pairs, both.orders, [](Arm i, Arm j) {
    return std::uint64_t{i == 0 && j == 3 ? 1U : 0U};
  });
  EXPECT_EQ(busy->rival, 1U);
}

}  // namespace
}  // namespace duel
