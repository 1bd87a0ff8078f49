// Clicks that do not depend on the documents must favour nobody. By enumeration, over all pairs of
// lists of up to four documents, equal in length or not, every length of the page and every set of
// clicked positions: a user whose clicks depend on positions alone is a mixture of these sets.
#include <gtest/gtest.h>

#include "tests/ranking/interleaving/laws.h"

namespace duel {
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
  // A = (1 2), B = (1 3 4), three shown, clicks on the second and third. As published, the ranker
  // that gets 1 loses the next pick: if A does, the others are 3 for B and then 2 for A or 4 for B;
  // if B does, 2 for A, and A's list has ended.
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

// The table of docs/interleaving.md: which means and signs favour nobody, whatever is clicked.
struct Promise {
  std::string method;
  bool value_same, sign_same;    // lists of the same documents
  bool value_other, sign_other;  // lists that differ in length and documents
};

TEST(Fairness, every_method_for_two_rankings_keeps_what_the_table_promises_and_no_more) {
  for (const Promise& promise : std::vector<Promise>{
           {"balanced", false, false, false, false},
           {"team-draft", true, true, true, false},
           {"team-draft(fill=false)", true, true, false, false},
           {"team-draft(shared=passed)", true, true, true, true},
           {"probabilistic", true, true, true, true},
           {"probabilistic(credit=marginal)", true, false, true, false},
           {"probabilistic(credit=difference)", true, false, true, false},
       }) {
    const auto method = interleaver(promise.method);
    const auto is_fair = [&](const std::vector<std::pair<List, List>>& pairs) {
      Bias largest;
      for (const auto& [a, b] : pairs) {
        for (std::size_t length = 1; length <= 4; ++length) {
          const auto lists = method->enumerate(a, b, length).value();
          for (const auto& clicks : click_sets(length)) {
            const Bias bias = bias_of(*method, lists, clicks);
            largest.value = std::max(largest.value, std::abs(bias.value));
            largest.sign = std::max(largest.sign, std::abs(bias.sign));
          }
        }
      }
      return std::pair(largest.value < 1e-9, largest.sign < 1e-9);
    };
    std::vector<std::pair<List, List>> same, other;
    for (const List& b : permutations(4)) same.emplace_back(List{1, 2, 3, 4}, b);
    for (const List& a : all_lists(3)) {
      for (const List& b : {List{2}, List{1, 4}, List{2, 3, 4}, List{3, 1, 2, 4}}) {
        other.emplace_back(a, b);
      }
    }
    EXPECT_EQ(is_fair(same), std::pair(promise.value_same, promise.sign_same)) << promise.method;
    EXPECT_EQ(is_fair(other), std::pair(promise.value_other, promise.sign_other)) << promise.method;
  }
}

// P(A wins) + P(tie)/2 for one click at a position drawn uniformly among those shown.
double share_of_first(const std::string& name, const List& a, const List& b, std::size_t length) {
  const auto method = interleaver(name);
  double share = 0;
  for (const auto& list : taken(method->enumerate(a, b, length))) {
    const auto size = static_cast<Position>(list.shown.size());
    for (Position k = 0; k < size; ++k) {
      const ClickOutcome outcome = method->credit(list.shown, {&k, 1}).outcome;
      const double win = outcome == ClickOutcome::first_wins
                             ? 1
                             : (outcome == ClickOutcome::second_wins ? 0 : 0.5);
      share += list.probability * win / size;
    }
  }
  return share;
}

TEST(Fairness, a_win_by_the_sign_of_marginal_credit_is_not_fair_and_one_by_the_coins_is) {
  const List a{1, 2, 3, 4}, b{2, 3, 4, 1};
  EXPECT_NEAR(share_of_first("probabilistic", a, b, 4), 0.5, 1e-12);
  EXPECT_NEAR(share_of_first("team-draft", a, b, 4), 0.5, 1e-12);
  EXPECT_LT(share_of_first("probabilistic(credit=marginal)", a, b, 4), 0.42);
}

TEST(Fairness, raw_credit_of_optimised_interleaving_needs_lists_of_the_same_documents) {
  const auto mean = [](const List& a, const List& b) {
    const auto method = interleaver("optimised");
    return bias_of(*method, method->enumerate(a, b, 3).value(), {0, 1, 2}).value;
  };
  EXPECT_NEAR(mean({1, 2, 3}, {2, 3, 1}), 0, 1e-8);
  // (1) and (2 3 4): what a list lacks has rank length + 1, 1/2 by A and 1/4 by B, and no list that
  // takes tops alone can make up for it.
  EXPECT_GT(std::abs(mean({1}, {2, 3, 4})), 0.05);
}

TEST(Fairness, multileavers_keep_what_the_table_promises_and_no_more) {
  MultileaveCredit credit;
  const auto largest = [&](const std::string& name, const std::vector<std::vector<List>>& cases) {
    const auto method = multileaver(name);
    Bias worst;
    for (const auto& lists : cases) {
      const auto drawn = method->enumerate(spans(lists), 3).value();
      for (const auto& positions : click_sets(3)) {
        std::vector<double> value(9, 0), sign(9, 0);
        for (const auto& list : drawn) {
          std::vector<Position> clicks;
          for (const Position k : positions) {
            if (k < list.shown.size()) clicks.push_back(k);
          }
          method->credit(list.shown, clicks, credit);
          for (std::size_t i = 0; i < 9; ++i) {
            value[i] += list.probability * credit.values[i];
            if (credit.outcomes[i] == ClickOutcome::first_wins) sign[i] += list.probability;
            if (credit.outcomes[i] == ClickOutcome::second_wins) sign[i] -= list.probability;
          }
        }
        for (std::size_t i = 0; i < 9; ++i) {
          worst.value = std::max(worst.value, std::abs(value[i]));
          worst.sign = std::max(worst.sign, std::abs(sign[i]));
        }
      }
    }
    return worst;
  };
  std::vector<std::vector<List>> same, other;
  for (const List& b : permutations(3)) {
    for (const List& c : permutations(3)) same.push_back({{1, 2, 3}, b, c});
  }
  other.push_back({{1, 2}, {1, 3, 4}, {1, 2, 5}});
  for (const List& a : all_lists(3)) {
    other.push_back({a, {2, 4}, {1, 4, 3}});
    other.push_back({a, {1, 2}, {3, 4}});
  }
  for (const Promise& promise : std::vector<Promise>{
           {"team-draft-multileave", true, true, true, false},
           {"team-draft-multileave(fill=false)", true, true, false, false},
           {"probabilistic-multileave", true, false, true, false},
           {"probabilistic-multileave(assignments=drawn)", true, true, true, true},
           {"sample-scored-multileave", false, false, false, false},
           {"pairwise-preference-multileave", true, false, true, false},
           {"pairwise-preference-multileave(credit=correct)", false, false, false, false},
       }) {
    const Bias at_same = largest(promise.method, same), at_other = largest(promise.method, other);
    EXPECT_EQ(at_same.value < 1e-9, promise.value_same) << promise.method << at_same.value;
    EXPECT_EQ(at_same.sign < 1e-9, promise.sign_same) << promise.method << at_same.sign;
    EXPECT_EQ(at_other.value < 1e-9, promise.value_other) << promise.method << at_other.value;
    EXPECT_EQ(at_other.sign < 1e-9, promise.sign_other) << promise.method << at_other.sign;
  }
}

}  // namespace
}  // namespace duel
