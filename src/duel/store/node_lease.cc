#include "duel/store/node_lease.h"

#include <time.h>

#include <algorithm>
#include <utility>

namespace duel {
namespace {

using std::chrono::milliseconds;

// The database is probed at most this often: as often as a lease of the usual ten seconds is
// renewed.
constexpr milliseconds kAskedEvery{2'500};

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
  due_ = settings_.world.now() + between_renewals();
  queue_ = settings_.world.queue();
  queue_->after(std::min(between_renewals(), kAskedEvery), [this] { step(); });
  return Done{};
}

void NodeLease::stop() {
  if (queue_) queue_->stop();
  holds_until_ns_ = 0;
}

bool NodeLease::holds() const { return settings_.since_boot().count() < holds_until_ns_; }

std::int64_t NodeLease::now_ms() const {
  const std::int64_t since_boot =
      std::chrono::duration_cast<milliseconds>(settings_.since_boot()).count();
  const std::int64_t now = clock_offset_ms_ + since_boot;
  std::int64_t latest = latest_ms_;
  while (latest < now && !latest_ms_.compare_exchange_weak(latest, now)) {
  }
  return std::max(latest, now);
}

Status NodeLease::connect() {
  if (session_ && !session_->lost_meanwhile()) return Done{};
  if (pause_.left(settings_.world.now())) {
    return Error::io("the database cannot be reached", settings_.database.where());
  }
  auto opened = settings_.database.connect(SessionUse::lease);
  pause_.tried(opened.ok(), settings_.world.now());
  if (!opened.ok()) return opened.error();
  session_ = std::move(*opened);
  if (std::exchange(connected_before_, true)) ++reconnects_;
  return Done{};
}

Status NodeLease::ask() {
  DUEL_RETURN_IF_ERROR(connect());
  return session_->probe();
}

Status NodeLease::renew() {
  DUEL_RETURN_IF_ERROR(connect());
  const std::chrono::nanoseconds sent = settings_.since_boot();
  DUEL_ASSIGN(const Renewal renewal, session_->renew(settings_.self, settings_.lease));
  // Computed as if the answer had taken no time: so our clock is never ahead of the database's.
  const std::int64_t received = std::chrono::ceil<milliseconds>(settings_.since_boot()).count();
  clock_offset_ms_ = renewal.now_ms - received;
  // The lease had run out in the database, or here. The second case covers a renewal whose answer
  // was lost, or after which `lapsed_` failed.
  if (!renewal.held || !holds()) DUEL_RETURN_IF_ERROR(lapsed_(*session_));
  // Counted from before the renewal was sent. The database counts from later, so the lease ends
  // here first.
  holds_until_ns_ = (sent + settings_.lease).count();
  return Done{};
}

// If leases are long the database is probed between renewals, too. Otherwise a node without work
// would find out only at the end of its lease that it cannot store anything.
void NodeLease::step() {
  const milliseconds often = std::min(between_renewals(), kAskedEvery);
  const bool renews = settings_.world.now() >= due_;
  const bool answered = renews ? renew().ok() : ask().ok();
  reachable_ = answered;
  const World::Moment now = settings_.world.now();
  if (renews && answered) due_ = now + between_renewals();
  milliseconds wait =
      std::clamp(std::chrono::ceil<milliseconds>(due_ - now), milliseconds(0), often);
  if (!answered) wait = std::min(often, pause_.left(now).value_or(milliseconds(100)));
  queue_->after(wait, [this] { step(); });
}

}  // namespace duel
