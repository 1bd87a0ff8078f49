// What several nodes may rely on that share a PostgreSQL: what becomes of appends whose
// answers the network loses, and of connections that end.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/store/postgres_proxy.h"
#include "tests/store/postgres_stores.h"

namespace duel {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class PostgresNetwork : public PostgresStores {
 protected:
  void SetUp() override {
    PostgresStores::SetUp();
    if (IsSkipped()) return;
    proxy_ = std::make_unique<PostgresProxy>(*server_);
    PostgresOptions options = quiet();
    options.answer_limit = seconds(4);
    store_ = open_at(proxy_->location(location_), options);
    shelf_ = std::make_unique<Shelf>(*store_, "tones");
    shelf_->create();
    shelf_->append({"1"});
  }
  Status append_marked() {
    group_ = shelf_->group({"MARKER"});
    return store_->append_to("tones", shelf_->head(), as_lines(group_));
  }

  std::unique_ptr<PostgresProxy> proxy_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Shelf> shelf_;
  Lines group_;
};

TEST_F(PostgresNetwork, an_append_whose_answer_is_lost_is_of_unknown_fate_and_is_found_out) {
  proxy_->arm(PostgresProxy::Fault::loses_answer, "MARKER");
  const Status lost = append_marked();
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::io);
  EXPECT_FALSE(store_->broken());
  // It takes nothing more, not even the same, until somebody has looked.
  EXPECT_EQ(append_marked().error().code, ErrorCode::conflict);
  ASSERT_TRUE(store_->own("tones").ok());
  EXPECT_EQ(store_->nodes()->epoch("tones"), 2U);
  EXPECT_EQ(store_->head("tones")->sequence, 2U);
  shelf_->expect(group_);  // once
  shelf_->append({"3"});
  shelf_->sync();
}

TEST_F(PostgresNetwork, an_append_that_never_arrived_is_of_unknown_fate_too) {
  proxy_->arm(PostgresProxy::Fault::loses_question, "MARKER");
  EXPECT_EQ(append_marked().error().code, ErrorCode::io);
  EXPECT_EQ(append_marked().error().code, ErrorCode::conflict);
  ASSERT_TRUE(store_->own("tones").ok());
  shelf_->is_as_expected();
  shelf_->append({"2"});
  EXPECT_GT(store_->nodes()->counts().reconnects, 0U);
}

TEST_F(PostgresNetwork, an_append_that_arrives_late_comes_too_late) {
  proxy_->arm(PostgresProxy::Fault::holds_question, "MARKER");
  EXPECT_EQ(append_marked().error().code, ErrorCode::io);  // the answer took too long
  ASSERT_TRUE(store_->own("tones").ok());
  shelf_->is_as_expected();
  // The head is where the held append expects it, and the owner is the same.
  proxy_->release();
  shelf_->is_as_expected();
  shelf_->append({"2"});
}

TEST_F(PostgresNetwork, an_append_in_doubt_that_arrived_leaves_no_head_without_lines) {
  shelf_->sync();
  const Head durable = shelf_->head();
  shelf_->append({"2"});
  proxy_->arm(PostgresProxy::Fault::loses_answer, "MARKER");
  EXPECT_EQ(append_marked().error().code, ErrorCode::io);
  const auto writes = [&] { return store_->put("space", "key", "value").ok(); };
  wait_until(writes);  // connected again, it finds the head where the append led
  EXPECT_EQ(ask("SELECT head_sequence FROM duel.experiments"), "3");
  lose_lines_after("tones", durable);
  begin_new_life();
  wait_until(writes);
  EXPECT_EQ(store_->nodes()->counts().tails_appended_again, 1U);
  EXPECT_TRUE(store_->check().ok());
  EXPECT_EQ(ask("SELECT head_sequence FROM duel.experiments"), "2");
  ASSERT_TRUE(store_->own("tones").ok());
  shelf_->append({"3"});
}

TEST_F(PostgresNetwork, a_sync_waits_for_a_tail_that_could_not_be_brought_back_at_first) {
  shelf_->sync();
  const Head durable = shelf_->head();
  shelf_->append({"TAIL"});
  lose_lines_after("tones", durable);
  begin_new_life();
  proxy_->arm(PostgresProxy::Fault::loses_question, "TAIL");  // when it is appended again
  wait_until([&] {
    (void)store_->put("space", "key", "value");
    return !proxy_->armed();
  });
  EXPECT_EQ(ask("SELECT head_sequence FROM duel.experiments"), "1");
  wait_until([&] { return store_->sync().ok(); });
  EXPECT_EQ(lines_of(*open(), "tones"), shelf_->expected());
}

TEST_F(PostgresNetwork, other_experiments_are_not_in_doubt) {
  Shelf other(*store_, "other");
  other.create();
  other.append({"1"});
  proxy_->arm(PostgresProxy::Fault::loses_answer, "MARKER");
  EXPECT_FALSE(append_marked().ok());
  other.append({"2"});
  EXPECT_EQ(store_->nodes()->epoch("other"), 1U);
}

TEST_F(PostgresNetwork, the_first_append_of_a_new_experiment_may_be_in_doubt) {
  for (const auto fault :
       {PostgresProxy::Fault::loses_answer, PostgresProxy::Fault::loses_question}) {
    const std::string name = fault == PostgresProxy::Fault::loses_answer ? "there" : "not-there";
    Shelf shelf(*store_, name);
    shelf.create();
    proxy_->arm(fault, "MARKER");
    const Lines group = shelf.group({"MARKER"});
    EXPECT_EQ(store_->append_to(name, {}, as_lines(group)).error().code, ErrorCode::io);
    // As the server does it.
    if (!store_->create(name).ok()) {
      ASSERT_TRUE(store_->own(name).ok());
    }
    if (fault == PostgresProxy::Fault::loses_answer) shelf.expect(group);
    shelf.is_as_expected();
    shelf.append({"next"});
  }
}

TEST_F(PostgresStores, a_connection_that_is_ended_between_calls_is_opened_again) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  ASSERT_TRUE(store->put("space", "key", "value").ok());
  end_connections();
  shelf.append({"2"});
  shelf.sync();
  EXPECT_EQ(*store->get("space", "key"), "value");
  EXPECT_EQ(store->nodes()->epoch("tones"), 1U);
}

TEST_F(PostgresStores, a_server_process_that_hangs_is_given_up_and_too_late_when_it_goes_on) {
  PostgresOptions options = quiet();
  options.answer_limit = seconds(4);
  const auto store = open(options);
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  const int process =
      std::stoi(ask("SELECT pid FROM pg_stat_activity WHERE query LIKE '%remembered AS%'"
                    " AND datname = current_database() AND pid <> pg_backend_pid()"));
  ::kill(process, SIGSTOP);
  const Lines late = shelf.group({"late"});
  EXPECT_EQ(store->append_to("tones", shelf.head(), as_lines(late)).error().code, ErrorCode::io);
  wait_until([&] { return store->own("tones").ok(); });
  ::kill(process, SIGCONT);
  wait_until([&] {
    return ask("SELECT count(*) FROM pg_stat_activity WHERE pid = " + std::to_string(process)) ==
           "0";
  });
  shelf.is_as_expected();
  wait_until([&] {
    const Status done = store->append_to("tones", shelf.head(), as_lines(late));
    return done.ok() || (store->own("tones").ok() && false);
  });
  shelf.expect(late);
}

TEST_F(PostgresCrash, calls_fail_at_once_while_the_database_is_away_and_work_when_it_is_back) {
  PostgresOptions options = quiet();
  options.first_pause = options.last_pause = hours(1);
  auto patient = open(options);
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  server_->crash();
  const Lines next = shelf.group({"2"});
  EXPECT_EQ(store->append_to("tones", shelf.head(), as_lines(next)).error().code, ErrorCode::io);
  EXPECT_EQ(store->sync().error().code, ErrorCode::io);
  EXPECT_EQ(store->head("tones").error().code, ErrorCode::io);
  EXPECT_FALSE(store->broken());
  // In a pause nothing is tried.
  EXPECT_FALSE(patient->list().ok());
  EXPECT_NE(patient->list().error().message.find("the next attempt is in"), std::string::npos);
  server_->run();
  wait_until([&] {
    return store->append_to("tones", shelf.head(), as_lines(next)).ok() ||
           (store->own("tones").ok() && false);
  });
  wait_until([&] { return store->sync().ok(); });
  EXPECT_FALSE(patient->list().ok());  // still in its pause
}

TEST_F(PostgresStores, is_never_idle_in_a_transaction) {
  const auto store = open();
  std::atomic<bool> stop = false;
  std::thread work([&] {
    for (int k = 0; !stop; ++k) {
      Shelf shelf(*store, "e" + std::to_string(k));
      shelf.create();
      shelf.append({"1"});
      shelf.sync();
      EXPECT_TRUE(store->put("space", "key", "value").ok());
      EXPECT_TRUE(store->nodes()->give_away("e" + std::to_string(k)).ok());
    }
  });
  for (int k = 0; k < 40; ++k) {
    EXPECT_EQ(ask("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                  " AND state LIKE 'idle in transaction%'"),
              "0");
  }
  stop = true;
  work.join();
}

}  // namespace
}  // namespace duel
