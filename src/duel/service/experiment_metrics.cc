#include "duel/service/experiment_metrics.h"

#include <fmt/format.h>

#include <iterator>

#include "duel/core/metric_family.h"

namespace duel {
OutcomeCounts::OutcomeCounts(const Ledger& ledger) {
  ShownCounts all = ledger.total();
  all += ledger.aa();
  counts_ = {all.decisive(), all.ties, all.both_bad, all.skips, all.invalid, all.expired};
}

void OutcomeCounts::add_difference(const OutcomeCounts& now, const OutcomeCounts& before) {
  for (std::size_t k = 0; k < counts_.size(); ++k) counts_[k] += now.counts_[k] - before.counts_[k];
}

void ExperimentMetrics::know(const std::string& experiment_id) {
  const std::lock_guard lock(mutex_);
  Series& series = series_[experiment_id];
  // Prometheus' `rate` sees differences only: a counter that first appears as 1 loses that one.
  for (const char* serving : {"explore", "contest", "exploit", "aa", "fallback"}) {
    series.served.try_emplace(serving, 0);
  }
}

void ExperimentMetrics::count(const Ledger& ledger, const OutcomeCounts& before,
                              const OutcomeCounts& now) {
  const std::lock_guard lock(mutex_);
  Series& series = series_[ledger.experiment().experiment_id];
  series.outcomes.add_difference(now, before);
  series.standing = {ledger.num_pending(), ledger.certificate_recorded()};
}

void ExperimentMetrics::forget_standing(const std::string& experiment_id) {
  const std::lock_guard lock(mutex_);
  const auto found = series_.find(experiment_id);
  if (found != series_.end()) found->second.standing.reset();
}

void ExperimentMetrics::count_served(const std::string& experiment_id, std::string_view serving) {
  const std::lock_guard lock(mutex_);
  const auto found = series_.find(experiment_id);
  if (found != series_.end()) ++found->second.served[std::string(serving)];
}

void ExperimentMetrics::count_rejected(const std::string& experiment_id, std::string_view why) {
  const std::lock_guard lock(mutex_);
  const auto found = series_.find(experiment_id);
  if (found != series_.end()) ++found->second.rejected[std::string(why)];
}

std::string ExperimentMetrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  announce_family(out, "duel_duels_served_total", "counter",
                  "Duels given to callers, by what they were for.");
  const auto to = std::back_inserter(out);
  for (const auto& [id, series] : series_) {
    for (const auto& [serving, count] : series.served) {
      fmt::format_to(to, "duel_duels_served_total{{experiment=\"{}\",serving=\"{}\"}} {}\n", id,
                     serving, count);
    }
  }
  announce_family(out, "duel_outcomes_total", "counter", "Duels that have ended, by how.");
  for (const auto& [id, series] : series_) {
    for (std::size_t k = 0; k < OutcomeCounts::kResults.size(); ++k) {
      fmt::format_to(to, "duel_outcomes_total{{experiment=\"{}\",result=\"{}\"}} {}\n", id,
                     OutcomeCounts::kResults[k], series.outcomes[k]);
    }
  }
  announce_family(out, "duel_outcomes_rejected_total", "counter",
                  "Outcomes that were reported and not applied, by why.");
  for (const auto& [id, series] : series_) {
    for (const auto& [reason, count] : series.rejected) {
      fmt::format_to(to, "duel_outcomes_rejected_total{{experiment=\"{}\",reason=\"{}\"}} {}\n", id,
                     reason, count);
    }
  }
  announce_family(out, "duel_pending_duels", "gauge", "Duels that are served and not answered.");
  for (const auto& [id, series] : series_) {
    if (!series.standing) continue;
    fmt::format_to(to, "duel_pending_duels{{experiment=\"{}\"}} {}\n", id,
                   series.standing->pending);
  }
  announce_family(out, "duel_certified", "gauge", "Whether there is a certificate.");
  for (const auto& [id, series] : series_) {
    if (!series.standing) continue;
    fmt::format_to(to, "duel_certified{{experiment=\"{}\"}} {}\n", id,
                   series.standing->certified ? 1 : 0);
  }
  return out;
}

}  // namespace duel
