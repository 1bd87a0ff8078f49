#include "duel/ranking/click_credit/ubi_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "duel/core/whole_file.h"
#include "duel/ranking/click_credit/credited_log.h"
#include "tests/ranking/interleaving/laws.h"
#include "tests/ranking/judged_data.h"

namespace duel {
namespace {

// An event as a front end of OpenSearch's demonstration shop logs it.
std::string event(const std::string& action, const std::string& query, const std::string& object,
                  int ordinal, const std::string& team = "",
                  const std::string& time = "1733789000000") {
  std::string text =
      fmt::format(R"({{"action_name":"{}","query_id":"{}","client_id":"c-{}","timestamp":{},)"
                  R"("event_attributes":{{"object":{{"object_id":"{}")",
                  action, query, query, time, object);
  if (!team.empty()) text += fmt::format(R"(,"search_config":"{}")", team);
  text += "}";
  if (ordinal >= 0) text += fmt::format(R"(,"position":{{"ordinal":{}}})", ordinal);
  return text + "}}\n";
}

std::string page(const std::string& query) {
  return event("impression", query, "a", 0, "bm25") + event("impression", query, "b", 1, "hybrid") +
         event("impression", query, "c", 2, "bm25");
}

Result<CreditedLog> credited(const std::string& dump, const CreditSpec& spec = {},
                             Ordinals ordinals = {}, std::string_view team_field = kUbiTeamField) {
  auto log = UbiLog::read_text("dump", dump, spec.rule, ordinals, team_field);
  if (!log.ok()) return log.error();
  return credit_log(*log, log->clicks(), spec);
}
std::string error_of(const std::string& dump, const CreditSpec& spec = {}) {
  const auto log = credited(dump, spec);
  return log.ok() ? "no error" : log.error().to_string();
}

TEST(UbiLog, goes_from_events_to_outcomes_with_positions_that_count_from_zero) {
  const std::string dump = page("q1") + page("q2") + event("click", "q1", "b", 1) +
                           event("click", "q2", "", 0) + event("click", "q2", "a", 0);
  const CreditedLog log = taken(credited(dump));
  ASSERT_EQ(log.impressions.size(), 2U);
  EXPECT_EQ(log.rankers, (std::vector<std::string>{"bm25", "hybrid"}));
  EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::second_wins);
  EXPECT_EQ(log.impressions[1].outcome, ClickOutcome::first_wins);
  EXPECT_EQ(log.rejected.lost(), 0U);
  EXPECT_EQ(log.events, 3U);
  EXPECT_EQ(log.ordinals.base(), 0U);
  EXPECT_FALSE(log.ordinals.is_stated());
  EXPECT_EQ(log.time_of(log.impressions[0]), "2024-12-10T00:03:20.000Z") << "from milliseconds";
  EXPECT_EQ(log.user_of(log.impressions[0]), "c-q1");
  EXPECT_TRUE(log.in_order);
}

TEST(UbiLog, passes_over_what_is_no_document_and_unwraps_what_is) {
  const std::string click = event("click", "q", "b", 1);
  const std::string bare = click.substr(0, click.size() - 1);
  const std::string action = R"({"index": {"_index": "ubi_events", "_id": "1"}})"
                             "\n";
  for (const std::string& form :
       {action + click, "ubi_events\t" + bare + "\r\n",
        R"({"_index":"ubi_events","_id":"1","_source":)" + bare + "}\n"}) {
    const CreditedLog log = taken(credited(action + page("q") + form));
    EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::second_wins) << form;
  }
}

TEST(UbiLog, the_base_of_positions_can_be_stated) {
  // No position 0 was logged, since nobody saw the first item: only the user knows.
  const std::string dump = event("impression", "q", "b", 1, "hybrid") +
                           event("impression", "q", "c", 2, "bm25") + event("click", "q", "", 1);
  Ordinals zero;
  zero.state(0);
  EXPECT_EQ(taken(credited(dump)).ordinals.base(), 1U);
  const CreditedLog log = taken(credited(dump, {}, zero));
  EXPECT_EQ(log.ordinals.base(), 0U);
  EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::first_wins) << "hybrid is first here";
}

TEST(UbiLog, hits_of_a_query_are_its_page_where_no_impression_was_logged) {
  const std::string query =
      R"({"query_id":"q","user_query":"toner","timestamp":"2026-11-15T09:00:00Z",)"
      R"("query_response_hit_ids":["x","y",7]})"
      "\n";
  const std::string other = R"({"query_id":"p","user_query":"ink","query_response_hit_ids":["x"]})"
                            "\n";
  const CreditedLog log = taken(credited(query + other + event("click", "q", "y", 2, "hybrid") +
                                         event("click", "p", "x", 1, "bm25")));
  ASSERT_EQ(log.impressions.size(), 2U);
  EXPECT_EQ(log.rejected.lost(), 0U);
  EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::first_wins) << "hybrid was met first";
  EXPECT_EQ(log.impressions[1].outcome, ClickOutcome::second_wins);
  EXPECT_EQ(log.items, 0U) << "of such a page nobody knows which items tell the rankings apart";
  // Nobody clicked on it: that is no feedback, and not a page without a contest.
  const CreditedLog quiet =
      taken(credited(query + other + page("z") + event("click", "z", "a", 0)));
  ASSERT_EQ(quiet.impressions.size(), 3U);
  EXPECT_EQ(quiet.impressions[0].outcome, ClickOutcome::no_feedback);
}

TEST(UbiLog, a_click_tells_the_team_that_its_impression_did_not) {
  const std::string dump = event("impression", "q", "a", 1) + event("impression", "q", "b", 2) +
                           event("impression", "p", "a", 1, "bm25") +
                           event("click", "q", "b", 2, "hybrid");
  const CreditedLog log = taken(credited(dump));
  ASSERT_EQ(log.impressions.size(), 2U);
  EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::second_wins);
  EXPECT_EQ(log.rankers, (std::vector<std::string>{"bm25", "hybrid"}));
}

TEST(UbiLog, the_field_of_teams_can_be_anywhere) {
  std::string dump = page("q") + event("click", "q", "b", 1);
  for (std::size_t at = 0; (at = dump.find("search_config")) != std::string::npos;) {
    dump.replace(at, 13, "from");
  }
  EXPECT_NE(error_of(dump).find("no impression and no click has the field "
                                "'event_attributes.object.search_config'"),
            std::string::npos);
  EXPECT_EQ(taken(credited(dump, {}, {}, "event_attributes.object.from")).impressions[0].outcome,
            ClickOutcome::second_wins);
}

TEST(UbiLog, what_cannot_be_used_is_counted_with_its_reason) {
  CreditSpec partial;
  partial.partial = true;
  const std::string dump = page("q") + event("click", "q", "zz", 1) + event("click", "q", "a", 2) +
                           event("click", "nowhere", "a", 0) + event("click", "q", "", -1) +
                           event("click", "", "a", 0) + event("impression", "r", "a", 0) +
                           event("impression", "s", "a", 0, "bm25") +
                           event("impression", "s", "a", 0, "hybrid");
  const CreditedLog log = taken(credited(dump, partial));
  EXPECT_EQ(log.rejected.not_shown, 1U);
  EXPECT_EQ(log.rejected.wrong_ordinal, 1U);
  EXPECT_EQ(log.rejected.unknown, 1U);
  EXPECT_EQ(log.rejected.without_item, 1U);
  EXPECT_EQ(log.rejected.without_id, 1U);
  EXPECT_EQ(log.events, 5U);
  ASSERT_EQ(log.unusable_pages.size(), 2U);
  EXPECT_EQ(log.unusable_pages[0].why, "without the name of a ranking");
  EXPECT_EQ(log.unusable_pages[1].why, "with one item of two rankings");
  EXPECT_EQ(log.unusable_pages[1].example, "s");
}

TEST(UbiLog, a_fifth_that_cannot_be_used_is_an_error_with_the_reasons) {
  std::string dump = page("q");
  for (const char* object : {"a", "b", "c", "a"}) {
    dump += event("click", "q", object, object[0] - 'a');
  }
  EXPECT_EQ(error_of(dump), "no error");
  const std::string fifth = dump + event("click", "q", "zz", 1);
  EXPECT_NE(error_of(fifth).find("1 of 5 events cannot be used: 1 on an item that was not shown "
                                 "(such as 'zz' of 'q')"),
            std::string::npos)
      << error_of(fifth);
  EXPECT_EQ(error_of(dump + event("click", "q", "b", 1) + event("click", "q", "zz", 1)), "no error")
      << "one of six is less than a fifth";
  const std::string pages = dump + event("impression", "r", "a", 0);
  EXPECT_NE(error_of(pages).find("1 of 2 pages cannot be used: 1 without the name of a ranking"),
            std::string::npos)
      << error_of(pages);
}

TEST(UbiLog, a_page_of_three_rankings_is_no_duel) {
  const std::string dump = page("q") + event("impression", "q", "d", 3, "third") + page("p");
  CreditSpec partial;
  partial.partial = true;
  const CreditedLog log = taken(credited(dump, partial));
  ASSERT_EQ(log.impressions.size(), 1U);
  EXPECT_EQ(log.unusable_pages[0].why, "with more than two rankings");
}

TEST(UbiLog, errors_name_file_and_line) {
  EXPECT_NE(error_of("nonsense\n").find("dump:1: the line is not a JSON object"),
            std::string::npos);
  EXPECT_NE(error_of(page("q") + "{\"query_id\":\"q\"}\n").find("no field 'action_name'"),
            std::string::npos);
  EXPECT_NE(error_of("{\"action_name\":\"click\",\"event_attributes\":7}\n")
                .find("the field 'event_attributes' is not an object"),
            std::string::npos);
  EXPECT_NE(error_of(event("impression", "q", "a", 0, "bm25")).find("names one ranking only"),
            std::string::npos);
}

// OpenSearch's own sample has no teams. With the team of every item added, as its shop does, no
// click is lost.
TEST(UbiLog, no_click_of_the_published_sample_is_lost) {
  DUEL_SHARED_FILE(path, "ubi/opensearch_bulk_sample.ndjson");
  std::string dump = read_whole_file(*path, 10'000'000).value();
  const CreditRule rule;
  ClickEvents events = ClickEvents::read(*path, rule).value();
  EXPECT_EQ(events.num_events(), 6U);
  EXPECT_EQ(events.ordinals().base(), 0U);
  EXPECT_EQ(events.num_without_item() + events.num_without_impression(), 0U);
  // The last letter of an id, before `", `, says whose it is.
  const std::string key = R"("object_id_field":)";
  for (std::size_t at = 0; (at = dump.find(key, at)) != std::string::npos; at += key.size() + 40) {
    const bool is_even = dump[at - 4] % 2 == 0;
    dump.insert(at, is_even ? R"("search_config":"bm25", )" : R"("search_config":"knn", )");
  }
  const CreditedLog log = taken(credited(dump));
  EXPECT_EQ(log.events, 6U);
  EXPECT_EQ(log.rejected.lost(), 0U);
  EXPECT_EQ(log.ordinals.base(), 0U);
  EXPECT_EQ(log.impressions.size(), 15U);
  std::uint64_t acted = 0;
  for (const CreditedImpression& impression : log.impressions) {
    acted += impression.outcome == ClickOutcome::no_feedback ? 0 : 1;
  }
  EXPECT_GT(acted, 0U);
}

}  // namespace
}  // namespace duel
