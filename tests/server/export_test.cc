#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

// A payload may hold anything, the words of records too.
TEST(Export, takes_a_line_for_what_it_is_and_not_for_what_it_mentions) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a","payload":{"result":"skip"}},)"
                        R"({"arm_id":"b","payload":{"record":"event"}}]})")
                .status,
            201);
  ASSERT_EQ(api.post(kE + "/start").status, 200);
  EXPECT_EQ(api.streamed(kE + "/export?what=nonvotes"), "");
  EXPECT_EQ(api.streamed(kE + "/export?what=events"), "");
  const auto report = [&](const std::string& id, const std::string& outcome) {
    ASSERT_EQ(api.post(kE + "/duels", R"({"duel_id":")" + id + R"("})").status, 201);
    ASSERT_EQ(api.put(kE + "/duels/" + id + "/outcome", outcome).status, 200);
  };
  report("won", R"({"result":"win","winner":"a","note":"\"result\":\"skip\""})");
  report("tied", R"({"result":"tie"})");
  report("skipped", R"({"result":"skip"})");
  report("bad", R"({"result":"both_bad"})");
  const std::string nonvotes = api.streamed(kE + "/export?what=nonvotes");
  EXPECT_EQ(std::count(nonvotes.begin(), nonvotes.end(), '\n'), 2) << nonvotes;
  EXPECT_NE(nonvotes.find("\"duel_id\":\"skipped\""), std::string::npos);
  EXPECT_NE(nonvotes.find("\"duel_id\":\"bad\""), std::string::npos);
}

// Readers of arena files know four winners and take every row for a vote.
TEST(Export, an_arena_file_knows_four_winners) {
  ServedApi api;
  start_three_arms(api);
  const auto serve = [&](const std::string& id) {
    const Told duel = api.post(kE + "/duels", R"({"duel_id":")" + id + R"("})");
    EXPECT_EQ(duel.status, 201);
    return duel;
  };
  const Told won = serve("won");
  ASSERT_EQ(api.put(kE + "/duels/won/outcome", win_of(first_arm(won))).status, 200);
  for (const char* result : {"tie", "both_bad", "skip", "invalid"}) {
    serve(result);
    ASSERT_EQ(api.put(kE + "/duels/" + result + "/outcome",
                      std::string(R"({"result":")") + result + R"("})")
                  .status,
              200);
  }
  serve("open");
  const auto lines = [&](const std::string& format) {
    std::istringstream text(api.streamed(kE + "/export?format=" + format));
    std::vector<std::string> found;
    for (std::string line; std::getline(text, line);) found.push_back(line);
    return found;
  };
  const auto arena = lines("arena");
  ASSERT_EQ(arena.size(), 4U);
  EXPECT_TRUE(arena[0].starts_with("model_a,model_b,winner,judge,tstamp")) << arena[0];
  EXPECT_NE(arena[1].find(",model_a,"), std::string::npos) << arena[1];
  EXPECT_NE(arena[2].find(",tie,"), std::string::npos) << arena[2];
  EXPECT_NE(arena[3].find(",tie (bothbad),"), std::string::npos) << arena[3];
  // The other formats have words for all answers.
  EXPECT_EQ(lines("csv").size(), 6U);
  EXPECT_EQ(lines("jsonl").size(), 5U);
}

}  // namespace
}  // namespace duel
