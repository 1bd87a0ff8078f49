#include "duel/ranking/interleaving/impression.h"

#include <gtest/gtest.h>

#include "duel/core/check.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

const std::vector<DocumentIds> kLists = {{"d1", "d2", "d3"}, {"d3", "d1", "d4"}};

ImpressionSpec spec_of(const std::string& method) {
  ImpressionSpec spec;
  spec.method = method;
  spec.id = "q1";
  spec.rankings = {"A", "B"};
  return spec;
}

Result<Impression> shown(const ImpressionSpec& spec, const std::optional<DocumentIds>& clicks = {},
                         const std::vector<DocumentIds>& lists = kLists) {
  DUEL_ASSIGN(const ImpressionPlan plan, ImpressionPlan::create(spec));
  return plan.show(lists, clicks);
}

TEST(Impression, a_click_on_the_pick_of_one_ranking_is_its_win) {
  const Impression list = shown(spec_of("team-draft")).value();
  ASSERT_FALSE(list.items.empty());
  for (const Impression::Item& item : list.items) {
    if (!*item.competitive) continue;
    const Json outcome =
        shown(spec_of("team-draft"), DocumentIds{item.object_id}).value().to_json()["outcome"];
    EXPECT_EQ(outcome["result"], Json("win"));
    EXPECT_EQ(outcome["winner"], Json(*item.team));
  }
}

TEST(Impression, no_click_and_no_contest_are_no_ties) {
  const auto result = [](const std::vector<DocumentIds>& lists, const DocumentIds& clicks) {
    return shown(spec_of("team-draft"), clicks, lists).value().to_json()["outcome"]["result"];
  };
  EXPECT_EQ(result(kLists, {}), Json("no_feedback"));
  EXPECT_EQ(result({{"d1", "d2"}, {"d1", "d2"}}, {"d1"}), Json("no_contest"));
  EXPECT_EQ(as_answer(ClickOutcome::no_feedback), Outcome::none);
  EXPECT_EQ(as_answer(ClickOutcome::no_contest), Outcome::none);
  EXPECT_EQ(as_answer(ClickOutcome::tie), Outcome::tie);
}

TEST(Impression, pages_of_a_draft_belong_together) {
  ImpressionSpec spec = spec_of("team-draft");
  const Impression whole = shown(spec).value();
  spec.length = 2;
  EXPECT_EQ(shown(spec).value().page->next_offset, 2U);
  spec.offset = 2;
  const Impression second = shown(spec).value();
  ASSERT_EQ(second.items.size(), 2U);
  EXPECT_EQ(second.items[0].object_id, whole.items[2].object_id);
  EXPECT_EQ(second.items[0].ordinal, 3U);
  // A click on the page before counts.
  EXPECT_TRUE(shown(spec, DocumentIds{whole.items[0].object_id}).ok());
}

TEST(Impression, every_method_shows_each_document_once_and_credits_clicks) {
  for (const std::string& method : interleaving_method_names()) {
    const Impression impression = shown(spec_of(method), DocumentIds{"d3"}).value();
    EXPECT_EQ(impression.spec.method.substr(0, method.size()), method);
    const Json json = impression.to_json();
    EXPECT_EQ(json["items"].size(), impression.items.size());
    EXPECT_EQ(impression.answer->preferences.size(), 1U) << method;
    EXPECT_EQ(json["outcome"]["clicks"], Json(DocumentIds{"d3"}));
    // Without clicks the list is the same, and there is no outcome.
    const Json silent = shown(spec_of(method)).value().to_json();
    EXPECT_EQ(silent["items"], json["items"]);
    EXPECT_FALSE(silent.contains("outcome"));
  }
}

TEST(Impression, errors_name_the_field) {
  const auto field_of = [](auto change) {
    ImpressionSpec spec = spec_of("team-draft");
    change(spec);
    const auto plan = ImpressionPlan::create(spec);
    return plan.ok() ? "" : plan.error().field;
  };
  EXPECT_EQ(field_of([](ImpressionSpec&) {}), "");
  EXPECT_EQ(field_of([](ImpressionSpec& spec) { spec.method = "team-darft"; }), "method");
  EXPECT_EQ(field_of([](ImpressionSpec& spec) { spec.method = "("; }), "method");
  EXPECT_EQ(field_of([](ImpressionSpec& spec) { spec.rankings.emplace_back("C"); }), "method");
  EXPECT_EQ(field_of([](ImpressionSpec& spec) { spec.rankings = {"A"}; }), "rankings");
  EXPECT_EQ(field_of([](ImpressionSpec& spec) { spec.rankings = {"A", "A"}; }), "rankings");
  EXPECT_EQ(field_of([](ImpressionSpec& spec) { spec.id = ""; }), "id");
  EXPECT_EQ(field_of([](ImpressionSpec& spec) { spec.length = 0; }), "length");
  EXPECT_EQ(field_of([](ImpressionSpec& spec) {
              spec.method = "balanced";
              spec.offset = 1;
            }),
            "offset");
  for (const char* method : {"team-draft", "balanced", "team-draft-multileave"}) {
    const auto clicked = shown(spec_of(method), DocumentIds{"d7"});
    ASSERT_FALSE(clicked.ok());
    EXPECT_EQ(clicked.error().field, "clicks");
    EXPECT_EQ(clicked.error().message, "'d7' was not shown");
  }
}

}  // namespace
}  // namespace duel
