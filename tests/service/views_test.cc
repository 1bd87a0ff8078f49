#include "duel/service/views.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/served_api.h"
#include "tests/store/faulty_store.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

// Blocks every thread that calls `pass` until it is opened.
class Gate {
 public:
  void pass() {
    ++reached_;
    opened_.wait();
  }
  void open() { opens_.set_value(); }
  bool reached() const { return reached_ > 0; }
  void wait_until_reached() const {
    while (!reached()) std::this_thread::yield();
  }

 private:
  std::promise<void> opens_;
  std::shared_future<void> opened_ = opens_.get_future().share();
  std::atomic<int> reached_ = 0;
};

// Asks and waits for the answer.
Result<ShownText> shown(Views& views, const std::string& what, Views::Make make,
                        const std::string& experiment = "e") {
  std::promise<Result<ShownText>> told;
  views.show(experiment, what, std::move(make),
             [&](const Result<ShownText>& answer) { told.set_value(answer); });
  return told.get_future().get();
}

Result<std::string> number_served(const View& view) {
  return std::to_string(view.ledger().served());
}
// More than an answer may take and still be called cheap.
Result<std::string> slowly(const View& view) {
  World& world = system_world();
  for (const auto begun = world.cpu_time();
       world.cpu_time() - begun < std::chrono::milliseconds(15);) {
  }
  return number_served(view);
}

void answer_one(ServedApi& api, const std::string& path = kE) {
  const Told duel = api.post(path + "/duels");
  api.put(path + "/duels/" + duel.text("duel_id") + "/outcome", win_of(first_arm(duel)));
}

void create(ServedApi& api, const std::string& id, int arms) {
  std::string listed;
  for (int k = 0; k < arms; ++k) {
    listed += fmt::format(R"({}{{"arm_id":"a{}"}})", k == 0 ? "" : ",", k);
  }
  const std::string path = "/v1/experiments/" + id;
  ASSERT_EQ(api.put(path, fmt::format(R"({{"arms":[{}]}})", listed)).status, 201);
  ASSERT_EQ(api.post(path + "/start").status, 200);
}

TEST(Views, show_every_outcome_that_was_acknowledged) {
  ServedApi api;
  start_three_arms(api);
  for (std::uint64_t k = 1; k <= 30; ++k) {
    answer_one(api);
    const Told result = api.get(kE + "/result");
    EXPECT_EQ(result.body.at("served").get<std::uint64_t>(), k);
    const std::uint64_t head = api.engine().store().head("e")->sequence;
    EXPECT_EQ(result.body.at("sequence").get<std::uint64_t>(), head);
    const auto sequence = std::ranges::find(result.headers, "Duel-Sequence",
                                            &std::pair<std::string, std::string>::first);
    ASSERT_NE(sequence, result.headers.end());
    EXPECT_EQ(sequence->second, std::to_string(head));
  }
}

TEST(Views, answer_while_the_engine_is_busy) {
  ServedApi api;
  start_three_arms(api);
  answer_one(api);
  Gate gate;
  std::promise<void> done;
  api.engine().ask<bool>(
      "e", AnswerWhen::appended,
      [&](const Turn&) -> Result<bool> {
        gate.pass();
        return true;
      },
      [&](const Result<bool>&, const Delivery&) { done.set_value(); });
  gate.wait_until_reached();
  for (const char* what : {"/result", "/health", "/timeline", "/progress", "/duels"}) {
    EXPECT_EQ(api.get(kE + what).status, 200) << what;
  }
  EXPECT_EQ(api.get(kE + "/certificate").status, 404);
  EXPECT_EQ(api.get("/v1/experiments").body.at("items").items().size(), 1U);
  EXPECT_EQ(api.get("/v1/experiments/unknown/result").status, 404);
  gate.open();
  done.get_future().wait();
}

TEST(Views, load_nothing_into_the_engine) {
  ServedApi api;
  start_three_arms(api);
  answer_one(api);
  api.restart();
  EXPECT_EQ(api.get(kE + "/result").status, 200);
  const Told list = api.get("/v1/experiments");
  EXPECT_EQ(list.body.at("items").items().size(), 1U);
  EXPECT_EQ(api.engine().counts().in_memory, 0U);
}

TEST(Views, make_a_cheap_answer_again_for_every_record_and_share_it_otherwise) {
  ServedApi api;
  start_three_arms(api);
  Views views(api.engine());
  const auto none = shown(views, "n", number_served);
  ASSERT_TRUE(none.ok()) << none.error().to_string();
  EXPECT_EQ(*none->text, "0");
  EXPECT_EQ(shown(views, "n", number_served)->text, none->text) << "the same bytes";
  answer_one(api);
  const auto one = shown(views, "n", number_served);
  EXPECT_EQ(*one->text, "1");
  EXPECT_EQ(one->sequence, none->sequence + 2);
  EXPECT_EQ(views.counts().made, 2U);
  EXPECT_EQ(views.counts().folds, 1U) << "each record is read once";
}

TEST(Views, share_a_dear_answer_for_a_while) {
  ServedApi api;
  start_three_arms(api);
  Views views(api.engine());
  const auto begun = std::chrono::steady_clock::now();
  const auto none = shown(views, "n", slowly);
  answer_one(api);
  const auto soon = shown(views, "n", slowly);
  // Ten times the 15 ms that it takes.
  if (std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(150)) {
    EXPECT_EQ(soon->text, none->text);
  }
  const auto limit = begun + std::chrono::minutes(2);
  while (*shown(views, "n", slowly)->text != "1") {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
  }
}

TEST(Views, give_all_who_wait_one_answer) {
  ServedApi api;
  start_three_arms(api);
  Views views(api.engine());
  std::atomic<int> made = 0;
  std::promise<void> all;
  std::atomic<int> told = 0;
  Gate gate;
  views.show(
      "e", "first",
      [&](const View&) -> Result<std::string> {
        gate.pass();
        return std::string("first");
      },
      [](const Result<ShownText>&) {});
  gate.wait_until_reached();
  std::vector<std::shared_ptr<const std::string>> texts(50);
  for (std::shared_ptr<const std::string>& text : texts) {
    views.show(
        "e", "n",
        [&](const View&) -> Result<std::string> {
          ++made;
          return std::string("n");
        },
        [&](const Result<ShownText>& answer) {
          text = answer->text;
          if (++told == 50) all.set_value();
        });
  }
  gate.open();
  all.get_future().wait();
  EXPECT_EQ(made, 1);
  for (const auto& text : texts) EXPECT_EQ(text, texts.front());
}

TEST(Views, refuse_what_is_beyond_their_queue) {
  ServedApi api;
  start_three_arms(api);
  ViewsOptions options;
  options.most_waiting = 3;
  Views views(api.engine(), options);
  Gate gate;
  const auto held_up = [&](const View&) -> Result<std::string> {
    gate.pass();
    return std::string();
  };
  views.show("e", "first", held_up, [](const Result<ShownText>&) {});
  gate.wait_until_reached();
  std::atomic<int> given = 0, overloaded = 0;
  for (int k = 0; k < 5; ++k) {
    views.show("e", "n", number_served, [&](const Result<ShownText>& answer) {
      ++(answer.ok() ? given : overloaded);
      EXPECT_TRUE(answer.ok() || reason_of(answer.error()) == Reason::overloaded);
    });
  }
  EXPECT_EQ(overloaded, 2);
  gate.open();
  while (given < 3) std::this_thread::yield();
}

TEST(Views, that_nobody_asked_for_lately_leave_when_there_are_too_many) {
  ServedApi api;
  for (const char* id : {"e", "f", "g"}) create(api, id, 3);
  ViewsOptions options;
  options.threads = 1;
  Views views(api.engine(), options);
  const std::size_t one = [&] {
    EXPECT_TRUE(shown(views, "n", number_served, "e").ok());
    while (views.counts().bytes == 0) std::this_thread::yield();
    return views.counts().bytes;
  }();
  options.most_bytes = 2 * one;
  Views few(api.engine(), options);
  for (const char* id : {"e", "f", "e", "g", "e"}) {
    EXPECT_TRUE(shown(few, "n", number_served, id).ok());
  }
  // `f` made room for `g`; `e` was read once.
  EXPECT_EQ(few.counts().folds, 3U);
  EXPECT_TRUE(shown(few, "n", number_served, "f").ok());
  EXPECT_EQ(few.counts().folds, 4U);
  EXPECT_LE(few.counts().views, 3U);
}

TEST(Views, say_that_the_store_fails_and_go_on_when_it_does_not) {
  ServedApi api;
  FaultyStore* faulty = nullptr;
  api.around_store = [&](std::unique_ptr<Store> store) {
    auto made = std::make_unique<FaultyStore>(std::move(store));
    faulty = made.get();
    return made;
  };
  api.restart();
  start_three_arms(api);
  answer_one(api);
  EXPECT_EQ(api.get(kE + "/result").status, 200);
  faulty->arm(FaultyStore::Call::sync, 0);
  ASSERT_EQ(api.post(kE + "/duels").status, 201);
  EXPECT_EQ(api.get(kE + "/result").status, 503) << "what is not durable is not told";
}

// --- What takes long and concerns one experiment keeps no other waiting --------------------------

class Away : public testing::Test {
 protected:
  Away() {
    api.around_store = [this](std::unique_ptr<Store> store) {
      auto made = std::make_unique<FaultyStore>(std::move(store));
      made->before = [this](std::string_view what, const std::string& experiment) {
        if (armed && what == held_up && experiment == "b") gate.pass();
      };
      return made;
    };
    api.restart();
    start_three_arms(api);
  }
  // One request for `b`, which waits at the gate, and one for `e`, which does not.
  void expect_only_b_waits() {
    std::thread waits([&] { EXPECT_EQ(api.post("/v1/experiments/b/duels").status, 201); });
    gate.wait_until_reached();
    for (int k = 0; k < 3; ++k) answer_one(api);
    gate.open();
    waits.join();
    answer_one(api, "/v1/experiments/b");
  }

  std::atomic<bool> armed = false;
  std::string held_up;
  Gate gate;
  ServedApi api;
};

TEST_F(Away, loading_holds_up_the_requests_of_that_experiment_only) {
  create(api, "b", 3);
  api.restart();
  held_up = "head";
  armed = true;
  expect_only_b_waits();
}

TEST_F(Away, saving_a_large_state_holds_up_the_requests_of_that_experiment_only) {
  create(api, "b", 80);
  api.snapshot_every = 1;
  api.restart();
  held_up = "snapshot";
  armed = true;
  // The record of this serve is what is saved after it.
  ASSERT_EQ(api.post("/v1/experiments/b/duels").status, 201);
  expect_only_b_waits();
  EXPECT_EQ(api.get("/v1/experiments/b/result").body.at("served").get<int>(), 3);
}

TEST_F(Away,
       showing_what_a_learner_of_points_believes_holds_up_the_requests_of_its_experiment_only) {
  ASSERT_EQ(
      api.put("/v1/experiments/b", R"({"space":{"w":{"low":0,"high":1,"default":0.2}}})").status,
      201);
  ASSERT_EQ(api.post("/v1/experiments/b/start").status, 200);
  api.owners = 1;
  api.restart();
  // As `GET slices` asks, which works for as long as the gate is closed.
  std::promise<bool> answered;
  api.engine().ask_aside<bool>(
      "b", AnswerWhen::appended,
      [this](const Turn&) -> Result<bool> {
        gate.pass();
        return true;
      },
      [&](const Result<bool>& answer, const Delivery&) { answered.set_value(answer.ok()); });
  expect_only_b_waits();
  EXPECT_TRUE(answered.get_future().get());
  EXPECT_EQ(api.get("/v1/experiments/b/slices").status, 200);
}

TEST_F(Away, stopping_waits_for_what_is_away_and_answers_those_who_wait_for_it) {
  create(api, "b", 80);
  api.snapshot_every = 1;
  api.restart();
  held_up = "snapshot";
  armed = true;
  ASSERT_EQ(api.post("/v1/experiments/b/duels").status, 201);
  gate.wait_until_reached();
  std::atomic<int> answered = 0;
  for (int k = 0; k < 3; ++k) {
    api.engine().ask<bool>(
        "b", AnswerWhen::appended, [](const Turn&) -> Result<bool> { return true; },
        [&](const Result<bool>& answer, const Delivery&) { answered += answer.ok() ? 1 : 0; });
  }
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  api.stop();
  opens.join();
  EXPECT_EQ(answered, 3);
}

}  // namespace
}  // namespace duel
