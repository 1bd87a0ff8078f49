#include "duel/nodes/upstreams.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/http/http_client.h"

namespace duel {

Upstreams::Upstreams(Nodes& nodes, const Hops& hops, Pages pages)
    : nodes_(nodes), hops_(hops), pages_(std::move(pages)) {}

void Upstreams::stop() {
  std::map<std::string, std::unique_ptr<Upstream>> left;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    left.swap(upstreams_);
  }
  stopped_.notify_all();
  for (auto& [experiment, upstream] : left) upstream->thread.join();
}

bool Upstreams::follow(const std::string& experiment, bool reset) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  for (auto one = upstreams_.begin(); one != upstreams_.end();) {
    if (one->second->ended) {
      one->second->thread.join();
      one = upstreams_.erase(one);
    } else {
      ++one;
    }
  }
  if (upstreams_.contains(experiment)) return true;
  if (upstreams_.size() >= kMost) return false;
  auto upstream = std::make_unique<Upstream>();
  Upstream& made = *upstream;
  upstreams_.emplace(experiment, std::move(upstream));
  made.thread = std::thread([this, experiment, &made, reset] {
    run(experiment, made, reset);
    made.ended = true;
  });
  return true;
}

std::optional<std::uint64_t> Upstreams::last_sequence(const std::string& experiment) const {
  const std::lock_guard lock(mutex_);
  const auto found = upstreams_.find(experiment);
  if (found == upstreams_.end() || found->second->sequence == 0) return std::nullopt;
  return found->second->sequence;
}

void Upstreams::pause() {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, std::chrono::milliseconds(100), [&] { return stopping_.load(); });
}

void Upstreams::run(const std::string& experiment, Upstream& upstream, bool reset) {
  std::optional<Tenure> heard;
  while (!stopping_ && pages_.listen(experiment)) {
    const auto tenure = nodes_.tenure(experiment);
    if (!tenure.ok() || !tenure->owner || tenure->owner->url.empty()) {
      pause();
      continue;
    }
    // The engine tells of what this node owns itself.
    if (tenure->owner->node_id == nodes_.self().node_id) return;
    if (reset || (heard && *heard != *tenure)) {
      pages_.hear(experiment, fmt::format("id: {0}\nevent: reset\ndata: {{\"sequence\":{0}}}\n\n",
                                          upstream.sequence.load()));
    }
    reset = false;
    heard = *tenure;
    listen(experiment, upstream, *tenure);
    if (!stopping_) pause();
  }
}

void Upstreams::listen(const std::string& experiment, Upstream& upstream, const Tenure& tenure) {
  HttpClientOptions options;
  options.connect_timeout = std::chrono::seconds(2);
  // The owner says something thrice in a lease (engine.cc, `alive`): silence means that it is gone.
  options.read_timeout =
      std::max<std::chrono::milliseconds>(nodes_.lease(), std::chrono::seconds(2));
  options.stop = &stopping_;
  auto client = HttpClient::make(tenure.owner->url, options);
  if (!client.ok()) return;
  const std::string target = "/v1/experiments/" + experiment + "/stream";
  std::string heard;
  const auto sink = [&](std::string_view piece) {
    heard += piece;
    pass_on(experiment, upstream, heard);
    return !stopping_ && pages_.listen(experiment);
  };
  // However it ends, the store says who is to be heard next.
  (void)client->stream(
      target, sink,
      {{std::string(Hops::kHeader),
        hops_.sign({experiment, tenure.owner->node_id, tenure.epoch}, "GET", target)}});
}

// Whole events only; comments keep a connection alive and are the connection's own.
void Upstreams::pass_on(const std::string& experiment, Upstream& upstream,
                        std::string& heard) const {
  for (std::size_t end = heard.find("\n\n"); end != std::string::npos; end = heard.find("\n\n")) {
    const std::string event = heard.substr(0, end + 2);
    heard.erase(0, end + 2);
    if (event.starts_with(':')) continue;
    if (event.starts_with("id: ")) {
      const auto number = parse_number(event.substr(4, event.find('\n') - 4));
      if (number && *number > 0) upstream.sequence = static_cast<std::uint64_t>(*number);
    }
    pages_.hear(experiment, event);
  }
}

}  // namespace duel
