#include "duel/store/sqlite_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/store/sqlite_schema.h"
#include "tests/store/faulty_store.h"
#include "tests/store/faulty_vfs.h"
#include "tests/store/shelf.h"
#include "tests/store/version_one.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kNever{3'600'000};
constexpr const char* kNoMore = "the store takes no more records after a failed write";

Result<std::unique_ptr<SqliteStore>> try_open(const std::filesystem::path& file,
                                              SqliteOptions options = {}) {
  return SqliteStore::open(file, std::move(options));
}

std::unique_ptr<SqliteStore> open(const std::filesystem::path& file, SqliteOptions options = {}) {
  auto store = try_open(file, std::move(options));
  if (!store.ok()) throw std::runtime_error(store.error().to_string());
  return std::move(store).value();
}

// A store of two lines that are on disk, on a disk that can fail, and whose clock does not disturb.
struct FaultyDatabase {
  explicit FaultyDatabase(milliseconds interval = kNever) {
    SqliteOptions options;
    options.vfs = vfs.name();
    options.sync_interval = interval;
    store = open(directory / "store.db", options);
    shelf.emplace(*store, "tones");
    shelf->create();
    shelf->append({"first"});
    shelf->append({"second"});
    shelf->sync();
  }
  // What is there on a disk that is well again.
  void restart() {
    store.reset();
    store = open(directory / "store.db");
    shelf->moves_to(*store);
  }

  TemporaryDirectory directory;
  FaultyVfs vfs;
  std::unique_ptr<SqliteStore> store;
  std::optional<Shelf> shelf;
};

TEST(SqliteStore, a_full_disk_refuses_the_group_and_takes_the_next_when_there_is_room) {
  for (std::size_t calls = 0; calls < 4; ++calls) {
    FaultyDatabase database;
    database.vfs.arm(FaultyVfs::Call::write, calls, SQLITE_FULL);
    EXPECT_EQ(database.shelf->refusal({"third", "fourth"}), "the disk is full") << calls;
    EXPECT_FALSE(database.store->broken());
    database.shelf->append({"third", "fourth"});
    database.restart();
    database.shelf->is_as_expected();
  }
}

TEST(SqliteStore, a_commit_of_unknown_fate_is_the_last_until_the_store_is_opened_again) {
  for (const Fault fault : {Fault::fails, Fault::loses_answer}) {
    FaultyDatabase database;
    const Lines lines = database.shelf->group({"third"});
    database.vfs.arm(FaultyVfs::Call::write, 1, SQLITE_IOERR_WRITE, fault);
    EXPECT_FALSE(database.store->append_to("tones", database.shelf->head(), as_lines(lines)).ok());
    EXPECT_TRUE(database.store->broken());
    EXPECT_EQ(database.shelf->refusal({"third"}), kNoMore);
    EXPECT_EQ(database.store->put("tokens", "a", "b").error().message, kNoMore);
    database.store.reset();
    database.store = open(database.directory / "store.db");
    EXPECT_EQ(*database.store->last_stop(), LastStop::process_killed);
    // The line is there or is not; what was acknowledged is there.
    const Lines now = lines_of(*database.store, "tones");
    ASSERT_GE(now.size(), 2U);
    EXPECT_EQ(Lines(now.begin(), now.begin() + 2), database.shelf->expected());
    EXPECT_TRUE(database.store->check().ok());
  }
}

TEST(SqliteStore, a_sync_that_fails_or_whose_answer_was_lost_ends_the_writing) {
  for (const Fault fault : {Fault::fails, Fault::loses_answer}) {
    FaultyDatabase database;
    database.shelf->append({"third"});
    database.vfs.arm(FaultyVfs::Call::sync, 0, SQLITE_IOERR_FSYNC, fault);
    EXPECT_EQ(database.store->sync().error().message, "the database cannot be synced to the disk");
    EXPECT_TRUE(database.store->broken());
    EXPECT_EQ(database.shelf->refusal({"fourth"}), kNoMore);
    EXPECT_FALSE(database.store->sync().ok());
    database.restart();
    EXPECT_NE(*database.store->last_stop(), LastStop::clean);
    database.shelf->append({"fourth"});
  }
}

TEST(SqliteStore, a_sync_by_the_clock_that_fails_ends_the_writing_too) {
  FaultyDatabase database(milliseconds(20));
  database.vfs.arm(FaultyVfs::Call::sync, 0, SQLITE_IOERR_FSYNC);
  database.shelf->append({"third"});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!database.store->broken() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(database.shelf->refusal({"fourth"}), kNoMore);
}

TEST(SqliteStore, an_experiment_is_in_doubt_after_a_loss_of_power_until_somebody_appends_to_it) {
  FaultyDatabase database;
  const TemporaryDirectory after;
  database.vfs.lose_power(after.path(), 100'000);
  SqliteOptions options;
  options.boot = [] { return std::string("the next boot"); };
  for (int starts = 0; starts < 3; ++starts) {
    // Nobody asks for the experiment before the store is closed cleanly.
    const auto store = open(after / "store.db", options);
    EXPECT_EQ(*store->last_stop(), LastStop::machine_stopped) << starts;
    EXPECT_LT(*store->synced("tones"), store->head("tones")->sequence) << starts;
  }
  {
    const auto store = open(after / "store.db", options);
    database.shelf->moves_to(*store);
    database.shelf->append({"third"});
  }
  EXPECT_EQ(*open(after / "store.db", options)->last_stop(), LastStop::clean);
}

TEST(SqliteStore, what_was_synced_survives_a_loss_of_power_and_what_was_not_does_not_corrupt) {
  // A page of the log with its header; the group of one line takes a few of them.
  for (const std::size_t kept : {0, 1, 24, 100, 4'120, 5'000, 8'240, 12'000, 100'000}) {
    FaultyDatabase database;
    database.shelf->append({"third"});
    database.shelf->sync();
    const Lines synced = database.shelf->expected();
    database.shelf->append({"fourth", "fifth"});
    const TemporaryDirectory after;
    database.vfs.lose_power(after.path(), kept);
    const auto store = open(after / "store.db");
    EXPECT_TRUE(store->check().ok()) << kept;
    // The group that nobody synced is there whole, or not at all.
    const Lines now = lines_of(*store, "tones");
    EXPECT_TRUE(now == synced || now == database.shelf->expected()) << kept << " " << now.size();
    if (kept == 0) {
      EXPECT_EQ(now, synced);
    }
    EXPECT_NE(*store->last_stop(), LastStop::clean);
  }
}

TEST(SqliteStore, a_log_that_was_left_behind_is_written_into_the_database_before_anything_else) {
  // After a failed sync the system may take for written what is not: syncing the log again would do
  // nothing, and a repeated outcome would be acknowledged from it.
  FaultyDatabase database;
  TemporaryDirectory survived;
  database.vfs.lose_power(survived.path());
  ASSERT_GT(std::filesystem::file_size(survived / "store.db-wal"), 0U);
  const auto store = open(survived / "store.db");
  EXPECT_EQ(std::filesystem::file_size(survived / "store.db-wal"), 0U);
  EXPECT_EQ(store->head("tones").value().sequence, 2U);
}

TEST(SqliteStore, nobody_else_on_the_machine_can_read_a_new_store_or_its_backup) {
  TemporaryDirectory directory;
  const auto store = open(directory / "store.db");
  ASSERT_TRUE(store->put("secret", "server", "key").ok());
  ASSERT_TRUE(store->backup(directory / "copy.db").ok());
  using std::filesystem::perms;
  for (const char* name : {"store.db", "store.db-wal", "copy.db"}) {
    const perms mode = std::filesystem::status(directory / name).permissions();
    EXPECT_EQ(mode & (perms::group_all | perms::others_all), perms::none) << name;
  }
}

TEST(SqliteStore, an_entry_that_was_put_survives_a_loss_of_power) {
  FaultyDatabase database;
  ASSERT_TRUE(database.store->put("tokens", "a", "secret").ok());
  ASSERT_TRUE(database.store->put("tokens", "b", "secret").ok());
  ASSERT_TRUE(database.store->erase("tokens", "b").ok());
  const TemporaryDirectory after;
  database.vfs.lose_power(after.path());
  const auto store = open(after / "store.db");
  EXPECT_EQ(*store->get("tokens", "a"), "secret");
  EXPECT_EQ(*store->get("tokens", "b"), std::nullopt);
}

TEST(SqliteStore, syncs_by_the_clock_when_nobody_asks_and_marks_how_far) {
  FaultyDatabase database(milliseconds(50));
  database.shelf->append({"third"});
  // Two intervals: one for the line, one for the mark itself.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::uint64_t mark = 0;
  Lines lines;
  while (mark < 3 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(20));
    const TemporaryDirectory after;
    database.vfs.lose_power(after.path());
    const auto store = open(after / "store.db");
    mark = *store->synced("tones");
    lines = lines_of(*store, "tones");
    // A mark never says more than is there.
    EXPECT_LE(mark, lines.size());
  }
  EXPECT_EQ(mark, 3U);
  EXPECT_EQ(lines, database.shelf->expected());
  // Then there is nothing to do.
  std::this_thread::sleep_for(milliseconds(150));
  const std::size_t syncs = database.vfs.syncs();
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(database.vfs.syncs(), syncs);
}

TEST(SqliteStore, a_sync_that_somebody_waited_for_moves_no_mark) {
  FaultyDatabase database;  // its clock does not come
  database.shelf->append({"third"});
  database.shelf->sync();
  const TemporaryDirectory after;
  database.vfs.lose_power(after.path());
  const auto store = open(after / "store.db");
  EXPECT_EQ(lines_of(*store, "tones").size(), 3U);
  EXPECT_EQ(*store->synced("tones"), 0U);
}

TEST(SqliteStore, doubt_about_an_experiment_lasts_until_somebody_appends_to_it) {
  FaultyDatabase database;
  const TemporaryDirectory after;
  database.vfs.lose_power(after.path());
  // Opened and closed cleanly without a look at the experiment: still in doubt.
  open(after / "store.db").reset();
  auto store = open(after / "store.db");
  EXPECT_EQ(*store->last_stop(), LastStop::clean);
  EXPECT_EQ(*store->synced("tones"), 0U);
  database.shelf->moves_to(*store);
  EXPECT_EQ(*store->synced("tones"), 0U);
  database.shelf->append({"recovered"});
  EXPECT_EQ(*store->synced("tones"), 3U);
  store.reset();
  EXPECT_EQ(*open(after / "store.db")->synced("tones"), 3U);
}

TEST(SqliteStore, callers_that_wait_at_the_same_time_share_a_sync) {
  std::atomic<int> waiting = 0;
  std::atomic<bool> open_gate = false;
  FaultyDatabase database;  // which syncs once more when it closes
  database.vfs.on_sync([&] {
    while (!open_gate) std::this_thread::sleep_for(milliseconds(1));
  });
  const std::size_t before = database.vfs.syncs();
  std::vector<std::thread> threads;
  std::atomic<int> synced = 0;
  constexpr int kCallers = 20;
  database.shelf->append({"third"});
  for (int k = 0; k < kCallers; ++k) {
    threads.emplace_back([&] {
      ++waiting;
      if (database.store->sync().ok()) ++synced;
    });
  }
  while (waiting < kCallers) std::this_thread::sleep_for(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(50));
  open_gate = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(synced, kCallers);
  EXPECT_LE(database.vfs.syncs() - before, 2U);
  // Nothing is appended since: nothing to sync.
  const std::size_t now = database.vfs.syncs();
  database.shelf->sync();
  EXPECT_EQ(database.vfs.syncs(), now);
}

TEST(SqliteStore, a_sync_does_not_count_what_was_appended_while_it_ran) {
  std::atomic<bool> in_sync = false, open_gate = false;
  FaultyDatabase database;  // which syncs once more when it closes
  database.vfs.on_sync([&] {
    in_sync = true;
    while (!open_gate) std::this_thread::sleep_for(milliseconds(1));
  });
  database.shelf->append({"third"});
  std::thread first([&] { EXPECT_TRUE(database.store->sync().ok()); });
  while (!in_sync) std::this_thread::sleep_for(milliseconds(1));
  database.shelf->append({"fourth"});  // appends go on while the disk works
  const std::size_t before = database.vfs.syncs();
  std::thread second([&] { EXPECT_TRUE(database.store->sync().ok()); });
  std::this_thread::sleep_for(milliseconds(20));
  open_gate = true;
  first.join();
  second.join();
  EXPECT_EQ(database.vfs.syncs(), before + 1);
}

TEST(SqliteStore, checkpoints_by_size_so_that_the_log_does_not_grow) {
  const TemporaryDirectory directory;
  SqliteOptions options;
  options.checkpoint_pages = 50;
  const auto store = open(directory / "store.db", options);
  Shelf shelf(*store, "tones");
  shelf.create();
  for (int k = 0; k < 400; ++k) shelf.append({std::string(8'000, 'x')});
  // 400 groups take more than 800 pages; the log keeps at most four times as many as the limit
  // says, and what comes with the group that reaches that.
  EXPECT_LT(std::filesystem::file_size(directory / "store.db-wal"), 300U * 4'120);
  EXPECT_GT(std::filesystem::file_size(directory / "store.db"), 100U * 8'000);
}

TEST(SqliteStore, reads_while_it_is_written_and_appends_while_somebody_reads) {
  const TemporaryDirectory directory;
  const auto store = open(directory / "store.db");
  Shelf shelf(*store, "tones");
  shelf.create();
  Lines first;
  for (int k = 0; k < 3'000; ++k) first.push_back(fmt::format("{}", k));
  shelf.append(first);
  std::size_t seen = 0;
  const auto read = store->read("tones", 0, [&](std::string_view) -> Status {
    if (++seen == 10) shelf.append({"in between"});
    return Done{};
  });
  EXPECT_TRUE(read.ok());
  EXPECT_EQ(seen, 3'001U);
}

TEST(SqliteStore, many_threads_append_to_experiments_of_their_own) {
  const TemporaryDirectory directory;
  const auto store = open(directory / "store.db");
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      Shelf shelf(*store, fmt::format("e{}", k));
      shelf.create();
      for (int n = 0; n < 20; ++n) {
        shelf.append({fmt::format("d{}: x", n), "y"});
        shelf.sync();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store->list()->size(), 4U);
  EXPECT_EQ(store->experiments_of("d7")->size(), 4U);
  EXPECT_TRUE(store->check().ok());
}

TEST(FaultyStore, fails_loses_answers_and_delays_as_told) {
  const TemporaryDirectory directory;
  auto store = std::make_unique<FaultyStore>(open(directory / "store.db"));
  Shelf shelf(*store, "tones");
  shelf.create();
  store->arm(FaultyStore::Call::append, 1);
  shelf.append({"first"});
  EXPECT_EQ(shelf.refusal({"second"}), "the disk failed");
  shelf.append({"second"});
  store->delay(FaultyStore::Call::sync, milliseconds(30));
  const auto begin = std::chrono::steady_clock::now();
  shelf.sync();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(30));
  store->arm(FaultyStore::Call::append, 0, Fault::loses_answer);
  const Lines third = shelf.group({"third"});
  EXPECT_FALSE(store->append_to("tones", shelf.head(), as_lines(third)).ok());
  EXPECT_TRUE(store->broken());
  shelf.expect(third);  // it is stored, although the caller was told otherwise
  EXPECT_EQ(shelf.refusal({"fourth"}), kNoMore);
  store = std::make_unique<FaultyStore>(([&] {
    store.reset();
    return open(directory / "store.db");
  })());
  shelf.moves_to(*store);
  store->arm(FaultyStore::Call::sync, 0);
  EXPECT_FALSE(store->sync().ok());
  EXPECT_EQ(shelf.refusal({"fourth"}), kNoMore);
}

// Runs `work` in a process of its own and gives what it wrote to the descriptor before it ended or
// was killed, which happens after so many bytes.
template <class Work>
std::string in_child(const Work& work, std::size_t killed_after = ~std::size_t{0}) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    work(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 4'096> bytes{};
  for (;;) {
    const ssize_t got = ::read(ends[0], bytes.data(), bytes.size());
    if (got <= 0) break;
    said.append(bytes.data(), static_cast<std::size_t>(got));
    if (said.size() >= killed_after) {
      kill(child, SIGKILL);
      killed_after = ~std::size_t{0};
    }
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

TEST(SqliteStore, a_killed_process_loses_nothing_that_it_appended) {
  for (const std::size_t killed_after : {1, 40, 300}) {
    const TemporaryDirectory directory;
    const std::string appended = in_child(
        [&](int out) {
          SqliteOptions options;
          options.checkpoint_pages = 20;
          const auto store = open(directory / "store.db", options);
          (void)store->create("tones");
          Head head;
          for (std::uint64_t k = 1;; ++k) {
            const std::string line = line_of(k, "x");
            const Line one{line, {}};
            if (!store->append_to("tones", head, std::span(&one, 1)).ok()) _exit(1);
            head = {k, std::string(split_line(line)->hash)};
            if (k % 16 == 0 && !store->sync().ok()) _exit(1);
            (void)!::write(out, "x", 1);
          }
        },
        killed_after);
    const auto store = open(directory / "store.db");
    const Lines lines = lines_of(*store, "tones");
    EXPECT_GE(lines.size(), appended.size());
    for (std::size_t k = 0; k < lines.size(); ++k) EXPECT_EQ(number_of(lines[k]), k + 1);
    EXPECT_EQ(*store->last_stop(), LastStop::process_killed);
    EXPECT_LE(*store->synced("tones"), lines.size());
    EXPECT_TRUE(store->check().ok());
    ASSERT_TRUE(store->own("tones").ok());
    const std::string next = line_of(lines.size() + 1, "next");
    const Line one{next, {}};
    EXPECT_TRUE(store->append_to("tones", *store->head("tones"), std::span(&one, 1)).ok());
  }
}

TEST(SqliteStore, a_file_that_may_not_grow_refuses_and_keeps_what_it_has) {
  const TemporaryDirectory directory;
  const std::string said = in_child([&](int out) {
    const auto store = open(directory / "store.db");
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    (void)store->create("tones");
    Head head;
    for (std::uint64_t k = 1;; ++k) {
      const std::string line = line_of(k, std::string(2'000, 'x'));
      const Line one{line, {}};
      const Status status = store->append_to("tones", head, std::span(&one, 1));
      if (!status.ok()) {
        const std::string text = fmt::format("{}:{}", k - 1, status.error().message);
        (void)!::write(out, text.data(), text.size());
        return;
      }
      head = {k, std::string(split_line(line)->hash)};
    }
  });
  const std::size_t taken = std::stoul(said);
  EXPECT_GT(taken, 5U) << said;
  EXPECT_NE(said.find("the database cannot be used"), std::string::npos) << said;
  const auto store = open(directory / "store.db");
  EXPECT_EQ(lines_of(*store, "tones").size(), taken);
  EXPECT_TRUE(store->check().ok());
}

TEST(SqliteStore, a_directory_that_may_not_be_written_is_named) {
  const TemporaryDirectory directory;
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0555));
  const std::string said = in_child([&](int out) {
    constexpr uid_t kNobody = 65'534;
    if (geteuid() == 0 && seteuid(kNobody) != 0) return;
    const auto store = try_open(directory / "store.db");
    const std::string text = store.ok() ? "opened" : store.error().to_string();
    (void)!::write(out, text.data(), text.size());
  });
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  EXPECT_EQ(said,
            (directory / "store.db.lock").string() + ": cannot be written: Permission denied");
}

TEST(SqliteStore, belongs_to_one_process_and_says_to_which) {
  const TemporaryDirectory directory;
  const auto store = open(directory / "store.db");
  const auto second = try_open(directory / "store.db");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_TRUE(second.error().message.starts_with(fmt::format("process {} on host ", getpid())))
      << second.error().message;
  EXPECT_TRUE(second.error().message.ends_with("is using the store"));
  EXPECT_EQ(second.error().where, (directory / "store.db").string());
  EXPECT_EQ(second.error().hint, "ask it over HTTP, or stop it");
}

// Somebody else may have put something where the lock is to be.
TEST(SqliteStore, lock_follows_no_link_and_cuts_nothing_off) {
  const TemporaryDirectory directory;
  const std::filesystem::path lock = directory / "store.db.lock", other = directory / "other.txt";
  const std::string precious(300, 'p');
  write_content(other, precious);
  for (const bool symbolic : {true, false}) {
    std::filesystem::remove(lock);
    if (symbolic) {
      std::filesystem::create_symlink(other, lock);
    } else {
      std::filesystem::create_hard_link(other, lock);
    }
    const auto refused = try_open(directory / "store.db");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().to_string().substr(0, lock.string().size() + 11),
              lock.string() + ": is a link");
    EXPECT_EQ(content_of(other), precious);
  }
  std::filesystem::remove(lock);
  std::filesystem::create_directory(lock);
  EXPECT_FALSE(try_open(directory / "store.db").ok());
  std::filesystem::remove(lock);
  EXPECT_TRUE(try_open(directory / "store.db").ok());
  // One that an older version left is made private.
  std::filesystem::permissions(lock, std::filesystem::perms(0644));
  const auto store = open(directory / "store.db");
  EXPECT_EQ(std::filesystem::status(lock).permissions(), std::filesystem::perms(0600));
}

TEST(SqliteStore, takes_nothing_while_one_of_its_files_is_gone_or_another) {
  const TemporaryDirectory directory;
  const auto store = open(directory / "store.db");
  Shelf shelf(*store, "tones");
  shelf.create();
  shelf.append({"first"});
  EXPECT_TRUE(store->check_place().ok());
  const std::filesystem::path away = directory / "away";
  for (const char* name : {"store.db", "store.db-wal", "store.db-shm", "store.db.lock"}) {
    SCOPED_TRACE(name);
    std::filesystem::rename(directory / name, away);
    for (const bool replaced : {false, true}) {
      if (replaced) write_content(directory / name, "");
      const Status place = store->check_place();
      ASSERT_FALSE(place.ok());
      EXPECT_EQ(place.error().code, ErrorCode::io);
      EXPECT_NE(place.error().message.find(replaced ? "replaced" : "deleted or moved"),
                std::string::npos);
      EXPECT_FALSE(store->sync().ok()) << "what nobody will find again is not acknowledged";
      EXPECT_FALSE(store->put("space", "key", "value").ok());
      EXPECT_NE(shelf.refusal({"lost"}), "");
    }
    std::filesystem::rename(away, directory / name);
    EXPECT_TRUE(store->check_place().ok());
    EXPECT_TRUE(store->sync().ok());
  }
  shelf.append({"second"});
  EXPECT_EQ(lines_of(*store, "tones").size(), 2U);
}

// Pages must get fallbacks, so a server has to start.
TEST(SqliteStore, opens_on_a_full_disk_is_read_and_takes_lines_once_there_is_room) {
  for (const bool clean : {true, false}) {
    SCOPED_TRACE(clean ? "after a clean stop" : "after a kill");
    FaultyVfs disk;
    const TemporaryDirectory directory;
    const std::filesystem::path file = directory / "store.db";
    SqliteOptions options;
    options.vfs = disk.name();
    Lines first;
    {
      const auto store = open(directory / "first.db", options);
      Shelf shelf(*store, "tones");
      shelf.create();
      shelf.append({"first"});
      shelf.sync();
      first = shelf.expected();
      for (const char* part : {"", "-wal", "-shm"}) {
        if (clean) break;
        std::filesystem::copy_file((directory / "first.db").string() + part, file.string() + part);
      }
    }
    if (clean) std::filesystem::copy_file(directory / "first.db", file);
    disk.fill(!clean);
    const auto store = open(file, options);
    EXPECT_EQ(try_open(file, options).error().code, ErrorCode::conflict) << "the lock is held";
    EXPECT_EQ(store->check_place().error().message, "the disk is full");
    ASSERT_TRUE(store->own("tones").ok());
    Shelf shelf(*store, "tones");
    shelf.expect(first);
    EXPECT_EQ(shelf.refusal({"second"}), "the disk is full");
    EXPECT_FALSE(store->broken());
    disk.make_room();
    EXPECT_TRUE(store->check_place().ok());
    shelf.append({"second"});
    shelf.sync();
  }
}

TEST(SqliteStore, a_file_that_is_no_store_is_named_and_left_alone) {
  const TemporaryDirectory directory;
  SqliteOptions reader;
  reader.access = SqliteAccess::read;
  EXPECT_EQ(try_open(directory / "none.db", reader).error().code, ErrorCode::not_found);
  EXPECT_FALSE(std::filesystem::exists(directory / "none.db"));

  const std::string thesis(10'000, 't');
  write_content(directory / "thesis.txt", thesis);
  for (const SqliteOptions& options : {SqliteOptions(), reader}) {
    const auto opened = try_open(directory / "thesis.txt", options);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().to_string(), (directory / "thesis.txt").string() +
                                              ": the file is not a database, or a damaged one");
  }
  EXPECT_EQ(content_of(directory / "thesis.txt"), thesis);

  {
    auto other =
        SqliteConnection::open(directory / "other.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(other->execute("CREATE TABLE songs (title TEXT)").ok());
  }
  const std::string before = content_of(directory / "other.db");
  EXPECT_EQ(try_open(directory / "other.db").error().message,
            "the database belongs to another program");
  EXPECT_EQ(content_of(directory / "other.db"), before);
}

TEST(SqliteStore, damage_is_found_by_check_and_by_a_reader) {
  const TemporaryDirectory directory;
  {
    const auto store = open(directory / "store.db");
    Shelf shelf(*store, "tones");
    shelf.create();
    for (int k = 0; k < 50; ++k) shelf.append({std::string(3'000, 'x')});
  }
  std::string bytes = content_of(directory / "store.db");
  for (std::size_t k = bytes.size() / 4; k < 3 * bytes.size() / 4; ++k) bytes[k] = '\x5a';
  write_content(directory / "store.db", bytes);
  const auto store = try_open(directory / "store.db");
  ASSERT_TRUE(store.ok()) << store.error().to_string();
  const Status check = (*store)->check();
  ASSERT_FALSE(check.ok());
  EXPECT_EQ(check.error().code, ErrorCode::invalid_data);
  EXPECT_EQ(check.error().where, (directory / "store.db").string());
  const auto read = (*store)->read("tones", 0, [](std::string_view) { return Done{}; });
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("the database is damaged"), std::string::npos);
  EXPECT_EQ(read.error().where, (directory / "store.db").string());
}

TEST(SqliteStore, check_finds_lines_that_are_missing) {
  const TemporaryDirectory directory;
  {
    const auto store = open(directory / "store.db");
    Shelf shelf(*store, "tones");
    shelf.create();
    shelf.append({"1", "2", "3"});
  }
  {
    auto raw = SqliteConnection::open(directory / "store.db", SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(raw->execute("DELETE FROM lines WHERE sequence = 2").ok());
  }
  EXPECT_EQ(open(directory / "store.db")->check().error().message,
            "the experiment 'tones' should have the records 1 to 3, and has 2 of which the last is "
            "3");
}

TEST(SqliteStore, a_log_that_ends_before_its_head_is_not_read_as_a_shorter_one) {
  const TemporaryDirectory directory;
  {
    const auto store = open(directory / "store.db");
    Shelf shelf(*store, "tones");
    shelf.create();
    shelf.append({"1", "2", "3"});
  }
  {
    auto raw = SqliteConnection::open(directory / "store.db", SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(raw->execute("DELETE FROM lines WHERE sequence = 3").ok());
  }
  const auto read = open(directory / "store.db")->read("tones", 0, [](std::string_view) {
    return Status(Done{});
  });
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message,
            "the experiment 'tones' should have 3 records and ends with record 2");
}

constexpr const char* kRowsOfVersionOne = R"sql(
INSERT INTO experiments VALUES (7, 'tones', 2, 'h2', 2);
INSERT INTO lines VALUES (7, 1, NULL, 'line 1'), (7, 2, 'd1', 'line 2');
INSERT INTO snapshots VALUES (7, 2, 'h2', 'v', x'00ff');
INSERT INTO entries VALUES ('tokens', 'a', 'secret');
)sql";

TEST(SqliteSchema, opens_a_store_of_the_first_version) {
  const TemporaryDirectory directory;
  {
    auto raw =
        SqliteConnection::open(directory / "store.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    const std::string sql = std::string(kTablesOfVersionOne) + kRowsOfVersionOne;
    const Status made = raw->execute(sql.c_str());
    ASSERT_TRUE(made.ok()) << made.error().to_string();
  }
  const auto store = open(directory / "store.db");
  EXPECT_EQ(lines_of(*store, "tones"), (Lines{"line 1", "line 2"}));
  EXPECT_EQ((*store->find("tones", "d1")), (std::vector<FoundLine>{{2, "line 2"}}));
  EXPECT_EQ(*store->head("tones"), (Head{2, "h2"}));
  EXPECT_EQ(*store->synced("tones"), 2U);
  EXPECT_EQ((*store->snapshot("tones"))->bytes, std::string("\0\xff", 2));
  EXPECT_EQ((*store->outlines())[0].snapshot->summary, "");
  EXPECT_FALSE(*store->tagged("tones", 1));
  EXPECT_EQ(*store->get("tokens", "a"), "secret");
  EXPECT_TRUE(store->check().ok());
}

TEST(SqliteSchema, takes_the_steps_that_are_missing_and_refuses_what_is_newer) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory / "store.db";
  const auto connect = [&] {
    return std::move(SqliteConnection::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE))
        .value();
  };
  std::vector<std::string_view> steps(sqlite_schema_steps().begin(), sqlite_schema_steps().end());
  {
    auto connection = connect();
    ASSERT_TRUE(bring_up_to_date(connection, steps).ok());
    EXPECT_EQ(*sqlite_schema_version(connection, steps), steps.size());
  }
  // Versions to come: one that succeeds, one that fails in its middle.
  steps.emplace_back("CREATE TABLE later (x)");
  {
    auto connection = connect();
    ASSERT_TRUE(bring_up_to_date(connection, steps).ok());
    ASSERT_TRUE(bring_up_to_date(connection, steps).ok());  // once
    EXPECT_EQ(*connection.number("SELECT count(*) FROM later"), 0U);
  }
  steps.emplace_back("CREATE TABLE half (x); nonsense");
  {
    auto connection = connect();
    EXPECT_FALSE(bring_up_to_date(connection, steps).ok());
    EXPECT_EQ(*sqlite_schema_version(connection, steps), steps.size() - 1);
    EXPECT_EQ(*connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'half'"), 0U);
  }
  const auto opened = try_open(file);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message,
            fmt::format("the store has version {}, and this program knows versions up to {}",
                        steps.size() - 1, steps.size() - 2));
}

}  // namespace
}  // namespace duel
