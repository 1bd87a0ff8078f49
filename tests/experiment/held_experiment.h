// An experiment on a store of its own, held as a server holds it: with its history as its follower.
// The test appends what is staged.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/experiment/experiment.h"
#include "duel/log/record.h"
#include "duel/store/sqlite_store.h"
#include "duel/store/store.h"
#include "duel/verdict/history.h"
#include "tests/support/temporary_directory.h"

namespace duel {

// An experiment and its history, which lives as long.
struct Followed {
  std::unique_ptr<History> history = std::make_unique<History>();
  std::unique_ptr<Experiment> experiment{};

  Experiment* operator->() const { return experiment.get(); }
  Experiment& operator*() const { return *experiment; }
  std::optional<Snapshot> save() const { return experiment->save(history->save()); }
};

class HeldExperiment {
 public:
  static constexpr std::int64_t kNow = 1'794'700'800'000;  // 2026-11-15T00:00:00Z
  static constexpr const char* kId = "e";

  // Puts another store around the one on disk.
  using AroundStore = std::function<std::unique_ptr<Store>(std::unique_ptr<Store>)>;

  // The store and the follower of the setting are put in place here.
  explicit HeldExperiment(const ExperimentRecord& record, Setting setting = {},
                          AroundStore around = {})
      : setting_(std::move(setting)), around_(std::move(around)) {
    reopen();
    EXPECT_TRUE(store_->create(kId).ok());
    auto made = Experiment::create(setting_for(*held_.history), record, kNow);
    EXPECT_TRUE(made.ok()) << made.error().to_string();
    held_.experiment = std::move(made).value();
    commit();
  }
  // The first lines of another's log; `load` makes an experiment of them.
  explicit HeldExperiment(const std::vector<Line>& lines) {
    reopen();
    EXPECT_TRUE(store_->create(kId).ok());
    append(lines);
  }

  Experiment& experiment() { return *held_; }
  Experiment* operator->() { return held_.experiment.get(); }
  const History& history() const { return *held_.history; }
  std::optional<Snapshot> save() const { return held_.save(); }
  Store& store() { return *store_; }
  std::filesystem::path file() const { return directory_ / "duel.db"; }

  void commit() {
    if (!held_->has_staged()) return;
    const std::vector<Line> lines = held_->staged_lines();
    const Status status = store_->append_to(kId, held_->stored_head(), lines);
    ASSERT_TRUE(status.ok()) << status.error().to_string();
    for (const Line& line : lines) {
      texts_.emplace_back(line.text);
      keys_.emplace_back(line.key);
      tags_.push_back(line.tag);
    }
    held_->committed();
  }
  void append(const std::vector<Line>& lines) {
    const Status status = store_->append_to(kId, *store_->head(kId), lines);
    ASSERT_TRUE(status.ok()) << status.error().to_string();
  }
  // Lines that were committed.
  std::vector<Line> lines(std::size_t begin, std::size_t end) const {
    std::vector<Line> lines;
    for (std::size_t k = begin; k < end; ++k) lines.push_back({texts_[k], keys_[k], tags_[k]});
    return lines;
  }
  const std::vector<std::string>& texts() const { return texts_; }
  std::size_t size() const { return texts_.size(); }

  // As another process would find it.
  Followed load(std::int64_t now_ms = kNow) {
    Followed found;
    auto loaded =
        Experiment::load(setting_for(*found.history), kId, now_ms, true,
                         [&](std::string_view extra) { return found.history->restore(extra); });
    EXPECT_TRUE(loaded.ok()) << loaded.error().to_string();
    found.experiment = std::move(loaded).value();
    return found;
  }
  void close() {
    held_ = {};
    store_.reset();
    setting_.store.reset();
  }
  void reopen() {
    std::unique_ptr<Store> store = std::move(SqliteStore::open(file())).value();
    if (around_) store = around_(std::move(store));
    store_ = std::shared_ptr<Store>(std::move(store));
    setting_.store = store_;
  }

 private:
  Setting setting_for(History& history) const {
    Setting setting = setting_;
    setting.draft_seed = 77;
    setting.follower = [&history](const Ledger& ledger, const LogEntry& entry) {
      history.note(ledger, entry);
    };
    return setting;
  }

  TemporaryDirectory directory_;
  Setting setting_{};
  AroundStore around_{};
  std::shared_ptr<Store> store_;
  Followed held_;
  std::vector<std::string> texts_, keys_;
  std::vector<std::uint64_t> tags_;
};

}  // namespace duel
