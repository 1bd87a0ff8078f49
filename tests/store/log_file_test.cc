#include "duel/store/log_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/store/faulty_disk.h"
#include "tests/store/shelf.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

// A log of two lines that are on disk, in a store whose disk can fail.
struct FaultyLog {
  FaultyLog() {
    shelf.create();
    shelf.append({"first"});
    shelf.append({"second"});
    shelf.sync();
  }
  // As after a kill: what is there, and a disk that is well again.
  void restart() {
    store = std::make_unique<LogFiles>(directory.path());
    shelf.moves_to(*store);
  }
  std::size_t bytes_of(const Lines& lines) const {
    std::size_t bytes = 0;
    for (const std::string& line : lines) bytes += line.size() + 1;
    return bytes;
  }

  TemporaryDirectory directory;
  FaultyDisk disk;
  std::unique_ptr<LogFiles> store = std::make_unique<LogFiles>(directory.path(), disk);
  Shelf shelf{*store, "log.jsonl"};
};

constexpr const char* kNoMore = "the log takes no more records after a failed write";

TEST(LogFiles, a_write_that_fails_or_tears_leaves_nothing_and_the_next_one_goes_on) {
  FaultyLog log;
  const std::vector<std::string> texts = {"third", "fourth"};
  log.disk.arm(0, Fault::fails);
  EXPECT_NE(log.shelf.refusal(texts).find("the record cannot be written"), std::string::npos);
  for (std::size_t part = 0; part < log.bytes_of(log.shelf.group(texts)); ++part) {
    log.disk.arm(0, Fault::tears, part);
    EXPECT_NE(log.shelf.refusal(texts).find("No space left"), std::string::npos) << part;
  }
  log.shelf.append(texts);
}

TEST(LogFiles, a_write_whose_answer_was_lost_is_taken_back) {
  FaultyLog log;
  log.disk.arm(0, Fault::loses_answer);
  EXPECT_NE(log.shelf.refusal({"third"}), "");
  log.shelf.append({"third"});
  log.restart();
  log.shelf.is_as_expected();
}

TEST(LogFiles, a_torn_write_that_cannot_be_removed_is_the_last) {
  FaultyLog log;
  const Head head = log.shelf.head();
  const Lines lines = log.shelf.group({"third", "fourth"});
  log.disk.arm(0, Fault::kills, lines[0].size() + 10);
  EXPECT_FALSE(log.store->append_to("log.jsonl", head, as_lines(lines)).ok());
  EXPECT_EQ(log.store->append_to("log.jsonl", head, as_lines(lines)).error().message, kNoMore);
  log.restart();
  // The first line of the group got to the file whole.
  Lines expected = log.shelf.expected();
  expected.push_back(lines[0]);
  EXPECT_EQ(lines_of(*log.store, "log.jsonl"), expected);
}

TEST(LogFiles, a_kill_at_every_byte_of_a_group_leaves_its_first_lines) {
  const std::vector<std::string> texts = {"third", "fourth", "fifth"};
  const std::size_t bytes = [&] {
    FaultyLog log;
    return log.bytes_of(log.shelf.group(texts));
  }();
  for (std::size_t part = 0; part <= bytes; ++part) {
    FaultyLog log;
    const Lines lines = log.shelf.group(texts);
    log.disk.arm(0, Fault::kills, part);
    EXPECT_FALSE(log.store->append_to("log.jsonl", log.shelf.head(), as_lines(lines)).ok());
    log.restart();
    Lines expected = log.shelf.expected();
    std::size_t rest = part;
    for (const std::string& line : lines) {
      if (rest < line.size() + 1) break;
      rest -= line.size() + 1;
      expected.push_back(line);
    }
    const auto cut = log.store->read("log.jsonl", 0, [](std::string_view) { return Done{}; });
    EXPECT_EQ(*cut, rest) << part;
    EXPECT_EQ(lines_of(*log.store, "log.jsonl"), expected);
    // A reader may refuse the log, so only an append removes the cut line.
    EXPECT_EQ(content_of(log.directory / "log.jsonl").size(), log.bytes_of(expected) + rest);
    const Head head{expected.size(), std::string(split_line(expected.back())->hash)};
    expected.push_back(line_of(expected.size() + 1, "next"));
    EXPECT_TRUE(log.store->append_to("log.jsonl", head, as_lines(Lines{expected.back()})).ok());
    EXPECT_EQ(content_of(log.directory / "log.jsonl").size(), log.bytes_of(expected));
  }
}

TEST(LogFiles, a_sync_that_fails_or_whose_answer_was_lost_ends_the_writing) {
  for (const Fault fault : {Fault::fails, Fault::loses_answer}) {
    FaultyLog log;
    log.shelf.append({"third"});
    log.disk.arm(0, fault);
    EXPECT_NE(log.store->sync().error().message.find("to the disk"), std::string::npos);
    EXPECT_EQ(log.shelf.refusal({"fourth"}), kNoMore);
    // Opened again it is read as it is, and takes lines.
    log.shelf.moves_to(*log.store);
    log.shelf.append({"fourth"});
  }
}

TEST(LogFiles, what_was_synced_survives_a_loss_of_power) {
  FaultyLog log;
  const std::size_t unsynced = log.bytes_of(log.shelf.group({"third"}));
  for (const std::size_t kept : {std::size_t{0}, unsynced / 2, unsynced - 1}) {
    FaultyLog cut;
    cut.shelf.append({"third"});
    cut.disk.lose_power(kept);
    cut.restart();
    Lines expected = cut.shelf.expected();
    expected.pop_back();
    EXPECT_EQ(lines_of(*cut.store, "log.jsonl"), expected);
  }
  log.shelf.append({"third"});
  log.shelf.sync();
  log.disk.lose_power();
  log.restart();
  log.shelf.is_as_expected();
}

TEST(LogFiles, a_file_that_holds_something_else_is_neither_created_cut_nor_listed) {
  const TemporaryDirectory directory;
  LogFiles store(directory.path());
  for (const std::string& content : {std::string("my thesis"), std::string("my\nthesis")}) {
    write_content(directory / "thesis", content);
    EXPECT_EQ(store.create("thesis").error().message, "the file exists");
    EXPECT_EQ(content_of(directory / "thesis"), content);
    EXPECT_EQ(*store.list(), Lines());
  }
  write_content(directory / "thesis", "my thesis");
  ASSERT_TRUE(store.own("thesis").ok());
  EXPECT_EQ(lines_of(store, "thesis"), Lines());
  EXPECT_EQ(content_of(directory / "thesis"), "my thesis");
}

TEST(LogFiles, waits_for_a_lock_that_outlives_its_owner_and_not_for_a_living_writer) {
  const TemporaryDirectory directory;
  const int holder =
      ::open((directory.path() / "log.jsonl").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRWXU);
  ASSERT_EQ(::flock(holder, LOCK_EX), 0);
  LogFiles store(directory.path());
  const Status refused = store.own("log.jsonl");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "another process is writing to this log");
  // As the child of a killed run that is about to run its own program.
  std::thread child([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::close(holder);
  });
  EXPECT_TRUE(store.own("log.jsonl").ok());
  child.join();
}

TEST(LogFiles, a_line_beyond_the_limit_is_refused_by_number) {
  const TemporaryDirectory directory;
  write_content(directory / "log.jsonl",
                line_of(1, "first") + "\n" + std::string((std::size_t{32} << 20) + 1, 'x'));
  LogFiles store(directory.path());
  const auto read = store.read("log.jsonl", 0, [](std::string_view) { return Done{}; });
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().to_string(),
            (directory / "log.jsonl").string() + ":2: the line is longer than 16777216 bytes");
}

}  // namespace
}  // namespace duel
