#include "duel/nodes/upkeep.h"

#include <algorithm>
#include <utility>

#include "duel/nodes/rendezvous.h"

namespace duel {
namespace {

constexpr std::chrono::milliseconds kProbeEvery{250};
// A caller who guesses tokens must not keep the store busy: each unknown one asks for a reading.
constexpr std::chrono::milliseconds kTokensAtMostEvery{100};
constexpr std::size_t kMostWaiting = 1'000;

}  // namespace

Upkeep::Upkeep(Engine& engine, Nodes& nodes, std::function<Status()> read_tokens, bool sweeps)
    : engine_(engine),
      nodes_(nodes),
      read_tokens_(std::move(read_tokens)),
      tokens_read_(engine.world().now()),
      queue_(engine.world().queue()) {
  queue_->after(kProbeEvery, [this] { probe(); });
  queue_->after(kTokensEvery, [this] { read_tokens_again(); });
  if (sweeps) queue_->after(nodes_.lease(), [this] { sweep(); });
}

void Upkeep::stop() {
  std::vector<std::function<void()>> left;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    left.swap(waiting_);
  }
  for (const auto& then : left) then();
  queue_->stop();
}

bool Upkeep::want_tokens(std::function<void()> then) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_.size() >= kMostWaiting) return false;
  waiting_.push_back(std::move(then));
  if (waiting_.size() > 1) return true;  // the first one has asked for the reading already
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(tokens_read_ + kTokensAtMostEvery -
                                                                 engine_.world().now());
  queue_->after(std::max(wait, std::chrono::milliseconds(0)), [this] { read_tokens(); });
  return true;
}

void Upkeep::read_tokens() {
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(waiting_);
    tokens_read_ = engine_.world().now();
  }
  // If it fails, the tokens stay as they were: without the store little else can be done.
  (void)read_tokens_();
  for (const auto& then : waiting) then();
}

void Upkeep::read_tokens_again() {
  queue_->after(kTokensEvery, [this] { read_tokens_again(); });
  read_tokens();
}

void Upkeep::probe() {
  queue_->after(kProbeEvery, [this] { probe(); });
  engine_.probe_store();
}

void Upkeep::sweep() {
  queue_->after(nodes_.lease(), [this] { sweep(); });
  // Not if this node may be taken for dead, or still takes what the last sweep found.
  if (!nodes_.holds_lease() || !to_take_.empty()) return;
  auto live = nodes_.live();
  const auto ownerless = nodes_.ownerless();
  if (!live.ok() || !ownerless.ok()) return;
  const std::string& self = nodes_.self().node_id;
  std::erase_if(*live, [&](const NodeAddress& node) {
    return node.url.empty() && node.node_id != self;  // it does not sweep and would never take it
  });
  for (const std::string& experiment : *ownerless) {
    const NodeAddress* const taker = rendezvous(*live, experiment);
    if (taker != nullptr && taker->node_id == self) to_take_.push_back(experiment);
  }
  take_next();
}

// One at a time: a sweep that finds a thousand experiments must neither delay the reading of tokens
// on this queue nor keep the callers of other experiments waiting. Asking the engine for an
// experiment is enough to take it (engine.h).
void Upkeep::take_next() {
  if (!nodes_.holds_lease()) to_take_.clear();
  if (to_take_.empty()) return;
  const std::string experiment = std::move(to_take_.back());
  to_take_.pop_back();
  engine_.ask<bool>(
      experiment, AnswerWhen::appended, [](const Turn&) -> Result<bool> { return true; },
      [this](const Result<bool>&, const Delivery&) { queue_->post([this] { take_next(); }); });
}

}  // namespace duel
