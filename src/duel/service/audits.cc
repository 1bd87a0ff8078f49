#include "duel/service/audits.h"

#include <utility>

#include "duel/verdict/view.h"

namespace duel {
namespace {

constexpr std::chrono::seconds kPause{5};  // before a store that failed is read again

// Whether the error is about the log. Otherwise it is about the store, or the check was stopped.
bool is_damage(const Error& error) {
  return error.code != ErrorCode::io && error.code != ErrorCode::unsupported;
}

}  // namespace

Audits::Audits(std::shared_ptr<Store> store, World& world,
               std::function<void(const std::string&)> say)
    : store_(std::move(store)),
      say_(std::move(say)),
      queue_(world.queue({.threads = 1, .low_priority = true})) {}

void Audits::stop() {
  stopping_ = true;
  queue_->stop();
}

void Audits::begin(const std::string& experiment_id) {
  {
    const std::lock_guard lock(mutex_);
    wanted_.push_front(experiment_id);
  }
  queue_->post([this] { check_next(); });
}

void Audits::begin_all() {
  queue_->post([this] {
    const auto all = store_->list();
    if (!all.ok()) return queue_->after(kPause, [this] { begin_all(); });
    {
      const std::lock_guard lock(mutex_);
      wanted_.insert(wanted_.end(), all->begin(), all->end());
    }
    for (std::size_t k = 0; k < all->size(); ++k) queue_->post([this] { check_next(); });
  });
}

bool Audits::take(std::string& experiment_id) {
  const std::lock_guard lock(mutex_);
  if (wanted_.empty()) return false;
  experiment_id = std::move(wanted_.front());
  wanted_.pop_front();
  return true;
}

void Audits::check_next() {
  std::string experiment_id;
  if (!take(experiment_id)) return;
  const Status checked = check(experiment_id);
  if (checked.ok() || is_damage(checked.error()) || stopping_) return;
  if (checked.error().code == ErrorCode::unsupported) return;  // a newer log: no load succeeds
  queue_->after(kPause, [this, experiment_id] { begin(experiment_id); });
}

Status Audits::check(const std::string& experiment_id) {
  if (passed(experiment_id)) return Done{};
  if (auto known = damage(experiment_id)) return std::move(*known);
  const Status read = View::audit(store_, experiment_id, [this] { return stopping_.load(); });
  if (!read.ok() && !is_damage(read.error())) return read;
  {
    const std::lock_guard lock(mutex_);
    Known& known = known_[experiment_id];
    if (read.ok()) {
      known.passed = true;
      return Done{};
    }
    if (known.damage) return read;  // found by two threads, and said once
    known.damage = read.error();
    some_damaged_ = true;
  }
  say_("the experiment '" + experiment_id +
       "' is out of service, because its records are damaged: " + read.error().to_string());
  return read;
}

void Audits::pass(const std::string& experiment_id) {
  const std::lock_guard lock(mutex_);
  known_[experiment_id].passed = true;
}

void Audits::forget(const std::string& experiment_id) {
  const std::lock_guard lock(mutex_);
  known_.erase(experiment_id);
}

bool Audits::passed(const std::string& experiment_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(experiment_id);
  return found != known_.end() && found->second.passed && !found->second.damage;
}

std::optional<Error> Audits::damage(const std::string& experiment_id) const {
  if (!some_damaged_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(experiment_id);
  return found == known_.end() ? std::nullopt : found->second.damage;
}

void Audits::note_load(const std::string& experiment_id, const std::optional<Error>& refused) {
  {
    const std::lock_guard lock(mutex_);
    Known& known = known_[experiment_id];
    if (!refused || known.damage) {
      known.refused.reset();
      return;
    }
    const bool said = known.refused && known.refused->message == refused->message;
    known.refused = refused;
    if (said) return;
  }
  say_("the experiment '" + experiment_id + "' is out of service: " + refused->to_string());
}

std::map<std::string, std::string> Audits::out_of_service() const {
  std::map<std::string, std::string> names;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, known] : known_) {
    if (known.damage) {
      names[id] = "its records are damaged: " + known.damage->message;
    } else if (known.refused) {
      names[id] = known.refused->message;
    }
  }
  return names;
}

}  // namespace duel
