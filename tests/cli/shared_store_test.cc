// Stores on PostgreSQL from the command line, and `duel store copy` between stores of every kind.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "duel/store/postgres_store.h"
#include "duel/store/sqlite.h"
#include "tests/cli/run_command.h"
#include "tests/cli/served_store.h"
#include "tests/store/postgres_server.h"

namespace duel {
namespace {

using Words = std::vector<std::string>;

CommandResult on(const std::string& store, Words words) {
  words.insert(words.end(), {"--store", store});
  return run_duel(words);
}

void make_experiment(const std::string& store, const std::string& id) {
  ASSERT_EQ(on(store, {"experiment", "new", id, "--arms", "a,b,c", "--start"}).exit_code, 0);
  for (const std::string duel : {"d0", "d1", "d2"}) {
    ASSERT_EQ(on(store, {"next", id, "--id", duel}).exit_code, 0);
    ASSERT_EQ(on(store, {"report", id, duel, "first"}).exit_code, 0);
  }
}

class StoreCopy : public ::testing::Test {
 protected:
  std::string log_of(const std::string& store, const std::string& id) {
    const std::string folder = place_ / ("logs" + std::to_string(++exports_));
    EXPECT_EQ(on(store, {"store", "export", folder}).exit_code, 0);
    return content_of(folder + "/" + id + ".duel.jsonl");
  }
  // From a store of one kind to one of another: the same bytes, and a server could go on.
  void expect_copied(const std::string& from, const std::string& to) {
    make_experiment(from, "logo");
    make_experiment(from, "tone");
    const CommandResult copied = run_duel({"store", "copy", from, to});
    EXPECT_EQ(copied.exit_code, 0) << copied.err;
    EXPECT_EQ(copied.out, "logo is copied: 8 records\ntone is copied: 8 records\n");
    EXPECT_EQ(log_of(to, "tone"), log_of(from, "tone"));
    EXPECT_EQ(on(to, {"store", "check"}).exit_code, 0);
    EXPECT_EQ(on(to, {"result", "tone"}).out, on(from, {"result", "tone"}).out);
    // Duels are found by their ids there: the same answer again is a repetition.
    EXPECT_EQ(on(to, {"report", "logo", "d1", "first"}).exit_code, 0);
    EXPECT_EQ(log_of(to, "logo"), log_of(from, "logo"));
    // Once more changes nothing, and what has grown is completed.
    EXPECT_EQ(run_duel({"store", "copy", from, to}).out,
              "logo was there: 8 records\ntone was there: 8 records\n");
    ASSERT_EQ(on(from, {"next", "tone", "--id", "more"}).exit_code, 0);
    EXPECT_EQ(run_duel({"store", "copy", from, to}).out,
              "logo was there: 8 records\ntone is completed: 9 records, 1 of them new\n");
    EXPECT_EQ(log_of(to, "tone"), log_of(from, "tone"));
    // Another history under the same name is refused, and only that.
    ASSERT_EQ(on(to, {"next", "tone", "--id", "other"}).exit_code, 0);
    ASSERT_EQ(on(from, {"next", "tone", "--id", "another"}).exit_code, 0);
    ASSERT_EQ(on(from, {"next", "logo", "--id", "new"}).exit_code, 0);
    const std::string before = log_of(to, "tone");
    const CommandResult refused = run_duel({"store", "copy", from, to});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_TRUE(contains(refused.err, "'tone' with other records")) << refused.err;
    EXPECT_EQ(log_of(to, "tone"), before);
    EXPECT_EQ(log_of(to, "logo"), log_of(from, "logo"));
  }

  TemporaryDirectory place_;
  int exports_ = 0;
};

TEST_F(StoreCopy, from_file_to_file) { expect_copied(place_ / "a.db", place_ / "b.db"); }

TEST_F(StoreCopy, from_file_to_postgres) {
  DUEL_NEEDS_POSTGRES();
  expect_copied(place_ / "a.db", PostgresServer::shared().new_database());
}

TEST_F(StoreCopy, from_postgres_to_file) {
  DUEL_NEEDS_POSTGRES();
  expect_copied(PostgresServer::shared().new_database(), place_ / "b.db");
}

TEST_F(StoreCopy, carries_the_key_once_into_a_store_that_has_none) {
  const std::string from = place_ / "a.db", to = place_ / "b.db", other = place_ / "c.db";
  make_experiment(from, "logo");
  ASSERT_EQ(on(from, {"token", "create", "--scope", "admin", "--name", "me"}).exit_code, 0);
  make_experiment(other, "tone");
  EXPECT_TRUE(contains(run_duel({"store", "copy", from, to}).err, "the server's key are copied"));
  EXPECT_EQ(on(to, {"token", "list"}).out, on(from, {"token", "list"}).out);
  EXPECT_EQ(run_duel({"store", "copy", from, to}).err, "");
  EXPECT_TRUE(contains(run_duel({"store", "copy", from, other}).err, "a key of its own"));
}

TEST_F(StoreCopy, takes_nothing_of_a_damaged_chain) {
  const std::string from = place_ / "a.db", to = place_ / "b.db";
  make_experiment(from, "logo");
  {
    auto raw = SqliteConnection::open(from, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(raw->execute("UPDATE lines SET text = replace(text, '\"first\"', '\"second\"')"
                             " WHERE sequence = 7")
                    .ok());
  }
  const CommandResult refused = run_duel({"store", "copy", from, to});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err, "");
  EXPECT_TRUE(contains(on(to, {"store", "check"}).out, "0 experiments"));
  EXPECT_EQ(run_duel({"store", "copy", place_ / "none.db", to}).exit_code, 1);
}

TEST(SharedStore, a_server_that_is_killed_is_replaced_by_another_one) {
  DUEL_NEEDS_POSTGRES();
  const std::string store = PostgresServer::shared().new_database();
  const auto serve = [&] {
    return std::make_unique<RunningDuel>(Words{"serve", "--listen", "127.0.0.1:0", "--store", store,
                                               "--advertise", "http://127.0.0.1:1", "--lease",
                                               "2"});
  };
  const auto url_of = [](RunningDuel& server) {
    wait_for([&] { return contains(server.out_so_far(), "\n"); });
    const std::string out = server.out_so_far();
    return out.substr(0, out.find('\n'));
  };
  auto first = serve();
  const std::string before = url_of(*first);
  const auto at = [](const std::string& url, Words words) {
    words.insert(words.end(), {"--server", url});
    return run_duel(words);
  };
  ASSERT_EQ(at(before, {"experiment", "new", "logo", "--arms", "a,b", "--start"}).exit_code, 0);
  ASSERT_EQ(at(before, {"next", "logo", "--id", "d1"}).exit_code, 0);
  ASSERT_EQ(at(before, {"report", "logo", "d1", "first"}).exit_code, 0);
  const auto nodes = [&] {
    return nlohmann::json::parse(on(store, {"store", "nodes", "--json"}).out);
  };
  EXPECT_EQ(nodes()["experiments"][0]["epoch"], 1);
  EXPECT_EQ(nodes()["nodes"][0]["url"], "http://127.0.0.1:1");
  EXPECT_EQ(nodes()["nodes"][0]["node_id"], nodes()["experiments"][0]["owner"]);
  // The command line is a node as well, and does not take what a server has.
  EXPECT_NE(on(store, {"next", "logo", "--id", "d2"}).exit_code, 0);
  first->send(SIGKILL);
  first->wait();
  auto second = serve();
  const std::string after = url_of(*second);
  wait_for([&] { return at(after, {"next", "logo", "--id", "d2"}).exit_code == 0; });
  const CommandResult result = at(after, {"result", "logo"});
  EXPECT_TRUE(contains(result.out, "1 decisive")) << result.out << result.err;
  EXPECT_EQ(nodes()["experiments"][0]["epoch"], 2);
  second->send(SIGTERM);
  EXPECT_EQ(second->wait().exit_code, 0);
  // What it owned is free at once.
  EXPECT_TRUE(nodes()["experiments"][0]["owner"].is_null());
  EXPECT_EQ(on(store, {"report", "logo", "d2", "tie"}).exit_code, 0);
  EXPECT_EQ(on(store, {"store", "check"}).exit_code, 0);
  EXPECT_TRUE(contains(on(store, {"store", "nodes"}).out, "experiment  owner  epoch"));
  EXPECT_EQ(on(store, {"store", "compact"}).exit_code, 0);
  TemporaryDirectory place;
  const CommandResult backup = on(store, {"store", "backup", place / "copy.db"});
  EXPECT_EQ(backup.exit_code, 1);
  EXPECT_TRUE(contains(backup.err, "pg_dump")) << backup.err;
}

TEST(SharedStore, a_command_shows_its_token_to_the_server_that_owns_the_experiment) {
  DUEL_NEEDS_POSTGRES();
  const std::string store = PostgresServer::shared().new_database();
  make_experiment(store, "logo");
  const CommandResult made = on(store, {"token", "create", "--scope", "admin", "--name", "me"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string token = made.out.substr(0, made.out.find('\n'));
  ServedStore server(store);
  server.kill();
  server.restart({"--advertise", server.url()});  // the same address, known by now
  const auto next = [&](const std::string& duel, const CommandOptions& options, Words more = {}) {
    more.insert(more.begin(), {"next", "logo", "--id", duel, "--store", store});
    return run_duel(more, options);
  };
  const CommandOptions with_token{.variables = {{"DUEL_TOKEN", token}}};
  // The server takes the experiment with its first request.
  ASSERT_EQ(
      run_duel({"next", "logo", "--id", "e0", "--server", server.url()}, with_token).exit_code, 0);
  const CommandResult without = next("e1", {});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_TRUE(contains(without.err, "DUEL_TOKEN")) << without.err;
  EXPECT_EQ(next("e1", with_token).exit_code, 0);
  TemporaryDirectory place;
  EXPECT_EQ(next("e2", {}, {"--token-file", place.write("token", token + "\n")}).exit_code, 0);
}

TEST(SharedStore, refuses_what_cannot_be) {
  TemporaryDirectory place;
  const CommandResult several =
      run_duel({"serve", "--store", place / "a.db", "--advertise", "http://a:1"});
  EXPECT_EQ(several.exit_code, 1);
  EXPECT_TRUE(contains(several.err, "--advertise: only one process can use a store in a file"))
      << several.err;
  EXPECT_TRUE(
      contains(on("mysql://host/db", {"store", "check"}).err, "postgresql://HOST/DATABASE"));
  if (!has_postgres()) {
    const CommandResult without = on("postgresql://host/db", {"store", "check"});
    EXPECT_EQ(without.exit_code, 1);
    EXPECT_TRUE(contains(without.err, "built without PostgreSQL")) << without.err;
    return;
  }
  for (const char* secret :
       {"postgresql://u:secret@/db?host=/none", "postgresql://u@/db?host=/none&password=secret"}) {
    const CommandResult refused = run_duel({"serve", "--store", secret});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_TRUE(contains(refused.err, "PGPASSFILE")) << refused.err;
    EXPECT_FALSE(contains(refused.err, "secret@")) << refused.err;
  }
  const CommandResult away = on("postgresql:///db?host=/none", {"store", "check"});
  EXPECT_EQ(away.exit_code, 1);
  EXPECT_TRUE(contains(away.err, "cannot be reached")) << away.err;
  ASSERT_EQ(on(place / "a.db", {"experiment", "new", "logo", "--arms", "a,b"}).exit_code, 0);
  EXPECT_TRUE(contains(on(place / "a.db", {"store", "nodes"}).err, "only one process"));
}

}  // namespace
}  // namespace duel
