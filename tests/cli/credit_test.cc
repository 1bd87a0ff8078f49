#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;
using Strings = std::vector<std::string>;

// 300 impressions of 100 users with disjoint lists. Every user clicks the top item of `new` and, in
// one of six impressions, that of `old` instead.
class CreditCommand : public ::testing::Test {
 protected:
  CreditCommand() {
    std::string impressions, clicks = "query_id,object_id\n", ubi;
    for (int k = 0; k < 300; ++k) {
      impressions += fmt::format(
          R"({{"query_id":"q{}","user_id":"u{}","timestamp":"2026-11-15T09:{:02}:{:02}Z",)"
          R"("lists":{{"old":["a1","a2"],"new":["b1","b2"]}}}})",
          k, k % 100, k / 60, k % 60);
      impressions += "\n";
      const std::string item = k % 6 == 0 ? "a1" : "b1";
      clicks += fmt::format("q{},{}\n", k, item);
      ubi += fmt::format(R"({{"action_name":"click","query_id":"q{}","timestamp":"t",)"
                         R"("event_attributes":{{"object":{{"object_id":"{}"}}}}}})",
                         k, item) +
             "\n";
    }
    place_.write("impressions.jsonl", impressions);
    place_.write("clicks.csv", clicks);
    place_.write("ubi.jsonl", ubi);
  }

  CommandResult duel(const Strings& arguments, const std::string& input = "") const {
    return run_duel(arguments, {.input = input, .directory = place_.path()});
  }
  CommandResult credit(Strings arguments) const {
    for (const char* word : {"clicks.csv", "--clicks", "impressions.jsonl", "--impressions"}) {
      arguments.insert(arguments.begin(), word);
    }
    arguments.insert(arguments.begin(), "credit");
    return duel(arguments);
  }

  TemporaryDirectory place_;
};

TEST_F(CreditCommand, goes_from_clicks_to_a_verdict) {
  const CommandResult result = credit({"-o", "votes.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "300 impressions: 300 won by one side")) << result.out;
  EXPECT_TRUE(contains(result.out, "100 % of the items are competitive; 100 users")) << result.out;
  EXPECT_TRUE(contains(result.out, "-0.3333")) << "(50 - 250)/600, for old: " << result.out;
  EXPECT_TRUE(contains(result.out, "100 of 300 answers are evidence")) << result.out;
  EXPECT_TRUE(contains(result.out, "new")) << result.out;
}

TEST_F(CreditCommand, its_votes_are_what_duel_result_reads) {
  EXPECT_EQ(credit({"-o", "votes.csv", "--json"}).exit_code, 0);
  const CommandResult result = duel({"result", "votes.csv", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["verdict"], Json::parse(credit({"--json"}).out)["verdict"]);
  EXPECT_EQ(json["state"], "certified");
  EXPECT_EQ(json["certificate"]["winner"], "new");
  for (const Json& check : json["health"]) {
    EXPECT_NE(check["verdict"], "failed") << check;
    // The arm in the first column is no arm in the first place.
    if (check["name"] == "position_balance" || check["name"] == "position_bias") {
      EXPECT_EQ(check["verdict"], "unknown") << check;
    }
  }
  // Only the first impression of each user is evidence; the others are counted.
  EXPECT_EQ(json["duels"]["served"], 300);
  EXPECT_TRUE(contains(content_of(place_.path() / "votes.csv"), ",interleaved,1,true,"));
  EXPECT_TRUE(contains(content_of(place_.path() / "votes.csv"), ",interleaved,300,false,"));
}

TEST_F(CreditCommand, all_impressions_can_be_evidence_where_they_are_independent) {
  const CommandResult result = credit({"--cluster", "impression"});
  EXPECT_TRUE(contains(result.out, "300 of 300 answers are evidence")) << result.out;
  EXPECT_TRUE(contains(result.err, "impressions are treated as independent")) << result.err;
}

TEST_F(CreditCommand, pages_of_a_batch_and_lists_give_the_same_votes) {
  const CommandResult pages = duel({"interleave", "--batch", "impressions.jsonl", "--seed", "3"});
  ASSERT_EQ(pages.exit_code, 0) << pages.err;
  place_.write("pages.jsonl", pages.out);
  EXPECT_EQ(std::count(pages.out.begin(), pages.out.end(), '\n'), 300);
  const Json first = Json::parse(pages.out.substr(0, pages.out.find('\n')));
  EXPECT_EQ(first["query_id"], "q0");
  EXPECT_EQ(first["items"].size(), 4U);
  // The same page as one by one.
  place_.write("old", "a1\na2\n");
  place_.write("new", "b1\nb2\n");
  const Json alone =
      Json::parse(duel({"interleave", "--id", "q0", "--seed", "3", "old", "new", "--json"}).out);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(first["items"][k]["object_id"], alone["items"][k]["object_id"]);
    EXPECT_EQ(first["items"][k]["team"], alone["items"][k]["team"]);
  }
  const auto votes = [&](const std::string& impressions, const std::string& clicks) {
    EXPECT_EQ(duel({"credit", "--impressions", impressions, "--clicks", clicks, "--seed", "3", "-o",
                    "votes.csv"})
                  .exit_code,
              0);
    return content_of(place_.path() / "votes.csv");
  };
  const std::string expected = votes("impressions.jsonl", "clicks.csv");
  EXPECT_EQ(votes("pages.jsonl", "clicks.csv"), expected);
  EXPECT_EQ(votes("pages.jsonl", "ubi.jsonl"), expected);
}

TEST_F(CreditCommand, writes_skipped_impressions_on_request_alone) {
  place_.write("clicks.csv", "query_id,object_id\nq0,a1\n");
  credit({"-o", "votes.csv"});
  const std::string few = content_of(place_.path() / "votes.csv");
  EXPECT_EQ(std::count(few.begin(), few.end(), '\n'), 2);
  credit({"-o", "votes.csv", "--all"});
  const std::string all = content_of(place_.path() / "votes.csv");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 301);
  EXPECT_TRUE(contains(all, ",skip,")) << all.substr(0, 300);
  EXPECT_TRUE(contains(all, ",no_feedback,")) << all.substr(0, 300);
  EXPECT_EQ(duel({"result", "votes.csv"}).exit_code, 0);
}

TEST_F(CreditCommand, says_what_it_rejects) {
  place_.write("clicks.csv", "query_id,object_id,action\nq0,zz,click\nq999,a1,click\nq1,a1,view\n");
  const CommandResult refused = credit({});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(contains(refused.err, "2 of 2 events cannot be used")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--partial goes on with what is left")) << refused.err;
  const CommandResult result = credit({"--partial"});
  EXPECT_EQ(result.exit_code, 3) << "no answer is left";
  EXPECT_TRUE(contains(result.err, "1 event on an item that was not shown, such as 'zz' of 'q0'"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "not in the log, such as 'q999'")) << result.err;
  EXPECT_TRUE(contains(result.err, "1 event of another action was ignored")) << result.err;
}

// A dump of both indices, as OpenSearch writes it: action lines, positions from 0, milliseconds,
// and the ranking of an item in search_config. Every user clicks on the item of `knn`.
TEST_F(CreditCommand, goes_from_an_index_dump_to_a_verdict) {
  std::string queries, events;
  for (int k = 0; k < 120; ++k) {
    queries +=
        fmt::format(R"({{"index":{{"_index":"ubi_queries"}}}})"
                    "\n"
                    R"({{"query_id":"q{}","client_id":"c{}","user_query":"toner","timestamp":{}}})"
                    "\n",
                    k, k, 1733789000000 + 1000 * k);
    const auto event = [&](const char* action, const char* item, int ordinal, const char* team) {
      events +=
          fmt::format(R"({{"index":{{"_index":"ubi_events"}}}})"
                      "\n"
                      R"({{"action_name":"{}","query_id":"q{}","client_id":"c{}","timestamp":{},)"
                      R"("event_attributes":{{"object":{{"object_id":"{}","search_config":"{}"}},)"
                      R"("position":{{"ordinal":{}}}}}}})"
                      "\n",
                      action, k, k, 1733789000100 + 1000 * k, item, team, ordinal);
    };
    event("impression", "a", 0, k % 2 == 0 ? "knn" : "bm25");
    event("impression", "b", 1, k % 2 == 0 ? "bm25" : "knn");
    event("click", k % 2 == 0 ? "a" : "b", k % 2, "knn");
  }
  place_.write("queries.ndjson", queries);
  place_.write("events.ndjson", events);
  const CommandResult result =
      duel({"credit", "--ubi", "queries.ndjson", "--ubi", "events.ndjson", "-o", "votes.csv"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "120 impressions: 120 won by one side")) << result.out;
  EXPECT_TRUE(contains(result.out, "positions count from 0, as one position 0 shows"))
      << result.out;
  EXPECT_TRUE(contains(result.out, "Arm 'knn' beats the other arm")) << result.out;
  EXPECT_TRUE(contains(content_of(place_.path() / "votes.csv"), "2024-12-10T00:03:20.000Z"));
  const Json json = Json::parse(
      duel({"credit", "--ubi", "queries.ndjson", "--ubi", "events.ndjson", "--json"}).out);
  EXPECT_EQ(json["ordinals_from"], 0);
  EXPECT_EQ(json["events"], 120);
  for (const auto& [arguments, message] : std::vector<std::pair<Strings, std::string>>{
           {{"--ubi", "queries.ndjson"}, "no impression and no click has the field"},
           {{"--ubi", "events.ndjson", "--clicks", "events.ndjson"}, "a dump holds"},
           {{"--ubi", "events.ndjson", "--ordinals", "2"}, "--ordinals"},
           {{"--impressions", "events.ndjson"}, "--clicks"},
           {{"--impressions", "impressions.jsonl", "--clicks", "clicks.csv", "--team-field", "x"},
            "is for --ubi"}}) {
    Strings all{"credit"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const CommandResult bad = duel(all);
    EXPECT_NE(bad.exit_code, 0) << message;
    EXPECT_TRUE(contains(bad.err, message)) << bad.err;
  }
}

TEST_F(CreditCommand, warns_where_clusters_matter_and_where_the_order_is_unknown) {
  // Users who like one ranking each: five impressions of a user say the same.
  std::string impressions, clicks = "query_id,object_id\n";
  for (int k = 0; k < 200; ++k) {
    impressions += fmt::format(
        R"({{"query_id":"q{}","user_id":"u{}","lists":{{"old":["a"],"new":["b"]}}}})", k, k / 5);
    impressions += "\n";
    clicks += fmt::format("q{},{}\n", k, (k / 5) % 2 == 0 ? "a" : "b");
  }
  place_.write("impressions.jsonl", impressions);
  place_.write("clicks.csv", clicks);
  const CommandResult result = credit({});
  EXPECT_TRUE(contains(result.err, "impressions of the same user are correlated")) << result.err;
  EXPECT_TRUE(contains(result.err, "the order of serving is unknown")) << result.err;
  EXPECT_FALSE(contains(credit({"--in-order"}).err, "the order of serving is unknown"));
}

TEST_F(CreditCommand, says_that_no_click_was_found_and_decides_nothing) {
  place_.write("none.csv", "query_id,object_id\n");
  for (const Strings& more : {Strings{}, Strings{"--json"}, Strings{"--quiet"}}) {
    Strings arguments{"credit", "--impressions", "impressions.jsonl", "--clicks", "none.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = duel(arguments);
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_TRUE(contains(result.err,
                         "no click was found in the log of clicks: no impression has an answer, so "
                         "nothing is decided"))
        << result.err;
  }
  // A click that was not on the page is none of the impressions.
  place_.write("elsewhere.csv", "query_id,object_id\nq0,z9\n");
  const CommandResult elsewhere = duel(
      {"credit", "--impressions", "impressions.jsonl", "--clicks", "elsewhere.csv", "--partial"});
  EXPECT_EQ(elsewhere.exit_code, 3) << elsewhere.err;
  EXPECT_TRUE(
      contains(elsewhere.err, "no click was found on an item that tells the rankings apart"))
      << elsewhere.err;
  EXPECT_TRUE(contains(elsewhere.err, "1 event on an item that was not shown")) << elsewhere.err;
}

TEST_F(CreditCommand, bad_input_is_answered_with_an_error) {
  struct Case {
    Strings arguments;
    int exit_code;
    std::string message;
  };
  for (const Case& bad : std::vector<Case>{
           {{"credit", "--clicks", "clicks.csv"}, 2, "--impressions"},
           {{"credit", "--impressions", "none.jsonl", "--clicks", "clicks.csv"}, 1, "no such file"},
           {{"credit", "--impressions", "-", "--clicks", "-"}, 2, "only one of the logs"},
           {{"credit", "--impressions", "clicks.csv", "--clicks", "clicks.csv"},
            1,
            "clicks.csv:1: the line is not a JSON object"},
           {{"credit", "--impressions", "impressions.jsonl", "--clicks", "clicks.csv", "--weights",
             "clik"},
            2,
            "--weights: 'clik' is not an action"},
           {{"credit", "--impressions", "impressions.jsonl", "--clicks", "clicks.csv",
             "--position-weights", "1,-2"},
            2,
            "--position-weights: '-2' is not a weight"},
           {{"credit", "--impressions", "impressions.jsonl", "--clicks", "clicks.csv", "--cluster",
             "session"},
            2,
            "--cluster"},
           {{"credit", "--impressions", "impressions.jsonl", "--clicks", "clicks.csv", "--item-cap",
             "-1"},
            2,
            "--item-cap"},
           {{"interleave", "--batch", "impressions.jsonl", "--id", "q"}, 2, "--batch"},
           {{"interleave", "--batch", "impressions.jsonl", "--method", "balanced"}, 2, "--method"},
           {{"interleave", "--batch", "clicks.csv"}, 1, "clicks.csv:1"},
       }) {
    const CommandResult result = duel(bad.arguments);
    EXPECT_EQ(result.exit_code, bad.exit_code) << result.err;
    EXPECT_TRUE(contains(result.err, bad.message)) << result.err;
  }
}

}  // namespace
}  // namespace duel
