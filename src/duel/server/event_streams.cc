#include "duel/server/event_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace duel {

std::string to_text(const EngineEvent& event) {
  return fmt::format("id: {0}\nevent: {1}\ndata: {{\"sequence\":{0}}}\n\n", event.sequence,
                     event.kind);
}

std::vector<EngineEvent> events_since(const Ledger& ledger, std::optional<std::uint64_t> seen) {
  const std::string& id = ledger.experiment().experiment_id;
  const std::uint64_t now = ledger.sequence();
  // A page that has just been opened fetches everything anyway.
  if (!seen) return {{id, now, "result"}};
  if (*seen > now) return {{id, now, "reset"}};
  std::vector<EngineEvent> events;
  if (ledger.configured_at() > *seen) events.push_back({id, ledger.configured_at(), "state"});
  // One that is reached and not recorded waits for the check of the log.
  if (ledger.certificate_recorded() && ledger.certificate()->sequence > *seen) {
    events.push_back({id, ledger.certificate()->sequence, "certified"});
  }
  std::ranges::sort(events, {}, &EngineEvent::sequence);
  if (now > *seen) events.push_back({id, now, "result"});
  return events;
}

bool EventStreams::Listener::write(std::string_view text) const {
  if (!sign) return stream->write(std::string(text));
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size() - 2) + 2;
    all += sign(text.substr(0, end));
    text.remove_prefix(end);
  }
  return stream->write(all);
}

void EventStreams::add(const std::string& experiment_id, Listener listener) {
  const std::lock_guard lock(mutex_);
  streams_[experiment_id].push_back(std::move(listener));
}

void EventStreams::tell(const EngineEvent& event) {
  if (event.kind == "alive") return keep_alive();
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(event.experiment_id);
  if (found == streams_.end()) return;
  if (event.kind == "moved") {
    // Clients stay: this node now listens to the new owner for them (upstreams.h).
    std::erase_if(found->second, [](const Listener& one) {
      if (one.who == Listens::node) one.stream->finish();
      return one.who == Listens::node;
    });
  } else {
    // A write only fills the stream's buffer, so a slow client does not hold up the syncing thread.
    const std::string text = to_text(event);
    std::erase_if(found->second, [&](const Listener& one) { return !one.write(text); });
  }
  if (found->second.empty()) streams_.erase(found);
}

void EventStreams::relay(const std::string& experiment_id, const std::string& text) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(experiment_id);
  if (found == streams_.end()) return;
  std::erase_if(found->second, [&](const Listener& one) {
    return one.who == Listens::client && !one.stream->write(text);
  });
  if (found->second.empty()) streams_.erase(found);
}

bool EventStreams::has_clients(const std::string& experiment_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(experiment_id);
  if (found == streams_.end()) return false;
  return std::ranges::any_of(found->second, [](const Listener& one) {
    return one.who == Listens::client && !one.stream->closed();
  });
}

void EventStreams::end_unwelcome() {
  if (!is_welcome_) return;
  const std::lock_guard lock(mutex_);
  for (auto& [experiment, streams] : streams_) {
    std::erase_if(streams, [this](const Listener& one) {
      if (one.who == Listens::node || is_welcome_(one.token_id)) return false;
      one.stream->finish();
      return true;
    });
  }
  std::erase_if(streams_, [](const auto& one) { return one.second.empty(); });
}

void EventStreams::keep_alive() {
  end_unwelcome();
  const std::lock_guard lock(mutex_);
  for (auto& [experiment, streams] : streams_) {
    std::erase_if(streams, [](const Listener& one) { return !one.write(": \n\n"); });
  }
  std::erase_if(streams_, [](const auto& one) { return one.second.empty(); });
}

void EventStreams::close() {
  const std::lock_guard lock(mutex_);
  for (auto& [experiment, streams] : streams_) {
    for (const Listener& one : streams) one.stream->finish();
  }
  streams_.clear();
}

std::size_t EventStreams::size() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [experiment, streams] : streams_) count += streams.size();
  return count;
}

}  // namespace duel
