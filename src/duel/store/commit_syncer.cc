#include "duel/store/commit_syncer.h"

#include <algorithm>
#include <utility>

namespace duel {

CommitSyncer::CommitSyncer(World& world, std::chrono::milliseconds interval, Sync sync)
    : interval_(interval), sync_(std::move(sync)), clock_(world.queue()) {}

CommitSyncer::~CommitSyncer() { stop(); }

void CommitSyncer::stop() {
  {
    std::unique_lock lock(mutex_);
    stop_ = true;
    done_.notify_all();
    done_.wait(lock, [&] { return !syncing_; });
  }
  clock_->stop();
}

std::uint64_t CommitSyncer::committed() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = ++committed_;
  come_by_clock();
  return number;
}

void CommitSyncer::come_by_clock() {
  if (stop_ || std::exchange(clock_comes_, true)) return;
  clock_->after(interval_, [this] { sync_by_clock(); });
}

void CommitSyncer::sync_by_clock() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return stop_ || !syncing_; });
  if (stop_) return;
  sync_now(lock, true);
  clock_comes_ = false;
  if (clock_passed_ < committed_) come_by_clock();
}

Status CommitSyncer::wait() {
  std::unique_lock lock(mutex_);
  if (std::exchange(loss_to_tell_, false)) return loss_;
  const std::uint64_t target = committed_;
  const std::uint64_t losses = losses_;
  const std::uint64_t begun = begun_;
  const auto ended = [&] {
    return stop_ || losses_ != losses || synced_ >= target || failed_ > begun;
  };
  while (!ended()) {
    if (syncing_) {
      done_.wait(lock, [&] { return ended() || !syncing_; });
    } else {
      sync_now(lock, false);
    }
  }
  if (losses_ != losses) return loss_;
  if (synced_ >= target) return Done{};
  if (failed_ > begun) return failure_;
  return Error::io("the store was closed");
}

void CommitSyncer::lost(const Error& error) {
  const std::lock_guard lock(mutex_);
  ++losses_;
  loss_to_tell_ = true;
  loss_ = error;
  done_.notify_all();
}

void CommitSyncer::sync_now(std::unique_lock<std::mutex>& lock, bool by_clock) {
  // A commit that comes while the sync runs may or may not be covered, so it does not count.
  const std::uint64_t target = committed_;
  const std::uint64_t number = ++begun_;
  syncing_ = true;
  lock.unlock();
  const Status status = sync_(target, by_clock);
  lock.lock();
  syncing_ = false;
  if (status.ok()) {
    synced_ = std::max(synced_, target);
    if (by_clock) clock_passed_ = std::max(clock_passed_, target);
  } else {
    failed_ = number;
    failure_ = status.error();
  }
  done_.notify_all();
}

}  // namespace duel
