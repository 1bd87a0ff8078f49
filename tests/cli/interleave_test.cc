#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/run_command.h"

namespace duel {
namespace {

using Json = nlohmann::json;
using Strings = std::vector<std::string>;

// A directory with rankings A = d1..d4, B = d3,d1,d5,d2 and C = d4,d3,d2,d1.
class InterleaveCommand : public ::testing::Test {
 protected:
  InterleaveCommand() {
    place_.write("A.txt", "d1\nd2\nd3\nd4\n");
    place_.write("B.txt", "\r\n d3 \r\nd1\r\n\r\nd5\r\nd2");
    place_.write("C.txt", "d4\nd3\nd4\nd2\nd1\n");
    place_.write("empty.txt", "\n\n");
  }

  CommandResult run(Strings arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), "interleave");
    return run_duel(arguments, {.input = input, .directory = place_.path()});
  }
  Json json(Strings arguments) const {
    arguments.emplace_back("--json");
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out);
  }

  TemporaryDirectory place_;
};

Strings shown(const Json& json) {
  Strings ids;
  for (const Json& item : json["items"]) ids.push_back(item["object_id"]);
  return ids;
}

TEST_F(InterleaveCommand, drafts_a_page_as_a_table) {
  const CommandResult result = run({"--method", "team-draft", "--id", "q1", "A.txt", "B.txt"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(contains(result.out, "#  document  team")) << result.out;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 6);  // header, d1 .. d5
  EXPECT_EQ(result.out, run({"--id", "q1", "A.txt", "B.txt"}).out) << "team-draft is the default";
}

TEST_F(InterleaveCommand, gives_items_that_carry_team_ordinal_and_competition) {
  const Json page = json({"--id", "q1", "A.txt", "B.txt"});
  EXPECT_EQ(page["method"], "team-draft");
  EXPECT_EQ(page["query_id"], "q1");
  EXPECT_EQ(page["rankings"], (Strings{"A.txt", "B.txt"}));
  EXPECT_EQ(page["next_offset"], nullptr);
  ASSERT_EQ(page["items"].size(), 5U);
  // Round 1: d1 and d3 in either order, both competitive, each by the ranking that has it on top.
  for (int k = 0; k < 2; ++k) {
    const Json& item = page["items"][k];
    EXPECT_EQ(item["ordinal"], k + 1);
    EXPECT_EQ(item["team"], item["object_id"] == "d1" ? "A.txt" : "B.txt");
    EXPECT_EQ(item["competitive"], true);
  }
  EXPECT_FALSE(page.contains("outcome"));
}

TEST_F(InterleaveCommand, lists_of_unequal_length_have_equally_many_competitive_items) {
  place_.write("short.txt", "d9\n");
  place_.write("long.txt", "d1\nd2\nd3\n");
  for (int k = 0; k < 20; ++k) {
    const Json page = json({"--id", "q" + std::to_string(k), "short.txt", "long.txt"});
    ASSERT_EQ(page["items"].size(), 4U);
    std::multiset<std::string> teams;
    for (const Json& item : page["items"]) {
      EXPECT_EQ(item["competitive"], !item["team"].is_null());
      if (item["competitive"] == true) teams.insert(item["team"]);
    }
    EXPECT_EQ(teams, (std::multiset<std::string>{"long.txt", "short.txt"}));
  }
}

TEST_F(InterleaveCommand, shows_the_published_forms_on_request) {
  place_.write("short.txt", "d9\n");
  const Json filled = json({"--method", "balanced", "--id", "q", "A.txt", "short.txt"});
  const Json published =
      json({"--method", "balanced(fill=false)", "--id", "q", "A.txt", "short.txt"});
  EXPECT_EQ(filled["items"].size(), 5U);
  EXPECT_LE(published["items"].size(), 2U);
  EXPECT_EQ(published["method"], "balanced(fill=false)");
  const Json draft =
      json({"--method", "team-draft(fill=false)", "--id", "q", "A.txt", "short.txt"});
  EXPECT_LE(draft["items"].size(), 2U);
}

TEST_F(InterleaveCommand, both_rankings_lead_for_some_ids_and_seeds) {
  std::set<std::string> by_id, by_seed;
  for (int k = 0; k < 20; ++k) {
    const std::string n = std::to_string(k);
    by_id.insert(shown(json({"--id", "q" + n, "A.txt", "B.txt"}))[0]);
    by_seed.insert(shown(json({"--id", "q", "--seed", n, "A.txt", "B.txt"}))[0]);
  }
  EXPECT_EQ(by_id, (std::set<std::string>{"d1", "d3"}));
  EXPECT_EQ(by_seed, by_id);
}

TEST_F(InterleaveCommand, pages_continue_the_draft) {
  const Strings whole = shown(json({"--id", "q1", "A.txt", "B.txt"}));
  const Json first = json({"--id", "q1", "A.txt", "B.txt", "--length", "2"});
  EXPECT_EQ(first["next_offset"], 2);
  const Json second = json({"--id", "q1", "A.txt", "B.txt", "--length", "2", "--offset", "2"});
  EXPECT_EQ(second["items"][0]["ordinal"], 3);
  Strings both = shown(first);
  for (const std::string& id : shown(second)) both.push_back(id);
  EXPECT_EQ(both, Strings(whole.begin(), whole.begin() + 4));
  // A click on page 1 still counts when page 2 is asked for.
  const Json credited =
      json({"--id", "q1", "A.txt", "B.txt", "--length", "2", "--offset", "2", "--clicks", "d3"});
  EXPECT_EQ(credited["outcome"]["winner"], "B.txt");
}

TEST_F(InterleaveCommand, credits_clicks) {
  const Json win = json({"--id", "q1", "A.txt", "B.txt", "--clicks", "d3"});
  EXPECT_EQ(win["outcome"]["result"], "win");
  EXPECT_EQ(win["outcome"]["winner"], "B.txt");
  EXPECT_EQ(win["outcome"]["credit"], (std::vector<double>{0, 1}));
  EXPECT_EQ(json({"--id", "q1", "A.txt", "B.txt", "--clicks", "d3, d1"})["outcome"]["result"],
            "tie");
  EXPECT_EQ(json({"--id", "q1", "A.txt", "B.txt", "--clicks", ""})["outcome"]["result"],
            "no_feedback");
  place_.write("D.txt", "d1\nd2\nd3\nd4\n");
  EXPECT_EQ(json({"--id", "q1", "A.txt", "D.txt", "--clicks", "d1"})["outcome"]["result"],
            "no_contest");
  const CommandResult text = run({"--id", "q1", "A.txt", "B.txt", "--clicks", "d3"});
  EXPECT_TRUE(contains(text.out, "credit  A.txt 0, B.txt 1; value -1: B.txt wins")) << text.out;
}

TEST_F(InterleaveCommand, takes_ids_with_commas_whole) {
  place_.write("E.txt", "a,b\nc\n");
  place_.write("F.txt", "c\na,b\n");
  const Json one = json({"--id", "q1", "E.txt", "F.txt", "--clicks", "a,b"});
  EXPECT_NE(one["outcome"]["result"], "no_feedback") << one.dump();
  const Json both = json({"--id", "q1", "E.txt", "F.txt", "--clicks", "a,b", "--clicks", "c"});
  EXPECT_EQ(both["outcome"]["credit"], (std::vector<double>{1, 1})) << both.dump();
}

TEST_F(InterleaveCommand, warns_where_the_rankings_hardly_differ) {
  place_.write("D.txt", "d1\nd2\nd3\nd4\n");
  const CommandResult result = run({"--id", "q1", "A.txt", "D.txt"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.err, "warning: only 0 % of these items are competitive"))
      << result.err;
}

TEST_F(InterleaveCommand, merges_by_every_other_method) {
  for (const std::string method :
       {"balanced", "probabilistic", "probabilistic(credit=marginal)", "optimised"}) {
    const Json list =
        json({"--method", method, "--id", "q1", "A.txt", "B.txt", "--length", "3", "--clicks", ""});
    EXPECT_EQ(list["items"].size(), 3U) << method;
    EXPECT_EQ(list["items"][0]["ranks"].size(), 2U) << method;
    EXPECT_EQ(list["outcome"]["result"], "no_feedback") << method;
    const Json again = json({"--method", method, "--id", "q1", "A.txt", "B.txt", "--length", "3",
                             "--clicks", shown(list)[0]});
    EXPECT_EQ(shown(again), shown(list)) << method;
    EXPECT_TRUE(again["outcome"].contains("value")) << method;
  }
  const Json drawn = json({"--method", "probabilistic", "--id", "q", "A.txt", "B.txt"});
  EXPECT_EQ(drawn["method"], "probabilistic(tau=3)");
  EXPECT_EQ(drawn["items"].size(), 5U);
  EXPECT_TRUE(
      contains(run({"--method", "balanced", "--id", "q1", "A.txt", "B.txt"}).out, "rank in A.txt"));
}

TEST_F(InterleaveCommand, multileaves_three_rankings) {
  for (const std::string method : {"team-draft-multileave", "probabilistic-multileave",
                                   "sample-scored-multileave", "pairwise-preference-multileave"}) {
    const Json list = json({"--method", method, "--id", "q1", "A.txt", "B.txt", "C.txt", "--length",
                            "3", "--clicks", ""});
    ASSERT_EQ(list["items"].size(), 3U) << method;
    EXPECT_EQ(list["items"][0]["ranks"].size(), 3U) << method;
    EXPECT_EQ(list["outcome"]["preferences"].size(), 3U) << method;
    const CommandResult text = run({"--method", method, "--id", "q1", "A.txt", "B.txt", "C.txt",
                                    "--length", "3", "--clicks", shown(list)[0]});
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_TRUE(contains(text.out, "\nranking ")) << text.out;
  }
}

TEST_F(InterleaveCommand, reads_one_ranking_from_standard_input) {
  const CommandResult result = run({"--id", "q1", "A.txt", "-"}, "d9\nd1\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "d9"));
}

TEST_F(InterleaveCommand, takes_an_empty_ranking_with_a_warning) {
  const CommandResult result = run({"--id", "q1", "A.txt", "empty.txt"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.err, "empty.txt: no document ids")) << result.err;
  EXPECT_TRUE(contains(result.out, "d4"));
}

TEST_F(InterleaveCommand, lists_methods_and_options) {
  EXPECT_TRUE(contains(run({"--list"}).out, "pairwise-preference-multileave"));
  EXPECT_EQ(json({"--list"})["methods"].size(), 8U);
}

TEST_F(InterleaveCommand, explains_what_is_wrong) {
  struct Wrong {
    Strings arguments;
    int exit_code;
    std::string message;
  };
  const std::vector<Wrong> cases = {
      {{"--id", "q", "--method", "team-darft", "A.txt", "B.txt"}, 2, "did you mean 'team-draft'?"},
      {{"--id", "q", "--method", "probabilistic(tau=x)", "A.txt", "B.txt"}, 2, "option 'tau'"},
      {{"--id", "q", "--method", "team-draft(x=1)", "A.txt", "B.txt"}, 2, "has no option 'x'"},
      {{"--id", "q", "--method", "team-draft(", "A.txt", "B.txt"}, 2, "--method"},
      {{"--id", "q"}, 2, "there is no ranking to merge"},
      {{"--id", "q", "A.txt"}, 2, "one ranking is not enough"},
      {{"--id", "q", "A.txt", "A.txt"}, 2, "'A.txt' is given twice"},
      {{"--id", "q", "-", "-"}, 2, "standard input can be only one"},
      {{"A.txt", "B.txt"}, 2, "--id: the id of the impression is missing"},
      {{"--id", "q", "A.txt", "B.txt", "C.txt"}, 2, "did you mean 'team-draft-multileave'?"},
      {{"--id", "q", "A.txt", "none.txt"}, 1, "none.txt"},
      {{"--id", "q", "A.txt", "B.txt", "--clicks", "d1,d77"}, 2, "'d77' was not shown"},
      {{"--id", "q", "--method", "balanced", "A.txt", "B.txt", "--clicks", "x"},
       2,
       "'x' was not shown"},
      {{"--id", "q", "A.txt", "B.txt", "--length", "0"}, 2, "--length"},
      {{"--id", "q", "--method", "balanced", "A.txt", "B.txt", "--offset", "2"},
       2,
       "--offset: this is for team-draft only"},
  };
  for (const Wrong& wrong : cases) {
    const CommandResult result = run(wrong.arguments);
    EXPECT_EQ(result.exit_code, wrong.exit_code) << wrong.message << "\n" << result.err;
    EXPECT_EQ(result.out, "") << wrong.message;
    EXPECT_TRUE(contains(result.err, wrong.message)) << wrong.message << "\n" << result.err;
  }
}

}  // namespace
}  // namespace duel
