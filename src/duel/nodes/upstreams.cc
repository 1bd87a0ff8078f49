#include "duel/nodes/upstreams.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/http/http_client.h"

namespace duel {

Upstreams::Upstreams(World& world, Nodes& nodes, const Hops& hops, Pages pages)
    : world_(world), nodes_(nodes), hops_(hops), pages_(std::move(pages)) {}

void Upstreams::stop() {
  std::map<std::string, std::unique_ptr<Upstream>> left;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    left.swap(upstreams_);
  }
  // Without the lock: stopping waits for a task that reads from an owner, and last_sequence must
  // not wait for that.
  for (auto& [experiment, upstream] : left) upstream->queue->stop();
}

bool Upstreams::follow(const std::string& experiment, bool reset) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  std::erase_if(upstreams_, [](const auto& one) { return one.second->ended.load(); });
  if (upstreams_.contains(experiment)) return true;
  if (upstreams_.size() >= kMost) return false;
  auto upstream = std::make_unique<Upstream>();
  Upstream& made = *upstream;
  made.reset = reset;
  made.queue = world_.queue();
  upstreams_.emplace(experiment, std::move(upstream));
  made.queue->post([this, experiment, &made] { attend(experiment, made); });
  return true;
}

std::optional<std::uint64_t> Upstreams::last_sequence(const std::string& experiment) const {
  const std::lock_guard lock(mutex_);
  const auto found = upstreams_.find(experiment);
  if (found == upstreams_.end() || found->second->sequence == 0) return std::nullopt;
  return found->second->sequence;
}

void Upstreams::attend(const std::string& experiment, Upstream& upstream) {
  constexpr std::chrono::milliseconds kPause{100};
  if (stopping_) return;
  const auto tenure = nodes_.tenure(experiment);
  const bool has_owner = tenure.ok() && tenure->owner && !tenure->owner->url.empty();
  // Events of experiments that this node owns come from its own engine.
  const bool ours = has_owner && tenure->owner->node_id == nodes_.self().node_id;
  if (ours || !pages_.listen(experiment)) {
    upstream.ended = true;
    return;
  }
  if (has_owner) {
    if (upstream.reset || (upstream.heard && *upstream.heard != *tenure)) {
      pages_.hear(experiment, fmt::format("id: {0}\nevent: reset\ndata: {{\"sequence\":{0}}}\n\n",
                                          upstream.sequence.load()));
    }
    upstream.reset = false;
    upstream.heard = *tenure;
    listen(experiment, upstream, *tenure);
  }
  upstream.queue->after(kPause, [this, experiment, &upstream] { attend(experiment, upstream); });
}

void Upstreams::listen(const std::string& experiment, Upstream& upstream, const Tenure& tenure) {
  HttpClientOptions options;
  options.connect_timeout = std::chrono::seconds(2);
  // The owner sends something three times in a lease (engine.cc, `alive`): silence for a whole
  // lease means that it is gone.
  options.read_timeout =
      std::max<std::chrono::milliseconds>(nodes_.lease(), std::chrono::seconds(2));
  options.stop = &stopping_;
  auto client = HttpClient::make(tenure.owner->url, options);
  if (!client.ok()) return;
  const std::string target = "/v1/experiments/" + experiment + "/stream";
  Heard heard{hops_.sign({experiment, tenure.owner->node_id, tenure.epoch}, "GET", target)};
  const auto sink = [&](std::string_view piece) {
    heard.rest += piece;
    return pass_on(experiment, upstream, heard) && !stopping_ && pages_.listen(experiment);
  };
  // No matter how it ends: `attend` asks the store whom to listen to next.
  (void)client->stream(target, sink, {{std::string(Hops::kHeader), heard.hop}});
}

// Passes on whole events only, since a piece can end anywhere. Comments (`:`) keep the owner's
// connection alive; the connections of pages have their own.
bool Upstreams::pass_on(const std::string& experiment, Upstream& upstream, Heard& heard) const {
  std::string& rest = heard.rest;
  for (std::size_t end = rest.find("\n\n"); end != std::string::npos; end = rest.find("\n\n")) {
    const std::string signed_one = rest.substr(0, end + 2);
    rest.erase(0, end + 2);
    const auto verified = hops_.verified_event(heard.hop, heard.events++, signed_one);
    if (!verified) return false;
    const std::string event(*verified);
    if (event.starts_with(':')) continue;
    if (event.starts_with("id: ")) {
      const auto number = parse_number(event.substr(4, event.find('\n') - 4));
      if (number && *number > 0) upstream.sequence = static_cast<std::uint64_t>(*number);
    }
    pages_.hear(experiment, event);
  }
  constexpr std::size_t kMostOfOne = 4'096;
  return rest.size() <= kMostOfOne;
}

}  // namespace duel
