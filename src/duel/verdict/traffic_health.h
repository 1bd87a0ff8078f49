// Checks of how the duels of an experiment were served and answered, folded from its log. The
// certificate's own checks (verdict/health.h) cannot make them: they need to know who was asked,
// when, and what a page was drafted from.
//
// Each check compares counts with what they should be. A statistical test fails at three and a half
// standard errors (one false alarm in 2000 looks); the other checks have fixed bounds, which are
// stated in traffic_health.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/log/record.h"
#include "duel/store/store.h"
#include "duel/verdict/health.h"

namespace duel {

class TrafficHealth {
 public:
  // Records in the order of the log, from the first on.
  void take(const LogEntry& entry);

  // Always the same checks in the same order.
  std::vector<HealthCheck> checks() const;

 private:
  struct Open {
    std::int64_t served_ms = 0;
    std::uint32_t low = 0, high = 0;  // arms, by number
    std::string subject;
    std::uint64_t items = 0;   // of its page
    std::uint64_t events = 0;  // on its page
  };
  // Count, mean and sum of squared deviations, one by one (Welford).
  struct Moments {
    std::uint64_t n = 0;
    double mean = 0, squares = 0;
    void add(double value);
  };
  struct PairAges {
    Moments low_won, high_won;
  };
  // One of the links by which people vote.
  struct Link {
    std::uint64_t answers = 0;
    std::set<std::string> subjects{};
    std::int64_t minute = 0;    // of the last new subject
    std::uint64_t new_now = 0;  // subjects in that minute
    std::uint64_t most_new = 0;
  };
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  struct Wins {
    std::uint64_t low = 0, high = 0;
  };

  void take_choice();
  void take_serve(const ServeRecord& serve, std::int64_t time_ms);
  void take_outcome(const OutcomeRecord& outcome, std::int64_t time_ms);
  void settle(const std::string& duel_id);
  void count_in_period(const Pair& pair, bool low_won, std::int64_t time_ms);
  std::uint32_t number_of(const std::string& arm);

  HealthCheck sample_ratio() const;
  HealthCheck competitive_coverage() const;
  HealthCheck votes_per_subject() const;
  HealthCheck share_links() const;
  HealthCheck drift() const;
  HealthCheck time_to_answer() const;
  HealthCheck close_times() const;
  HealthCheck many_subjects() const;

  Mode mode_ = Mode::duel;
  std::uint64_t page_length_ = 10;
  double floor_ = 0;
  TextMap<std::uint32_t> arms_;
  TextMap<Open> open_;

  // Duels chosen by the policy or drawn in its place, and how many of them should have been drawn.
  std::uint64_t chosen_ = 0, by_floor_ = 0, replaced_ = 0;
  double floor_expected_ = 0, floor_variance_ = 0;
  std::uint64_t pages_ = 0;
  double coverage_ = 0;  // sum over the pages
  TextMap<std::uint64_t> answers_of_;
  std::map<std::string, Link> links_;
  std::uint64_t answers_with_subject_ = 0;
  std::int64_t first_ms_ = 0, period_ms_ = 60'000;
  std::map<Pair, std::map<std::int64_t, Wins>> periods_;
  std::uint64_t timed_ = 0, too_fast_ = 0;
  Moments seconds_;
  std::map<Pair, PairAges> ages_;
  std::uint64_t clicked_pages_ = 0, overrun_pages_ = 0, most_events_ = 0;
};

// The folds of experiments that were asked about lately, each to be continued. Any thread may call.
class TrafficHealths {
 public:
  Result<std::vector<HealthCheck>> checks(Store& store, const std::string& experiment_id);

 private:
  struct Fold {
    std::mutex mutex;
    TrafficHealth health;
    std::uint64_t sequence = 0;
    std::uint64_t used = 0;
  };

  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  std::map<std::string, std::shared_ptr<Fold>> folds_;
};

}  // namespace duel
