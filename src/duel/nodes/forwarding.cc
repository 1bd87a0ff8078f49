#include "duel/nodes/forwarding.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "duel/core/metric_family.h"
#include "duel/http/http_text.h"
#include "duel/http/trace_context.h"

namespace duel {
namespace {

constexpr int kMostTimesAsked = 2;  // the second time after the tenure was read again
constexpr int kMostTimesHere = 2;   // the second time if the owner has given it up meanwhile
constexpr std::size_t kMostKnown = 20'000;
constexpr std::size_t kMostIdle = 64;      // connections to one node
constexpr std::chrono::seconds kIdle{30};  // less than a server keeps a quiet connection

// The caller's headers that the owner needs, besides the hop. Not its token (hop.h).
constexpr std::array<std::string_view, 6> kRequestHeaders{
    "content-type", "if-match", "accept", kClientHeader, kTraceHeader, kTraceStateHeader};
// Headers that describe the connection to the owner, which would be wrong on ours, and those that
// are for nodes only. They are not passed on.
constexpr std::array<std::string_view, 7> kHeadersOfHop{
    "connection", "content-length",   "date", "keep-alive", "transfer-encoding",
    kLeaseHeader, Hops::kAnswerHeader};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::any_of(names,
                             [&](std::string_view one) { return equal_ignoring_case(one, name); });
}

// Whether a request may be sent again although the first one may have been worked on.
bool may_be_repeated(HttpMethod method) {
  return method != HttpMethod::post && method != HttpMethod::patch;
}

}  // namespace

Forwarding::Forwarding(World& world, Nodes& nodes, const Hops& hops, ForwardingOptions options)
    : world_(world),
      nodes_(nodes),
      hops_(hops),
      options_(options),
      queue_(world.queue({.threads = options.threads})) {}

void Forwarding::stop() {
  std::deque<std::shared_ptr<Job>> left;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    left.swap(waiting_);
  }
  for (const auto& job : left) give_up(*job, "the server stops");
  queue_->stop();
}

void Forwarding::count(Outcome outcome) {
  const std::lock_guard lock(mutex_);
  ++outcomes_[static_cast<std::size_t>(outcome)];
}

void Forwarding::give_up(const Job& job, const std::string& why) {
  count(Outcome::gave_up);
  HttpResponse response = problem(503, why + "; try again", true);
  response.headers.emplace_back("Retry-After", "1");
  job.respond(std::move(response));
}

std::optional<Forwarding::Owner> Forwarding::known(const std::string& experiment) const {
  const std::lock_guard lock(mutex_);
  const auto found = owners_.find(experiment);
  if (found == owners_.end()) return std::nullopt;
  return found->second;
}

void Forwarding::remember(const std::string& experiment, const Owner& owner) {
  const std::lock_guard lock(mutex_);
  if (owners_.size() >= kMostKnown) owners_.clear();
  owners_[experiment] = owner;
}

void Forwarding::forget(const std::string& experiment) {
  const std::lock_guard lock(mutex_);
  owners_.erase(experiment);
}

// Without a known owner this node tries first: for its own experiments that costs no look at the
// store, and for others the engine says 421.
void Forwarding::send(const std::string& experiment, HttpRequest request, std::string token_id,
                      Here here, Respond respond) {
  auto job = std::make_shared<Job>(Job{experiment, std::move(request), std::move(token_id),
                                       std::move(here), std::move(respond), known(experiment)});
  if (job->owner) return enqueue(std::move(job));
  work_here(job);
}

void Forwarding::enqueue(std::shared_ptr<Job> job) {
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    full = waiting_.size() >= options_.most_waiting;
    if (!stopping_ && !full) {
      waiting_.push_back(std::move(job));
      queue_->post([this] { work_on_next(); });
      return;
    }
  }
  if (!full) return give_up(*job, "the server stops");
  count(Outcome::overloaded);
  HttpResponse response = problem(429, "too many requests wait for other nodes; try again", true);
  response.headers.emplace_back("Retry-After", "1");
  job->respond(std::move(response));
}

void Forwarding::work_here(const std::shared_ptr<Job>& job) {
  if (++job->worked_here > kMostTimesHere) return give_up(*job, "the experiment changes its node");
  job->owner.reset();
  job->here(job->request, [this, job](HttpResponse response) {
    if (response.status != 421) return job->respond(std::move(response));
    // This may be the engine's thread, which must not wait for the store or for another node.
    enqueue(job);
  });
}

void Forwarding::work_on_next() {
  // An owner that does not answer must not keep all threads waiting. A job that is passed over for
  // this reason is taken when another job of its owner ends, since each end posts a new task.
  const std::size_t most_of_one = std::max<std::size_t>(1, options_.threads * 3 / 4);
  std::shared_ptr<Job> job;
  std::string busy;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(waiting_, [&](const auto& one) {
      if (!one->owner) return true;
      const auto of_owner = under_way_.find(one->owner->address.node_id);
      return of_owner == under_way_.end() || of_owner->second < most_of_one;
    });
    if (stopping_ || found == waiting_.end()) return;
    job = std::move(*found);
    waiting_.erase(found);
    if (job->owner) busy = job->owner->address.node_id;
    if (!busy.empty()) ++under_way_[busy];
  }
  work(job);
  const std::lock_guard lock(mutex_);
  if (!busy.empty() && --under_way_[busy] == 0) under_way_.erase(busy);
  if (!waiting_.empty()) queue_->post([this] { work_on_next(); });
}

// An unknown experiment is worked on here as well: the engine knows how to say 404.
std::optional<Forwarding::Owner> Forwarding::look_up(const std::shared_ptr<Job>& job) {
  const auto tenure = nodes_.tenure(job->experiment);
  if (!tenure.ok() && tenure.error().code == ErrorCode::io) {
    give_up(*job, "the store cannot say which node answers for the experiment");
    return std::nullopt;
  }
  if (!tenure.ok() || !tenure->owner || tenure->owner->node_id == nodes_.self().node_id) {
    work_here(job);
    return std::nullopt;
  }
  if (tenure->owner->url.empty()) {
    give_up(*job, "the node that answers for the experiment advertises no URL");
    return std::nullopt;
  }
  const Owner owner{*tenure->owner, tenure->epoch};
  remember(job->experiment, owner);
  return owner;
}

void Forwarding::work(const std::shared_ptr<Job>& job) {
  // Step 1: ask the owner that we know, if any.
  const std::optional<Owner> owner = std::exchange(job->owner, std::nullopt);
  bool unreachable = false;
  if (owner) {
    if (++job->asked > kMostTimesAsked) return give_up(*job, "the experiment changes its node");
    Asked asked = ask(*job, *owner);
    const bool answered = asked.response.ok() && asked.response->status != 421;
    if (answered && !(asked.unsure && has_moved(*job, *owner))) {
      return job->respond(std::move(*asked.response));
    }
    forget(job->experiment);
    unreachable = !asked.response.ok();
    if (!answered) count(unreachable ? Outcome::unreachable : Outcome::misdirected);
    // The owner may have done the work before the connection broke. The caller decides whether to
    // repeat: its ids make that safe, while a second try of ours could count the work twice.
    if (unreachable && asked.may_be_done && !may_be_repeated(job->request.method)) {
      return give_up(*job, "the node that answers for the experiment has not answered");
    }
  }
  // Step 2: ask the store who owns the experiment now.
  const std::optional<Owner> found = look_up(job);
  if (!found) return;
  if (unreachable && found == owner) {
    return give_up(*job, "the node that answers for the experiment cannot be reached");
  }
  // Step 3: back to the queue, which limits the number of threads that wait for one node.
  job->owner = found;
  enqueue(job);
}

Forwarding::Asked Forwarding::ask(const Job& job, const Owner& owner) {
  const auto begun = world_.now();
  std::optional<HttpClient> client;
  {
    const std::lock_guard lock(mutex_);
    std::vector<Idle>& idle = idle_[owner.address.node_id];
    std::erase_if(idle, [&](const Idle& one) { return begun - one.since > kIdle; });
    if (!idle.empty()) {
      client = std::move(idle.back().client);
      idle.pop_back();
    }
  }
  if (!client) {
    HttpClientOptions options;
    // After a lease another node may have taken the experiment: waiting longer gains nothing.
    options.read_timeout = std::clamp<std::chrono::milliseconds>(
        nodes_.lease(), std::chrono::seconds(2), std::chrono::seconds(60));
    options.connect_timeout = std::chrono::seconds(2);
    options.stop = &stopping_;
    auto made = HttpClient::make(owner.address.url, options);
    if (!made.ok()) return {made.error()};
    client = std::move(*made);
  }
  const HttpRequest& request = job.request;
  HttpFields headers;
  for (const auto& [name, value] : request.headers) {
    if (is_one_of(kRequestHeaders, name)) headers.emplace_back(name, value);
  }
  const std::string hop =
      hops_.sign({job.experiment, owner.address.node_id, owner.epoch, job.token_id},
                 to_word(request.method), request.target, request.content());
  headers.emplace_back(Hops::kHeader, hop);
  Result<HttpResponse> response = client->send(request.method, request.target,
                                               std::string(request.content()), std::move(headers));
  if (!response.ok()) return {response.error(), client->sent()};
  // A program that took the dead owner's address, or an owner too busy to let the request in.
  if (!hops_.is_signed(hop, request.method, *response)) {
    return {Error::io("the answer is not a node's of this store", owner.address.url), true};
  }
  const bool unsure = response->header(kLeaseHeader) != nullptr;
  std::erase_if(response->headers,
                [](const auto& field) { return is_one_of(kHeadersOfHop, field.first); });
  const std::lock_guard lock(mutex_);
  std::vector<Idle>& idle = idle_[owner.address.node_id];
  if (idle.size() < kMostIdle) idle.push_back({std::move(*client), world_.now()});
  // Node ids are new with every start, so entries of nodes that are gone would pile up.
  std::erase_if(idle_, [&](const auto& node) {
    return node.second.empty() || world_.now() - node.second.back().since > kIdle;
  });
  if (response->status != 421) {
    ++outcomes_[static_cast<std::size_t>(Outcome::answered)];
    seconds_ += std::chrono::duration<double>(world_.now() - begun).count();
  }
  return {std::move(response), true, unsure};
}

// Whether the store names another owner, or none. An owner without a lease may have answered from
// an old state, and its answer is then thrown away. If the store cannot be asked, it stands.
bool Forwarding::has_moved(const Job& job, const Owner& owner) {
  forget(job.experiment);
  const auto tenure = nodes_.tenure(job.experiment);
  if (!tenure.ok()) return false;
  return !tenure->owner || Owner{*tenure->owner, tenure->epoch} != owner;
}

std::string Forwarding::metrics() const {
  constexpr std::array<const char*, 5> kNames{"answered", "misdirected", "unreachable",
                                              "overloaded", "gave_up"};
  const std::lock_guard lock(mutex_);
  std::string out;
  announce_family(out, "duel_node_forwards_total", "counter",
                  "Requests sent on to the owner of their experiment.");
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    out += fmt::format("duel_node_forwards_total{{outcome=\"{}\"}} {}\n", kNames[k], outcomes_[k]);
  }
  announce_family(out, "duel_node_forward_duration_seconds", "summary",
                  "Time until the owner had answered.");
  out += fmt::format(
      "duel_node_forward_duration_seconds_sum {}\n"
      "duel_node_forward_duration_seconds_count {}\n",
      seconds_, outcomes_[0]);
  write_metric(out, "duel_node_forwards_waiting", "gauge", "Requests that wait to be sent on.",
               waiting_.size());
  return out;
}

}  // namespace duel
