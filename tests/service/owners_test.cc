// That no experiment waits for another: owners, turns, slices, commits that are shared.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "duel/service/engine.h"
#include "duel/store/memory_store.h"
#include "tests/store/faulty_store.h"

namespace duel {
namespace {

using std::chrono::milliseconds;

ExperimentRecord experiment(const std::string& id, std::size_t arms = 3) {
  ExperimentRecord record;
  record.experiment_id = id;
  for (std::size_t k = 0; k < arms; ++k) {
    record.arms.push_back(
        {.id = fmt::format("a{}", k), .payload = "", .sha256 = "", .content = {}});
  }
  record.policy = "uniform";
  record.stopping.arms_fixed = false;
  return record;
}

// A gate that a thread waits at until the test opens it.
class Hold {
 public:
  void wait() {
    reached_.set_value();
    opened_.get_future().wait();
  }
  void await_arrival() { reached_.get_future().wait(); }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> reached_, opened_;
};

// An engine on a store in memory that fails and waits when it is told to.
class Owners {
 public:
  explicit Owners(std::size_t owners) {
    auto faulty = std::make_unique<FaultyStore>(std::make_unique<MemoryStore>());
    store_ = faulty.get();
    EngineOptions options;
    options.owners = owners;
    engine_ = Engine::start(std::move(faulty), options).value();
  }

  Engine& engine() { return *engine_; }
  FaultyStore& store() { return *store_; }

  void start(const std::string& id, std::size_t arms = 3) {
    std::promise<Status> made;
    engine_->create<bool>(
        experiment(id, arms),
        [](const Turn& turn) -> Result<bool> {
          DUEL_RETURN_IF_ERROR(turn.experiment.change_state(Experiment::Step::start, turn.moment));
          return turn.created;
        },
        [&](const Result<bool>& done, const Delivery&) {
          made.set_value(done.ok() ? Status(Done{}) : Status(done.error()));
        });
    ASSERT_TRUE(made.get_future().get().ok());
  }
  std::future<Result<Offer>> serve(const std::string& id, const std::string& duel_id = "") {
    const auto told = std::make_shared<std::promise<Result<Offer>>>();
    std::future<Result<Offer>> answer = told->get_future();
    engine_->ask<Offer>(
        id, AnswerWhen::appended,
        [duel_id](const Turn& turn) {
          return turn.experiment.serve({.duel_id = duel_id}, turn.moment);
        },
        [told](Result<Offer> offer, const Delivery&) { told->set_value(std::move(offer)); });
    return answer;
  }
  std::uint64_t lines_of(const std::string& id) { return store_->head(id)->sequence; }
  std::uint64_t commits() { return engine_->counts().commits; }

 private:
  FaultyStore* store_ = nullptr;
  std::unique_ptr<Engine> engine_;
};

bool is_served(const Result<Offer>& offer) {
  return offer.ok() && std::holds_alternative<Served>(*offer);
}

// Work in parts: each serves a duel and takes `time`, and the gate is waited at before part 1.
std::future<Result<std::vector<Offer>>> serve_many(Owners& owners, const std::string& id,
                                                   Engine::Parts appended, std::size_t count,
                                                   milliseconds time, Hold* gate = nullptr,
                                                   std::atomic<std::size_t>* done = nullptr) {
  const auto told = std::make_shared<std::promise<Result<std::vector<Offer>>>>();
  auto answer = told->get_future();
  owners.engine().ask_in_parts<Offer>(
      id, AnswerWhen::appended, appended, count,
      [=](const Turn& turn, std::size_t k, std::vector<Offer>& offers) -> Status {
        if (k == 1 && gate != nullptr) gate->wait();
        std::this_thread::sleep_for(time);
        DUEL_ASSIGN(Offer offer,
                    turn.experiment.serve({.duel_id = fmt::format("{}.{}", id, k)}, turn.moment));
        offers.push_back(std::move(offer));
        if (done != nullptr) *done = k + 1;
        return Done{};
      },
      [told](Result<std::vector<Offer>> offers, const Delivery&) {
        told->set_value(std::move(offers));
      });
  return answer;
}

TEST(Owners, work_on_different_experiments_at_the_same_time) {
  Owners owners(2);
  // Of so many names both owners have some.
  for (int k = 0; k < 8; ++k) owners.start(fmt::format("e{}", k));
  Hold gate;
  owners.engine().post("e0", [&] { gate.wait(); });
  gate.await_arrival();
  std::vector<std::future<Result<Offer>>> served;
  for (int k = 0; k < 8; ++k) served.push_back(owners.serve(fmt::format("e{}", k)));
  int answered = 0;
  for (auto& one : served) answered += one.wait_for(milliseconds(500)) == std::future_status::ready;
  EXPECT_GT(answered, 0) << "by the other owner";
  EXPECT_LT(answered, 8);
  EXPECT_EQ(served[0].wait_for(milliseconds(0)), std::future_status::timeout);
  gate.open();
  for (auto& one : served) EXPECT_TRUE(is_served(one.get()));
}

TEST(Owners, share_commits) {
  Owners owners(4);
  std::vector<std::string> ids;
  for (int k = 0; k < 16; ++k) owners.start(ids.emplace_back(fmt::format("e{}", k)));
  owners.engine().wait_for_all();
  owners.store().delay(FaultyStore::Call::append, milliseconds(100));
  const std::uint64_t before = owners.commits();
  std::vector<std::future<Result<Offer>>> served;
  for (const std::string& id : ids) served.push_back(owners.serve(id));
  for (auto& one : served) EXPECT_TRUE(is_served(one.get()));
  // One has what came first; the rest came while that was under way.
  EXPECT_LE(owners.commits() - before, 5U);
  for (const std::string& id : ids) EXPECT_EQ(owners.lines_of(id), 2U);
}

// Whatever the order in which owners lay down, commit and answer: what was acknowledged is there.
TEST(Owners, lose_nothing_when_many_experiments_are_busy) {
  Owners owners(4);
  constexpr int kExperiments = 12, kDuels = 50;
  for (int e = 0; e < kExperiments; ++e) owners.start(fmt::format("e{}", e));
  std::vector<std::thread> callers;
  std::atomic<int> acknowledged = 0;
  for (int e = 0; e < kExperiments; ++e) {
    callers.emplace_back([&, id = fmt::format("e{}", e)] {
      for (int k = 0; k < kDuels; ++k) {
        acknowledged += is_served(owners.serve(id, fmt::format("q{}", k)).get());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(acknowledged, kExperiments * kDuels);
  for (int e = 0; e < kExperiments; ++e) {
    EXPECT_EQ(owners.lines_of(fmt::format("e{}", e)), 1U + kDuels);
  }
}

TEST(Owners, drop_after_a_failed_append_those_experiments_whose_lines_were_in_it) {
  Owners owners(2);
  for (const char* id : {"e", "f"}) owners.start(id);
  owners.engine().wait_for_all();
  std::mutex mutex;
  std::vector<std::string> loaded;
  owners.store().before = [&](std::string_view what, const std::string& id) {
    const std::lock_guard lock(mutex);
    if (what == "head") loaded.push_back(id);
  };
  owners.store().arm(FaultyStore::Call::append, 0);
  const Result<Offer> refused = owners.serve("e", "q1").get();
  ASSERT_TRUE(refused.ok());
  EXPECT_TRUE(std::holds_alternative<Fallback>(*refused)) << "worked on again without the store";
  owners.engine().probe_store();
  EXPECT_TRUE(is_served(owners.serve("e", "q2").get()));
  EXPECT_TRUE(is_served(owners.serve("f", "q2").get()));
  {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(loaded, std::vector<std::string>{"e"}) << "f's state is as good as before";
  }
  EXPECT_EQ(owners.lines_of("e"), 2U);
  EXPECT_EQ(owners.lines_of("f"), 2U);
}

TEST(ARequestOfManyParts, lets_other_experiments_go_first_and_its_own_wait) {
  for (const auto appended : {Engine::Parts::one_by_one, Engine::Parts::together}) {
    Owners owners(1);
    for (const char* id : {"e", "f"}) owners.start(id);
    Hold gate;
    std::atomic<std::size_t> done = 0;
    constexpr std::size_t kParts = 60;
    auto many = serve_many(owners, "e", appended, kParts, milliseconds(2), &gate, &done);
    gate.await_arrival();
    auto own = owners.serve("e");
    auto other = owners.serve("f");
    gate.open();
    EXPECT_TRUE(is_served(other.get()));
    EXPECT_LT(done, kParts / 2) << "5 ms of it, and no more";
    const Result<Offer> after = own.get();
    EXPECT_EQ(done, kParts) << "requests to one experiment keep their order";
    EXPECT_TRUE(is_served(after));
    ASSERT_TRUE(many.get().ok());
    EXPECT_EQ(owners.lines_of("e"), 1U + kParts + 1U);
  }
}

TEST(ARequestOfManyParts, comes_to_an_end_however_much_others_ask) {
  Owners owners(1);
  for (const char* id : {"e", "f"}) owners.start(id);
  std::atomic<bool> stop = false;
  std::thread others([&] {
    while (!stop) {
      std::vector<std::future<Result<Offer>>> served;
      for (int k = 0; k < 50; ++k) served.push_back(owners.serve("f"));
      for (auto& one : served) one.wait();
    }
  });
  auto many = serve_many(owners, "e", Engine::Parts::one_by_one, 30, milliseconds(1));
  EXPECT_EQ(many.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  stop = true;
  others.join();
}

TEST(ARequestOfManyParts, is_appended_at_once_or_bit_by_bit_as_it_was_asked_for) {
  Owners owners(1);
  owners.start("e");
  const std::uint64_t before = owners.commits();
  EXPECT_EQ(serve_many(owners, "e", Engine::Parts::together, 20, milliseconds(2)).get()->size(),
            20U);
  EXPECT_EQ(owners.commits(), before + 1);
  owners.start("f");
  const std::uint64_t again = owners.commits();
  EXPECT_EQ(serve_many(owners, "f", Engine::Parts::one_by_one, 20, milliseconds(2)).get()->size(),
            20U);
  EXPECT_GE(owners.commits(), again + 4);
}

TEST(ARequestOfManyParts, goes_on_after_a_refused_append_from_what_the_store_has) {
  Owners owners(1);
  owners.start("e");
  owners.store().arm(FaultyStore::Call::append, 1);  // of the second slice
  const auto answer = serve_many(owners, "e", Engine::Parts::one_by_one, 20, milliseconds(2)).get();
  ASSERT_TRUE(answer.ok());
  ASSERT_EQ(answer->size(), 20U);
  // The parts of the first slice are in the log, once; the store took no more.
  std::size_t served = 0;
  while (served < 20 && is_served((*answer)[served])) ++served;
  EXPECT_GT(served, 0U);
  EXPECT_LT(served, 20U);
  for (std::size_t k = served; k < 20; ++k) EXPECT_FALSE(is_served((*answer)[k]));
  EXPECT_EQ(owners.lines_of("e"), 1U + served);
}

TEST(WorkAside, keeps_nobody_else_waiting) {
  Owners owners(1);
  owners.start("many", 65);
  owners.start("f");
  Hold gate;
  std::promise<Status> added;
  owners.engine().ask_aside<bool>(
      "many", AnswerWhen::durable,
      [&](const Turn& turn) -> Result<bool> {
        gate.wait();
        return turn.experiment.add_arm({.id = "new", .payload = "", .sha256 = "", .content = {}},
                                       turn.moment);
      },
      [&](const Result<bool>& done, const Delivery&) {
        added.set_value(done.ok() ? Status(Done{}) : Status(done.error()));
      });
  gate.await_arrival();
  auto own = owners.serve("many");
  EXPECT_TRUE(is_served(owners.serve("f").get()));
  EXPECT_EQ(own.wait_for(milliseconds(20)), std::future_status::timeout);
  gate.open();
  EXPECT_TRUE(added.get_future().get().ok());
  EXPECT_TRUE(is_served(own.get()));
  EXPECT_EQ(owners.lines_of("many"), 3U);
}

// The lines of an experiment, as an export gives them.
std::string log_of(Owners& owners, const std::string& id) {
  std::string text;
  EXPECT_TRUE(owners.store()
                  .read(id, 0,
                        [&](std::string_view line) -> Status {
                          text += line;
                          text += '\n';
                          return Done{};
                        })
                  .ok());
  return text;
}

Status import(Owners& owners, const std::string& id, const std::string& text) {
  std::promise<Status> told;
  owners.engine().import_log<bool>(
      id, LogText{text, nullptr}, [](const Turn&) -> Result<bool> { return true; },
      [&](const Result<bool>& done, const Delivery&) {
        told.set_value(done.ok() ? Status(Done{}) : Status(done.error()));
      });
  return told.get_future().get();
}

TEST(AnImport, that_was_cut_short_is_no_experiment_until_the_same_log_finishes_it) {
  std::string log, other;
  for (std::string* const text : {&log, &other}) {
    Owners source(1);
    source.start("e");
    ASSERT_TRUE(serve_many(source, "e", Engine::Parts::together, 500, milliseconds(0)).get().ok());
    *text = log_of(source, "e");
  }
  ASSERT_NE(log, other) << "times and ids differ";
  Owners owners(2);
  owners.store().arm(FaultyStore::Call::append, 1);
  EXPECT_FALSE(import(owners, "e", log).ok());
  EXPECT_EQ(owners.lines_of("e"), 200U);
  owners.engine().probe_store();
  EXPECT_EQ(reason_of(owners.serve("e").get().error()), Reason::unknown_experiment);
  EXPECT_EQ(reason_of(import(owners, "e", other).error()), Reason::exists);
  EXPECT_EQ(owners.lines_of("e"), 200U);
  const Status finished = import(owners, "e", log);
  EXPECT_TRUE(finished.ok()) << finished.error().to_string();
  EXPECT_EQ(log_of(owners, "e"), log);
  EXPECT_TRUE(is_served(owners.serve("e").get()));
  EXPECT_EQ(reason_of(import(owners, "e", log).error()), Reason::exists);
}

}  // namespace
}  // namespace duel
