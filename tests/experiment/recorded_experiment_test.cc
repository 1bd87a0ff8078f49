#include "duel/experiment/recorded_experiment.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/store/log_file.h"
#include "tests/experiment/played_log.h"
#include "tests/store/faulty_disk.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

// Every byte is cut in memory in experiment_log_test.cc; files are slow, so that here it is every
// seventh and both sides of each line's end.
TEST(RecordedExperiment, resumes_after_a_cut_anywhere_with_nothing_lost_or_counted_twice) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  ExperimentRecord experiment = experiment_of({"a", "b", "c"});
  PlayedLog log(experiment);
  play(log, {.gap = 0.1, .in_flight = 2, .troubles = true}, 8);
  // The states after each record, lived through.
  LiveExperiment live = std::move(LiveExperiment::make(experiment)).value();
  std::vector<std::uint64_t> hashes = {live.state_hash()};
  for (std::size_t k = 1; k < log.entries().size(); ++k) {
    ASSERT_TRUE(live.apply(log.entries()[k]).ok());
    hashes.push_back(live.state_hash());
  }
  std::size_t complete = 0;
  for (std::size_t size = 0; size <= log.text().size(); ++size) {
    if (complete < log.ends().size() && size == log.ends()[complete]) ++complete;
    const bool at_end = complete > 0 && size <= log.ends()[complete - 1] + 1;
    const bool before_end = complete < log.ends().size() && size + 1 == log.ends()[complete];
    if (size % 7 != 0 && !at_end && !before_end) continue;
    write_content(file, log.text().substr(0, size));
    auto resumed = RecordedExperiment::resume(file);
    if (complete == 0) {
      ASSERT_FALSE(resumed.ok());
      continue;
    }
    ASSERT_TRUE(resumed.ok()) << resumed.error().to_string();
    ASSERT_EQ(resumed->experiment().state_hash(), hashes[complete - 1]);
    ASSERT_EQ(content_of(file).size(), size);  // what was cut stays until something is written
  }
}

TEST(RecordedExperiment, writes_before_it_applies_and_names_what_it_refuses) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  auto made = RecordedExperiment::create(file, experiment_of({"a", "b", "c"}), kStart);
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  std::vector<Record> answers;
  for (int k = 0; k < 3; ++k) {
    const auto serve = made->next();
    ASSERT_TRUE(made->record(*serve, kStart).ok());
    answers.push_back(
        OutcomeRecord{serve->duel_id, {Answered::win, serve->second}, {}, {}, {}, ""});
  }
  answers.push_back(answers.front());
  const auto effects = made->record(answers, kStart + 5);
  ASSERT_TRUE(effects.ok());
  EXPECT_EQ(*effects, (std::vector<Effect>{Effect::applied, Effect::applied, Effect::applied,
                                           Effect::duplicate}));
  const std::string before = content_of(file);
  const auto unknown =
      made->record(OutcomeRecord{"d9", {Answered::tie, ""}, {}, {}, {}, ""}, kStart);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "no duel 'd9' was served");
  EXPECT_EQ(content_of(file), before);
  EXPECT_EQ(made->log().records(), 8U);
  EXPECT_EQ(made->ledger().duplicates(), 1U);
}

TEST(RecordedExperiment, names_file_and_line_of_a_record_that_makes_no_sense) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  std::string head(64, '0');
  Sha256 sha;
  std::string text;
  text += std::move(log_line(1, kStart, experiment_of({"a", "b"}), head, sha)).value();
  text += std::move(log_line(2, kStart, ExpiredRecord{"d1"}, head, sha)).value();
  write_content(file, text);
  const auto resumed = RecordedExperiment::resume(file);
  ASSERT_FALSE(resumed.ok());
  EXPECT_EQ(resumed.error().to_string(), file.string() + ":2: no duel 'd1' was served");
}

// An experiment that is lived through until it is over or its disk fails: four duels are served,
// then answered two at a time, three times over. The records are the same every time.
class Life {
 public:
  Life(std::shared_ptr<Store> store, const std::string& name) {
    auto made =
        RecordedExperiment::create(std::move(store), name, experiment_of({"a", "b", "c"}), kStart);
    if (!made.ok()) return;
    experiment_ = std::make_unique<RecordedExperiment>(std::move(*made));
    durable_ = 1;
    for (int round = 0; round < 3 && !failed_; ++round) serve_and_answer();
  }

  bool failed() const { return failed_ || !experiment_; }
  // Number of the last record, and that of the last whose answer came back after it was on disk.
  std::uint64_t records() const { return experiment_ ? experiment_->ledger().sequence() : 0; }
  std::uint64_t durable() const { return durable_; }
  std::uint64_t state_hash() const { return experiment_->experiment().state_hash(); }

 private:
  void serve_and_answer() {
    std::vector<Record> answers;
    for (int k = 0; k < 4; ++k) {
      const ServeRecord serve = *experiment_->next();
      failed_ = failed_ || !experiment_->record(serve, kStart).ok();
      if (failed_) return;
      answers.push_back(OutcomeRecord{serve.duel_id, {Answered::win, serve.first}, {}, {}, {}, ""});
    }
    for (const std::size_t begin : {0U, 2U}) {
      failed_ = !experiment_->record(std::span(answers).subspan(begin, 2), kStart).ok();
      if (failed_) return;
      durable_ = records();
    }
  }

  std::unique_ptr<RecordedExperiment> experiment_;
  bool failed_ = false;
  std::uint64_t durable_ = 0;
};

// The state after each record of a log, by number.
std::vector<std::uint64_t> states_of(const std::string& file) {
  std::optional<LiveExperiment> live;
  std::vector<std::uint64_t> states = {0};
  const auto extent = read_log(file, [&](const LogEntry& entry) -> Status {
    if (live) {
      EXPECT_TRUE(live->apply(entry).ok());
    } else {
      live = std::move(LiveExperiment::make(std::get<ExperimentRecord>(entry.record))).value();
    }
    states.push_back(live->state_hash());
    return Done{};
  });
  EXPECT_TRUE(extent.ok());
  return states;
}

TEST(RecordedExperiment, whatever_the_disk_does_an_answer_that_came_back_is_there_afterwards) {
  const TemporaryDirectory directory;
  const std::string whole = (directory / "whole").string();
  ASSERT_FALSE(Life(std::make_shared<LogFiles>(), whole).failed());
  const std::vector<std::uint64_t> states = states_of(whole);
  ASSERT_EQ(states.size(), 26U);  // the experiment, 12 duels and their answers
  std::size_t runs = 0;
  for (const Fault fault : {Fault::fails, Fault::tears, Fault::loses_answer, Fault::kills}) {
    for (std::size_t call = 0;; ++call) {
      const std::string file = (directory / std::to_string(++runs)).string();
      FaultyDisk disk;
      // Inside of the first line, or after it where there are two.
      disk.arm(call, fault, fault == Fault::kills ? 300 : 100);
      auto store = std::make_shared<LogFiles>(std::filesystem::path(), disk);
      std::uint64_t durable = 0;
      {
        const Life life(store, file);
        ASSERT_EQ(life.failed(), disk.struck()) << call;
        if (!disk.struck()) break;
        durable = life.durable();
        ASSERT_TRUE(durable == 0 || life.state_hash() == states[life.records()]) << call;
      }
      disk.lose_power(call * 37 % 400);
      store.reset();
      const auto resumed = RecordedExperiment::resume(file);
      ASSERT_TRUE(resumed.ok() || durable == 0) << call << resumed.error().to_string();
      if (!resumed.ok()) continue;
      const std::uint64_t records = resumed->log().records();
      ASSERT_GE(records, durable) << call;
      ASSERT_EQ(resumed->experiment().state_hash(), states[records]) << call;
    }
  }
  EXPECT_GT(runs, 4U * 26U);  // every call of each kind
}

}  // namespace
}  // namespace duel
