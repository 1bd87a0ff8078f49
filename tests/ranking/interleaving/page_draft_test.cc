#include "duel/ranking/interleaving/page_draft.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/ranking/interleaving/laws.h"

namespace duel {
namespace {

using Ids = std::vector<std::string>;

constexpr PageMethod kMethods[] = {PageMethod::team_draft, PageMethod::probabilistic,
                                   PageMethod::team_draft_multileave,
                                   PageMethod::probabilistic_multileave};

std::vector<Ids> named(const std::vector<List>& lists) {
  std::vector<Ids> names;
  for (const List& list : lists) {
    Ids& ids = names.emplace_back();
    for (const Document x : list) ids.push_back(fmt::format("{}", x));
  }
  return names;
}

std::size_t shortest_of(const std::vector<List>& lists) {
  std::size_t shortest = lists[0].size();
  for (const List& list : lists) shortest = std::min(shortest, list.size());
  return shortest;
}

// Everything that a page shows and pays for, as text: "2:1 1:0 3:-".
std::string text_of_draft(const PageDraft& draft) {
  std::string text;
  for (const TeamItem& item : draft.items) {
    text += fmt::format("{}:{} ", item.object_id, item.team ? fmt::format("{}", *item.team) : "-");
  }
  return text;
}

// The exact law of that text, from the method's own enumeration and the rule in page_draft.h.
std::map<std::string, double> law_of(PageMethod method, const std::vector<List>& lists) {
  std::map<std::string, double> law;
  if (method == PageMethod::team_draft || method == PageMethod::probabilistic) {
    const auto by = interleaver(method == PageMethod::team_draft ? "team-draft(shared=passed)"
                                                                 : "probabilistic(tau=3)");
    for (const auto& one : taken(by->enumerate(lists[0], lists[1], 100))) {
      std::string text;
      for (std::size_t k = 0; k < one.shown.size(); ++k) {
        const Team team = one.shown.teams[k];
        text += fmt::format("{}:{} ", one.shown.documents[k],
                            team == Team::none ? "-" : (team == Team::first ? "0" : "1"));
      }
      law[text] += one.probability;
    }
    return law;
  }
  const bool picks = method == PageMethod::team_draft_multileave;
  const auto by =
      multileaver(picks ? "team-draft-multileave" : "probabilistic-multileave(assignments=drawn)");
  for (const auto& one : taken(by->enumerate(spans(lists), 100))) {
    std::string text;
    for (std::size_t k = 0; k < one.shown.size(); ++k) {
      const std::uint32_t team = one.shown.teams[k];
      const bool counts = team != Multileaving::kNoTeam && (!picks || k < shortest_of(lists));
      text += fmt::format("{}:{} ", one.shown.documents[k], counts ? fmt::format("{}", team) : "-");
    }
    law[text] += one.probability;
  }
  return law;
}

TEST(PageDraft, draws_over_many_ids_what_enumeration_says) {
  constexpr int kIds = 20'000;
  for (const PageMethod method : kMethods) {
    std::vector<List> lists{{1, 2, 3}, {2, 3, 1}};
    if (most_lists(method) > 2) lists = {{1, 2, 3}, {2, 3}, {3, 1, 2}};
    const std::vector<Ids> names = named(lists);
    std::map<std::string, int> counts;
    for (int k = 0; k < kIds; ++k) {
      ++counts[text_of_draft(draft_lists(method, 5, fmt::format("q-{}", k), names))];
    }
    const auto law = law_of(method, lists);
    double total = 0;
    for (const auto& [text, probability] : law) {
      total += probability;
      // Five standard errors and one: false alarms below 1e-6 for each of a few hundred lists.
      const double se = std::sqrt(kIds * probability * (1 - probability));
      EXPECT_NEAR(counts[text], kIds * probability, 5 * se + 1) << int(method) << ": " << text;
    }
    EXPECT_NEAR(total, 1, 1e-9);
    EXPECT_EQ(counts.size(), law.size()) << "nothing is drawn that is not in the law";
  }
}

// P(i wins) - P(j wins) under clicks on these positions.
double sign_bias(const std::map<std::string, double>& law, const std::vector<Position>& clicks,
                 char i, char j) {
  double bias = 0;
  for (const auto& [text, probability] : law) {
    int value = 0;
    for (const Position k : clicks) {
      if (4 * k + 2 >= text.size()) continue;  // four characters an item
      value += (text[4 * k + 2] == i ? 1 : 0) - (text[4 * k + 2] == j ? 1 : 0);
    }
    bias += value > 0 ? probability : (value < 0 ? -probability : 0);
  }
  return bias;
}

TEST(PageDraft, a_win_favours_nobody_when_clicks_do_not_depend_on_the_items) {
  const std::vector<List> all = all_lists(3);
  int cases = 0;
  for (const PageMethod method : kMethods) {
    for (const List& a : all) {
      for (const List& b : all) {
        std::vector<List> lists{a, b};
        if (most_lists(method) > 2) lists.push_back(all[(3 * cases) % all.size()]);
        const auto law = law_of(method, lists);
        for (const auto& clicks : click_sets(3)) {
          ASSERT_NEAR(sign_bias(law, clicks, '0', '1'), 0, 1e-12) << int(method);
          if (lists.size() > 2) {
            ASSERT_NEAR(sign_bias(law, clicks, '0', '2'), 0, 1e-12);
          }
        }
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 4 * 16 * 16);
}

// Why the rule stops at the shortest list: the method's own attribution also counts picks whose
// number depends on the draws. A = (1 2), B = (1 3 4), clicks on the second and third place: A wins
// half and B a quarter of the time (fairness_test.cc has it for two rankings).
TEST(PageDraft, the_method_itself_counts_picks_that_favour_some) {
  const std::vector<List> lists{{1, 2}, {1, 3, 4}};
  std::map<std::string, double> law;
  for (const auto& one :
       taken(multileaver("team-draft-multileave")->enumerate(spans(lists), 100))) {
    std::string text;
    for (std::size_t k = 0; k < one.shown.size(); ++k) {
      const std::uint32_t team = one.shown.teams[k];
      text += fmt::format("{}:{} ", one.shown.documents[k],
                          team == Multileaving::kNoTeam ? "-" : fmt::format("{}", team));
    }
    law[text] += one.probability;
  }
  EXPECT_GT(std::abs(sign_bias(law, {1, 2}, '0', '1')), 0.2);
  const auto ours = law_of(PageMethod::team_draft_multileave, lists);
  EXPECT_NEAR(sign_bias(ours, {1, 2}, '0', '1'), 0, 1e-12);
}

TEST(PageDraft, says_which_lists_clicks_can_tell_apart) {
  const Ids a{"x", "y"}, b{"y", "x"};
  for (const PageMethod method : kMethods) {
    EXPECT_TRUE(draft_lists(method, 1, "q", std::vector<Ids>{a, b}).contest(0, 1));
    const PageDraft same = draft_lists(method, 1, "q", std::vector<Ids>{a, a});
    EXPECT_FALSE(same.contest(0, 1));
    EXPECT_FALSE(same.contest(1, 0));
    EXPECT_EQ(same.items.size(), 2U);
  }
  for (const PageMethod method :
       {PageMethod::team_draft_multileave, PageMethod::probabilistic_multileave}) {
    const PageDraft three = draft_lists(method, 1, "q", std::vector<Ids>{a, b, a});
    EXPECT_TRUE(three.contest(0, 1));
    EXPECT_TRUE(three.contest(2, 1));
    EXPECT_FALSE(three.contest(0, 2));
  }
  // An empty list is never shown and nobody can win against it by being shown alone.
  const PageDraft alone =
      draft_lists(PageMethod::team_draft_multileave, 1, "q", std::vector<Ids>{a, {}});
  EXPECT_EQ(alone.items.size(), 2U);
  EXPECT_FALSE(alone.contest(0, 1));
  for (const TeamItem& item : alone.items) EXPECT_FALSE(item.team.has_value());
}

TEST(PageDraft, repeats_count_where_they_stand_first) {
  for (const PageMethod method : kMethods) {
    const PageDraft draft =
        draft_lists(method, 1, "q", std::vector<Ids>{{"a", "a", "b"}, {"b", "a", "b"}});
    EXPECT_EQ(draft.items.size(), 2U) << int(method);
  }
}

}  // namespace
}  // namespace duel
