// `duel store`: what it finds, copies and takes back.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "duel/store/line.h"
#include "duel/store/sqlite.h"
#include "tests/cli/run_command.h"
#include "tests/cli/served_store.h"
#include "tests/store/version_one.h"

namespace duel {
namespace {

using Words = std::vector<std::string>;

class StoreCommands : public ::testing::Test {
 protected:
  StoreCommands() {
    for (const std::string id : {"logo", "tone"}) {
      EXPECT_EQ(store({"experiment", "new", id, "--arms", "a,b,c", "--start"}).exit_code, 0);
      for (int k = 0; k < 3; ++k) {
        const std::string duel = "d" + std::to_string(k);
        EXPECT_EQ(store({"next", id, "--id", duel}).exit_code, 0);
        EXPECT_EQ(store({"report", id, duel, "first"}).exit_code, 0);
      }
    }
  }
  CommandResult store(Words words) const {
    words.insert(words.end(), {"--store", file_});
    return run_duel(words, {.directory = place_.path()});
  }
  CommandResult check(const std::string& file) const {
    return run_duel({"store", "check", "--store", file});
  }
  void execute(const std::string& file, const std::string& sql) const {
    auto raw = SqliteConnection::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(raw.ok());
    const Status done = raw->execute(sql.c_str());
    ASSERT_TRUE(done.ok()) << done.error().to_string();
  }

  TemporaryDirectory place_;
  const std::string file_ = place_ / "duel.db";
};

TEST_F(StoreCommands, check_passes_what_is_sound) {
  const CommandResult result = check(file_);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "is sound: 2 experiments, 16 records")) << result.out;
  const auto json =
      nlohmann::json::parse(run_duel({"store", "check", "--store", file_, "--json"}).out);
  EXPECT_EQ(json["sound"], true);
  EXPECT_EQ(json["experiments"][0]["duels"], 3);
  EXPECT_EQ(check(place_ / "none.db").exit_code, 1);
}

TEST_F(StoreCommands, check_names_a_record_that_was_changed) {
  execute(file_,
          "UPDATE lines SET text = replace(text, '\"result\":\"win\"', '\"result\":\"tie\"') "
          "WHERE sequence = 6 AND experiment = 2");
  const CommandResult result = check(file_);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(contains(result.err, file_ + ": the experiment 'tone' is damaged")) << result.err;
  EXPECT_FALSE(contains(result.err, "'logo'")) << result.err;
  EXPECT_EQ(run_duel({"store", "check", "--store", file_, "--json"}).exit_code, 5);
}

TEST_F(StoreCommands, check_names_records_that_are_missing_and_marks_that_lie) {
  const std::string copy = place_ / "copy.db";
  ASSERT_EQ(store({"store", "backup", copy}).exit_code, 0);
  execute(copy, "DELETE FROM lines WHERE sequence = 8 AND experiment = 1");
  EXPECT_EQ(check(copy).exit_code, 5);
  execute(file_, "UPDATE experiments SET mark = 99 WHERE name = 'logo'");
  const CommandResult marked = check(file_);
  EXPECT_EQ(marked.exit_code, 5);
  EXPECT_TRUE(contains(marked.err, "says that 99 records were synced")) << marked.err;
}

TEST_F(StoreCommands, check_names_a_file_that_is_cut_or_none) {
  const std::string whole = content_of(file_);
  const std::string cut = place_.write("cut.db", whole.substr(0, whole.size() / 2));
  const CommandResult result = check(cut);
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_TRUE(contains(result.err, "cut.db")) << result.err;
  EXPECT_EQ(check(place_.write("noise.db", std::string(5000, 'x'))).exit_code, 5);
}

TEST_F(StoreCommands, a_backup_of_a_store_in_use_is_a_store) {
  const std::string copy = place_ / "copy.db";
  {
    ServedStore server(file_);
    ASSERT_EQ(run_duel({"next", "logo", "--id", "late", "--server", server.url()}).exit_code, 0);
    EXPECT_EQ(run_duel({"report", "logo", "late", "tie", "--server", server.url()}).exit_code, 0);
    const CommandResult made = store({"store", "backup", copy});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(check(file_).exit_code, 0);
    EXPECT_EQ(store({"store", "compact"}).exit_code, 1);  // not while it is served
  }
  EXPECT_EQ(check(copy).exit_code, 0);
  const CommandResult shown = run_duel({"result", "logo", "--store", copy});
  EXPECT_TRUE(contains(shown.out, "4 duels: 3 decisive, 1 tie")) << shown.out << shown.err;
  EXPECT_EQ(store({"store", "backup", copy}).exit_code, 1);  // never written over
}

TEST_F(StoreCommands, logs_go_out_and_come_back) {
  const CommandResult written = store({"store", "export", place_ / "logs"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(run_duel({"verify", "--log", place_ / "logs/logo.duel.jsonl"}).exit_code, 0);
  EXPECT_EQ(store({"store", "export", place_ / "logs"}).exit_code, 1);
  const std::string other = place_ / "other.db";
  const CommandResult taken = run_duel({"store", "import", place_ / "logs", "--store", other});
  EXPECT_EQ(taken.out, "logo is imported\ntone is imported\n") << taken.err;
  EXPECT_EQ(check(other).exit_code, 0);
  EXPECT_EQ(run_duel({"result", "tone", "--store", other}).out, store({"result", "tone"}).out);
  // Once more changes nothing; another history under the same name is refused.
  EXPECT_EQ(run_duel({"store", "import", place_ / "logs", "--store", other}).exit_code, 0);
  EXPECT_EQ(store({"next", "tone", "--id", "more"}).exit_code, 0);
  EXPECT_EQ(store({"store", "import", place_ / "logs/tone.duel.jsonl"}).exit_code, 1);
  EXPECT_EQ(store({"store", "import", place_ / "nothing"}).exit_code, 1);
}

TEST_F(StoreCommands, compact_keeps_everything) {
  const CommandResult result = store({"store", "compact"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(check(file_).exit_code, 0);
  EXPECT_EQ(run_duel({"store", "compact", "--store", place_ / "none.db"}).exit_code, 1);
}

TEST_F(StoreCommands, a_store_of_the_first_version_is_opened_and_goes_on) {
  const std::string log = place_ / "logo.jsonl";
  ASSERT_EQ(store({"export", "logo", "--what", "audit", "-o", log}).exit_code, 0);
  const std::string old = place_ / "old.db";
  std::string sql = kTablesOfVersionOne;
  std::ifstream lines(log);
  std::uint64_t sequence = 0;
  std::string hash;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    hash = record["hash"];
    const std::string key =
        record.contains("duel_id") ? "'" + record["duel_id"].get<std::string>() + "'" : "NULL";
    ASSERT_FALSE(contains(line, "'"));
    sql += "INSERT INTO lines VALUES (1, " + std::to_string(++sequence) + ", " + key + ", '" +
           line + "');";
  }
  sql += "INSERT INTO experiments VALUES (1, 'logo', " + std::to_string(sequence) + ", '" + hash +
         "', " + std::to_string(sequence) + ");";
  execute(old, sql);
  EXPECT_EQ(run_duel({"result", "logo", "--store", old}).out, store({"result", "logo"}).out);
  EXPECT_EQ(run_duel({"next", "logo", "--id", "more", "--store", old}).exit_code, 0);
  EXPECT_EQ(check(old).exit_code, 0);
}

}  // namespace
}  // namespace duel
