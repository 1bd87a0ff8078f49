#include "duel/server/experiment_metrics.h"

#include <fmt/format.h>

#include <iterator>

#include "duel/core/metric_family.h"

namespace duel {
namespace {

// Why a single outcome was not taken; empty where it was, or where the caller is to try again.
std::string_view reason_of(int status) {
  switch (status) {
    case 400:
    case 422:
      return "invalid";
    case 401:
    case 403:
      return "token";
    case 404:
      return "unknown";
    case 409:
      return "conflict";
    case 410:
      return "expired";
    default:
      return {};
  }
}

std::string word_of(const Json& json, std::string_view name) {
  const Json* value = json.is_object() ? json.find(name) : nullptr;
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace

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
  // A counter that begins with its first increment hides that one from `rate`.
  for (const char* serving : {"explore", "contest", "exploit", "aa", "fallback"}) {
    series.served.try_emplace(serving, 0);
  }
}

void ExperimentMetrics::count(const Ledger& ledger, const OutcomeCounts& before,
                              const OutcomeCounts& now) {
  const std::lock_guard lock(mutex_);
  Series& series = series_[ledger.experiment().experiment_id];
  series.outcomes.add_difference(now, before);
  series.standing = {ledger.num_pending(), ledger.certificate().has_value()};
}

void ExperimentMetrics::forget_standing(const std::string& experiment_id) {
  const std::lock_guard lock(mutex_);
  const auto found = series_.find(experiment_id);
  if (found != series_.end()) found->second.standing.reset();
}

void ExperimentMetrics::count_duel(Series& series, const Json& duel) {
  const std::string serving = word_of(duel, "serving");
  if (!serving.empty()) ++series.served[serving];
}

void ExperimentMetrics::count_served(const std::string& experiment_id, const ServerAnswer& answer) {
  if (answer.status != 200 && answer.status != 201) return;
  for (const auto& [name, value] : answer.headers) {
    if (name == "Idempotent-Replayed") return;
  }
  const std::lock_guard lock(mutex_);
  const auto found = series_.find(experiment_id);
  if (found == series_.end()) return;
  count_duel(found->second, answer.body);
  if (const Json* items = answer.body.find("items"); items != nullptr && items->is_array()) {
    for (const Json& item : items->items()) count_duel(found->second, item);
  }
  // A report that is repeated brings the same duel again.
  const Json* next = answer.body.find("next");
  if (next != nullptr && word_of(answer.body, "status") != "duplicate") {
    count_duel(found->second, *next);
  }
}

void ExperimentMetrics::count_rejected(const std::string& experiment_id,
                                       const ServerAnswer& answer) {
  const std::lock_guard lock(mutex_);
  const auto found = series_.find(experiment_id);
  if (found == series_.end()) return;
  auto& rejected = found->second.rejected;
  const auto count = [&](std::string_view reason) {
    if (!reason.empty() && reason != "applied") ++rejected[std::string(reason)];
  };
  if (answer.status != 200) return count(reason_of(answer.status));
  const Json* items = answer.body.find("items");
  if (items == nullptr) return count(word_of(answer.body, "status"));
  for (const Json& item : items->items()) count(word_of(item, "status"));
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
