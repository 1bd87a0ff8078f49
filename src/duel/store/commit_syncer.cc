#include "duel/store/commit_syncer.h"

#include <algorithm>
#include <utility>

namespace duel {

CommitSyncer::CommitSyncer(std::chrono::milliseconds interval, Sync sync)
    : interval_(interval), sync_(std::move(sync)), thread_([this] { run(); }) {}

CommitSyncer::~CommitSyncer() { stop(); }

void CommitSyncer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  done_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::uint64_t CommitSyncer::committed() {
  bool wake = false;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    wake = clock_passed_ == committed_;
    if (wake) due_ = std::chrono::steady_clock::now() + interval_;
    number = ++committed_;
  }
  if (wake) work_.notify_all();
  return number;
}

Status CommitSyncer::wait() {
  std::unique_lock lock(mutex_);
  if (std::exchange(loss_to_tell_, false)) return loss_;
  const std::uint64_t target = committed_;
  const std::uint64_t losses = losses_;
  const std::uint64_t begun = begun_;
  if (synced_ < target) {
    wanted_ = std::max(wanted_, target);
    asked_after_ = begun;
    work_.notify_all();
    done_.wait(lock,
               [&] { return stop_ || losses_ != losses || synced_ >= target || failed_ > begun; });
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

void CommitSyncer::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const bool behind = clock_passed_ < committed_;
    const bool by_clock = behind && std::chrono::steady_clock::now() >= due_;
    if (wanted_ <= synced_ && !by_clock) {
      if (behind) {
        work_.wait_until(lock, due_);
      } else {
        work_.wait(lock);
      }
      continue;
    }
    // A commit that comes while the sync runs may or may not be covered, so it does not count.
    const std::uint64_t target = committed_;
    const std::uint64_t number = ++begun_;
    lock.unlock();
    const Status status = sync_(target, by_clock);
    lock.lock();
    if (status.ok()) {
      synced_ = target;
      if (by_clock) clock_passed_ = target;
    } else {
      failed_ = number;
      failure_ = status.error();
      // Callers that waited when this sync began get the error, and it is not tried for them again.
      // For a caller that came later, `wanted_` stays and another sync follows.
      if (asked_after_ < number) wanted_ = synced_;
    }
    if (by_clock) due_ = std::chrono::steady_clock::now() + interval_;
    done_.notify_all();
  }
}

}  // namespace duel
