// What several nodes may rely on that share a PostgreSQL, and what becomes of it when nodes, the
// database and the network between them fail.
#include "duel/store/postgres_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/store/postgres_proxy.h"
#include "tests/store/postgres_server.h"
#include "tests/store/shelf.h"

namespace duel {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Waits for what is sure to come.
void wait_until(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(4);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("waited in vain");
    std::this_thread::sleep_for(milliseconds(5));
  }
}

// Nothing comes by the clock but what a test asks for.
PostgresOptions quiet() {
  PostgresOptions options;
  options.lease = hours(1);
  options.sync_interval = hours(1);
  options.answer_limit = seconds(60);
  options.first_pause = milliseconds(1);
  options.last_pause = milliseconds(20);
  return options;
}

class PostgresStores : public ::testing::Test {
 protected:
  void SetUp() override {
    DUEL_NEEDS_POSTGRES();
    server_ = &PostgresServer::shared();
    location_ = server_->new_database();
  }
  std::unique_ptr<Store> open(PostgresOptions options = quiet()) const {
    return open_at(location_, std::move(options));
  }
  static std::unique_ptr<Store> open_at(const std::string& location,
                                        PostgresOptions options = quiet()) {
    auto store = open_postgres_store(location, std::move(options));
    EXPECT_TRUE(store.ok()) << store.error().to_string();
    return std::move(store).value();
  }
  std::string ask(const std::string& sql) const { return PostgresServer::query(location_, sql); }
  // As if the node had gone silent long ago.
  void end_lease(Store& store) const {
    ask("UPDATE duel.nodes SET lease_until = clock_timestamp() - interval '1 minute' WHERE id = '" +
        store.nodes()->self().node_id + "'");
  }
  // As if the last crash of the database were long ago.
  void end_time_to_come_back() const { ask("UPDATE duel.life SET since = '-infinity'"); }
  std::string row(const std::string& experiment) const {
    return ask(
        "SELECT coalesce(owner, '-'), epoch, head_sequence FROM duel.experiments"
        " WHERE name = '" +
        experiment + "'");
  }

  // A crash without luck, in two halves. The database has lost what came after `head`..
  void lose_lines_after(const std::string& experiment, const Head& head) const {
    ask(
        fmt::format("DELETE FROM duel.lines WHERE sequence > {0} AND experiment ="
                    " (SELECT id FROM duel.experiments WHERE name = '{1}');"
                    " UPDATE duel.experiments SET head_sequence = {0}, head_hash = '{2}'"
                    " WHERE name = '{1}'",
                    head.sequence, experiment, head.hash));
  }
  // .. and stores find out when they connect again.
  void begin_new_life() const {
    ask("UPDATE duel.life SET id = id || '+'");
    end_connections();
  }
  void end_connections() const {
    const std::string admin = server_->location("postgres");
    PostgresServer::query(admin,
                          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                          " WHERE usename = 'node'");
    wait_until([&] {
      return PostgresServer::query(
                 admin, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'node'") == "0";
    });
  }

  // Somebody in the middle of a transaction: statements go in by fputs, pclose ends it.
  FILE* psql() const {
    const std::string program = (PostgresServer::programs() / "psql").string();
    return ::popen((program + " -Xq -d '" + location_ + "' > /dev/null").c_str(), "w");
  }
  static void tell(FILE* psql, const std::string& statements) {
    std::fputs((statements + "\n").c_str(), psql);
    std::fflush(psql);
  }
  std::string lock_waits() const {
    return ask(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock'");
  }
  // Whether nobody has locked the one row.
  bool row_is_free(const std::string& row) const {
    return ask("SELECT count(*) FROM (SELECT 1 FROM " + row + " FOR UPDATE SKIP LOCKED) AS f") ==
           "1";
  }
  // What `value` is inside each statement that does `what` (as "INSERT ON duel.lines") is kept from
  // now on, in the table public.seen.
  void note(const std::string& value, const std::vector<std::string>& what) const {
    ask("CREATE TABLE public.seen (process int, value text)");
    ask("CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
        " INSERT INTO public.seen VALUES (pg_backend_pid(), " +
        value + "); RETURN NULL; END$$");
    for (const std::string& event : what) {
      ask("CREATE TRIGGER note AFTER " + event +
          " FOR EACH STATEMENT EXECUTE FUNCTION public.note()");
    }
  }

  PostgresServer* server_ = nullptr;
  std::string location_;
};

// --- ownership ----------------------------------------------------------------------------------

TEST_F(PostgresStores, an_owner_taken_for_dead_finds_its_appends_refused_and_nothing_of_them) {
  const auto first = open(), second = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1", "2"});
  EXPECT_EQ(first->nodes()->epoch("tones"), 1U);
  end_lease(*first);
  shelf.moves_to(*second);
  EXPECT_EQ(second->nodes()->epoch("tones"), 2U);
  EXPECT_EQ(second->nodes()->counts().taken_over, 1U);

  const Lines late = shelf.group({"from the past"});
  const std::vector<Line> lines = {{late[0], "key", 7}};
  const Status refused = first->append_to("tones", shelf.head(), lines);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_EQ(first->nodes()->epoch("tones"), std::nullopt);
  EXPECT_EQ(first->nodes()->counts().fenced, 1U);
  EXPECT_FALSE(first->broken());
  EXPECT_FALSE(*second->tagged("tones", 7));
  EXPECT_TRUE(second->find("tones", "key")->empty());
  shelf.append({"3"});
  // And the second time it is known here.
  EXPECT_EQ(first->append_to("tones", shelf.head(), lines).error().code, ErrorCode::conflict);
}

TEST_F(PostgresStores, the_epoch_alone_keeps_an_owner_of_before_out) {
  const auto first = open(), second = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  // Away and back: the owner and the head are those of before, only the epoch is not.
  ask("UPDATE duel.experiments SET epoch = epoch + 2");
  EXPECT_NE(shelf.refusal({"2"}), "");
  EXPECT_EQ(first->nodes()->counts().fenced, 1U);
}

TEST_F(PostgresStores, the_owner_alone_keeps_others_out) {
  const auto first = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  ask("UPDATE duel.experiments SET owner = 'another'");
  EXPECT_NE(shelf.refusal({"2"}), "");
}

TEST_F(PostgresStores, the_head_in_the_database_decides_and_not_what_the_owner_remembers) {
  const auto first = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  ask("UPDATE duel.experiments SET head_hash = repeat('0', 64)");
  EXPECT_NE(shelf.refusal({"2"}), "");
}

TEST_F(PostgresStores, the_sequence_of_the_head_alone_keeps_an_append_out) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  ask("UPDATE duel.experiments SET head_sequence = head_sequence + 1");
  const Lines late = shelf.group({"2"});
  EXPECT_EQ(store->append_to("tones", shelf.head(), as_lines(late)).error().code,
            ErrorCode::conflict);
  EXPECT_EQ(ask("SELECT count(*) FROM duel.lines"), "1");
}

TEST_F(PostgresStores, an_append_is_one_statement_and_all_or_nothing) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  note("statement_timestamp()", {"UPDATE ON duel.experiments", "INSERT ON duel.lines"});
  shelf.append({"1", "2"});
  EXPECT_EQ(ask("SELECT count(*), count(DISTINCT value) FROM public.seen"), "2|1");
  ask("CREATE FUNCTION public.no() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no'; END$$");
  ask("CREATE TRIGGER no BEFORE INSERT ON duel.lines EXECUTE FUNCTION public.no()");
  EXPECT_NE(shelf.refusal({"3"}), "");
  EXPECT_EQ(ask("SELECT head_sequence FROM duel.experiments"), "2");
  ask("DROP TRIGGER no ON duel.lines");
  shelf.append({"3"});  // nothing is in doubt
}

// Otherwise two commits could wait for each other.
TEST_F(PostgresStores, rows_are_locked_in_the_order_of_their_ids) {
  const auto store = open();
  Shelf low(*store, "z"), high(*store, "a");  // ids are given in the order of creation
  for (Shelf* one : {&low, &high}) {
    one->create();
    one->append({"1"});
  }
  FILE* const holder = psql();
  tell(holder, "BEGIN; SELECT 1 FROM duel.experiments WHERE name = 'z' FOR UPDATE;");
  wait_until([&] { return !row_is_free("duel.experiments WHERE name = 'z'"); });
  const Lines h = high.group({"2"}), l = low.group({"2"});
  const auto h_lines = as_lines(h), l_lines = as_lines(l);
  const std::vector<Group> groups = {{"a", high.head(), h_lines}, {"z", low.head(), l_lines}};
  std::thread append([&] { EXPECT_TRUE(store->append(groups).ok()); });
  wait_until([&] { return lock_waits() == "1"; });
  EXPECT_TRUE(row_is_free("duel.experiments WHERE name = 'a'")) << "nothing is held out of order";
  tell(holder, "COMMIT;");
  ::pclose(holder);
  append.join();
  low.expect(l);
  high.expect(h);
}

TEST_F(PostgresStores, a_node_has_a_new_id_with_every_start) {
  PostgresOptions options = quiet();
  options.url = "http://the-same:1";
  const auto before = open(options);
  Shelf shelf(*before, "tones");
  shelf.create();
  shelf.append({"1"});
  // It was killed, and its lease still holds: the process that follows is somebody else.
  const auto after = open(options);
  EXPECT_NE(after->nodes()->self().node_id, before->nodes()->self().node_id);
  EXPECT_EQ(after->own("tones").error().code, ErrorCode::conflict);
}

TEST_F(PostgresStores, one_lost_experiment_does_not_abort_a_commit) {
  const auto first = open(), second = open();
  Shelf lost(*first, "lost"), kept(*first, "kept"), more(*first, "more");
  for (Shelf* shelf : {&lost, &kept, &more}) {
    shelf->create();
    shelf->append({"1"});
  }
  end_lease(*first);
  ASSERT_TRUE(second->own("lost").ok());
  const Lines k2 = kept.group({"k2"}), l2 = lost.group({"l2"}), m2 = more.group({"m2", "m3"});
  const auto k_lines = as_lines(k2), l_lines = as_lines(l2), m_lines = as_lines(m2);
  const std::vector<Group> groups = {{"more", more.head(), m_lines},
                                     {"lost", lost.head(), l_lines},
                                     {"kept", kept.head(), k_lines}};
  const auto results = first->append(groups);
  ASSERT_TRUE(results.ok()) << results.error().to_string();
  EXPECT_TRUE((*results)[0].ok());
  EXPECT_EQ((*results)[1].error().code, ErrorCode::conflict);
  EXPECT_TRUE((*results)[2].ok());
  more.expect(m2);
  kept.expect(k2);
  lost.is_as_expected();
  EXPECT_EQ(first->nodes()->epoch("lost"), std::nullopt);
  EXPECT_EQ(first->nodes()->epoch("kept"), 1U);
}

TEST_F(PostgresStores, what_somebody_alive_owns_is_a_conflict_and_the_store_says_who) {
  PostgresOptions options = quiet();
  options.url = "http://one:1";
  const auto first = open(options);
  options.url = "http://two:2";
  const auto second = open(options);
  Shelf shelf(*first, "tones");
  EXPECT_EQ(first->nodes()->tenure("tones").error().code, ErrorCode::not_found);
  shelf.create();
  shelf.append({"1"});
  EXPECT_EQ(second->own("tones").error().code, ErrorCode::conflict);
  EXPECT_EQ(second->nodes()->epoch("tones"), std::nullopt);
  EXPECT_EQ(*second->nodes()->tenure("tones"), (Tenure{"tones", first->nodes()->self(), 1}));
  EXPECT_EQ(first->nodes()->self().url, "http://one:1");
  EXPECT_TRUE(second->nodes()->ownerless()->empty());
  EXPECT_EQ(second->nodes()->live()->size(), 2U);
  end_lease(*first);
  EXPECT_EQ(*second->nodes()->ownerless(), Lines{"tones"});
  EXPECT_EQ(*second->nodes()->live(), std::vector<NodeAddress>{second->nodes()->self()});
  EXPECT_EQ(*second->nodes()->tenure("tones"), (Tenure{"tones", std::nullopt, 1}));
  EXPECT_EQ(second->nodes()->tenures()->front().owner, std::nullopt);
  const auto states = *second->nodes()->states();
  const auto dead = std::ranges::find(states, first->nodes()->self(), &NodeState::address);
  ASSERT_NE(dead, states.end());
  EXPECT_LT(dead->lease_left_ms, 0);
  EXPECT_EQ(dead->experiments, 1U);
}

TEST_F(PostgresStores, owning_once_more_what_is_ours_changes_no_epoch) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1"});
  shelf.moves_to(*store);
  EXPECT_EQ(store->nodes()->epoch("tones"), 1U);
  shelf.append({"2"});
}

TEST_F(PostgresStores, what_is_given_away_others_may_take_at_once) {
  const auto first = open(), second = open();
  Shelf shelf(*first, "tones");
  shelf.create();
  shelf.append({"1"});
  ASSERT_TRUE(first->nodes()->give_away("tones").ok());
  EXPECT_EQ(first->nodes()->epoch("tones"), std::nullopt);
  EXPECT_TRUE(first->nodes()->give_away("tones").ok());
  EXPECT_EQ(*second->nodes()->ownerless(), Lines{"tones"});
  const Lines late = shelf.group({"late"});
  EXPECT_EQ(first->append_to("tones", shelf.head(), as_lines(late)).error().code,
            ErrorCode::conflict);
  shelf.moves_to(*second);
  shelf.append({"2"});
  EXPECT_EQ(second->nodes()->counts().taken_over, 0U);  // nobody was left behind
}

TEST_F(PostgresStores, a_store_that_closes_gives_everything_away_and_ends_its_lease) {
  auto first = open();
  const auto second = open();
  Shelf tones(*first, "tones"), colours(*first, "colours");
  tones.create();
  tones.append({"1"});
  colours.create();
  colours.append({"1", "2"});
  const std::string id = first->nodes()->self().node_id;
  first.reset();
  EXPECT_EQ(*second->nodes()->ownerless(), (Lines{"colours", "tones"}));
  EXPECT_EQ(ask("SELECT count(*) FROM duel.nodes WHERE id = '" + id + "'"), "0");
  EXPECT_EQ(*second->synced("colours"), 2U);
  tones.moves_to(*second);
  tones.append({"2"});
}

TEST_F(PostgresStores, exactly_one_of_many_creates_and_takes) {
  constexpr int kNodes = 4;
  std::vector<std::unique_ptr<Store>> nodes;
  for (int k = 0; k < kNodes; ++k) nodes.push_back(open());
  for (int round = 0; round < 10; ++round) {
    const std::string name = "e" + std::to_string(round);
    std::vector<int> created(kNodes), taken(kNodes);
    const auto all_at_once = [&](const std::function<void(int)>& work) {
      std::vector<std::thread> threads;
      for (int k = 0; k < kNodes; ++k) threads.emplace_back(work, k);
      for (std::thread& one : threads) one.join();
    };
    all_at_once([&](int k) { created[k] = nodes[k]->create(name).ok() ? 1 : 0; });
    ASSERT_EQ(std::ranges::count(created, 1), 1) << round;
    const auto winner = std::ranges::find(created, 1) - created.begin();
    Shelf shelf(*nodes[winner], name);
    shelf.append({"1"});
    ASSERT_TRUE(nodes[winner]->nodes()->give_away(name).ok());
    all_at_once([&](int k) { taken[k] = nodes[k]->own(name).ok() ? 1 : 0; });
    EXPECT_EQ(std::ranges::count(taken, 1), 1) << round;
    EXPECT_EQ(ask("SELECT epoch FROM duel.experiments WHERE name = '" + name + "'"), "2");
  }
}

TEST_F(PostgresStores, a_name_whose_creator_died_before_the_first_line_is_free_again) {
  const auto first = open(), second = open();
  ASSERT_TRUE(first->create("tones").ok());
  EXPECT_EQ(second->create("tones").error().code, ErrorCode::conflict);
  EXPECT_EQ(second->own("tones").error().code, ErrorCode::conflict);
  end_lease(*first);
  EXPECT_EQ(second->own("tones").error().code, ErrorCode::not_found);
  Shelf shelf(*second, "tones");
  shelf.create();
  shelf.append({"1"});
  const Lines late = {line_of(1, "late")};
  EXPECT_EQ(first->append_to("tones", {}, as_lines(late)).error().code, ErrorCode::conflict);
  shelf.is_as_expected();
}

// --- the lease ----------------------------------------------------------------------------------

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

// --- durability ---------------------------------------------------------------------------------

// The database writes what nobody waits for only every ten seconds, and a crash loses it. The
// system does not crash here, so that there is nothing to sync.
class PostgresCrash : public PostgresStores {
 protected:
  void SetUp() override {
    DUEL_NEEDS_POSTGRES();
    own_server_ = std::make_unique<PostgresServer>("wal_writer_delay = 10s\nfsync = off");
    server_ = own_server_.get();
    location_ = server_->new_database();
  }
  void crash_and_run() {
    server_->crash();
    server_->run();
  }
  std::string admin(const std::string& sql) const {
    return PostgresServer::query(server_->location("postgres"), sql);
  }
  // A commit that waits for the disk waits for a standby as well, and there is none.
  void want_standby() const {
    admin("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    admin("SELECT pg_reload_conf()");
    wait_until([&] { return admin("SHOW synchronous_standby_names") == "nobody"; });
    admin("CHECKPOINT");  // by then the checkpointer has put it in force
  }
  void want_no_standby() const {
    admin("ALTER SYSTEM RESET synchronous_standby_names");
    admin("SELECT pg_reload_conf()");
  }
  std::unique_ptr<PostgresServer> own_server_;
};

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

// --- the network --------------------------------------------------------------------------------

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

// --- tables and locations -----------------------------------------------------------------------

TEST_F(PostgresStores, many_nodes_may_start_at_once_on_an_empty_database) {
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<Store>> stores(4);
  for (auto& store : stores) threads.emplace_back([&] { store = open(); });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(stores[0]->nodes()->live()->size(), 4U);
}

TEST_F(PostgresStores, refuses_a_newer_version_and_the_schema_of_another_program) {
  {
    const auto store = open();
  }
  ask("UPDATE duel.schema_version SET version = 99");
  EXPECT_EQ(open_postgres_store(location_).error().code, ErrorCode::unsupported);
  ask("DROP SCHEMA duel CASCADE");
  ask("CREATE SCHEMA duel");
  const auto foreign = open_postgres_store(location_);
  ASSERT_FALSE(foreign.ok());
  EXPECT_EQ(foreign.error().code, ErrorCode::invalid_data);
  EXPECT_NE(foreign.error().message.find("another program"), std::string::npos);
}

TEST_F(PostgresStores, a_reader_makes_nothing_and_is_no_node_until_it_writes) {
  PostgresOptions options = quiet();
  options.access = PostgresAccess::read;
  EXPECT_EQ(open_postgres_store(location_, options).error().code, ErrorCode::unsupported);
  EXPECT_EQ(ask("SELECT count(*) FROM pg_namespace WHERE nspname = 'duel'"), "0");
  {
    const auto store = open();
  }
  const auto reader = open(options);
  EXPECT_TRUE(reader->nodes()->live()->empty());
  EXPECT_FALSE(reader->nodes()->holds_lease());
  EXPECT_TRUE(reader->sync().ok());
  ASSERT_TRUE(reader->create("tones").ok());
  EXPECT_EQ(reader->nodes()->live()->size(), 1U);
}

TEST_F(PostgresStores, check_finds_missing_lines_and_lines_of_nobody) {
  const auto store = open();
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"1", "2", "3"});
  ask("DELETE FROM duel.lines WHERE sequence = 2");
  EXPECT_EQ(store->check().error().code, ErrorCode::invalid_data);
  ask("DELETE FROM duel.lines WHERE sequence = 3");
  const auto read = store->read("tones", 0, [](std::string_view) -> Status { return Done{}; });
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::invalid_data);
  ask("DELETE FROM duel.experiments");
  EXPECT_NE(store->check().error().message.find("belong to no experiment"), std::string::npos);
}

TEST_F(PostgresStores, takes_bytes_that_no_encoding_knows) {
  const auto store = open();
  ASSERT_TRUE(store->create("tones").ok());
  const std::string line = line_of(1, "\xff\xfe \\x00 '\"");
  const std::vector<Line> lines = {{line, "\xff key", 0}};
  ASSERT_TRUE(store->append_to("tones", {}, lines).ok());
  EXPECT_EQ(store->find("tones", "\xff key")->front().text, line);
}

TEST(PostgresLocation, hides_and_finds_passwords) {
  if (!has_postgres()) GTEST_SKIP() << "NOT TESTED: built without PostgreSQL";
  EXPECT_TRUE(is_postgres("postgres://host/db"));
  EXPECT_FALSE(is_postgres("/var/postgresql.db"));
  for (const char* with :
       {"postgresql://u:secret@host/db", "postgresql://u@host/db?password=secret",
        "postgresql://u@host/db?sslpassword=secret"}) {
    EXPECT_TRUE(has_password(with)) << with;
    EXPECT_EQ(shown_location(with), "postgresql://host/db");
  }
  EXPECT_FALSE(has_password("postgresql://u@host/db"));
  const auto wrong = open_postgres_store("postgresql://host/db?nonsense=1");
  EXPECT_EQ(wrong.error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace duel
