#include "duel/nodes/upkeep.h"

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "duel/nodes/rendezvous.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kProbeEvery{250};
// A caller that tries tokens at random must not keep the store busy.
constexpr std::chrono::milliseconds kTokensAtMostEvery{100};
constexpr std::size_t kMostWaiting = 1'000;

}  // namespace

Upkeep::Upkeep(Engine& engine, Nodes& nodes, std::function<Status()> read_tokens, bool sweeps)
    : engine_(engine),
      nodes_(nodes),
      read_tokens_(std::move(read_tokens)),
      sweeps_(sweeps),
      thread_([this] { run(); }) {}

void Upkeep::stop() {
  std::vector<std::function<void()>> left;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    left.swap(waiting_);
  }
  changed_.notify_all();
  for (const auto& then : left) then();
  if (thread_.joinable()) thread_.join();
}

bool Upkeep::want_tokens(std::function<void()> then) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_.size() >= kMostWaiting) return false;
  waiting_.push_back(std::move(then));
  changed_.notify_all();
  return true;
}

void Upkeep::run() {
  auto tokens_read = Clock::now();
  auto swept = Clock::now();
  for (;;) {
    std::vector<std::function<void()>> waiting;
    {
      std::unique_lock lock(mutex_);
      const auto can_read = tokens_read + kTokensAtMostEvery;
      const auto next = to_take_.empty()
                            ? std::min({Clock::now() + kProbeEvery, tokens_read + kTokensEvery,
                                        swept + nodes_.lease()})
                            : Clock::now();
      changed_.wait_until(lock, next, [&] { return stopping_ || !waiting_.empty(); });
      if (!stopping_ && !waiting_.empty()) {
        changed_.wait_until(lock, can_read, [&] { return stopping_; });
      }
      if (stopping_) return;
      waiting.swap(waiting_);
    }
    if (!waiting.empty() || Clock::now() >= tokens_read + kTokensEvery) {
      tokens_read = Clock::now();
      // Where it fails the tokens stay as they were: the store is lost, and little can be done.
      (void)read_tokens_();
      for (const auto& then : waiting) then();
    }
    engine_.probe_store();
    if (!to_take_.empty()) {
      // One at a time: a sweep of a thousand must not keep a revoked token valid.
      const std::string experiment = std::move(to_take_.back());
      to_take_.pop_back();
      take(experiment);
    } else if (Clock::now() >= swept + nodes_.lease()) {
      swept = Clock::now();
      if (sweeps_) sweep();
    }
  }
}

void Upkeep::sweep() {
  if (!nodes_.holds_lease()) return;
  auto live = nodes_.live();
  const auto ownerless = nodes_.ownerless();
  if (!live.ok() || !ownerless.ok()) return;
  const std::string& self = nodes_.self().node_id;
  std::erase_if(*live, [&](const NodeAddress& node) {
    return node.url.empty() && node.node_id != self;  // it does not sweep
  });
  for (const std::string& experiment : *ownerless) {
    const NodeAddress* const taker = rendezvous(*live, experiment);
    if (taker != nullptr && taker->node_id == self) to_take_.push_back(experiment);
  }
}

// Callers of other experiments are answered in between.
void Upkeep::take(const std::string& experiment) {
  if (!nodes_.holds_lease()) return;
  const auto taken = std::make_shared<std::promise<void>>();
  engine_.ask<bool>(
      experiment, AnswerWhen::appended, [](const Turn&) -> Result<bool> { return true; },
      [taken](const Result<bool>&, const Delivery&) { taken->set_value(); });
  taken->get_future().wait();
}

}  // namespace duel
