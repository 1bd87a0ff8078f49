#include "duel/experiment/local_experiment.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/store/log_file.h"
#include "tests/experiment/played_log.h"
#include "tests/store/faulty_disk.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

Result<LocalExperiment> resume(const std::filesystem::path& file) {
  return LocalExperiment::resume({.store = log_files(), .name = file.string()});
}

Report win_of(const std::string& duel_id, const std::string& winner) {
  Report report;
  report.duel_id = duel_id;
  report.answer = Answer{Answered::win, winner};
  return report;
}

ServeRecord served(LocalExperiment& experiment) {
  return std::get<Served>(experiment.serve({}).value()).serve;
}

// Every byte is cut in memory in experiment_log_test.cc; files are slow, so that here it is every
// seventh and both sides of each line's end.
TEST(LocalExperiment, resumes_after_a_cut_anywhere_with_nothing_lost_or_counted_twice) {
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
    auto resumed = resume(file);
    if (complete == 0) {
      ASSERT_FALSE(resumed.ok());
      continue;
    }
    ASSERT_TRUE(resumed.ok()) << resumed.error().to_string();
    ASSERT_EQ(resumed->experiment().live().state_hash(), hashes[complete - 1]);
    ASSERT_EQ(content_of(file).size(), size);  // what was cut stays until something is written
  }
}

TEST(LocalExperiment, writes_what_it_takes_and_nothing_of_what_it_refuses) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  auto made = LocalExperiment::create({.store = log_files(), .name = file.string()},
                                      experiment_of({"a", "b", "c"}));
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  std::vector<LocalExperiment::Ending> answers;
  for (int k = 0; k < 3; ++k) {
    const ServeRecord serve = served(*made);
    EXPECT_EQ(serve.duel_id, "d" + std::to_string(k + 1));
    answers.emplace_back(win_of(serve.duel_id, serve.second));
  }
  ASSERT_TRUE(made->settle(answers).ok());
  const std::string before = content_of(file);
  // A repeat changes nothing and is not written; another answer is kept, and the first counts.
  EXPECT_EQ(made->report(std::get<Report>(answers[0]))->what, Reported::What::duplicate);
  EXPECT_EQ(content_of(file), before);
  Report unknown = win_of("d9", "a");
  const auto refused = made->report(unknown);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "no duel 'd9' was served");
  EXPECT_EQ(reason_of(refused.error()), Reason::unknown_duel);
  EXPECT_EQ(content_of(file), before);
  EXPECT_EQ(made->ledger().sequence(), 7U);
  Report other;
  other.duel_id = "d1";
  other.answer = Answer{Answered::tie, ""};
  EXPECT_EQ(made->report(other)->what, Reported::What::conflicting);
  EXPECT_EQ(made->ledger().conflicts(), 1U);
  EXPECT_EQ(made->report(other)->what, Reported::What::conflicting);
  EXPECT_EQ(made->ledger().sequence(), 8U) << "kept once";
  made = Error::io("closed");  // lets go of the log
  EXPECT_EQ(resume(file)->ledger().sequence(), 8U);
}

TEST(LocalExperiment, lives_in_memory_without_a_log_and_finds_its_duels_all_the_same) {
  auto made = LocalExperiment::in_memory(experiment_of({"a", "b"}));
  ASSERT_TRUE(made.ok());
  const ServeRecord serve = served(*made);
  EXPECT_EQ(made->report(win_of(serve.duel_id, "a"))->what, Reported::What::applied);
  EXPECT_EQ(made->report(win_of(serve.duel_id, "a"))->what, Reported::What::duplicate);
  ASSERT_TRUE(made->settle({LocalExperiment::Lost{served(*made).duel_id, "gone"}}).ok());
  EXPECT_EQ(made->report(win_of("d2", "a"))->what, Reported::What::late);
  ASSERT_TRUE(made->complete("it was given up").ok());
  EXPECT_TRUE(made->ledger().completed());
  EXPECT_TRUE(std::holds_alternative<Fallback>(*made->serve({})));
}

TEST(LocalExperiment, names_file_and_line_of_a_record_that_makes_no_sense) {
  const TemporaryDirectory directory;
  const auto file = directory / "log.jsonl";
  std::string head(64, '0');
  Sha256 sha;
  std::string text;
  text += std::move(log_line(1, kStart, experiment_of({"a", "b"}), head, sha)).value();
  text += std::move(log_line(2, kStart, ExpiredRecord{"d1"}, head, sha)).value();
  write_content(file, text);
  const auto resumed = resume(file);
  ASSERT_FALSE(resumed.ok());
  EXPECT_EQ(resumed.error().to_string(), file.string() + ":2: no duel 'd1' was served");
}

// An experiment that is lived through until it is over or its disk fails: four duels are served,
// then answered two at a time, three times over. The records are the same every time.
class Life {
 public:
  Life(std::shared_ptr<Store> store, const std::string& name) {
    auto made = LocalExperiment::create(
        {.store = std::move(store), .name = name, .clock = [] { return kStart; }},
        experiment_of({"a", "b", "c"}));
    if (!made.ok()) return;
    experiment_ = std::make_unique<LocalExperiment>(std::move(*made));
    durable_ = 1;
    for (int round = 0; round < 3 && !failed_; ++round) serve_and_answer();
  }

  bool failed() const { return failed_ || !experiment_; }
  // Number of the last record, and that of the last whose answer came back after it was on disk.
  std::uint64_t records() const { return experiment_ ? experiment_->ledger().sequence() : 0; }
  std::uint64_t durable() const { return durable_; }
  std::uint64_t state_hash() const { return experiment_->experiment().live().state_hash(); }

 private:
  void serve_and_answer() {
    std::vector<LocalExperiment::Ending> answers;
    for (int k = 0; k < 4; ++k) {
      const auto offer = experiment_->serve({});
      failed_ = !offer.ok();
      if (failed_) return;
      const ServeRecord& serve = std::get<Served>(*offer).serve;
      answers.emplace_back(win_of(serve.duel_id, serve.first));
    }
    for (const std::size_t begin : {0U, 2U}) {
      failed_ = !experiment_->settle({answers[begin], answers[begin + 1]}).ok();
      if (failed_) return;
      durable_ = records();
    }
  }

  std::unique_ptr<LocalExperiment> experiment_;
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

TEST(LocalExperiment, whatever_the_disk_does_an_answer_that_came_back_is_there_afterwards) {
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
      const auto resumed = resume(file);
      ASSERT_TRUE(resumed.ok() || durable == 0) << call << resumed.error().to_string();
      if (!resumed.ok()) continue;
      const std::uint64_t records = resumed->ledger().sequence();
      ASSERT_GE(records, durable) << call;
      ASSERT_EQ(resumed->experiment().live().state_hash(), states[records]) << call;
    }
  }
  EXPECT_GT(runs, 4U * 26U);  // every call of each kind
}

}  // namespace
}  // namespace duel
