#include <gtest/gtest.h>

#include <algorithm>
#include <string>

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

}  // namespace
}  // namespace duel
