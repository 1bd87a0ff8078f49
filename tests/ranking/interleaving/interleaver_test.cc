// What each method for two rankings may show, by hand, against a literal twin, and by sampling.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "duel/ranking/interleaving/optimised.h"
#include "tests/ranking/interleaving/laws.h"

namespace duel {
namespace {

const std::vector<std::string> kMethods = {"balanced",
                                           "balanced(fill=false)",
                                           "team-draft",
                                           "team-draft(fill=false)",
                                           "team-draft(shared=passed)",
                                           "probabilistic",
                                           "probabilistic(credit=marginal)",
                                           "probabilistic(credit=difference)",
                                           "probabilistic(tau=1.5,credit=marginal,coins=draft)",
                                           "probabilistic(tau=1,coins=draft)",
                                           "optimised",
                                           "optimised(credit=linear-rank)",
                                           "optimised(credit=negative-rank,sensitivity=absolute)"};

Law twin_law(const std::string& method, const List& a, const List& b, std::size_t length) {
  if (method == "balanced") return filled_balanced_law(a, b, length);
  if (method == "balanced(fill=false)") return balanced_law(a, b, length);
  if (method == "team-draft(fill=false)") return team_draft_law({a, b}, length);
  if (method == "team-draft") return filled_draft_law(a, b, length, false);
  if (method == "team-draft(shared=passed)") return filled_draft_law(a, b, length, true);
  const bool draft = method.find("coins=draft") != std::string::npos;
  const double tau = method.find("tau=1.5") != std::string::npos  ? 1.5
                     : method.find("tau=1,") != std::string::npos ? 1
                                                                  : 3;
  const Law law = probabilistic_law({a, b}, length, tau, draft);
  return method.find("credit") == std::string::npos ? law : without_teams(law);
}

bool has_twin_law(const std::string& method) { return !method.starts_with("optimised"); }

template <class Use>
void for_all_pairs(Document most, Use&& use) {
  for (Document n = 1; n <= most; ++n) {
    const auto all = permutations(n);
    for (const List& a : all) {
      for (const List& b : all) use(a, b);
    }
  }
}

// E[value] and E[sign of the outcome] when every position is clicked with probability 1/2.
struct Expected {
  double value = 0;
  double sign = 0;
};
Expected under_random_clicks(const Interleaver& method, const List& a, const List& b,
                             std::size_t length) {
  Expected expected;
  const auto lists = method.enumerate(a, b, length).value();
  for (const WeightedInterleaving& list : lists) {
    const auto sets = click_sets(list.shown.size());
    for (const auto& clicks : sets) {
      const Credit credit = method.credit(list.shown, clicks);
      const double p = list.probability / static_cast<double>(sets.size());
      expected.value += p * credit.value;
      if (credit.outcome == ClickOutcome::first_wins) expected.sign += p;
      if (credit.outcome == ClickOutcome::second_wins) expected.sign -= p;
    }
  }
  return expected;
}

TEST(Interleaver, shows_what_its_literal_twin_shows_for_all_pairs_of_rankings_of_up_to_4) {
  for (const std::string& name : kMethods) {
    if (!has_twin_law(name)) continue;
    const auto method = interleaver(name);
    for_all_pairs(4, [&](const List& a, const List& b) {
      for (std::size_t length = 1; length <= a.size(); ++length) {
        expect_same_law(as_law(method->enumerate(a, b, length).value()),
                        twin_law(name, a, b, length), name + text_of(a) + text_of(b));
      }
    });
  }
}

TEST(Interleaver, shows_what_its_literal_twin_shows_for_lists_that_share_only_some_documents) {
  const std::vector<std::pair<List, List>> pairs = {
      {{1, 2, 3}, {3, 4}}, {{1}, {2, 3, 4}}, {{}, {1, 2}},       {{5, 1}, {}}, {{}, {}},
      {{1, 2}, {3, 4}},    {{7}, {7}},       {{1, 2, 3, 4}, {4}}};
  for (const std::string& name : kMethods) {
    if (!has_twin_law(name)) continue;
    for (const auto& [a, b] : pairs) {
      expect_same_law(as_law(interleaver(name)->enumerate(a, b, 10).value()),
                      twin_law(name, a, b, 10), name + text_of(a) + text_of(b));
    }
  }
}

TEST(Interleaver, samples_the_law_that_it_enumerates) {
  for (const std::string& name : kMethods) {
    const auto method = interleaver(name);
    const Stream stream(11, 0, Purpose::test, name);
    Round round = 0;
    Interleaving shown;
    for_all_pairs(4, [&](const List& a, const List& b) {
      const int n = a.size() == 4 ? 1000 : 20000;
      if (a.size() == 4 && (a[0] > 2 || b[3] == 1)) return;  // a third of them, for time
      RoundRng rng = stream.at(round++);
      const auto prepared = method->prepare(a, b, a.size(), rng);
      // Marginal credit forgets the coins that the sampler threw.
      const bool keeps_teams = name.starts_with("team-draft") ||
                               method->enumerate(a, b, 1).value()[0].shown.teams[0] != Team::none;
      std::map<ShownList, int> counts;
      for (int k = 0; k < n; ++k) {
        prepared->draw(rng, shown);
        ShownList drawn = as_shown(shown);
        if (!keeps_teams) std::fill(drawn.second.begin(), drawn.second.end(), -1);
        ++counts[drawn];
      }
      expect_sample_of(as_law(method->enumerate(a, b, a.size()).value()), counts, n,
                       name + text_of(a) + text_of(b));
    });
  }
}

TEST(Interleaver, equal_rankers_are_no_contest_and_have_expectation_exactly_0) {
  for (const std::string& name : kMethods) {
    const auto method = interleaver(name);
    for (Document n = 1; n <= 4; ++n) {
      for (const List& a : permutations(n)) {
        double mean = 0;
        for (const auto& list : taken(method->enumerate(a, a, n))) {
          EXPECT_FALSE(list.shown.contest);
          for (const auto& clicks : click_sets(list.shown.size())) {
            const Credit credit = method->credit(list.shown, clicks);
            EXPECT_EQ(credit.outcome, ClickOutcome::no_contest);
            // Powers of 2 and small fractions: products and sums of attributions that mirror each
            // other cancel exactly.
            mean += list.probability * credit.value;
          }
        }
        EXPECT_NEAR(mean, 0,
                    name == "probabilistic" || name.find("tau=1,") != std::string::npos ? 1e-15 : 0)
            << name << text_of(a);
      }
    }
  }
}

TEST(Interleaver, exchanging_the_rankers_mirrors_the_credit) {
  for (const std::string& name : kMethods) {
    const auto method = interleaver(name);
    for_all_pairs(3, [&](const List& a, const List& b) {
      const Expected one = under_random_clicks(*method, a, b, 3);
      const Expected other = under_random_clicks(*method, b, a, 3);
      EXPECT_NEAR(one.value, -other.value, 1e-9) << name << text_of(a) << text_of(b);
    });
  }
}

TEST(Interleaver, random_clicks_favour_nobody_except_in_balanced_interleaving) {
  for (const std::string& name : kMethods) {
    const auto method = interleaver(name);
    for_all_pairs(4, [&](const List& a, const List& b) {
      const Expected expected = under_random_clicks(*method, a, b, a.size());
      if (name.starts_with("balanced")) return;
      // The linear programme holds its constraints to 1e-9.
      EXPECT_NEAR(expected.value, 0, 1e-8) << name << text_of(a) << text_of(b);
      if (name.starts_with("team-draft") || name == "probabilistic") {
        EXPECT_NEAR(expected.sign, 0, 1e-12) << name << text_of(a) << text_of(b);
      }
    });
  }
}

TEST(Interleaver, names_both_sides_when_nothing_is_clicked_or_shown) {
  for (const std::string& name : kMethods) {
    const auto method = interleaver(name);
    RoundRng rng(1, 0, 0);
    Interleaving shown;
    method->interleave(List{1, 2}, List{2, 1}, 2, rng, shown);
    EXPECT_EQ(method->credit(shown, {}).outcome, ClickOutcome::no_feedback) << name;
    EXPECT_EQ(method->credit(shown, {}).value, 0) << name;
    method->interleave(List{}, List{}, 2, rng, shown);
    EXPECT_EQ(shown.size(), 0U) << name;
    EXPECT_EQ(method->credit(shown, {}).outcome, ClickOutcome::no_contest) << name;
    method->interleave(List{1, 2}, List{2, 1}, 0, rng, shown);
    EXPECT_EQ(shown.size(), 0U) << name;
  }
}

TEST(Interleaver, additive_credit_is_the_sum_over_positions) {
  for (const std::string& name : kMethods) {
    const auto method = interleaver(name);
    if (!method->is_additive()) continue;
    for (const auto& list : taken(method->enumerate(List{1, 2, 3, 4}, List{3, 1, 4, 2}, 4))) {
      for (const auto& clicks : click_sets(4)) {
        double sum = 0;
        for (const Position k : clicks) {
          sum += list.shown.first_credit[k] - list.shown.second_credit[k];
        }
        EXPECT_NEAR(method->credit(list.shown, clicks).value, sum, 1e-12);
      }
    }
  }
}

// Balanced
// -----------------------------------------------------------------------------------------

TEST(Balanced, follows_the_trace_that_shows_its_bias) {
  const auto method = interleaver("balanced");
  const List a{1, 2, 3}, b{2, 3, 1};
  // First = A: (1,2,3). First = B: (2,1,3).
  for (const auto& list : taken(method->enumerate(a, b, 3))) {
    EXPECT_EQ(list.probability, 0.5);
    if (list.shown.documents != List{1, 2, 3}) {
      EXPECT_EQ(list.shown.documents, (List{2, 1, 3}));
      continue;
    }
    const Position top = 0, middle = 1, bottom = 2;
    EXPECT_EQ(method->credit(list.shown, {&top, 1}).outcome, ClickOutcome::first_wins);
    EXPECT_EQ(method->credit(list.shown, {&middle, 1}).outcome, ClickOutcome::second_wins);
    const Credit credit = method->credit(list.shown, {&bottom, 1});  // k = 2, h_A = 0, h_B = 1
    EXPECT_EQ(credit.first, 0);
    EXPECT_EQ(credit.second, 1);
    EXPECT_EQ(credit.outcome, ClickOutcome::second_wins);
  }
  // One click at random: A wins only through document 1, B through 2 and 3.
  double mean = 0;
  for (const auto& list : taken(method->enumerate(a, b, 3))) {
    for (Position k = 0; k < 3; ++k) {
      mean += list.probability / 3 * method->credit(list.shown, {&k, 1}).value;
    }
  }
  EXPECT_NEAR(mean, -1.0 / 3, 1e-15);
}

TEST(Balanced, credits_as_its_literal_twin_for_all_clicks) {
  const auto method = interleaver("balanced");
  for_all_pairs(4, [&](const List& a, const List& b) {
    for (const auto& list : taken(method->enumerate(a, b, a.size()))) {
      for (const auto& clicks : click_sets(list.shown.size())) {
        List clicked;
        for (const Position k : clicks) clicked.push_back(list.shown.documents[k]);
        const double value = method->credit(list.shown, clicks).value;
        EXPECT_EQ((value > 0 ? 1 : 0) - (value < 0 ? 1 : 0), balanced_winner(a, b, clicked));
      }
    }
  });
}

// Team draft
// ---------------------------------------------------------------------------------------

TEST(TeamDraft, shows_each_top_first_with_one_half_and_keeps_teams_level) {
  const auto method = interleaver("team-draft");
  for_all_pairs(4, [&](const List& a, const List& b) {
    double a_first = 0;
    for (const auto& list : taken(method->enumerate(a, b, a.size()))) {
      if (list.shown.documents[0] == a[0]) a_first += list.probability;
      int lead = 0;
      for (const Team team : list.shown.teams) {
        lead += team == Team::first ? 1 : -1;
        EXPECT_LE(std::abs(lead), 1);
      }
    }
    EXPECT_EQ(a_first, a[0] == b[0] ? 1 : 0.5);
  });
}

TEST(TeamDraft, merges_the_six_documents_of_the_slides) {
  // A = 1..6, B = 4,1,2,3,5,6. Round 1 shows 1 and 4 in either order; after that both rankings
  // agree, so that only the teams are random: 2 lists, 2^3 attributions of 1/8.
  const List a{1, 2, 3, 4, 5, 6}, b{4, 1, 2, 3, 5, 6};
  const auto lists = interleaver("team-draft")->enumerate(a, b, 6).value();
  EXPECT_EQ(lists.size(), 8U);
  double a_on_top = 0;
  for (const auto& list : lists) {
    EXPECT_EQ(list.probability, 0.125);
    const bool leads = list.shown.documents == List{1, 4, 2, 3, 5, 6};
    EXPECT_TRUE(leads || list.shown.documents == (List{4, 1, 2, 3, 5, 6}));
    EXPECT_EQ(list.shown.teams[0], leads ? Team::first : Team::second);
    if (leads) a_on_top += list.probability;
    // A click on 4 speaks for B and one on 1 for A, no matter which of them picked first.
    const Position at_4 = leads ? 1 : 0, at_1 = leads ? 0 : 1;
    const auto method = interleaver("team-draft");
    EXPECT_EQ(method->credit(list.shown, {&at_4, 1}).outcome, ClickOutcome::second_wins);
    EXPECT_EQ(method->credit(list.shown, {&at_1, 1}).outcome, ClickOutcome::first_wins);
  }
  EXPECT_EQ(a_on_top, 0.5);
  // Balanced interleaving shows the same two lists.
  const Law law = as_law(interleaver("balanced")->enumerate(a, b, 6).value());
  EXPECT_EQ(law, (Law{{{{1, 4, 2, 3, 5, 6}, std::vector<int>(6, -1)}, 0.5},
                      {{{4, 1, 2, 3, 5, 6}, std::vector<int>(6, -1)}, 0.5}}));
}

// Probabilistic
// ------------------------------------------------------------------------------------

const WeightedInterleaving& with_list(const std::vector<WeightedInterleaving>& lists,
                                      const List& documents) {
  for (const auto& list : lists) {
    if (list.shown.documents == documents) return list;
  }
  throw std::runtime_error("not shown");
}

TEST(Probabilistic, follows_the_trace) {
  // A=(1,2,3), B=(2,3,1), shown (1,2,3): q = (27/28, 243/523, 1/2).
  const auto method = interleaver("probabilistic(credit=marginal)");
  const auto lists = method->enumerate(List{1, 2, 3}, List{2, 3, 1}, 3).value();
  EXPECT_EQ(lists.size(), 6U);
  const Interleaving& shown = with_list(lists, {1, 2, 3}).shown;
  EXPECT_NEAR(shown.first_credit[0], 27.0 / 28, 1e-15);
  EXPECT_NEAR(shown.first_credit[1], 243.0 / 523, 1e-15);
  EXPECT_NEAR(shown.first_credit[2], 0.5, 1e-15);
  const std::vector<Position> top{0}, second{1}, both{0, 1};
  EXPECT_NEAR(method->credit(shown, top).value, 26.0 / 28, 1e-15);
  EXPECT_NEAR(method->credit(shown, second).value, -37.0 / 523, 1e-15);
  const double q1 = 27.0 / 28, q2 = 243.0 / 523;
  EXPECT_NEAR(method->credit(shown, both).value, q1 * q2 - (1 - q1) * (1 - q2), 1e-15);
  EXPECT_NEAR(method->credit(shown, both).value, 0.42891, 5e-6);
  const auto difference = interleaver("probabilistic(credit=difference)");
  EXPECT_NEAR(difference->credit(shown, both).value, 2 * (q1 + q2) - 2, 1e-15);
}

TEST(Probabilistic, marginal_credit_is_the_mean_over_all_coins_that_fit_the_list) {
  // For every list: E[sign] and E[difference] under the twin's joint law of coins given the list.
  for (const bool draft : {false, true}) {
    const std::string coins = draft ? "draft" : "independent";
    const auto method = interleaver("probabilistic(credit=marginal,coins=" + coins + ")");
    const auto by_difference = interleaver("probabilistic(credit=difference,coins=" + coins + ")");
    const std::vector<std::pair<List, List>> pairs = {
        {{1, 2, 3, 4}, {3, 1, 4, 2}}, {{1, 2, 3}, {3, 4}}, {{1, 2, 3, 4}, {4, 3, 2, 1}}};
    for (const auto& [a, b] : pairs) {
      const Law joint = probabilistic_law({a, b}, 4, 3, draft);
      for (const auto& list : taken(method->enumerate(a, b, 4))) {
        for (const auto& clicks : click_sets(list.shown.size())) {
          double mass = 0, sign = 0, difference = 0;
          for (const auto& [shown, p] : joint) {
            if (shown.first != list.shown.documents) continue;
            int d = 0;
            for (const Position k : clicks) d += shown.second[k] == 0 ? 1 : -1;
            mass += p;
            difference += p * d;
            sign += p * ((d > 0 ? 1 : 0) - (d < 0 ? 1 : 0));
          }
          EXPECT_NEAR(by_difference->credit(list.shown, clicks).value, difference / mass, 1e-12);
          EXPECT_NEAR(method->credit(list.shown, clicks).value, sign / mass, 1e-12);
        }
      }
    }
  }
}

TEST(Probabilistic, keeps_its_digits_while_long_lists_run_out) {
  // Steep softmaxes of 200 documents shown to the end: the sums shrink by many orders of magnitude.
  List a, b;
  for (Document x = 0; x < 200; ++x) a.push_back(x);
  for (Document x = 0; x < 200; ++x) b.push_back((x * 37) % 230);
  for (const double tau : {0.0, 3.0, 9.0, 16.0}) {
    const auto method = interleaver(fmt::format("probabilistic(tau={},credit=marginal)", tau));
    RoundRng rng(3, 0, 0);
    Interleaving shown;
    method->interleave(a, b, 1000, rng, shown);
    List left = literal_union({a, b});
    ASSERT_EQ(shown.size(), left.size());
    for (std::size_t k = 0; k < shown.size(); ++k) {
      const Document x = shown.documents[k];
      const double pa = literal_softmax(a, left, x, tau), pb = literal_softmax(b, left, x, tau);
      ASSERT_NEAR(shown.first_credit[k], pa / (pa + pb), 1e-11) << tau << " at " << k;
      left.erase(std::find(left.begin(), left.end(), x));
    }
  }
}

// Optimised
// ----------------------------------------------------------------------------------------

TEST(Optimised, gives_two_swapped_documents_one_half_each) {
  const auto lists = interleaver("optimised")->enumerate(List{1, 2}, List{2, 1}, 2).value();
  ASSERT_EQ(lists.size(), 2U);
  for (const auto& list : lists) {
    EXPECT_NEAR(list.probability, 0.5, 1e-9);
    const bool a_on_top = list.shown.documents[0] == 1;
    EXPECT_EQ(list.shown.first_credit[0] - list.shown.second_credit[0], a_on_top ? 0.5 : -0.5);
  }
}

TEST(Optimised, solves_three_documents_as_by_hand) {
  // A=(1,2,3), B=(2,3,1): delta = (2/3, -1/2, -1/6); candidates 123, 213, 231. k=1: 2/3 p_123 =
  // 1/2 (p_213 + p_231), so p_123 = 3/7; k=2: (p_123 + p_213)/6 = 2/3 p_231, so p_231 = 1/5.
  const auto lists = interleaver("optimised")->enumerate(List{1, 2, 3}, List{2, 3, 1}, 3).value();
  ASSERT_EQ(lists.size(), 3U);
  EXPECT_NEAR(with_list(lists, {1, 2, 3}).probability, 3.0 / 7, 1e-9);
  EXPECT_NEAR(with_list(lists, {2, 1, 3}).probability, 13.0 / 35, 1e-9);
  EXPECT_NEAR(with_list(lists, {2, 3, 1}).probability, 1.0 / 5, 1e-9);
  // The example of docs/interleaving.md: one click at random on any of the three has raw mean 0,
  // but one document speaks for A and two for B.
  double value = 0, sign = 0;
  const auto method = interleaver("optimised");
  for (const auto& list : lists) {
    for (Position k = 0; k < 3; ++k) {
      const Credit credit = method->credit(list.shown, {&k, 1});
      value += list.probability / 3 * credit.value;
      sign += list.probability / 3 * (credit.outcome == ClickOutcome::first_wins ? 1 : -1);
    }
  }
  EXPECT_NEAR(value, 0, 1e-12);
  EXPECT_NEAR(sign, -1.0 / 3, 1e-12);
}

TEST(Optimised, every_prefix_has_expected_credit_0_and_every_list_keeps_the_prefix_constraint) {
  for (const std::string name : {"optimised", "optimised(credit=negative-rank)",
                                 "optimised(credit=linear-rank,sensitivity=absolute)"}) {
    const auto method = interleaver(name);
    for_all_pairs(4, [&](const List& a, const List& b) {
      const Law possible = prefix_law({a, b}, a.size());
      std::vector<double> prefix(a.size(), 0);
      for (const auto& list : taken(method->enumerate(a, b, a.size()))) {
        EXPECT_TRUE(possible.contains(as_shown(list.shown)));
        double sum = 0;
        for (std::size_t k = 0; k < a.size(); ++k) {
          sum += list.shown.first_credit[k] - list.shown.second_credit[k];
          prefix[k] += list.probability * sum;
        }
      }
      for (const double mean : prefix)
        EXPECT_NEAR(mean, 0, 1e-8) << name << text_of(a) << text_of(b);
    });
  }
}

TEST(Optimised, each_sensitivity_is_best_at_its_own_objective) {
  const List a{1, 2, 3, 4}, b{4, 3, 2, 1};
  const auto moments = [&](const std::string& name) {
    double variance = 0, absolute = 0;
    const double weights = 1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4;
    for (const auto& list : taken(interleaver(name)->enumerate(a, b, 4))) {
      double o = 0;
      for (int k = 0; k < 4; ++k) {
        const auto at = static_cast<std::size_t>(k);
        o += (list.shown.first_credit[at] - list.shown.second_credit[at]) / ((k + 1) * weights);
      }
      variance += list.probability * o * o / 4;
      absolute += list.probability * std::fabs(o);
    }
    return std::vector<double>{variance, absolute};
  };
  const auto by_variance = moments("optimised");
  const auto by_absolute = moments("optimised(sensitivity=absolute)");
  EXPECT_LE(by_variance[0], by_absolute[0] + 1e-9);
  EXPECT_GE(by_absolute[1], by_variance[1] - 1e-9);
}

TEST(Optimised, samples_candidates_and_relaxes_where_it_must) {
  List a, b;
  for (Document x = 0; x < 20; ++x) a.push_back(x);
  for (Document x = 0; x < 20; ++x) b.push_back(19 - x);
  const OptimisedOptions options{.candidates = 5};  // too few lists for ten constraints
  const OptimisedInterleaver method("optimised(candidates=5)", options);
  RoundRng rng(2, 0, 0);
  const OptimisedPlan plan = method.solve(a, b, 10, rng);
  EXPECT_TRUE(plan.is_sampled);
  EXPECT_LE(plan.num_considered, 5U);
  EXPECT_GT(plan.slack, 0);
  double sum = 0;
  for (const auto& candidate : plan.candidates) sum += candidate.probability;
  EXPECT_NEAR(sum, 1, 1e-12);
  Interleaving shown;
  plan.draw(rng, shown);
  EXPECT_EQ(shown.size(), 10U);
  const auto refused = method.enumerate(a, b, 10);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("more than 5 ways"), std::string::npos);
}

TEST(Optimised, sampled_candidates_of_long_lists_are_nearly_unbiased) {
  List a, b;
  for (Document x = 0; x < 14; ++x) a.push_back(x);
  for (Document x = 0; x < 14; ++x) b.push_back((x * 5 + 3) % 14);
  const OptimisedInterleaver method("optimised(candidates=1000)", {.candidates = 1000});
  RoundRng rng(2, 0, 0);
  const OptimisedPlan plan = method.solve(a, b, 14, rng);
  EXPECT_TRUE(plan.is_sampled);
  EXPECT_GT(plan.num_considered, 300U);
  EXPECT_NEAR(plan.slack, 0, 1e-9);
}

// Names
// --------------------------------------------------------------------------------------------

TEST(InterleavingMethods, canonical_strings_parse_back) {
  for (const std::string& name : kMethods) {
    const std::string canonical = interleaver(name)->canonical();
    EXPECT_EQ(interleaver(canonical)->canonical(), canonical);
  }
  EXPECT_EQ(interleaver("probabilistic(credit=marginal)")->canonical(),
            "probabilistic(tau=3,credit=marginal)");
  EXPECT_EQ(interleaver("probabilistic(credit=assignment)")->canonical(), "probabilistic(tau=3)");
}

TEST(InterleavingMethods, errors_name_the_nearest_spelling) {
  const auto message = [](const auto& result) { return result.error().to_string(); };
  EXPECT_NE(message(configure_interleaver("team-darft")).find("did you mean 'team-draft'?"),
            std::string::npos);
  EXPECT_NE(message(configure_interleaver("probabilistic(taw=2)")).find("did you mean 'tau'"),
            std::string::npos);
  EXPECT_NE(message(configure_interleaver("probabilistic(tau=-1)")).find("out of range"),
            std::string::npos);
  EXPECT_NE(message(configure_interleaver("balanced(x=1)")).find("has no option 'x'"),
            std::string::npos);
  EXPECT_NE(message(configure_interleaver("team-draft-multileave")).find("multileaves"),
            std::string::npos);
  EXPECT_NE(message(configure_multileaver("team-draft"))
                .find("merges exactly two rankings (did you mean 'team-draft-multileave'?"),
            std::string::npos);
}

TEST(Interleaver, refuses_to_enumerate_what_is_too_large) {
  List a;
  for (Document x = 0; x < 12; ++x) a.push_back(x);
  const auto refused = interleaver("probabilistic")->enumerate(a, a, 12);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_NE(refused.error().message.find("more than 262144 ways"), std::string::npos);
}

}  // namespace
}  // namespace duel
