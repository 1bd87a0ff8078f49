// Each check with traffic that has to pass it and traffic that has to fail it.
#include "duel/verdict/traffic_health.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "duel/core/rng.h"
#include "tests/server/served_api.h"

namespace duel {
namespace {

// Records as a server writes them, with a clock that the test moves.
class Traffic {
 public:
  explicit Traffic(Mode mode = Mode::duel, double explore_floor = 0) {
    ExperimentRecord experiment;
    experiment.experiment_id = "e";
    for (const char* id : {"a", "b"}) experiment.arms.push_back({.id = id});
    experiment.service.mode = mode;
    experiment.service.interleave.length = 4;
    experiment.service.guardrails.explore_floor = explore_floor;
    write(experiment);
  }

  void pass(std::int64_t ms) { now_ms_ += ms; }
  RoundRng& rng() { return rng_; }

  std::string serve(ServedBy by = ServedBy::policy, const std::string& subject = "") {
    ServeRecord serve;
    serve.duel_id = fmt::format("d{}", served_++);
    serve.first = "a";
    serve.second = "b";
    serve.by = by;
    serve.subject = subject;
    write(serve);
    return serve.duel_id;
  }
  void exploit(double propensity) {
    ServeRecord serve;
    serve.duel_id = fmt::format("d{}", served_++);
    serve.first = serve.second = "a";
    serve.serving = Serving::exploit;
    serve.propensity = propensity;
    write(serve);
  }
  void win(const std::string& duel_id, bool a_wins, const std::string& source = "human",
           const std::string& note = "") {
    OutcomeRecord outcome;
    outcome.duel_id = duel_id;
    outcome.answer = {Answered::win, a_wins ? "a" : "b"};
    outcome.source.type = source;
    outcome.note = note;
    write(outcome);
  }
  void page(const std::string& duel_id, std::vector<std::string> a, std::vector<std::string> b) {
    write(InterleavedRecord{duel_id, std::move(a), std::move(b)});
  }
  void click(const std::string& duel_id, const std::string& object) {
    write(EventRecord{.duel_id = duel_id, .event = "x", .action = "click", .object = object});
  }

  std::string verdict(const std::string& name) const {
    for (const HealthCheck& check : health_.checks()) {
      if (check.name == name) return std::string(to_word(check.verdict));
    }
    return "no such check";
  }
  std::string detail(const std::string& name) const {
    for (const HealthCheck& check : health_.checks()) {
      if (check.name == name) return check.detail;
    }
    return "no such check";
  }

 private:
  void write(Record record) {
    LogEntry entry;
    entry.sequence = ++sequence_;
    entry.time_ms = now_ms_;
    entry.record = std::move(record);
    health_.take(entry);
  }

  TrafficHealth health_;
  std::uint64_t sequence_ = 0;
  std::uint64_t served_ = 0;
  std::int64_t now_ms_ = 1'794'700'800'000;
  RoundRng rng_ = Stream(11, 0, Purpose::test, "traffic").at(1);
};

TEST(TrafficHealth, sample_ratio) {
  const auto verdict = [](double floor, double drawn, double excluded) {
    Traffic traffic(Mode::duel, floor);
    for (int k = 0; k < 1000; ++k) {
      traffic.serve(traffic.rng().bernoulli(drawn)      ? ServedBy::floor
                    : traffic.rng().bernoulli(excluded) ? ServedBy::exclude
                                                        : ServedBy::policy);
    }
    return traffic.verdict("sample_ratio");
  };
  EXPECT_EQ(Traffic().verdict("sample_ratio"), "unknown");
  EXPECT_EQ(verdict(0.1, 0.1, 0), "passed");
  EXPECT_EQ(verdict(0, 0, 0.01), "passed");
  // 0.2 instead of 0.1 is 10 standard errors of 1000 duels off.
  EXPECT_EQ(verdict(0.1, 0.2, 0), "failed");
  EXPECT_EQ(verdict(0, 0.01, 0), "failed");
  EXPECT_EQ(verdict(0, 0, 0.2), "failed");
}

TEST(TrafficHealth, sample_ratio_counts_pages_of_one_arm_that_the_policy_chose) {
  const auto verdict = [](double propensity) {
    Traffic traffic(Mode::interleave, 0.05);
    for (int k = 0; k < 4000; ++k) {
      if (traffic.rng().bernoulli(0.05)) {
        traffic.serve(ServedBy::floor);
      } else if (k < 400) {
        traffic.serve();
      } else {
        traffic.exploit(propensity);
      }
    }
    return traffic.verdict("sample_ratio");
  };
  EXPECT_EQ(verdict(0.95), "passed");
  // Pages after a certificate draw no lot, so that 200 draws among 600 choices are far too many.
  EXPECT_EQ(verdict(1), "failed");
}

TEST(TrafficHealth, competitive_coverage) {
  const auto verdict = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    Traffic traffic(Mode::interleave);
    for (int k = 0; k < 30; ++k) traffic.page(traffic.serve(), a, b);
    return traffic.verdict("competitive_coverage");
  };
  EXPECT_EQ(verdict({"1", "2", "3", "4"}, {"5", "6", "7", "8"}), "passed");
  EXPECT_EQ(verdict({"1", "2", "3", "4"}, {"1", "2", "3", "4"}), "failed");
  EXPECT_EQ(Traffic().verdict("competitive_coverage"), "unknown");
}

TEST(TrafficHealth, votes_per_subject) {
  const auto verdict = [](double share_of_one) {
    Traffic traffic;
    for (int k = 0; k < 300; ++k) {
      const bool bot = traffic.rng().bernoulli(share_of_one);
      traffic.win(traffic.serve(ServedBy::policy, bot ? "bot" : fmt::format("s{}", k % 60)), true);
    }
    return traffic.verdict("votes_per_subject");
  };
  EXPECT_EQ(verdict(0.0), "passed");
  EXPECT_EQ(verdict(0.4), "failed");
  EXPECT_EQ(Traffic().verdict("votes_per_subject"), "unknown");
}

TEST(TrafficHealth, drift) {
  const auto verdict = [](double early, double late) {
    Traffic traffic;
    for (int k = 0; k < 2000; ++k) {
      traffic.win(traffic.serve(), traffic.rng().bernoulli(k < 1000 ? early : late));
      traffic.pass(30'000);
    }
    return traffic.verdict("drift");
  };
  EXPECT_EQ(verdict(0.6, 0.6), "passed");
  EXPECT_EQ(verdict(0.7, 0.4), "failed");
  EXPECT_EQ(Traffic().verdict("drift"), "unknown");

  Traffic changing;
  for (int k = 0; k < 2000; ++k) {
    changing.win(changing.serve(), changing.rng().bernoulli(k < 1000 ? 0.7 : 0.4));
    changing.pass(30'000);
  }
  EXPECT_NE(changing.detail("drift").find("the policy watch(inner=imed)"), std::string::npos);
}

TEST(TrafficHealth, drift_seldom_fails_where_nothing_drifts) {
  // At three and a half standard deviations of a chi-squared of some 16 degrees a false alarm comes
  // about once in 300 looks, so that more than 3 of 100 has a probability below 1e-3.
  int failed = 0;
  for (int run = 0; run < 100; ++run) {
    Traffic traffic;
    RoundRng rng = Stream(5, 0, Purpose::test, "drift").at(static_cast<std::uint64_t>(run) + 1);
    for (int k = 0; k < 500; ++k) {
      traffic.win(traffic.serve(), rng.bernoulli(0.6));
      traffic.pass(60'000);
    }
    failed += traffic.verdict("drift") == "failed" ? 1 : 0;
  }
  EXPECT_LE(failed, 3);
}

TEST(TrafficHealth, time_to_answer) {
  const auto verdict = [](double share_too_fast, const std::string& source) {
    Traffic traffic;
    for (int k = 0; k < 300; ++k) {
      const std::string duel = traffic.serve();
      traffic.pass(traffic.rng().bernoulli(share_too_fast) ? 50 : 4000);
      traffic.win(duel, true, source);
    }
    return traffic.verdict("time_to_answer");
  };
  EXPECT_EQ(verdict(0, "human"), "passed");
  EXPECT_EQ(verdict(0.2, "human"), "failed");
  EXPECT_EQ(verdict(1, "judge"), "unknown");  // a program may be fast
}

TEST(TrafficHealth, close_times) {
  const auto verdict = [](double ms_if_a, double ms_if_b) {
    Traffic traffic(Mode::interleave);
    for (int k = 0; k < 400; ++k) {
      const std::string duel = traffic.serve();
      const bool a_wins = traffic.rng().coin();
      const double spread = 0.5 + traffic.rng().uniform();
      traffic.pass(static_cast<std::int64_t>(spread * (a_wins ? ms_if_a : ms_if_b)));
      traffic.win(duel, a_wins, "clicks", "closed");
    }
    return traffic.verdict("close_times");
  };
  EXPECT_EQ(verdict(60'000, 60'000), "passed");
  EXPECT_EQ(verdict(60'000, 90'000), "failed");  // the caller waits longer if `b` is ahead
  EXPECT_EQ(Traffic(Mode::interleave).verdict("close_times"), "unknown");
}

TEST(TrafficHealth, many_subjects_on_one_duel) {
  const auto verdict = [](int cached) {
    Traffic traffic(Mode::interleave);
    for (int k = 0; k < 100; ++k) {
      const std::string duel = traffic.serve();
      traffic.page(duel, {"1", "2", "3", "4"}, {"5", "6", "7", "8"});
      const int clicks = k < cached ? 12 : 2;
      for (int n = 0; n < clicks; ++n) traffic.click(duel, fmt::format("{}", n % 4));
      traffic.win(duel, true, "clicks");
    }
    return traffic.verdict("many_subjects");
  };
  EXPECT_EQ(verdict(0), "passed");
  EXPECT_EQ(verdict(5), "failed");
}

TEST(TrafficHealth, is_asked_for_over_http_and_goes_on_where_it_stopped) {
  ServedApi api;
  start_three_arms(api);
  const std::string e = "/v1/experiments/e";
  const auto check = [&](const std::string& name) {
    const Told health = api.get(e + "/health");
    for (const Json& one : health.body.at("checks").items()) {
      if (one.at("name").get<std::string>() == name) return one.at("verdict").get<std::string>();
    }
    return std::string("none");
  };
  EXPECT_EQ(check("time_to_answer"), "unknown");
  for (int k = 0; k < 30; ++k) {
    const Told duel = api.post(e + "/duels", "{}");
    api.put(e + "/duels/" + duel.text("duel_id") + "/outcome",
            fmt::format(R"({{"result":"tie","response_ms":{}}})", k < 25 ? 4000 : 20));
    if (k == 10) {
      EXPECT_EQ(check("time_to_answer"), "unknown");
    } else if (k == 24) {
      EXPECT_EQ(check("time_to_answer"), "passed");
    }
  }
  EXPECT_EQ(check("time_to_answer"), "failed");
  EXPECT_EQ(api.get(e + "/health").text("verdict"), "failed");
  EXPECT_EQ(check("missing_answers"), "passed");
  EXPECT_EQ(api.get("/v1/experiments/none/health").status, 404);
}

}  // namespace
}  // namespace duel
