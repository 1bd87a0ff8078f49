// What several nodes may rely on that share a PostgreSQL: what is left when the database
// crashes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/store/postgres_proxy.h"
#include "tests/store/postgres_stores.h"

namespace duel {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(PostgresCrash, what_was_synced_is_there_for_the_next_owner) {
  auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1", "2"});
  shelf.sync();
  crash_and_run();
  const auto other = open();
  EXPECT_EQ(lines_of(*other, "tones"), shelf.expected());
}

TEST_F(PostgresCrash, a_take_over_is_durable_with_what_the_owner_before_appended) {
  const auto first = open(), second = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  end_lease(*first);  // before the append, which this commit would make durable
  shelf.append({"1", "2"});
  ASSERT_TRUE(second->own("tones").ok());
  crash_and_run();
  EXPECT_EQ(ask("SELECT epoch, head_sequence FROM duel.experiments"), "2|2");
  EXPECT_EQ(lines_of(*open(), "tones"), shelf.expected());
}

TEST_F(PostgresCrash, a_lease_that_is_held_is_held_after_a_crash) {
  const auto store = open();
  ASSERT_TRUE(store->nodes()->holds_lease());
  crash_and_run();
  EXPECT_EQ(ask("SELECT count(*) FROM duel.nodes WHERE lease_until > clock_timestamp()"), "1");
}

TEST_F(PostgresCrash, a_sync_that_no_standby_has_confirmed_acknowledges_nothing) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  want_standby();
  shelf.append({"1"});
  std::thread waiting([&] { EXPECT_FALSE(store->sync().ok()); });
  // An operator loses patience: the commit succeeds, with a warning.
  wait_until([&] {
    return admin(
               "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity"
               " WHERE wait_event = 'SyncRep'") == "1";
  });
  waiting.join();
  want_no_standby();
  wait_until([&] { return store->sync().ok(); });
}

TEST_F(PostgresCrash, an_owner_appends_its_tail_again_unchanged) {
  const auto store = open(), reader = open();
  Shelf shelf(*store, "tones"), other(*store, "other");
  shelf.create();
  other.create();
  shelf.append({"1"});
  other.append({"1"});
  shelf.sync();
  // The clock of the database may have come between an append and its crash: then once more.
  std::uint64_t again = 0;
  for (int attempt = 0; attempt < 10 && again == 0; ++attempt) {
    shelf.append({"d: served", "e: served"});
    shelf.append({"f: served"});
    crash_and_run();
    const Lines next = shelf.group({"after"});
    wait_until([&] {
      const Status done = store->append_to("tones", shelf.head(), as_lines(next));
      if (!done.ok()) {
        EXPECT_EQ(done.error().code, ErrorCode::io) << done.error().to_string();
      }
      return done.ok();
    });
    shelf.expect(next);
    other.is_as_expected();
    again = store->nodes()->counts().tails_appended_again;
  }
  EXPECT_GT(again, 0U);
  EXPECT_EQ(store->nodes()->epoch("tones"), 1U);
  EXPECT_EQ(store->find("tones", "d")->front().sequence, 2U);
  EXPECT_TRUE(reader->check().ok());
  EXPECT_EQ(*store->last_stop(), LastStop::clean);  // nothing is missing
  shelf.sync();
}

// An empty answer would let a duel be served or reported twice.
TEST_F(PostgresCrash, what_is_missing_until_the_tail_is_back_cannot_be_looked_for) {
  PostgresOptions options;
  options.sync_interval = std::chrono::hours(1);  // nobody finds out by the clock
  const auto store = open(options);
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  shelf.sync();
  bool missed = false;
  for (int attempt = 0; attempt < 10 && !missed; ++attempt) {
    const std::string key = "d" + std::to_string(attempt);
    shelf.append({key + ": served"});
    crash_and_run();
    wait_until([&] {
      const auto found = store->find("tones", key);
      if (found.ok()) {
        EXPECT_EQ(found->size(), 1U) << attempt;
        return true;
      }
      EXPECT_EQ(found.error().code, ErrorCode::io) << found.error().to_string();
      missed = missed || found.error().message.find("appended again") != std::string::npos;
      return missed;
    });
    if (missed) {
      EXPECT_FALSE(store->tagged("tones", 7).ok());
      EXPECT_FALSE(store->head("tones").ok());
    }
    wait_until([&] { return store->sync().ok(); });
    EXPECT_EQ(store->find("tones", key)->size(), 1U);
  }
  EXPECT_TRUE(missed);
}

TEST_F(PostgresCrash, a_sync_of_the_life_after_does_not_speak_for_lines_of_the_life_before) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  std::uint64_t again = 0;
  for (int attempt = 0; attempt < 10 && again == 0; ++attempt) {
    shelf.append({"x", "y"});
    crash_and_run();
    // The first thing that it asks: all that it answers for must be there then.
    wait_until([&] { return store->sync().ok(); });
    const auto other = open();
    EXPECT_EQ(lines_of(*other, "tones"), shelf.expected());
    again = store->nodes()->counts().tails_appended_again;
  }
  EXPECT_GT(again, 0U);
}

TEST_F(PostgresCrash,
       an_owner_that_lost_its_tail_and_its_epoch_folds_anew_and_acknowledges_nothing) {
  bool lost = false;
  for (int attempt = 0; attempt < 10 && !lost; ++attempt) {
    const std::string name = "tones" + std::to_string(attempt);
    const auto first = open();
    Shelf shelf(*first, name);
    shelf.create();
    shelf.append({"1"});
    shelf.sync();
    const Lines tail = shelf.group({"2", "3"});
    ASSERT_TRUE(first->append_to(name, shelf.head(), as_lines(tail)).ok());
    crash_and_run();
    end_lease(*first);
    const auto second = open();
    end_time_to_come_back();
    ASSERT_TRUE(second->own(name).ok());
    lost = second->head(name)->sequence == 1;
    if (!lost) continue;
    // The new owner knows that neighbours of the last records may be missing.
    EXPECT_EQ(*second->last_stop(), LastStop::machine_stopped);
    EXPECT_EQ(*second->synced(name), 0U);
    EXPECT_FALSE(first->sync().ok());
    EXPECT_EQ(first->nodes()->epoch(name), std::nullopt);
    EXPECT_FALSE(first->sync().ok());  // a caller that waits for the same a little later
    EXPECT_TRUE(first->sync().ok());
    EXPECT_FALSE(first->broken());
    const Lines other = shelf.group({"another 2"});
    ASSERT_TRUE(second->append_to(name, shelf.head(), as_lines(other)).ok());
    EXPECT_EQ(first->append_to(name, shelf.head(), as_lines(tail)).error().code,
              ErrorCode::conflict);
    EXPECT_EQ(lines_of(*second, name), (Lines{shelf.expected()[0], other[0]}));
    EXPECT_EQ(*second->synced(name), 2U);  // it has appended: what was in doubt is recorded
    EXPECT_EQ(first->nodes()->counts().tails_appended_again, 0U);
  }
  EXPECT_TRUE(lost);
}

// Its lease ran out while the database was away. Whoever took the experiment first would take it
// without the lines that only its owner still has.
TEST_F(PostgresCrash, an_owner_that_comes_back_within_a_lease_of_the_crash_keeps_its_tail) {
  bool lost = false;
  for (int attempt = 0; attempt < 10 && !lost; ++attempt) {
    const std::string name = "tones" + std::to_string(attempt);
    const auto first = open();
    Shelf shelf(*first, name);
    shelf.create();
    shelf.append({"1"});
    shelf.sync();
    shelf.append({"d: served", "3"});
    crash_and_run();
    end_lease(*first);
    const auto second = open();
    EXPECT_EQ(second->own(name).error().code, ErrorCode::conflict);
    EXPECT_EQ(second->nodes()->ownerless()->size(), 0U);
    EXPECT_EQ(second->nodes()->tenure(name)->owner, std::nullopt) << "its lease has run out";
    lost = second->head(name)->sequence == 1;
    if (!lost) continue;
    EXPECT_EQ(second->experiments_of("d").error().code, ErrorCode::io) << "it will be there again";
    wait_until([&] { return first->sync().ok(); });
    EXPECT_EQ(first->nodes()->counts().tails_appended_again, 1U);
    EXPECT_EQ(first->nodes()->epoch(name), 1U);
    EXPECT_EQ(lines_of(*second, name), shelf.expected());
    EXPECT_EQ(*second->experiments_of("d"), (std::vector<std::string>{name}));
    end_time_to_come_back();
    EXPECT_TRUE(second->own(name).ok());
    EXPECT_TRUE(second->experiments_of("e")->empty());
  }
  EXPECT_TRUE(lost);
}

TEST_F(PostgresCrash, a_node_tries_to_come_back_several_times_in_a_lease) {
  PostgresOptions options = quiet();
  options.lease = milliseconds(400);
  options.last_pause = hours(1);
  const auto store = open(options);
  server_->stop();
  unsigned longest = 0;
  const auto end = std::chrono::steady_clock::now() + seconds(2);
  while (std::chrono::steady_clock::now() < end) {
    unsigned pause = 0;
    const Error error = store->own("tones").error();
    const std::size_t at = error.message.find("attempt is in ");
    if (at != std::string::npos)
      std::sscanf(error.message.c_str() + at, "attempt is in %u", &pause);
    longest = std::max(longest, pause);
  }
  EXPECT_GT(longest, 40U) << "it waits longer and longer";
  EXPECT_LE(longest, 100U) << "but not as long as a lease";
}

TEST_F(PostgresCrash, a_clean_restart_of_the_database_loses_nothing_and_is_no_crash) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1", "2"});
  server_->stop();
  server_->run();
  const auto other = open();
  EXPECT_EQ(lines_of(*other, "tones"), shelf.expected());
  EXPECT_EQ(*other->synced("tones"), 2U);
  EXPECT_EQ(*other->last_stop(), LastStop::clean);
  shelf.append({"3"});
  EXPECT_EQ(store->nodes()->counts().tails_appended_again, 0U);
}

TEST_F(PostgresCrash, a_server_process_that_is_killed_takes_the_whole_database_through_a_crash) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  shelf.sync();
  shelf.append({"2"});
  const std::string life = ask("SELECT id FROM duel.life");
  const std::string process =
      ask("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
          " AND pid <> pg_backend_pid() LIMIT 1");
  // The start time of the server stays the same; its life does not.
  ::kill(std::stoi(process), SIGKILL);
  wait_until([&] {
    std::string now;
    return PostgresServer::ask(location_, "SELECT id FROM duel.life", now) && now != life;
  });
  const Lines next = shelf.group({"3"});
  wait_until([&] { return store->append_to("tones", shelf.head(), as_lines(next)).ok(); });
  shelf.expect(next);
}

TEST_F(PostgresStores, marks_by_the_clock_how_far_it_has_synced) {
  PostgresOptions options = quiet();
  options.sync_interval = milliseconds(20);
  const auto store = open(options);
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1", "2", "3"});
  wait_until([&] { return ask("SELECT mark FROM duel.experiments") == "3"; });
  shelf.append({"4"});
  wait_until([&] { return ask("SELECT mark FROM duel.experiments") == "4"; });
}

// With a standby that never confirms, an append that waited for the disk would wait forever.
TEST_F(PostgresCrash, appends_wait_for_no_disk) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  want_standby();
  shelf.append({"1", "2"});
  shelf.append({"3"});
  want_no_standby();
  shelf.sync();
}

TEST_F(PostgresStores, one_sync_is_for_all_that_was_appended_before_it) {
  const auto store = open();
  constexpr int kExperiments = 8;
  std::vector<std::unique_ptr<Shelf>> shelves;
  for (int k = 0; k < kExperiments; ++k) {
    shelves.push_back(std::make_unique<Shelf>(*store, "e" + std::to_string(k)));
    shelves.back()->create();
  }
  shelves[0]->append({"1"});
  ASSERT_TRUE(store->sync().ok());  // it has its connection now
  // How many transactions have written.
  const auto transactions = [&] {
    return std::stoll(ask("SELECT pg_snapshot_xmax(pg_current_snapshot())"));
  };
  const auto before = transactions();
  for (const auto& shelf : shelves) shelf->append({"x"});
  for (const auto& shelf : shelves) shelf->sync();
  EXPECT_EQ(transactions(), before + kExperiments + 1);
}

TEST_F(PostgresStores, a_mark_never_goes_beyond_the_head) {
  Lines one;
  Head head;
  {
    const auto before = open();
    Shelf shelf(*before, "tones");
    shelf.create();
    shelf.append({"1"});
    one = shelf.expected();
    head = shelf.head();
  }
  PostgresProxy proxy(*server_);
  PostgresOptions options = quiet();
  options.sync_interval = milliseconds(20);
  const auto store = open_at(proxy.location(location_), options);
  ASSERT_TRUE(store->own("tones").ok());
  // The text of a statement is sent when it comes for the first time: this is the first sync.
  proxy.arm(PostgresProxy::Fault::holds_question, "pg_logical_emit_message");
  const Lines more = {line_of(2, "2"), line_of(3, "3")};
  ASSERT_TRUE(store->append_to("tones", head, as_lines(more)).ok());
  wait_until([&] { return !proxy.armed(); });  // the clock's sync is about to mark record 3
  lose_lines_after("tones", head);
  ask("UPDATE duel.experiments SET epoch = epoch + 1");
  ASSERT_TRUE(store->own("tones").ok());  // taken again, at record 1
  proxy.release();
  wait_until([&] { return store->sync().ok(); });  // after the marks
  EXPECT_EQ(ask("SELECT mark, head_sequence FROM duel.experiments"), "1|1");
  EXPECT_EQ(lines_of(*store, "tones"), one);
}

TEST_F(PostgresStores, a_head_inside_the_tail_gets_the_rest_and_one_outside_is_folded_again) {
  const auto store = open();
  Shelf inside(*store, "inside"), outside(*store, "outside");
  inside.create();
  outside.create();
  outside.append({"1"});
  const Head old = outside.head();
  outside.append({"2"});
  outside.sync();  // no tails
  inside.append({"1"});
  const Head middle = inside.head();
  inside.append({"2", "3"});
  lose_lines_after("inside", middle);
  lose_lines_after("outside", old);
  begin_new_life();
  wait_until([&] { return store->put("space", "key", "value").ok(); });
  inside.is_as_expected();
  EXPECT_EQ(store->nodes()->epoch("inside"), 1U);
  EXPECT_EQ(store->nodes()->counts().tails_appended_again, 1U);
  EXPECT_EQ(store->nodes()->epoch("outside"), std::nullopt);
  EXPECT_EQ(ask("SELECT head_sequence FROM duel.experiments WHERE name = 'outside'"), "1");
}

TEST_F(PostgresStores, many_append_and_sync_at_once) {
  const auto store = open();
  std::vector<std::unique_ptr<Shelf>> shelves;
  constexpr int kThreads = 8, kRounds = 20;
  for (int k = 0; k < kThreads; ++k) {
    shelves.push_back(std::make_unique<Shelf>(*store, "e" + std::to_string(k)));
    shelves.back()->create();
  }
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&, k] {
      for (int round = 0; round < kRounds; ++round) {
        shelves[k]->append({"x"});
        shelves[k]->sync();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  for (const auto& shelf : shelves) shelf->is_as_expected();
  EXPECT_TRUE(store->check().ok());
}

}  // namespace
}  // namespace duel
