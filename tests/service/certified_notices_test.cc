#include "duel/service/certified_notices.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "duel/http/rate_limits.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

void certify(ServedApi& api) {
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":7})").status, 201);
  api.post(kE + "/start");
  for (int k = 0; k < 200 && api.get(kE + "/certificate").status == 404; ++k) {
    const Told duel = api.post(kE + "/duels", "{}");
    api.put(kE + "/duels/" + duel.text("duel_id") + "/outcome", win_of("a"));
  }
  ASSERT_EQ(api.get(kE + "/certificate").status, 200);
}

struct Notices {
  std::mutex mutex;
  std::vector<Json> told;

  std::size_t size() {
    const std::lock_guard lock(mutex);
    return told.size();
  }
  void wait_for(std::size_t count) {
    while (size() < count) std::this_thread::yield();
  }
};

TEST(CertifiedNotices, tell_of_a_certificate_until_it_is_taken) {
  ServedApi api;
  Notices notices;
  CertifiedNotices telling(
      api.engine(),
      [&](const Json& notice, const auto&) {
        const std::lock_guard lock(notices.mutex);
        notices.told.push_back(notice);
        return notices.told.size() > 2;  // twice it cannot be told
      },
      std::chrono::milliseconds(1));
  certify(api);
  notices.wait_for(3);
  const Json& first = notices.told[0];
  EXPECT_EQ(first.at("experiment_id").get<std::string>(), "e");
  EXPECT_EQ(first.at("certificate").at("winner").get<std::string>(), "a");
  EXPECT_FALSE(first.at("notice_id").get<std::string>().empty());
  EXPECT_EQ(notices.told[2].dump(), first.dump());  // known by its id
}

TEST(CertifiedNotices, what_was_not_told_is_told_after_the_next_start_and_what_was_is_not) {
  ServedApi api;
  {
    std::atomic<int> tries = 0;
    CertifiedNotices telling(
        api.engine(), [&](const Json&, const auto&) { return ++tries < 0; },
        std::chrono::milliseconds(1));
    certify(api);
    while (tries == 0) std::this_thread::yield();
  }
  api.restart();
  Notices notices;
  const auto take = [&](const Json& notice, const auto&) {
    const std::lock_guard lock(notices.mutex);
    notices.told.push_back(notice);
    return true;
  };
  {
    CertifiedNotices telling(api.engine(), take, std::chrono::milliseconds(1));
    notices.wait_for(1);
  }
  api.restart();
  {
    // A second experiment shows that the first one was looked at and passed over.
    CertifiedNotices telling(api.engine(), take, std::chrono::milliseconds(1));
    ASSERT_EQ(
        api.put("/v1/experiments/f", R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":7})").status,
        201);
    api.post("/v1/experiments/f/start");
    while (api.get("/v1/experiments/f/certificate").status == 404) {
      const Told duel = api.post("/v1/experiments/f/duels", "{}");
      api.put("/v1/experiments/f/duels/" + duel.text("duel_id") + "/outcome", win_of("a"));
    }
    notices.wait_for(2);
  }
  EXPECT_EQ(notices.size(), 2U);
  EXPECT_EQ(notices.told[1].at("experiment_id").get<std::string>(), "f");
}

TEST(RateLimits, a_bucket_fills_at_its_rate_and_holds_two_seconds) {
  using namespace std::chrono_literals;
  const RateLimits::Clock::time_point start{};
  RateLimits limits(2);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(limits.take("t", start), 0);
  EXPECT_DOUBLE_EQ(limits.take("t", start), 0.5);
  EXPECT_DOUBLE_EQ(limits.take("t", start + 250ms), 0.25);
  EXPECT_EQ(limits.take("t", start + 500ms), 0);
  EXPECT_GT(limits.take("t", start + 500ms), 0);
  EXPECT_EQ(limits.take("other", start), 0);
  // After an hour no more than two seconds' worth, and a clock that goes back gives nothing.
  for (int k = 0; k < 4; ++k) EXPECT_EQ(limits.take("t", start + 1h), 0);
  EXPECT_GT(limits.take("t", start + 1h), 0);
  EXPECT_GT(limits.take("t", start), 0);
  RateLimits none(0);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(none.take("t", start), 0);
}

TEST(RateLimits, buckets_of_tokens_that_rest_are_forgotten) {
  using namespace std::chrono_literals;
  RateLimits limits(1);
  for (int k = 0; k < 10'001; ++k) limits.take(std::to_string(k), {});
  limits.take("last", RateLimits::Clock::time_point{} + 10s);
  EXPECT_EQ(limits.size(), 1U);
}

}  // namespace
}  // namespace duel
