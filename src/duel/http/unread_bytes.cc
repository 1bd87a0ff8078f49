#include "duel/http/unread_bytes.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace duel {

UnreadBytes::Share::Share(UnreadBytes& all) : all_(&all) {
  const std::lock_guard lock(all_->mutex_);
  place_ = all_->others_.insert(all_->others_.end(), this);
}

UnreadBytes::Share::~Share() {
  done();
  const std::lock_guard lock(all_->mutex_);
  all_->others_.erase(place_);
}

void UnreadBytes::Share::belongs_to(std::string network, std::function<void()> cut_off) {
  const std::lock_guard lock(all_->mutex_);
  network_ = std::move(network);
  cut_off_ = std::move(cut_off);
}

void UnreadBytes::Share::add(std::size_t bytes, std::shared_ptr<const std::string> shared) {
  std::vector<std::function<void()>> cuts;
  {
    const std::lock_guard lock(all_->mutex_);
    if (is_cut_) return;
    if (!std::exchange(waits_, true)) {
      all_->waiting_.splice(all_->waiting_.end(), all_->others_, place_);
    }
    bytes_ += bytes;
    all_->bytes_ += bytes;
    if (shared != nullptr && shared_ == nullptr) {
      shared_ = std::move(shared);
      if (++all_->readers_[shared_.get()] == 1) all_->bytes_ += shared_->size();
    }
    while (all_->bytes_ > all_->most_) {
      Share* const cut = all_->next_to_cut(*this);
      if (cut == nullptr) break;
      all_->forget(*cut);
      cut->is_cut_ = true;
      ++all_->cut_off_;
      cuts.push_back(cut->cut_off_);
    }
  }
  for (const auto& cut : cuts) cut();
}

void UnreadBytes::Share::took(std::size_t freed) {
  const std::lock_guard lock(all_->mutex_);
  freed = std::min(freed, bytes_);
  bytes_ -= freed;
  all_->bytes_ -= freed;
  if (waits_) all_->waiting_.splice(all_->waiting_.end(), all_->waiting_, place_);
}

void UnreadBytes::Share::done() {
  const std::lock_guard lock(all_->mutex_);
  all_->forget(*this);
  is_cut_ = false;
}

void UnreadBytes::forget(Share& share) {
  bytes_ -= std::exchange(share.bytes_, 0);
  if (share.shared_ != nullptr) {
    const auto readers = readers_.find(share.shared_.get());
    if (--readers->second == 0) {
      readers_.erase(readers);
      bytes_ -= share.shared_->size();
    }
    share.shared_ = nullptr;
  }
  if (std::exchange(share.waits_, false)) others_.splice(others_.end(), waiting_, share.place_);
}

UnreadBytes::Share* UnreadBytes::next_to_cut(const Share& asking) const {
  // Each client counts with all that it was sent, also of a shared text. Otherwise a network whose
  // many connections do not read one and the same answer would count it once, and be spared.
  std::unordered_map<std::string_view, std::size_t> of_network;
  std::string_view heaviest;
  std::size_t most = 0;
  for (const Share* share : waiting_) {
    if (share == &asking) continue;
    std::size_t& has = of_network[share->network_];
    has += share->bytes_ + (share->shared_ != nullptr ? share->shared_->size() : 0);
    if (has <= most) continue;
    most = has;
    heaviest = share->network_;
  }
  const auto found = std::ranges::find_if(waiting_, [&](const Share* share) {
    return share != &asking && share->network_ == heaviest;
  });
  return most == 0 || found == waiting_.end() ? nullptr : *found;
}

std::size_t UnreadBytes::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::uint64_t UnreadBytes::cut_off() const {
  const std::lock_guard lock(mutex_);
  return cut_off_;
}

}  // namespace duel
