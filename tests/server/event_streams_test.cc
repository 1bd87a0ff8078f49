#include "duel/server/event_streams.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

// What a stream sends at once to a client that has seen the event.
std::string heard_after(ServedApi& api, const std::string& last_event_id) {
  HttpFields headers{{"host", "127.0.0.1:7557"}};
  if (!last_event_id.empty()) headers.emplace_back("last-event-id", last_event_id);
  const auto exchange = std::make_shared<RecordedExchange>();
  api.api().handle(http_request(HttpMethod::get, kE + "/stream", "", std::move(headers)),
                   HttpReply(exchange));
  EXPECT_EQ(exchange->response().status, 200);
  // What waits for the disk is answered in order, and a report waits: once it is answered, the
  // stream has been told.
  EXPECT_EQ(api.put(kE + "/duels/nobody/outcome", win_of("a")).status, 404);
  return exchange->stream()->text();
}

std::string event(std::uint64_t sequence, const std::string& kind) {
  return to_text({"e", sequence, kind});
}

TEST(EventStreams, who_comes_again_hears_what_was_missed) {
  ServedApi api;
  start_three_arms(api);  // records 1 and 2
  ASSERT_EQ(api.post(kE + "/duels").status, 201);
  ASSERT_EQ(api.post(kE + "/pause").status, 200);   // 4
  ASSERT_EQ(api.post(kE + "/resume").status, 200);  // 5
  ASSERT_EQ(api.post(kE + "/duels").status, 201);   // 6
  EXPECT_EQ(heard_after(api, ""), event(6, "result"));
  EXPECT_EQ(heard_after(api, "soon"), event(6, "result"));
  EXPECT_EQ(heard_after(api, "2"), event(5, "state") + event(6, "result"));
  EXPECT_EQ(heard_after(api, "5"), event(6, "result"));
  EXPECT_EQ(heard_after(api, "6"), "");
  EXPECT_EQ(heard_after(api, "7"), event(6, "reset"));  // of another history
}

TEST(EventStreams, a_certificate_that_was_missed_is_told) {
  ServedApi api;
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"policy":"uniform",
                            "stopping":{"on_certified":"notify"}})")
                .status,
            201);
  ASSERT_EQ(api.post(kE + "/start").status, 200);
  while (api.get(kE + "/certificate").status == 404) {
    const Told duel = api.post(kE + "/duels");
    ASSERT_EQ(api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", win_of("a")).status, 200);
  }
  const std::uint64_t last = api.get(kE).body.at("sequence").get<std::uint64_t>();
  // The record that gave it, and the one that says so.
  EXPECT_EQ(heard_after(api, "2"), event(last - 1, "certified") + event(last, "result"));
  EXPECT_EQ(heard_after(api, std::to_string(last)), "");
}

}  // namespace
}  // namespace duel
