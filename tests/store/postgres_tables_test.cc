// The tables of the PostgreSQL store and the addresses it is found by.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/store/postgres_stores.h"

namespace duel {
namespace {

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
