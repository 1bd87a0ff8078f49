// What each multileaver may show and how it credits: by hand, against literal twins, by sampling.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ranking/interleaving/laws.h"

namespace duel {
namespace {

const std::vector<std::string> kMethods = {
    "team-draft-multileave(fill=false)", "probabilistic-multileave",
    "probabilistic-multileave(assignments=drawn)", "sample-scored-multileave",
    "pairwise-preference-multileave"};

Law twin_law(const std::string& method, const std::vector<List>& lists, std::size_t length) {
  if (method == "team-draft-multileave(fill=false)") return team_draft_law(lists, length);
  if (method == "probabilistic-multileave") {
    return without_teams(probabilistic_law(lists, length, 3));
  }
  if (method == "probabilistic-multileave(assignments=drawn)") {
    return probabilistic_law(lists, length, 3);
  }
  if (method == "sample-scored-multileave") return prefix_law(lists, length);
  return pairwise_law(lists, length);
}

std::vector<std::vector<List>> triples() {
  const auto all = permutations(3);
  std::vector<std::vector<List>> triples;
  for (const List& a : all) {
    for (const List& b : all) {
      for (const List& c : all) triples.push_back({a, b, c});
    }
  }
  return triples;
}

std::vector<std::vector<List>> pairs_of_up_to_4() {
  std::vector<std::vector<List>> pairs;
  for (Document n = 1; n <= 4; ++n) {
    const auto all = permutations(n);
    for (const List& a : all) {
      for (const List& b : all) pairs.push_back({a, b});
    }
  }
  return pairs;
}

std::string text_of_all(const std::vector<List>& lists) {
  std::string text;
  for (const List& list : lists) text += text_of(list);
  return text;
}

TEST(Multileaver, shows_what_its_literal_twin_shows) {
  std::vector<std::vector<List>> cases = triples();
  for (const auto& pair : pairs_of_up_to_4()) cases.push_back(pair);
  cases.push_back({{1, 2, 3}, {4, 1}, {5}});
  cases.push_back({{1, 2}, {}, {3}});
  cases.push_back({{}, {}});
  cases.push_back({{1, 2, 3, 4}});
  for (const std::string& name : kMethods) {
    const auto method = multileaver(name);
    for (const auto& lists : cases) {
      const std::size_t length = lists[0].size() > 2 && lists.size() == 3 ? 3 : 4;
      expect_same_law(as_law(method->enumerate(spans(lists), length).value()),
                      twin_law(name, lists, length), name + text_of_all(lists));
    }
  }
}

TEST(Multileaver, samples_the_law_that_it_enumerates) {
  for (const std::string& name : kMethods) {
    const auto method = multileaver(name);
    const Stream stream(12, 0, Purpose::test, name);
    Round round = 0;
    Multileaving shown;
    for (const auto& lists : triples()) {
      RoundRng rng = stream.at(round++);
      constexpr int n = 2000;
      std::map<ShownList, int> counts;
      const auto rankings = spans(lists);
      for (int k = 0; k < n; ++k) {
        method->multileave(rankings, 3, rng, shown);
        ++counts[as_shown(shown)];
      }
      expect_sample_of(as_law(method->enumerate(rankings, 3).value()), counts, n,
                       name + text_of_all(lists));
    }
  }
}

TEST(Multileaver, two_rankers_are_interleaved_as_by_the_method_for_two) {
  const auto team_draft = interleaver("team-draft");
  const auto probabilistic = interleaver("probabilistic(credit=marginal)");
  MultileaveCredit credit;
  for (const auto& lists : pairs_of_up_to_4()) {
    const auto rankings = spans(lists);
    const std::size_t length = lists[0].size();
    for (const bool drafts : {true, false}) {
      const auto method =
          multileaver(drafts ? "team-draft-multileave" : "probabilistic-multileave");
      const auto& twin = drafts ? team_draft : probabilistic;
      const auto many = method->enumerate(rankings, length).value();
      const auto two = twin->enumerate(lists[0], lists[1], length).value();
      expect_same_law(as_law(many), as_law(two), text_of_all(lists));
      ASSERT_EQ(many.size(), two.size());
      for (std::size_t k = 0; k < many.size(); ++k) {
        ASSERT_EQ(many[k].shown.documents, two[k].shown.documents);
        for (const auto& clicks : click_sets(many[k].shown.size())) {
          // Enumerations are sorted by list, then team.
          method->credit(many[k].shown, clicks, credit);
          const Credit expected = twin->credit(two[k].shown, clicks);
          EXPECT_NEAR(credit.value(0, 1), expected.value, 1e-12);
          EXPECT_NEAR(credit.credits[0], expected.first, 1e-12);
          EXPECT_NEAR(credit.credits[1], expected.second, 1e-12);
          EXPECT_EQ(credit.outcome(0, 1), expected.outcome);
        }
      }
    }
  }
}

TEST(Multileaver, equal_rankers_have_preferences_of_mean_0) {
  MultileaveCredit credit;
  for (const std::string& name : kMethods) {
    const auto method = multileaver(name);
    const std::vector<List> lists(3, List{2, 3, 1});
    std::vector<double> mean(9, 0);
    for (const auto& list : taken(method->enumerate(spans(lists), 3))) {
      for (const auto& clicks : click_sets(list.shown.size())) {
        method->credit(list.shown, clicks, credit);
        for (std::size_t k = 0; k < 9; ++k) {
          mean[k] += list.probability * credit.values[k];
          EXPECT_EQ(credit.outcomes[k], ClickOutcome::no_contest);
        }
      }
    }
    for (const double value : mean) EXPECT_NEAR(value, 0, 1e-15) << name;
  }
}

TEST(Multileaver, random_clicks_favour_nobody) {
  // Exactly, by enumeration: every position clicked with probability 1/2. Sample-only scored
  // multileaving makes no such promise.
  MultileaveCredit credit;
  for (const std::string name :
       {"team-draft-multileave", "probabilistic-multileave",
        "probabilistic-multileave(assignments=drawn)", "pairwise-preference-multileave"}) {
    const auto method = multileaver(name);
    for (const auto& lists : triples()) {
      std::vector<double> mean(9, 0);
      for (const auto& list : taken(method->enumerate(spans(lists), 3))) {
        const auto sets = click_sets(list.shown.size());
        for (const auto& clicks : sets) {
          method->credit(list.shown, clicks, credit);
          for (std::size_t k = 0; k < 9; ++k) {
            mean[k] += list.probability * credit.values[k] / static_cast<double>(sets.size());
          }
        }
      }
      for (const double value : mean) EXPECT_NEAR(value, 0, 1e-12) << name << text_of_all(lists);
    }
  }
}

TEST(ProbabilisticMultileave, preference_is_the_mean_over_all_assignments) {
  const auto method = multileaver("probabilistic-multileave");
  const std::vector<List> lists{{1, 2, 3}, {3, 1, 2}, {2, 4, 1}};
  MultileaveCredit credit;
  for (const auto& list : taken(method->enumerate(spans(lists), 3))) {
    for (const auto& clicks : click_sets(3)) {
      method->credit(list.shown, clicks, credit);
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t s = 0; s < 3; ++s) {
          double expected = 0;
          for (int code = 0; code < 27; ++code) {  // who drew each of the three positions
            double p = 1;
            int difference = 0;
            std::size_t digit = static_cast<std::size_t>(code);
            for (Position k = 0; k < 3; ++k, digit /= 3) {
              p *= list.shown.credits_at(k)[digit % 3];
              if (!std::count(clicks.begin(), clicks.end(), k)) continue;
              difference += (digit % 3 == r ? 1 : 0) - (digit % 3 == s ? 1 : 0);
            }
            expected += p * ((difference > 0 ? 1 : 0) - (difference < 0 ? 1 : 0));
          }
          EXPECT_NEAR(credit.value(r, s), expected, 1e-12);
        }
      }
    }
  }
}

TEST(ProbabilisticMultileave, sampled_assignments_come_near_the_exact_preference) {
  const auto exact = multileaver("probabilistic-multileave");
  const auto sampled = multileaver("probabilistic-multileave(assignments=sampled)");
  const std::vector<List> lists{{1, 2, 3, 4}, {3, 1, 2, 4}, {4, 3, 2, 1}};
  MultileaveCredit one, other;
  Multileaving shown;
  const std::vector<Position> clicks{0, 2};
  for (Round k = 0; k < 50; ++k) {
    RoundRng rng = Stream(9, 0, Purpose::test).at(k);
    sampled->multileave(spans(lists), 4, rng, shown);
    exact->credit(shown, clicks, one);
    sampled->credit(shown, clicks, other);
    // A mean of 10 000 signs has a standard error of at most 0.01.
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(one.values[i], other.values[i], 0.05);
    MultileaveCredit again;
    sampled->credit(shown, clicks, again);
    EXPECT_EQ(again.values, other.values);
  }
}

TEST(TeamDraftMultileave, shows_a_common_prefix_without_a_team) {
  const auto method = multileaver("team-draft-multileave(common-prefix=true)");
  const std::vector<List> lists{{7, 1, 2}, {7, 2, 1}, {7, 1, 2}};
  for (const auto& list : taken(method->enumerate(spans(lists), 3))) {
    EXPECT_EQ(list.shown.documents[0], 7U);
    EXPECT_EQ(list.shown.teams[0], Multileaving::kNoTeam);
    EXPECT_NE(list.shown.teams[1], Multileaving::kNoTeam);
    MultileaveCredit credit;
    const std::vector<Position> clicks{0};
    method->credit(list.shown, clicks, credit);
    EXPECT_EQ(credit.credits, (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(credit.outcome(0, 1), ClickOutcome::tie);
    EXPECT_EQ(credit.outcome(0, 2), ClickOutcome::no_contest);
  }
}

TEST(SampleScoredMultileave, divides_a_click_by_its_mean_over_the_rankers) {
  // Document 1 has ranks 1, 2, 3: credits 1, 1/2, 1/3 over their mean 11/18.
  const std::vector<List> lists{{1, 2, 3}, {2, 1, 3}, {3, 2, 1}};
  for (const auto& list :
       taken(multileaver("sample-scored-multileave")->enumerate(spans(lists), 3))) {
    const auto at = std::find(list.shown.documents.begin(), list.shown.documents.end(), 1U);
    const auto credits =
        list.shown.credits_at(static_cast<std::size_t>(at - list.shown.documents.begin()));
    EXPECT_NEAR(credits[0], 18.0 / 11, 1e-15);
    EXPECT_NEAR(credits[1], 9.0 / 11, 1e-15);
    EXPECT_NEAR(credits[2], 6.0 / 11, 1e-15);
  }
  // With -rank: -1, -2, -3 over 2. The better rank keeps the larger credit.
  const auto by_rank = multileaver("sample-scored-multileave(credit=negative-rank)");
  const auto list = by_rank->enumerate(spans(lists), 1).value()[0];
  ASSERT_EQ(list.shown.documents, List{1});
  EXPECT_EQ(list.shown.credits, (std::vector<double>{-0.5, -1, -1.5}));
}

TEST(PairwisePreferenceMultileave, credits_as_its_literal_twin) {
  const auto method = multileaver("pairwise-preference-multileave");
  std::vector<std::vector<List>> cases = triples();
  cases.push_back({{1, 2, 3, 4}, {4, 2, 1, 3}, {2, 5}});
  cases.push_back({{1, 2, 3, 4, 5}, {9}});
  MultileaveCredit credit;
  for (const auto& lists : cases) {
    for (const auto& list : taken(method->enumerate(spans(lists), 4))) {
      for (const auto& clicks : click_sets(list.shown.size())) {
        method->credit(list.shown, clicks, credit);
        const auto expected = pairwise_scores(lists, list.shown.documents, clicks);
        for (std::size_t r = 0; r < lists.size(); ++r) {
          EXPECT_NEAR(credit.credits[r], expected[r], 1e-12) << text_of_all(lists);
        }
      }
    }
  }
}

TEST(PairwisePreferenceMultileave, weighs_a_pair_by_hand) {
  // A = (1,2), B = (2,1): Omega(1) = {1,2}, both best at rank 1, weight 1. ShownList (1,2), click
  // on 2: seen are both; pair (2 over 1): A loses 1, B gains 1.
  const auto method = multileaver("pairwise-preference-multileave");
  const std::vector<List> lists{{1, 2}, {2, 1}};
  MultileaveCredit credit;
  for (const auto& list : taken(method->enumerate(spans(lists), 2))) {
    EXPECT_EQ(list.probability, 0.5);
    const Position clicked = list.shown.documents[0] == 2 ? 0 : 1;
    method->credit(list.shown, {&clicked, 1}, credit);
    EXPECT_EQ(credit.credits, (std::vector<double>{-1, 1}));
    EXPECT_EQ(credit.outcome(0, 1), ClickOutcome::second_wins);
    EXPECT_EQ(credit.outcome(1, 0), ClickOutcome::first_wins);
  }
  // The other public version: gains only, averaged over the pairs.
  const auto correct = multileaver("pairwise-preference-multileave(credit=correct)");
  const auto list = correct->enumerate(spans(lists), 2).value()[0];
  const Position top = 0;
  correct->credit(list.shown, {&top, 1}, credit);
  EXPECT_EQ(credit.credits[0] + credit.credits[1], 1);
}

}  // namespace
}  // namespace duel
