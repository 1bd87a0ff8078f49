// A store around another that fails, delays and loses answers when it is told to, for tests of code
// that uses stores. Faults of the disk below a store are in faulty_disk.h and faulty_vfs.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "duel/store/store.h"
#include "tests/store/faulty_disk.h"

namespace duel {

class FaultyStore final : public Store {
 public:
  enum class Call { append, sync, find };

  explicit FaultyStore(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  // The call that comes after `calls` others of its kind has the fault. A failed append has done
  // nothing and the store goes on; an append whose answer is lost is in, and that is the last that
  // the store takes, as after a failed sync. A failed search has found nothing and harms nothing.
  void arm(Call call, std::size_t calls, Fault fault = Fault::fails) {
    const std::lock_guard lock(mutex_);
    armed_ = {call, calls, fault};
  }
  // Every append or sync takes so long.
  void delay(Call call, std::chrono::milliseconds time) {
    const std::lock_guard lock(mutex_);
    (call == Call::append ? append_delay_ : sync_delay_) = time;
  }

  // Another store in place of the one below, as if the disk had lost or changed what was there.
  void replace(std::unique_ptr<Store> store) { store_ = std::move(store); }
  // Called before an experiment's head is looked up or its snapshot is put ("head", "snapshot"), on
  // the thread that does it: a test can hold it up there.
  std::function<void(std::string_view what, const std::string& experiment)> before{};
  // Called before a line is given to its reader.
  std::function<void(const std::string& experiment, std::uint64_t line)> before_line{};

  Result<std::vector<std::string>> list() override { return store_->list(); }
  Status create(const std::string& experiment) override { return store_->create(experiment); }
  Status own(const std::string& experiment) override { return store_->own(experiment); }
  Result<std::uint64_t> read(const std::string& experiment, std::uint64_t after,
                             const LineSink& sink) override {
    if (!before_line) return store_->read(experiment, after, sink);
    return store_->read(experiment, after, [&](std::string_view line) {
      before_line(experiment, ++after);
      return sink(line);
    });
  }
  Result<Head> head(const std::string& experiment) override {
    if (before) before("head", experiment);
    return store_->head(experiment);
  }

  Result<std::vector<Status>> append(std::span<const Group> groups) override {
    const std::optional<Fault> fault = call(Call::append);
    if (broken()) return Error::io("the store takes no more records after a failed write");
    if (!fault) return store_->append(groups);
    if (*fault == Fault::loses_answer || *fault == Fault::kills) set_broken();
    if (*fault == Fault::loses_answer) (void)store_->append(groups);
    return Error::io("the disk failed");
  }
  bool broken() const override {
    const std::lock_guard lock(mutex_);
    return broken_ || store_->broken();
  }
  Result<std::vector<FoundLine>> find(const std::string& experiment,
                                      std::string_view key) override {
    if (call(Call::find)) return Error::io("the disk failed");
    return store_->find(experiment, key);
  }
  Result<std::vector<std::string>> experiments_of(std::string_view key) override {
    return store_->experiments_of(key);
  }
  // How many searches there were.
  std::size_t searches() const {
    const std::lock_guard lock(mutex_);
    return searches_;
  }
  Status check_place() override { return store_->check_place(); }
  // Whether a fault still waits for its call.
  bool armed() const {
    const std::lock_guard lock(mutex_);
    return armed_.has_value();
  }
  Status sync() override {
    const std::optional<Fault> fault = call(Call::sync);
    if (broken()) return Error::io("the store takes no more records after a failed write");
    if (!fault) return store_->sync();
    set_broken();
    if (*fault == Fault::loses_answer) (void)store_->sync();
    return Error::io("the disk failed");
  }
  Result<std::uint64_t> synced(const std::string& experiment) override {
    return store_->synced(experiment);
  }
  Result<LastStop> last_stop() override { return store_->last_stop(); }
  Status put_snapshot(const std::string& experiment, const Snapshot& snapshot) override {
    if (before) before("snapshot", experiment);
    return store_->put_snapshot(experiment, snapshot);
  }
  Result<std::optional<Snapshot>> snapshot(const std::string& experiment) override {
    return store_->snapshot(experiment);
  }
  Result<std::vector<Outline>> outlines() override { return store_->outlines(); }
  Result<bool> tagged(const std::string& experiment, std::uint64_t tag) override {
    return store_->tagged(experiment, tag);
  }
  Status add_tags(const std::string& experiment, std::span<const std::uint64_t> tags) override {
    return store_->add_tags(experiment, tags);
  }
  Status put(std::string_view space, std::string_view key, std::string_view bytes) override {
    if (before) before("put", std::string(space));
    return store_->put(space, key, bytes);
  }
  Result<std::optional<std::string>> get(std::string_view space, std::string_view key) override {
    if (before) before("get", std::string(space));
    return store_->get(space, key);
  }
  Result<std::vector<std::pair<std::string, std::string>>> entries(
      std::string_view space) override {
    return store_->entries(space);
  }
  Result<bool> erase(std::string_view space, std::string_view key) override {
    if (before) before("erase", std::string(space));
    return store_->erase(space, key);
  }
  Status check() override { return store_->check(); }
  Status backup(const std::filesystem::path& file) override { return store_->backup(file); }
  Status compact() override { return store_->compact(); }

 private:
  struct Armed {
    Call call;
    std::size_t calls;
    Fault fault;
  };
  std::optional<Fault> call(Call now) {
    std::chrono::milliseconds time{};
    std::optional<Fault> fault;
    {
      const std::lock_guard lock(mutex_);
      if (now == Call::find) ++searches_;
      if (now != Call::find) time = now == Call::append ? append_delay_ : sync_delay_;
      if (armed_ && armed_->call == now && armed_->calls-- == 0) {
        fault = armed_->fault;
        armed_.reset();
      }
    }
    std::this_thread::sleep_for(time);
    return fault;
  }
  void set_broken() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
  }

  std::unique_ptr<Store> store_;
  mutable std::mutex mutex_;
  std::optional<Armed> armed_;
  std::chrono::milliseconds append_delay_{}, sync_delay_{};
  bool broken_ = false;
  std::size_t searches_ = 0;
};

}  // namespace duel
