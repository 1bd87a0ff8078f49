#include "duel/ranking/interleaving/impression_draft.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/ranking/interleaving/laws.h"

namespace duel {
namespace {

using Ids = std::vector<std::string>;

Ids ids_of(const std::vector<DraftedItem>& items) {
  Ids ids;
  for (const DraftedItem& item : items) ids.push_back(item.object_id);
  return ids;
}

Ids random_ids(RoundRng& rng) {
  Ids ids(rng.below(rng.below(20) == 0 ? 1001 : 20));
  const std::uint64_t universe = 1 + rng.below(rng.below(2) == 0 ? 10 : 2000);
  for (std::string& id : ids) id = fmt::format("d{}", rng.below(universe));
  return ids;
}

TEST(ImpressionDraft, is_a_pure_function_and_differs_between_impressions_and_seeds) {
  const Ids a{"x", "y"}, b{"y", "x"};
  int first_on_top = 0, changed = 0;
  constexpr int n = 10'000;
  for (int k = 0; k < n; ++k) {
    // Ids that differ in one character, as counters do.
    const std::string id = fmt::format("q-{}", k);
    const DraftedPage page = draft_page(7, id, a, b, 0, 10);
    EXPECT_EQ(page.items, draft_page(7, id, a, b, 0, 10).items);
    first_on_top += page.items[0].team == Team::first ? 1 : 0;
    changed += page.items[0].team != draft_page(8, id, a, b, 0, 10).items[0].team ? 1 : 0;
  }
  // Fair coins: standard error sqrt(n)/2 = 50; five of them.
  EXPECT_NEAR(first_on_top, n / 2.0, 250);
  EXPECT_NEAR(changed, n / 2.0, 250);
}

TEST(ImpressionDraft, coins_of_one_impression_are_independent) {
  // Three rounds of disjoint lists: eight patterns of who opens, each 1/8 of 16000; se 41.8.
  const Ids a{"a1", "a2", "a3"}, b{"b1", "b2", "b3"};
  std::map<std::string, int> counts;
  for (int k = 0; k < 16'000; ++k) {
    const auto items = draft_page(1, fmt::format("{}", k), a, b, 0, 6).items;
    std::string pattern;
    for (const std::size_t at : {0U, 2U, 4U}) pattern += items[at].team == Team::first ? 'A' : 'B';
    ++counts[pattern];
  }
  EXPECT_EQ(counts.size(), 8U);
  for (const auto& [pattern, count] : counts) EXPECT_NEAR(count, 2000, 210) << pattern;
}

TEST(ImpressionDraft, drafts_as_its_literal_twin) {
  for (const auto& [a, b] : std::vector<std::pair<List, List>>{{{1, 2, 3}, {3, 1, 2}},
                                                               {{1, 2, 3, 4}, {2, 1, 4, 3}},
                                                               {{1, 2}, {1, 3, 4}},
                                                               {{1}, {2, 3, 4}},
                                                               {{1, 2, 3}, {2, 4, 5}}}) {
    Ids first, second;
    for (const Document x : a) first.push_back(std::to_string(x));
    for (const Document x : b) second.push_back(std::to_string(x));
    const Law law = filled_draft_law(a, b, 10, true);
    std::map<ShownList, int> counts;
    constexpr int n = 20'000;
    for (int k = 0; k < n; ++k) {
      ShownList shown;
      for (const DraftedItem& item :
           draft_page(3, fmt::format("impression {}", k), first, second, 0, 10).items) {
        shown.first.push_back(static_cast<Document>(std::stoul(item.object_id)));
        shown.second.push_back(!item.competitive() ? -1 : (item.team == Team::first ? 0 : 1));
      }
      ++counts[shown];
    }
    expect_sample_of(law, counts, n, text_of(a) + text_of(b));
  }
}

TEST(ImpressionDraft, marks_what_both_wanted_as_not_competitive) {
  // Swapped tops: a real contest, both items.
  for (const DraftedItem& item : draft_page(1, "q", Ids{"x", "y"}, Ids{"y", "x"}, 0, 10).items) {
    EXPECT_TRUE(item.competitive());
  }
  // The same list twice: no contest at all.
  const Ids same{"x", "y", "z"};
  const auto items = draft_page(1, "q", same, same, 0, 10).items;
  EXPECT_EQ(ids_of(items), same);
  EXPECT_EQ(competitive_coverage(items), 0);
  EXPECT_EQ(draft_credit(items, Ids{"x"}).value().outcome, ClickOutcome::no_contest);
  EXPECT_EQ(draft_credit(items, {}).value().outcome, ClickOutcome::no_contest);
  // A shared top, then b against c in either order, then d for nobody.
  const Ids a{"top", "b", "c", "d"}, b{"top", "c", "b", "d"};
  std::set<Ids> seen;
  for (int k = 0; k < 50; ++k) {
    const auto drafted = draft_page(1, fmt::format("q{}", k), a, b, 0, 10).items;
    seen.insert(ids_of(drafted));
    EXPECT_FALSE(drafted[0].competitive());
    for (const std::size_t at : {1U, 2U}) {
      EXPECT_TRUE(drafted[at].competitive());
      EXPECT_EQ(drafted[at].object_id, drafted[at].team == Team::first ? "b" : "c");
    }
    EXPECT_NE(drafted[1].team, drafted[2].team);
    EXPECT_FALSE(drafted[3].competitive());
    EXPECT_EQ(competitive_coverage(drafted), 0.5);
  }
  EXPECT_EQ(seen.size(), 2U);
}

TEST(ImpressionDraft, pages_continue_the_same_draft_for_ten_thousand_random_pairs) {
  const Stream stream(8, 0, Purpose::test, "pages");
  for (Round k = 0; k < 10'000; ++k) {
    RoundRng rng = stream.at(k);
    const Ids a = random_ids(rng), b = rng.below(10) == 0 ? a : random_ids(rng);
    const std::string id = fmt::format("q{}", k);
    const DraftedPage whole = draft_page(1, id, a, b, 0, 5000);
    EXPECT_FALSE(whole.next_offset.has_value());
    std::set<std::string> all(a.begin(), a.end());
    all.insert(b.begin(), b.end());
    const Ids ids = ids_of(whole.items);
    ASSERT_EQ(std::set<std::string>(ids.begin(), ids.end()), all);  // everything,
    ASSERT_EQ(ids.size(), all.size());                              // and nothing twice
    const std::uint64_t size = 1 + rng.below(whole.items.size() < 100 ? 12 : 400);
    std::vector<DraftedItem> paged;
    std::optional<std::uint64_t> offset = 0;
    while (offset) {
      const DraftedPage page = draft_page(1, id, a, b, *offset, size);
      paged.insert(paged.end(), page.items.begin(), page.items.end());
      if (page.next_offset) {
        EXPECT_EQ(*page.next_offset, *offset + size);
      }
      offset = page.next_offset;
    }
    ASSERT_EQ(paged, whole.items);
    for (std::size_t at = 0; at < paged.size(); ++at) ASSERT_EQ(paged[at].ordinal, at + 1);
  }
}

TEST(ImpressionDraft, fills_the_tail_of_the_longer_list) {
  const auto items = draft_page(1, "q", Ids{"a", "a"}, Ids{"b", "c", "d", "c"}, 0, 10).items;
  EXPECT_EQ(items.size(), 4U);
  EXPECT_EQ(items[2], (DraftedItem{"c", Team::none, 3}));
  EXPECT_EQ(items[3], (DraftedItem{"d", Team::none, 4}));
  EXPECT_TRUE(items[0].competitive() && items[1].competitive());
  EXPECT_TRUE(draft_page(1, "q", {}, {}, 0, 10).items.empty());
  EXPECT_TRUE(draft_page(1, "q", Ids{"a"}, {}, 5, 10).items.empty());
  const auto alone = draft_page(1, "q", Ids{"a", "b"}, {}, 0, 10).items;
  EXPECT_EQ(ids_of(alone), (Ids{"a", "b"}));
  EXPECT_EQ(competitive_coverage(alone), 0);
  EXPECT_EQ(draft_page(1, "q", Ids{"a"}, {}, ~0ULL, ~0ULL).items.size(), 0U);
}

TEST(ImpressionDraft, credits_each_item_once_and_refuses_what_was_not_shown) {
  const std::vector<DraftedItem> items = {
      {"d1", Team::first, 1}, {"d2", Team::second, 2}, {"d3", Team::none, 3}};
  const Credit twice = draft_credit(items, Ids{"d1", "d1", "d3"}).value();
  EXPECT_EQ(twice.first, 1);
  EXPECT_EQ(twice.second, 0);
  EXPECT_EQ(twice.outcome, ClickOutcome::first_wins);
  EXPECT_EQ(draft_credit(items, Ids{"d1", "d2"}).value().outcome, ClickOutcome::tie);
  EXPECT_EQ(draft_credit(items, Ids{"d3"}).value().outcome, ClickOutcome::tie);
  EXPECT_EQ(draft_credit(items, {}).value().outcome, ClickOutcome::no_feedback);
  const auto wrong = draft_credit(items, Ids{"d1", "e2"});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message, "'e2' was not shown");
}

}  // namespace
}  // namespace duel
