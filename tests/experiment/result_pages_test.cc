#include "duel/experiment/result_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>

namespace duel {
namespace {

// Every action is kept, since it happened; only the first so many of an item earn something.
TEST(ResultPages, an_item_is_paid_for_as_many_actions_as_the_cap_says_and_no_more) {
  for (const std::uint64_t cap : {1, 2, 3}) {
    ResultPages pages(7, Drafting::team_draft);
    pages.note({2, 0, InterleavedRecord{"q", {"1", "2"}, {"3", "4"}, {}, {}}, ""});
    const auto& items = pages.find("q")->draft.items;
    ASSERT_TRUE(items[0].team && items[1].team);
    std::uint64_t sequence = 2;
    for (const TeamItem& item : {items[0], items[1]}) {
      for (std::uint64_t before = 0; before < 5; ++before) {
        const PageEvent event{
            "q", "click", item.object_id, {}, item.object_id + std::to_string(before)};
        const auto taken = ResultPages::take(*pages.find("q"), event, 0.5, cap);
        const auto* record = std::get_if<EventRecord>(&taken);
        ASSERT_NE(record, nullptr);
        EXPECT_EQ(record->place, before < cap ? *item.team + 1 : 0) << before << " of " << cap;
        EXPECT_EQ(record->credit, before < cap ? 0.5 : 0) << before << " of " << cap;
        pages.note({++sequence, 0, *record, ""});
      }
    }
    double earned = 0;
    for (const double credit : pages.find("q")->credits) earned += credit;
    EXPECT_EQ(earned, 2 * 0.5 * static_cast<double>(cap));
  }
}

}  // namespace
}  // namespace duel
