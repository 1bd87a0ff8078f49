#include "duel/server/event_streams.h"

#include <fmt/format.h>

#include <utility>

namespace duel {
namespace {

void write_to_all(std::vector<std::shared_ptr<HttpStream>>& streams, const std::string& text) {
  std::erase_if(streams, [&](const auto& stream) { return !stream->write(text); });
}

}  // namespace

void EventStreams::add(const std::string& experiment_id, std::shared_ptr<HttpStream> stream) {
  const std::lock_guard lock(mutex_);
  streams_[experiment_id].push_back(std::move(stream));
}

void EventStreams::tell(const EngineEvent& event) {
  if (event.kind == "alive") return keep_alive();
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(event.experiment_id);
  if (found == streams_.end()) return;
  write_to_all(found->second, fmt::format("id: {}\nevent: {}\ndata: {{\"sequence\":{}}}\n\n",
                                          event.sequence, event.kind, event.sequence));
  if (found->second.empty()) streams_.erase(found);
}

void EventStreams::keep_alive() {
  const std::lock_guard lock(mutex_);
  for (auto& [experiment, streams] : streams_) write_to_all(streams, ": \n\n");
  std::erase_if(streams_, [](const auto& one) { return one.second.empty(); });
}

void EventStreams::close() {
  const std::lock_guard lock(mutex_);
  for (auto& [experiment, streams] : streams_) {
    for (const auto& stream : streams) stream->finish();
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
