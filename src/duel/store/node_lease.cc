#include "duel/store/node_lease.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace duel {
namespace {

// The database is probed at most this often: as often as a lease of the usual ten seconds is
// renewed.
constexpr std::chrono::milliseconds kAskedEvery{2'500};

}  // namespace

std::chrono::nanoseconds time_since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

NodeLease::NodeLease(Settings settings, ReconnectPause& pause, Lapsed lapsed)
    : settings_(std::move(settings)), pause_(pause), lapsed_(std::move(lapsed)) {}

NodeLease::~NodeLease() { stop(); }

Status NodeLease::begin() {
  DUEL_RETURN_IF_ERROR(renew());
  thread_ = std::thread([this] { run(); });
  return Done{};
}

void NodeLease::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  holds_until_ns_ = 0;
}

bool NodeLease::holds() const { return time_since_boot().count() < holds_until_ns_; }

std::int64_t NodeLease::now_ms() const {
  using std::chrono::milliseconds;
  const std::int64_t since_boot =
      std::chrono::duration_cast<milliseconds>(time_since_boot()).count();
  const std::int64_t now = clock_offset_ms_ + since_boot;
  std::int64_t latest = latest_ms_;
  while (latest < now && !latest_ms_.compare_exchange_weak(latest, now)) {
  }
  return std::max(latest, now);
}

Status NodeLease::connect() {
  if (!connection_.lost_meanwhile()) return Done{};
  if (pause_.left()) {
    return Error::io("the database cannot be reached", postgres_place(settings_.location));
  }
  // synchronous_commit must be on: if a crash of the database took a renewal back, the others would
  // see the lease run out while this node still believes in it.
  auto opened = PostgresConnection::open(
      settings_.location, settings_.answer_limit,
      fmt::format("SET synchronous_commit = on; SET jit = off; SET lock_timeout = {};"
                  " SET idle_in_transaction_session_timeout = {}",
                  settings_.answer_limit.count(), settings_.lease.count() / 2));
  pause_.tried(opened.ok());
  if (!opened.ok()) return opened.error();
  connection_ = std::move(*opened);
  if (std::exchange(connected_before_, true)) ++reconnects_;
  return Done{};
}

Status NodeLease::ask() {
  DUEL_RETURN_IF_ERROR(connect());
  DUEL_RETURN_IF_ERROR(connection_.run("SELECT 1", {}, settings_.answer_limit));
  return Done{};
}

Status NodeLease::renew() {
  DUEL_RETURN_IF_ERROR(connect());
  const std::chrono::nanoseconds sent = time_since_boot();
  const auto lease_ms = static_cast<std::uint64_t>(settings_.lease.count());
  // The second query asks whether the lease had run out. It comes after the lock: a node that held
  // the lock before may have judged by a later clock, and taken experiments.
  const auto self = PostgresParameters().add(settings_.self.node_id);
  const std::vector<PostgresQuery> queries = {
      {"SELECT 1 FROM duel.nodes WHERE id = $1 FOR UPDATE", self},
      {"SELECT (lease_until > clock_timestamp())::int::bigint FROM duel.nodes WHERE id = $1", self},
      {"INSERT INTO duel.nodes AS n (id, url, lease_until, lease)"
       " VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond',"
       " $3 * interval '1 millisecond')"
       " ON CONFLICT (id) DO UPDATE SET lease_until ="
       " clock_timestamp() + $3 * interval '1 millisecond'",
       PostgresParameters(self).add(settings_.self.url).add(lease_ms)},
      {"SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"}};
  DUEL_ASSIGN(const std::vector<PostgresRows> rows,
              connection_.run_together(queries, settings_.answer_limit + std::chrono::seconds(1)));
  // Computed as if the answer had taken no time: so our clock is never ahead of the database's.
  const std::int64_t received =
      std::chrono::ceil<std::chrono::milliseconds>(time_since_boot()).count();
  clock_offset_ms_ = static_cast<std::int64_t>(rows[3].number(0, 0)) - received;
  const bool held = rows[1].size() == 1 && rows[1].number(0, 0) == 1;
  // The lease had run out in the database, or here. The second case covers a renewal whose answer
  // was lost, or after which `lapsed_` failed.
  if (!held || !holds()) DUEL_RETURN_IF_ERROR(lapsed_(connection_));
  // Counted from before the renewal was sent. The database counts from later, so the lease ends
  // here first.
  holds_until_ns_ = (sent + settings_.lease).count();
  return Done{};
}

// If leases are long the database is probed between renewals, too. Otherwise a node without work
// would find out only at the end of its lease that it cannot store anything.
void NodeLease::run() {
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds between = settings_.lease / 4;
  const std::chrono::milliseconds often = std::min(between, kAskedEvery);
  std::unique_lock lock(mutex_);
  Clock::time_point due = Clock::now() + between;
  std::chrono::milliseconds wait = often;
  while (!stop_) {
    if (wake_.wait_for(lock, wait, [&] { return stop_; })) return;
    lock.unlock();
    const bool renews = Clock::now() >= due;
    const bool answered = renews ? renew().ok() : ask().ok();
    reachable_ = answered;
    if (renews && answered) due = Clock::now() + between;
    lock.lock();
    const auto pause = pause_.left();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now());
    wait = answered ? std::clamp(left, std::chrono::milliseconds(0), often)
                    : std::min(often, pause.value_or(std::chrono::milliseconds(100)));
  }
}

}  // namespace duel
