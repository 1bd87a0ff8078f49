// Clicks that do not depend on the documents must favour nobody. By enumeration, over all pairs of
// lists of up to four documents, equal in length or not, every length of the page and every set of
// clicked positions: a user whose clicks depend on positions alone is a mixture of these sets.
#include <gtest/gtest.h>

#include "tests/ranking/interleaving/laws.h"

namespace duel::test {
namespace {

struct Bias {
  double value = 0;  // E[value]
  double sign = 0;   // P(first wins) - P(second wins)
};

Bias bias_of(const Interleaver& method, const std::vector<WeightedInterleaving>& lists,
             const std::vector<Position>& positions) {
  Bias bias;
  for (const WeightedInterleaving& list : lists) {
    std::vector<Position> clicks;
    for (const Position k : positions) {
      if (k < list.shown.size()) clicks.push_back(k);
    }
    const Credit credit = method.credit(list.shown, clicks);
    bias.value += list.probability * credit.value;
    if (credit.outcome == ClickOutcome::first_wins) bias.sign += list.probability;
    if (credit.outcome == ClickOutcome::second_wins) bias.sign -= list.probability;
  }
  return bias;
}

struct Worst {
  int cases = 0;
  int biased_value = 0;  // cases in which some set of clicks has E[value] != 0
  int biased_sign = 0;
};

Worst search(const std::string& name, Document documents) {
  const auto method = interleaver(name);
  const std::vector<List> all = all_lists(documents);
  Worst worst;
  for (const List& a : all) {
    for (const List& b : all) {
      for (std::size_t length = 1; length <= documents; ++length) {
        const auto lists = method->enumerate(a, b, length).value();
        bool value = false, sign = false;
        for (const auto& clicks : click_sets(length)) {
          const Bias bias = bias_of(*method, lists, clicks);
          value = value || std::abs(bias.value) > 1e-12;
          sign = sign || std::abs(bias.sign) > 1e-12;
        }
        worst.cases += 1;
        worst.biased_value += value ? 1 : 0;
        worst.biased_sign += sign ? 1 : 0;
      }
    }
  }
  return worst;
}

TEST(Fairness, the_draft_of_production_favours_nobody_for_any_lists_page_or_clicks) {
  const Worst worst = search("team-draft(shared=passed)", 4);
  EXPECT_EQ(worst.cases, 65 * 65 * 4);
  EXPECT_EQ(worst.biased_value, 0);
  EXPECT_EQ(worst.biased_sign, 0);
}

TEST(Fairness, the_published_draft_on_a_filled_page_favours_nobody_in_the_mean) {
  const Worst worst = search("team-draft", 4);
  EXPECT_EQ(worst.biased_value, 0);
  // The sign is another matter: how many positions count may depend on the coins.
  EXPECT_GT(worst.biased_sign, 0);
}

TEST(Fairness, the_published_end_of_the_list_is_biased) {
  const Worst worst = search("team-draft(fill=false)", 3);
  EXPECT_GT(worst.biased_value, 0);
  // (1) and (2 1): B opens and both pick, A opens and the list ends. Mean value of clicks on all.
  const auto method = interleaver("team-draft(fill=false)");
  const auto lists = method->enumerate(List{1}, List{2, 1}, 2).value();
  EXPECT_EQ(bias_of(*method, lists, {0, 1}).value, 0.5);
  const auto filled = interleaver("team-draft");
  EXPECT_EQ(bias_of(*filled, filled->enumerate(List{1}, List{2, 1}, 2).value(), {0, 1}).value, 0);
}

TEST(Fairness, lists_of_the_same_documents_are_fair_in_mean_and_sign) {
  for (const std::string name : {"team-draft", "team-draft(fill=false)"}) {
    const auto method = interleaver(name);
    for (const List& a : permutations(4)) {
      for (std::size_t length = 1; length <= 4; ++length) {
        const auto lists = method->enumerate(List{1, 2, 3, 4}, a, length).value();
        for (const auto& clicks : click_sets(length)) {
          const Bias bias = bias_of(*method, lists, clicks);
          EXPECT_NEAR(bias.value, 0, 1e-12) << name << text_of(a);
          EXPECT_NEAR(bias.sign, 0, 1e-12) << name << text_of(a);
        }
      }
    }
  }
}

TEST(Fairness, two_clicks_show_why_a_shared_document_must_not_cost_a_pick) {
  // A = (1 2), B = (1 3 4), three shown, clicks on the second and third. As published, whoever gets
  // 1 loses the next pick: if A does, the others are 3 for B and then 2 for A or 4 for B; if B does,
  // 2 for A, and A's list has ended.
  const List a{1, 2}, b{1, 3, 4};
  const auto published = interleaver("team-draft");
  EXPECT_NEAR(bias_of(*published, published->enumerate(a, b, 3).value(), {1, 2}).sign, 0.25, 1e-12);
  const auto production = interleaver("team-draft(shared=passed)");
  EXPECT_EQ(bias_of(*production, production->enumerate(a, b, 3).value(), {1, 2}).sign, 0);
}

TEST(Fairness, a_page_is_filled_whatever_the_lengths_of_the_lists) {
  List longer;
  for (Document x = 1; x <= 10; ++x) longer.push_back(x);
  const List shorter{3, 11};
  for (const std::string name : {"balanced", "team-draft", "team-draft(shared=passed)"}) {
    for (const auto& list : taken(interleaver(name)->enumerate(longer, shorter, 10))) {
      EXPECT_EQ(list.shown.size(), 10U) << name;
    }
    for (const auto& list : taken(interleaver(name)->enumerate(shorter, longer, 20))) {
      EXPECT_EQ(list.shown.size(), 11U) << name;
    }
  }
  const std::vector<List> three{longer, shorter, {12}};
  for (const auto& list :
       taken(multileaver("team-draft-multileave")->enumerate(spans(three), 10))) {
    EXPECT_EQ(list.shown.size(), 10U);
  }
  for (const std::string name : {"balanced(fill=false)", "team-draft(fill=false)"}) {
    for (const auto& list : taken(interleaver(name)->enumerate(longer, shorter, 10))) {
      EXPECT_LE(list.shown.size(), 4U) << name << ": as published";
    }
  }
}

TEST(Fairness, what_fills_a_page_earns_nothing) {
  // Balanced: after the common depth of 1, documents 2 and 3 only fill.
  const auto balanced = interleaver("balanced");
  for (const auto& list : taken(balanced->enumerate(List{1, 2, 3}, List{4}, 10))) {
    ASSERT_EQ(list.shown.size(), 4U);
    for (const auto& clicks : click_sets(4)) {
      std::vector<Position> competitive;
      for (const Position k : clicks) {
        if (k < 2) competitive.push_back(k);
      }
      const Credit credit = balanced->credit(list.shown, clicks);
      EXPECT_EQ(credit.value, balanced->credit(list.shown, competitive).value);
      if (!clicks.empty()) {
        EXPECT_NE(credit.outcome, ClickOutcome::no_feedback);
      }
    }
  }
}

TEST(Fairness, both_take_their_turn_at_the_last_common_depth_of_balanced_interleaving) {
  // (1) and (2 3 4): as published A going first ends the list after 1, and B never answers.
  const auto wins = [](const std::string& name) {
    const auto method = interleaver(name);
    const auto lists = method->enumerate(List{1}, List{2, 3, 4}, 4).value();
    double sign = 0;
    for (Position k = 0; k < 4; ++k) sign += bias_of(*method, lists, {k}).sign / 4;
    return sign;
  };
  EXPECT_NEAR(wins("balanced"), 0, 1e-12);
  EXPECT_GT(wins("balanced(fill=false)"), 0.1);
}

TEST(Fairness, multileaving_by_team_draft_favours_nobody_in_the_mean) {
  const auto method = multileaver("team-draft-multileave");
  const std::vector<List> all = all_lists(3);
  MultileaveCredit credit;
  const auto largest_bias = [&](const Multileaver& by, const std::vector<List>& lists,
                                std::size_t length) {
    const auto drawn = by.enumerate(spans(lists), length).value();
    double largest = 0;
    for (Position k = 0; k < length; ++k) {  // the value is additive: single clicks suffice
      std::vector<double> mean(9, 0);
      for (const auto& list : drawn) {
        if (k >= list.shown.size()) continue;
        by.credit(list.shown, {&k, 1}, credit);
        for (std::size_t i = 0; i < 9; ++i) mean[i] += list.probability * credit.values[i];
      }
      for (const double value : mean) largest = std::max(largest, std::abs(value));
    }
    return largest;
  };
  int cases = 0;
  for (const List& a : all) {
    for (const List& b : all) {
      for (const List& c : all) {
        EXPECT_LT(largest_bias(*method, {a, b, c}, 3), 1e-12)
            << text_of(a) << text_of(b) << text_of(c);
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 16 * 16 * 16);
  const std::vector<List> ends_early{{1, 2}, {1, 2}, {3, 4}};
  EXPECT_LT(largest_bias(*method, ends_early, 3), 1e-12);
  EXPECT_GT(largest_bias(*multileaver("team-draft-multileave(fill=false)"), ends_early, 3), 0.1);
}

TEST(Fairness, multileaving_two_rankings_is_interleaving_them_on_a_filled_page_too) {
  const auto two = interleaver("team-draft");
  const auto many = multileaver("team-draft-multileave");
  for (const List& a : all_lists(3)) {
    for (const List& b : all_lists(3)) {
      expect_same_law(as_law(many->enumerate(spans({a, b}), 3).value()),
                      as_law(two->enumerate(a, b, 3).value()), text_of(a) + text_of(b));
    }
  }
}

}  // namespace
}  // namespace duel::test
