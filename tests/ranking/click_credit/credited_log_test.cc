#include "duel/ranking/click_credit/credited_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "duel/ranking/click_credit/impression_lines.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "tests/ranking/interleaving/laws.h"

namespace duel {
namespace {

const std::string kPage =
    R"("rankings":["A","B"],"items":[{"object_id":"a","ordinal":1,"team":"A"},)"
    R"({"object_id":"b","ordinal":2,"team":"B"},{"object_id":"c","ordinal":3,"team":null},)"
    R"({"object_id":"d","ordinal":4,"team":"B"}]})";

std::string page(const std::string& id, const std::string& more = "") {
  return fmt::format(R"({{"query_id":"{}",{}{})", id, more, kPage) + "\n";
}

Result<CreditedLog> credited(const std::string& impressions, const std::string& clicks,
                             const CreditSpec& spec = {}) {
  ImpressionLines lines = ImpressionLines::of_text("impressions", impressions);
  auto events = ClickEvents::read_text("clicks", clicks, spec.rule);
  if (!events.ok()) return events.error();
  return credit_log(lines, *events, spec);
}

ClickOutcome outcome(const std::string& clicks, const CreditSpec& spec = {}) {
  return taken(credited(page("q"), clicks, spec)).impressions[0].outcome;
}

std::string ubi(const std::string& action, const std::string& object, int ordinal = 0,
                double seconds = 0) {
  std::string text = fmt::format(
      R"({{"action_name":"{}","query_id":"q","timestamp":"t","event_attributes":{{)", action);
  if (!object.empty()) text += fmt::format(R"("object":{{"object_id":"{}"}},)", object);
  if (ordinal > 0) text += fmt::format(R"("position":{{"ordinal":{}}},)", ordinal);
  text += fmt::format(R"("duel":{{"seconds":{}}}}}}})", seconds);
  return text + "\n";
}

std::string error_of(const std::string& impressions, const std::string& clicks) {
  const auto log = credited(impressions, clicks);
  return log.ok() ? "no error" : log.error().to_string();
}

TEST(CreditedLog, credits_the_team_of_a_clicked_item_from_every_kind_of_click_log) {
  const std::string header = "query_id,object_id\n";
  EXPECT_EQ(outcome(header + "q,a\n"), ClickOutcome::first_wins);
  EXPECT_EQ(outcome(header + "q,b\n"), ClickOutcome::second_wins);
  EXPECT_EQ(outcome(header + "q,a\nq,b\n"), ClickOutcome::tie);
  EXPECT_EQ(outcome(header + "q,c\n"), ClickOutcome::tie) << "it belongs to nobody";
  EXPECT_EQ(outcome(header), ClickOutcome::no_feedback);
  EXPECT_EQ(outcome("query_id\tordinal\nq\t2\n"), ClickOutcome::second_wins);
  EXPECT_EQ(outcome("user,query_id,ranks\nu,q,1;3\n"), ClickOutcome::first_wins);
  EXPECT_EQ(outcome("query_id\tclicked\nq\t0,1,0,0\n"), ClickOutcome::second_wins);
  EXPECT_EQ(outcome(ubi("click", "d", 4)), ClickOutcome::second_wins);
  EXPECT_EQ(outcome(ubi("click", "", 1)), ClickOutcome::first_wins);
}

TEST(CreditedLog, an_action_on_an_item_counts_once) {
  EXPECT_EQ(outcome("query_id,object_id\nq,a\nq,a\nq,a\nq,b\n"), ClickOutcome::tie);
  const auto log = taken(credited(page("q"), "query_id,object_id\nq,b\nq,d\nq,a\n"));
  EXPECT_EQ(log.impressions[0].first_credit, 1);
  EXPECT_EQ(log.impressions[0].second_credit, 2);
}

TEST(CreditedLog, weighs_actions_positions_and_seconds_and_caps_an_item) {
  CreditSpec spec;
  spec.rule.actions = parse_action_weights("click=1,add_to_cart=3,dwell=0.5").value();
  const std::string two_against_cart = ubi("click", "b") + ubi("click", "d") + ubi("click", "a") +
                                       ubi("add_to_cart", "a") + ubi("view", "b");
  auto log = taken(credited(page("q"), two_against_cart, spec));
  EXPECT_EQ(log.impressions[0].first_credit, 4);
  EXPECT_EQ(log.impressions[0].second_credit, 2);
  EXPECT_EQ(log.rejected.other_actions, 1U);
  spec.rule.item_cap = 2;
  log = taken(credited(page("q"), two_against_cart, spec));
  EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::tie);
  spec.rule.item_cap = 0;
  spec.rule.positions = parse_position_weights("1,0.5").value();
  log = taken(credited(page("q"), two_against_cart, spec));
  EXPECT_EQ(log.impressions[0].second_credit, 1) << "the last factor holds for the rest";
  log = taken(credited(page("q"), ubi("dwell", "b", 2, 4) + ubi("dwell", "b", 2, 8), spec));
  EXPECT_EQ(log.impressions[0].second_credit, 0.5 * 0.5 * 12);
}

TEST(CreditedLog, what_is_wrong_with_an_event_earns_nothing_and_is_counted) {
  CreditSpec spec;
  spec.partial = true;
  const auto log =
      taken(credited(page("q"),
                     ubi("click", "zzz") + ubi("click", "a", 2) +
                         R"({"action_name":"click","timestamp":1,"event_attributes":{}})" + "\n" +
                         R"({"action_name":"click","query_id":"other","event_attributes":)"
                         R"({"object":{"object_id":"a"}}})" +
                         "\n",
                     spec));
  EXPECT_EQ(log.impressions[0].outcome, ClickOutcome::no_feedback);
  EXPECT_EQ(log.rejected.not_shown, 1U);
  EXPECT_EQ(log.rejected.example_not_shown, "'zzz' of 'q'");
  EXPECT_EQ(log.rejected.wrong_ordinal, 1U);
  EXPECT_EQ(log.rejected.example_wrong_ordinal, "'a' of 'q', shown at 1 and not at 2");
  EXPECT_EQ(log.rejected.unknown, 1U);
  EXPECT_EQ(log.rejected.example_unknown, "other");
  EXPECT_EQ(log.rejected.without_id, 1U);
}

TEST(CreditedLog, positions_count_from_zero_where_one_is_zero_or_somebody_says_so) {
  const std::string header = "query_id,ordinal\n";
  EXPECT_EQ(outcome(header + "q,0\n"), ClickOutcome::first_wins);
  EXPECT_EQ(outcome(header + "q,1\nq,0\nq,3\n"), ClickOutcome::second_wins);
  EXPECT_EQ(outcome(ubi("click", "b", 1) + ubi("view", "a") +
                    R"({"action_name":"view","query_id":"q","event_attributes":)"
                    R"({"position":{"ordinal":0}}})"),
            ClickOutcome::second_wins)
      << "a position of any event tells, also of one that earns nothing";
  const auto stated = [](std::uint64_t base, const std::string& clicks) {
    Ordinals ordinals;
    ordinals.state(base);
    const std::string shown = page("q");
    ImpressionLines lines = ImpressionLines::of_text("impressions", shown);
    auto events = ClickEvents::read_text("clicks", clicks, CreditRule(), ordinals);
    return taken(credit_log(lines, *events, CreditSpec())).impressions[0].outcome;
  };
  EXPECT_EQ(stated(0, header + "q,1\n"), ClickOutcome::second_wins);
  EXPECT_EQ(stated(1, header + "q,1\n"), ClickOutcome::first_wins);
  EXPECT_EQ(stated(0, "query_id,clicked\nq,1;0;0;0\n"), ClickOutcome::first_wins);
}

TEST(CreditedLog, a_page_without_a_competitive_item_is_no_contest) {
  const std::string same = R"({"query_id":"q","lists":{"A":["x","y"],"B":["x","y"]}})";
  EXPECT_EQ(taken(credited(same, "query_id,object_id\nq,x\n")).impressions[0].outcome,
            ClickOutcome::no_contest);
}

TEST(CreditedLog, drafts_lists_as_draft_page_does) {
  const Stream stream(2, 0, Purpose::test, "credited");
  std::string impressions, clicks = "query_id,object_id\n";
  std::map<std::string, Credit> expected;
  for (int k = 0; k < 300; ++k) {
    RoundRng rng = stream.at(static_cast<Round>(k));
    std::vector<std::string> lists[2];
    for (auto& list : lists) {
      for (std::uint64_t n = rng.below(9); n > 0; --n) {
        list.push_back(fmt::format("d{}", rng.below(10)));
      }
    }
    const std::string id = fmt::format("q{}", k);
    const auto quoted = [](const std::vector<std::string>& ids) {
      std::string text;
      for (const std::string& one : ids) text += (text.empty() ? "\"" : ",\"") + one + "\"";
      return text;
    };
    impressions += fmt::format(R"({{"query_id":"{}","lists":{{"A":[{}],"B":[{}]}}}})", id,
                               quoted(lists[0]), quoted(lists[1])) +
                   "\n";
    const auto items = draft_page(9, id, lists[0], lists[1], 0, 5).items;
    std::vector<std::string> clicked;
    for (const DraftedItem& item : items) {
      if (rng.below(3) > 0) continue;
      clicked.push_back(item.object_id);
      clicks += id + "," + item.object_id + "\n";
    }
    expected[id] = draft_credit(items, clicked).value();
  }
  CreditSpec spec;
  spec.seed = 9;
  spec.length = 5;
  const CreditedLog log = taken(credited(impressions, clicks, spec));
  ASSERT_EQ(log.impressions.size(), expected.size());
  EXPECT_EQ(log.rejected.not_shown, 0U);
  for (const CreditedImpression& impression : log.impressions) {
    const Credit& credit = expected[std::string(log.id_of(impression))];
    EXPECT_EQ(impression.outcome, credit.outcome) << log.id_of(impression);
    EXPECT_EQ(impression.first_credit, credit.first);
    EXPECT_EQ(impression.second_credit, credit.second);
  }
}

TEST(CreditedLog, evidence_is_the_first_served_of_a_user_whatever_its_outcome) {
  const auto served = [](const std::string& id, const std::string& user, const std::string& time) {
    return page(id, fmt::format(R"("user_id":"{}","timestamp":"{}",)", user, time));
  };
  const std::string impressions = served("q3", "u", "2026-11-15T09:02:00Z") +
                                  served("q1", "u", "2026-11-15T09:00:00Z") +
                                  served("q2", "v", "2026-11-15T09:01:00Z");
  const CreditedLog log = taken(credited(impressions, "query_id,object_id\nq3,a\nq2,b\n"));
  EXPECT_EQ(log.cluster, ClusterBy::user);
  EXPECT_EQ(log.num_clusters, 2U);
  EXPECT_TRUE(log.in_order);
  ASSERT_EQ(log.impressions.size(), 3U);
  EXPECT_EQ(log.id_of(log.impressions[0]), "q1");
  EXPECT_EQ(log.user_of(log.impressions[0]), "u");
  EXPECT_EQ(log.time_of(log.impressions[0]), "2026-11-15T09:00:00Z");
  EXPECT_TRUE(log.impressions[0].evidence) << "nobody clicked, and it is u's first";
  EXPECT_TRUE(log.impressions[1].evidence);
  EXPECT_FALSE(log.impressions[2].evidence) << "u was seen before";
}

TEST(CreditedLog, clusters_are_users_queries_or_impressions) {
  const std::string impressions = page("q1", R"("user_query":"toner","client_id":7,)") +
                                  page("q2", R"("user_query":"toner",)") +
                                  page("q3", R"("session_id":"s","user_id":"u",)");
  CreditSpec spec;
  CreditedLog log = taken(credited(impressions, "query_id,object_id\n", spec));
  EXPECT_EQ(log.num_clusters, 3U);
  EXPECT_EQ(log.without_cluster, 1U);
  EXPECT_EQ(log.user_of(log.impressions[0]), "7");
  EXPECT_EQ(log.user_of(log.impressions[2]), "u") << "user_id before session_id";
  spec.cluster = ClusterBy::query;
  log = taken(credited(impressions, "query_id,object_id\n", spec));
  EXPECT_EQ(log.num_clusters, 2U);
  EXPECT_EQ(log.impressions[0].cluster, log.impressions[1].cluster);
  EXPECT_FALSE(log.impressions[1].evidence);
  spec.cluster = ClusterBy::impression;
  log = taken(credited(impressions, "query_id,object_id\n", spec));
  EXPECT_EQ(log.num_clusters, 3U);
  EXPECT_TRUE(log.impressions[1].evidence);
}

TEST(CreditedLog, the_order_is_known_by_times_or_because_somebody_says_so) {
  const std::string without = page("q1") + page("q2");
  EXPECT_FALSE(taken(credited(without, "query_id,object_id\n")).in_order);
  CreditSpec spec;
  spec.in_order = true;
  EXPECT_TRUE(taken(credited(without, "query_id,object_id\n", spec)).in_order);
  const std::string mixed = page("q1", R"("timestamp":"2026-11-15T09:00:00Z",)") + page("q2");
  EXPECT_FALSE(taken(credited(mixed, "query_id,object_id\n", spec)).in_order)
      << "times that do not agree with the claim are no order";
}

TEST(CreditedLog, errors_name_file_line_and_what_is_wrong) {
  const std::string none = "query_id,object_id\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "there is no impression"},
      {"nonsense\n", "impressions:1: the line is not a JSON object"},
      {"{}\n", "there is no field 'query_id'"},
      {R"({"query_id":"q"})", "neither 'lists' nor 'items'"},
      {R"({"query_id":"q","lists":{"A":["x"]}})", "fewer than two lists"},
      {R"({"query_id":"q","lists":{"A":["x"],"B":[],"C":[]}})", "more than two lists"},
      {R"({"query_id":"q","lists":{"A":["x"],"B":[{}]}})", "the field 'lists' is not a text"},
      {R"({"query_id":"q","lists":{"A":["x"],"A":["y"]}})", "'A' is compared with itself"},
      {R"({"query_id":"q","items":[]})", "there is no field 'rankings'"},
      {R"({"query_id":"q","rankings":["A"],"items":[]})", "the field 'rankings' is not two names"},
      {R"({"query_id":"q","rankings":["A","B"],"items":[{"object_id":"x"}]})",
       "the item 'x' has no field 'team'"},
      {R"({"query_id":"q","rankings":["A","B"],"items":[{"object_id":"x","team":"C"}]})",
       "the team 'C' is none of the rankings 'A' and 'B'"},
      {page("q") + page("q"), "impressions:2: the impression 'q' is in line 1 already"},
      {page("q") + "{\"query_id\":\n", "impressions:2"},
  };
  for (const auto& [impressions, expected] : cases) {
    EXPECT_NE(error_of(impressions, none).find(expected), std::string::npos)
        << impressions << error_of(impressions, none);
  }
  const std::vector<std::pair<std::string, std::string>> bad_clicks = {
      {"object_id\nx\n", "there is no column 'query_id'"},
      {"query_id,user\nq,u\n", "no column says what was clicked"},
      {"query_id,object_id,ranks\n", "two columns say what was clicked"},
      {"query_id,object_id\nq\n", "clicks:2: 1 field where the header has 2"},
      {"query_id,ordinal\nq,x\n", "'x' is not a position"},
      {"query_id,clicked\nq,0;2\n", "'2' is not 0 or 1"},
      {"{\"query_id\":\"q\"}\n", "there is no field 'action_name'"},
      {"{\"action_name\":\"click\",\"query_id\":\"q\"}\n",
       "1 of 1 event cannot be used: 1 on neither an item nor a position"},
      {"{\"action_name\":\"click\"\n", "clicks:1"},
      {R"({"action_name":"click","query_id":7})", "the field 'query_id' is not a text"},
      {R"({"action_name":"click","query_id":nothing})", "the field 'query_id' is not a text"},
  };
  for (const auto& [clicks, expected] : bad_clicks) {
    EXPECT_NE(error_of(page("q"), clicks).find(expected), std::string::npos)
        << clicks << error_of(page("q"), clicks);
  }
}

TEST(CreditRule, refuses_weights_that_are_none) {
  const auto message = [](const auto& result) { return result.error().to_string(); };
  EXPECT_NE(message(parse_action_weights("click")).find("not an action with its weight"),
            std::string::npos);
  EXPECT_NE(message(parse_action_weights("click=-1")).find("'-1' is not a weight"),
            std::string::npos);
  EXPECT_NE(message(parse_action_weights("click=1,click=2")).find("given twice"),
            std::string::npos);
  EXPECT_NE(message(parse_position_weights("1,x")).find("'x' is not a weight"), std::string::npos);
  CreditRule rule;
  rule.actions = {{"click", 0.0}};
  EXPECT_NE(message(check_rule(rule)).find("no action is worth anything"), std::string::npos);
  EXPECT_NE(parse_cluster_by("users").error().to_string().find("did you mean 'user'"),
            std::string::npos);
}

}  // namespace
}  // namespace duel
