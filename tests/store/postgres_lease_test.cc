// What several nodes may rely on that share a PostgreSQL: leases, and time.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "tests/store/postgres_proxy.h"
#include "tests/store/postgres_stores.h"

namespace duel {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(PostgresStores, renews_its_lease_and_no_renewal_raises_an_epoch) {
  PostgresOptions options = quiet();
  options.lease = milliseconds(800);
  const auto store = open(options);
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  const auto until = [&] { return ask("SELECT max(lease_until) FROM duel.nodes"); };
  for (int renewals = 0; renewals < 3; ++renewals) {
    const std::string before = until();
    wait_until([&] { return until() != before; });
  }
  EXPECT_EQ(store->nodes()->epoch("tones"), 1U);
  EXPECT_EQ(ask("SELECT epoch FROM duel.experiments"), "1");
  shelf.append({"2"});
}

TEST_F(PostgresStores, a_lease_that_ran_out_and_was_renewed_in_time_costs_nothing) {
  PostgresOptions options = quiet();
  options.lease = milliseconds(800);
  const auto store = open(options);
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  end_lease(*store);
  wait_until([&] { return store->nodes()->live()->size() == 1; });
  wait_until([&] { return store->nodes()->holds_lease(); });
  EXPECT_EQ(store->nodes()->epoch("tones"), 1U);
  shelf.append({"2"});
}

TEST_F(PostgresStores, a_node_that_finds_its_lease_run_out_looks_what_others_have_taken) {
  PostgresOptions options = quiet();
  options.lease = seconds(2);
  const auto first = open(options), second = open();
  Shelf taken(*first, "taken"), kept(*first, "kept");
  taken.create();
  taken.append({"1"});
  kept.create();
  kept.append({"1"});
  // The renewal may come between the two: then once more.
  wait_until([&] {
    end_lease(*first);
    return second->own("taken").ok();
  });
  // Without any append.
  wait_until([&] { return !first->nodes()->epoch("taken"); });
  EXPECT_EQ(first->nodes()->epoch("kept"), 1U);
  kept.append({"2"});
}

// A take-over and a renewal wait for each other (node_lease.h): who holds the row of the node here
// stands for a node in the middle of taking over.
TEST_F(PostgresStores, a_renewal_waits_for_who_judges_the_lease_and_does_not_hold_meanwhile) {
  PostgresOptions options = quiet();
  options.lease = milliseconds(900);
  const auto store = open(options);
  FILE* const taker = psql();
  tell(taker, "BEGIN; SELECT 1 FROM duel.nodes FOR UPDATE;");
  wait_until([&] { return !store->nodes()->holds_lease(); });
  wait_until([&] { return lock_waits() == "1"; });
  EXPECT_FALSE(store->nodes()->holds_lease());
  tell(taker, "COMMIT;");
  ::pclose(taker);
  wait_until([&] { return store->nodes()->holds_lease(); });
}

// The other way round: who holds the row stands for a node in the middle of a renewal.
TEST_F(PostgresStores, who_takes_waits_for_a_renewal_under_way_and_judges_after_it) {
  const auto first = open(), second = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  end_lease(*first);
  const std::string row = "duel.nodes WHERE id = '" + first->nodes()->self().node_id + "'";
  FILE* const renewal = psql();
  tell(renewal,
       "BEGIN; UPDATE duel.nodes SET lease_until = clock_timestamp() + interval '1 hour'"
       " WHERE id = '" +
           first->nodes()->self().node_id + "';");
  wait_until([&] { return !row_is_free(row); });
  std::atomic<bool> done = false, took = false;
  std::thread taking([&] {
    took = second->own("tones").ok();
    done = true;
  });
  wait_until([&] { return done || lock_waits() == "1"; });
  EXPECT_FALSE(done);
  tell(renewal, "COMMIT;");
  ::pclose(renewal);
  taking.join();
  EXPECT_FALSE(took);
  shelf.append({"2"});
}

TEST_F(PostgresStores, a_lapse_is_seen_also_where_the_answer_to_the_renewal_is_lost) {
  PostgresProxy proxy(*server_);
  PostgresOptions options = quiet();
  options.lease = seconds(2);
  const auto first = open_at(proxy.location(location_), options), second = open();
  Shelf taken(*first, "taken"), kept(*first, "kept");
  for (Shelf* one : {&taken, &kept}) {
    one->create();
    one->append({"1"});
  }
  proxy.arm(PostgresProxy::Fault::holds_question, "duel.nodes WHERE id = $1 FOR UPDATE");
  wait_until([&] { return second->own("taken").ok(); });
  wait_until([&] { return !first->nodes()->holds_lease(); });
  proxy.release();  // it is renewed and nobody hears of it; to the next renewal the lease holds
  wait_until([&] { return first->nodes()->holds_lease(); });
  EXPECT_EQ(first->nodes()->epoch("taken"), std::nullopt);
  EXPECT_EQ(first->nodes()->epoch("kept"), 1U);
}

TEST_F(PostgresStores, holds_its_lease_by_its_own_clock_while_the_database_is_away) {
  PostgresServer server("fsync = off");
  PostgresOptions options = quiet();
  options.lease = seconds(1);
  const auto store = open_at(server.new_database(), options);
  wait_until([&] { return store->nodes()->holds_lease(); });
  server.crash();
  // Nobody tells it.
  wait_until([&] { return !store->nodes()->holds_lease(); });
  server.run();
  wait_until([&] { return store->nodes()->holds_lease(); });
  EXPECT_GT(store->nodes()->counts().reconnects, 0U);
}

// Its next renewal is a quarter of an hour away.
TEST_F(PostgresStores, finds_out_soon_that_the_database_is_away_also_with_a_long_lease) {
  PostgresServer server("fsync = off");
  PostgresOptions options = quiet();
  options.lease = hours(1);
  const auto store = open_at(server.new_database(), options);
  EXPECT_TRUE(store->nodes()->reachable());
  server.crash();
  wait_until([&] { return !store->nodes()->reachable(); });
  EXPECT_TRUE(store->nodes()->holds_lease());
  server.run();
  wait_until([&] { return store->nodes()->reachable(); });
  EXPECT_TRUE(store->nodes()->holds_lease());
}

TEST_F(PostgresStores, counts_a_lease_from_before_the_renewal_was_sent) {
  // The answer to a renewal that comes a lease too late gives nothing.
  PostgresProxy proxy(*server_);
  PostgresOptions options = quiet();
  options.lease = seconds(1);
  const auto store = open_at(proxy.location(location_), options);
  proxy.delay_answers(milliseconds(1'500));
  wait_until([&] { return !store->nodes()->holds_lease(); });
  const std::string before = ask("SELECT max(lease_until) FROM duel.nodes");
  const auto end = std::chrono::steady_clock::now() + seconds(4);
  while (std::chrono::steady_clock::now() < end) {
    EXPECT_FALSE(store->nodes()->holds_lease());
    std::this_thread::sleep_for(milliseconds(20));
  }
  // It did renew.
  EXPECT_NE(ask("SELECT max(lease_until) FROM duel.nodes"), before);
  proxy.delay_answers(milliseconds(0));
  wait_until([&] { return store->nodes()->holds_lease(); });
}

TEST_F(PostgresStores, tells_the_time_of_the_database_and_never_goes_back) {
  PostgresOptions options = quiet();
  options.lease = milliseconds(400);
  const auto store = open(options);
  std::int64_t last = 0;
  for (int k = 0; k < 5; ++k) {
    const std::string clock = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    const std::int64_t before = store->nodes()->now_ms();
    EXPECT_GE(before, last);
    const std::int64_t now = std::stoll(ask(clock));
    EXPECT_LE(before, now);
    last = store->nodes()->now_ms();
    // It is behind by no more than the journeys; the machine may be busy.
    EXPECT_GT(last, now - 60'000);
    std::this_thread::sleep_for(milliseconds(100));
  }
}

// The database's clock is an hour ahead of everybody else's here.
TEST_F(PostgresStores, leases_and_time_are_by_the_clock_of_the_database) {
  ask("CREATE SCHEMA other; CREATE FUNCTION other.clock_timestamp() RETURNS timestamptz LANGUAGE"
      " sql AS $$SELECT pg_catalog.clock_timestamp() + interval '1 hour'$$");
  const std::string ahead = location_ + "&options=-csearch_path%3Dother%2Cpg_catalog";
  PostgresOptions options = quiet();
  options.lease = std::chrono::minutes(10);
  const auto first = open_at(ahead, options), second = open_at(ahead, options);
  EXPECT_EQ(second->nodes()->live()->size(), 2U);
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  EXPECT_EQ(second->own("tones").error().code, ErrorCode::conflict);
  const auto here =
      std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  EXPECT_GT(first->nodes()->now_ms(), here + 3'500'000);
  // By the clock of this machine it holds for another half hour.
  ask("UPDATE duel.nodes SET lease_until = clock_timestamp() + interval '30 minutes' WHERE id = '" +
      first->nodes()->self().node_id + "'");
  EXPECT_EQ(second->nodes()->live()->size(), 1U);
  EXPECT_TRUE(second->own("tones").ok());
}

TEST_F(PostgresStores, no_connection_that_writes_may_idle_in_a_transaction_for_a_lease) {
  PostgresOptions options = quiet();
  options.lease = milliseconds(800);
  options.sync_interval = milliseconds(20);
  const auto store = open(options);
  note("(SELECT setting FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout')",
       {"INSERT OR UPDATE ON duel.experiments", "INSERT OR UPDATE ON duel.nodes"});
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  // The writer, the lease, and the marks of the clock.
  wait_until(
      [&] { return std::stoi(ask("SELECT count(DISTINCT process) FROM public.seen")) >= 3; });
  EXPECT_EQ(ask("SELECT count(*) FROM public.seen WHERE value::int NOT BETWEEN 1 AND 799"), "0");
}

}  // namespace
}  // namespace duel
