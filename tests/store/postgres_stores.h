// Stores on a PostgreSQL of the tests, in which nothing comes by the clock.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/store/postgres_store.h"
#include "tests/store/postgres_server.h"
#include "tests/store/shelf.h"

namespace duel {

// Waits for what is sure to come.
inline void wait_until(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(4);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("waited in vain");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Nothing comes by the clock but what a test asks for.
inline PostgresOptions quiet() {
  PostgresOptions options;
  options.lease = std::chrono::hours(1);
  options.sync_interval = std::chrono::hours(1);
  options.answer_limit = std::chrono::seconds(60);
  options.first_pause = std::chrono::milliseconds(1);
  options.last_pause = std::chrono::milliseconds(20);
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

}  // namespace duel
