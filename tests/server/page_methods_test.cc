// Pages by every method of interleaving, over HTTP: what is drafted, what a click is worth, and
// what the log says of it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "duel/ranking/interleaving/methods.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

void start_pages(ServedApi& api, const std::string& method, int arms,
                 const std::string& policy = "uniform") {
  std::string list;
  for (int k = 0; k < arms; ++k) {
    list += fmt::format(R"({}{{"arm_id":"{}"}})", k == 0 ? "" : ",", char('a' + k));
  }
  const Told made =
      api.put(kE, fmt::format(R"({{"mode":"interleave","policy":"{}","seed":3,"arms":[{}],)"
                              R"("interleave":{{"method":"{}","length":10}}}})",
                              policy, list, method));
  ASSERT_EQ(made.status, 201) << made.body.dump();
  EXPECT_EQ(made.body.at("interleave").at("method").get<std::string>(), method);
  ASSERT_EQ(api.post(kE + "/start").status, 200);
}

std::string click(const std::string& query, const std::string& object, int second) {
  return fmt::format(R"({{"action_name":"click","timestamp":"2026-11-15T00:00:{:02}Z",)"
                     R"("query_id":"{}","event_attributes":{{"object":{{"object_id":"{}"}}}}}})",
                     second, query, object);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string team_of(const Json& item) {
  return item.at("team").is_null() ? "-" : item.at("team").get<std::string>();
}

TEST(PageMethods, a_click_counts_for_the_ranking_that_drew_the_item) {
  ServedApi api;
  start_pages(api, "probabilistic", 2);
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
  const Told page = api.put(kE + "/duels/q/interleaving",
                            R"({"lists":{"a":["1","2","3"],"b":["3","2","1"]},"limit":2})");
  ASSERT_EQ(page.status, 200) << page.body.dump();
  ASSERT_EQ(page.body.at("items").size(), 2U);
  EXPECT_EQ(page.body.at("next_offset").get<int>(), 2);
  // The next page belongs to the same draft, whatever lists come with it.
  const Told rest =
      api.put(kE + "/duels/q/interleaving", R"({"lists":{"a":["9"],"b":["8"]},"offset":2})");
  ASSERT_EQ(rest.body.at("items").size(), 1U);
  std::set<std::string> shown;
  for (const Told* one : {&page, &rest}) {
    for (const Json& item : one->body.at("items").items()) {
      shown.insert(item.at("object_id").get<std::string>());
      EXPECT_TRUE(item.at("competitive").get<bool>());
    }
  }
  EXPECT_EQ(shown, (std::set<std::string>{"1", "2", "3"}));
  const Json& item = page.body.at("items").items()[1];
  const Told taken = api.post("/v1/events", click("q", item.at("object_id").get<std::string>(), 1));
  EXPECT_EQ(taken.body.at("accepted").get<int>(), 1);
  api.restart();  // the draft is made again from the log
  EXPECT_EQ(api.put(kE + "/duels/q/outcome", R"({"result":"close"})").text("status"), "applied");
  EXPECT_EQ(api.get(kE + "/duels/q").body.at("outcome").at("winner").get<std::string>(),
            team_of(item));
}

TEST(PageMethods, a_page_of_several_rankings_answers_for_its_duel_and_compares_the_others) {
  ServedApi api;
  start_pages(api, "team_draft_multileave", 3);
  const Told page = api.post(
      kE + "/interleavings",
      R"({"duel_id":"q","lists":{"a":["1","2","3"],"b":["4","5","6"],"c":["7","8","9"]}})");
  ASSERT_EQ(page.status, 201) << page.body.dump();
  const auto items = page.body.at("items").items();
  ASSERT_EQ(items.size(), 9U);
  // One pick of each in the first round; beyond the shortest list nothing counts.
  std::set<std::string> teams;
  for (std::size_t k = 0; k < 3; ++k) teams.insert(team_of(items[k]));
  EXPECT_EQ(teams, (std::set<std::string>{"a", "b", "c"}));
  for (std::size_t k = 3; k < 9; ++k) {
    EXPECT_EQ(team_of(items[k]), "-");
    EXPECT_FALSE(items[k].at("competitive").get<bool>());
  }
  std::vector<std::string> pair;
  for (const Json& arm : page.body.at("arms").items()) {
    pair.push_back(arm.at("arm_id").get<std::string>());
  }
  ASSERT_EQ(pair.size(), 2U);
  for (std::size_t k = 0; k < 3; ++k) {
    if (team_of(items[k]) != pair[1]) continue;
    api.post("/v1/events", click("q", items[k].at("object_id").get<std::string>(), 1));
  }
  EXPECT_EQ(api.put(kE + "/duels/q/outcome", R"({"result":"close"})").text("status"), "applied");
  EXPECT_EQ(api.get(kE + "/duels/q").body.at("outcome").at("winner").get<std::string>(), pair[1]);
  // The third ranker met both: it lost against the one that was clicked, and tied with the other.
  const std::string log = api.streamed(kE + "/export?what=audit");
  EXPECT_EQ(count_of(log, R"("record":"comparison")"), 2U) << log;
  EXPECT_EQ(count_of(log, R"("record":"comparison")"), count_of(log, R"("evidence":false)")) << log;
  const std::string third = pair[0] != "a" && pair[1] != "a"   ? "a"
                            : pair[0] != "b" && pair[1] != "b" ? "b"
                                                               : "c";
  EXPECT_NE(log.find(fmt::format(R"("first":"{}","second":"{}","result":"tie")", pair[0], third)),
            std::string::npos)
      << log;
  // A restart that reads the log comes to the same state, and the log can be imported.
  const std::string before = api.get(kE + "/result").body.dump();
  const std::string head = api.get(kE).text("head");
  api.restart();
  EXPECT_EQ(api.get(kE + "/result").body.dump(), before);
  EXPECT_EQ(api.get(kE).text("head"), head);
}

// The duels of pages on which the first arm of the duel is clicked and the second is not; of the
// arms beside them all are clicked or none, which decides no duel.
std::vector<std::string> duels_of_pages(const std::string& policy, bool others_clicked) {
  ServedApi api;
  start_pages(api, "team_draft_multileave", 4, policy);
  std::vector<std::string> duels;
  for (int k = 0; k < 15; ++k) {
    const std::string id = fmt::format("q{}", k);
    const Told page = api.post(
        kE + "/interleavings",
        fmt::format(R"({{"duel_id":"{}","lists":{{"a":["1","2","3","4"],"b":["5","6","7","8"],)"
                    R"("c":["9","10","11","12"],"d":["13","14","15","16"]}}}})",
                    id));
    EXPECT_EQ(page.status, 201) << page.body.dump();
    if (page.status != 201) break;
    std::vector<std::string> pair;
    for (const Json& arm : page.body.at("arms").items()) {
      pair.push_back(arm.at("arm_id").get<std::string>());
    }
    duels.push_back(fmt::format("{}", fmt::join(pair, "-")));
    if (pair.size() < 2 || pair[0] == pair[1]) continue;  // the policy shows one arm alone
    int second = 0;
    for (const Json& item : page.body.at("items").items()) {
      const std::string team = team_of(item);
      // Beyond the length of the shortest list nothing counts.
      if (team == "-" || team == pair[1] || (team != pair[0] && !others_clicked)) continue;
      api.post("/v1/events", click(id, item.at("object_id").get<std::string>(), ++second));
    }
    api.put(kE + "/duels/" + id + "/outcome", R"({"result":"close"})");
    const Told duel = api.get(kE + "/duels/" + id);
    EXPECT_NE(duel.body.dump().find(fmt::format(R"("winner":"{}")", pair[0])), std::string::npos)
        << duel.body.dump();
  }
  return duels;
}

TEST(PageMethods, the_other_pairs_of_a_page_teach_policies_that_ask_for_such_answers) {
  for (const char* policy : {"self-sparring", "multi-rucb"}) {
    const auto none = duels_of_pages(policy, false);
    EXPECT_EQ(none.size(), 15U) << policy;
    EXPECT_NE(duels_of_pages(policy, true), none) << policy;
  }
  // Others would take a pair for settled that a certificate still waits for.
  for (const char* policy : {"rucb", "imed"}) {
    EXPECT_EQ(duels_of_pages(policy, true), duels_of_pages(policy, false)) << policy;
  }
}

TEST(PageMethods, a_page_in_two_steps_takes_the_lists_of_other_arms) {
  for (const std::string method : {"team_draft_multileave", "probabilistic_multileave"}) {
    ServedApi api;
    start_pages(api, method, 4);
    ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
    const std::string path = kE + "/duels/q/interleaving";
    EXPECT_EQ(
        api.put(path, R"({"lists":{"a":["1"],"b":["2"],"c":["3"],"d":["4"],"x":["5"]}})").status,
        400);
    const Told page =
        api.put(path, R"({"lists":{"a":["1","2"],"b":["2","1"],"c":["2","3"],"d":["3","1"]}})");
    ASSERT_EQ(page.status, 200) << page.body.dump();
    EXPECT_EQ(page.body.at("items").size(), 3U);
    for (int k = 1; k <= 3; ++k) {
      api.post("/v1/events", click("q", fmt::format("{}", k), k));
    }
    ASSERT_EQ(api.put(kE + "/duels/q/outcome", R"({"result":"close"})").status, 200);
    // Every pair but the duel's own, of the four.
    const std::string log = api.streamed(kE + "/export?what=audit");
    EXPECT_EQ(count_of(log, R"("record":"comparison")"), 5U) << method << log;
    EXPECT_EQ(count_of(log, R"("record":"outcome")"), 1U) << method << log;
  }
}

TEST(PageMethods, without_clicks_or_without_a_difference_there_is_no_answer) {
  ServedApi api;
  start_pages(api, "team_draft_multileave", 3);
  const auto closed = [&](const std::string& id, const std::string& lists, bool clicks) {
    const Told page =
        api.post(kE + "/interleavings", fmt::format(R"({{"duel_id":"{}","lists":{}}})", id, lists));
    EXPECT_EQ(page.status, 201) << page.body.dump();
    if (clicks) api.post("/v1/events", click(id, "1", 1));
    api.put(kE + "/duels/" + id + "/outcome", R"({"result":"close"})");
    const Told shown = api.get(kE + "/duels/" + id);
    EXPECT_EQ(shown.text("state"), "closed") << shown.body.dump();
    return shown.body.at("outcome").at("result").get<std::string>();
  };
  EXPECT_EQ(closed("q1", R"({"a":["1","2"],"b":["2","1"],"c":["3","1"]})", false), "no_feedback");
  EXPECT_EQ(closed("q2", R"({"a":["1","2"],"b":["1","2"],"c":["1","2"]})", true), "no_contest");
  const std::string log = api.streamed(kE + "/export?what=audit");
  EXPECT_EQ(count_of(log, "no_feedback"), 1U);
  EXPECT_EQ(count_of(log, "no_contest"), 1U);
  EXPECT_EQ(count_of(log, R"("record":"comparison")"), 0U);
}

TEST(PageMethods, an_excluded_arm_is_on_no_page) {
  ServedApi api;
  start_pages(api, "probabilistic_multileave", 3);
  const Told page =
      api.post(kE + "/interleavings",
               R"({"duel_id":"q","exclude":["b"],"lists":{"a":["1"],"b":["2"],"c":["3"]}})");
  ASSERT_EQ(page.status, 201) << page.body.dump();
  EXPECT_EQ(page.body.at("items").size(), 2U);
}

TEST(PageMethods, what_cannot_be_drafted_is_refused) {
  ServedApi api;
  const Told unknown = api.put(kE, R"({"mode":"interleave","arms":[{"arm_id":"a"},{"arm_id":"b"}],)"
                                   R"("interleave":{"method":"balanced"}})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(unknown.body.at("errors").items()[0].at("pointer").get<std::string>(),
            "/interleave/method");
  start_pages(api, "team_draft_multileave", 14);
  std::string lists;
  for (int k = 0; k < 14; ++k) {
    lists += fmt::format(R"({}"{}":["1"])", k == 0 ? "" : ",", char('a' + k));
  }
  ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":"q"})").status, 201);
  EXPECT_EQ(api.put(kE + "/duels/q/interleaving", R"({"lists":{)" + lists + "}}").status, 400);
}

// The first two places over many ids against the exact law of the method: who drew what. The drafts
// are keyed by a secret that is drawn when the store is made, so that every run has other ones.
TEST(PageMethods, pages_over_many_ids_have_the_law_of_the_method) {
  constexpr int kPages = 1500;
  ServedApi api;
  start_pages(api, "probabilistic", 2);
  std::map<std::string, int> counts;
  for (int k = 0; k < kPages; ++k) {
    const Told page =
        api.post(kE + "/interleavings",
                 fmt::format(R"({{"duel_id":"q{}","lists":{{"a":["1","2"],"b":["2","1"]}}}})", k));
    ASSERT_EQ(page.status, 201) << page.body.dump();
    std::string text;
    for (const Json& item : page.body.at("items").items()) {
      text += item.at("object_id").get<std::string>() + team_of(item);
    }
    ++counts[text];
  }
  const auto method = configure_interleaver("probabilistic(tau=3)").value();
  const std::vector<Document> a{1, 2}, b{2, 1};
  const std::vector<WeightedInterleaving> law = method->enumerate(a, b, 2).value();
  for (const WeightedInterleaving& one : law) {
    std::string text;
    for (std::size_t k = 0; k < one.shown.size(); ++k) {
      text += fmt::format("{}{}", one.shown.documents[k],
                          one.shown.teams[k] == Team::first ? "a" : "b");
    }
    // Six standard errors and one: a false alarm in 1e8 for each of eight lists.
    const double se = std::sqrt(kPages * one.probability * (1 - one.probability));
    EXPECT_NEAR(counts[text], kPages * one.probability, 6 * se + 1) << text;
  }
  EXPECT_EQ(counts.size(), law.size());
}

}  // namespace
}  // namespace duel
