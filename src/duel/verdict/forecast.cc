#include "duel/verdict/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/verdict/verdict.h"

namespace duel {
namespace {

// "3 days", "5 hours", "20 minutes": two digits count.
std::string span_text(double days) {
  const auto of = [](double count, const char* unit) {
    const auto whole = static_cast<std::uint64_t>(std::max(1.0, std::ceil(count)));
    return fmt::format("{} {}{}", approximate_count(whole), unit, whole == 1 ? "" : "s");
  };
  if (days >= 2) return of(days, "day");
  if (days * 24 >= 2) return of(days * 24, "hour");
  return of(days * 24 * 60, "minute");
}

}  // namespace

Forecast forecast_of(const Ledger& ledger, const Standing& standing) {
  Forecast forecast;
  if (ledger.certificate()) return forecast;
  if (ledger.parts().panel) {
    if (const auto effort = panel_effort(ledger, standing.leader)) {
      forecast.people = effort->people;
      forecast.questions_each = effort->questions_each;
      forecast.minutes_each = effort->minutes_each;
    }
    return forecast;
  }
  forecast.duels = standing.duels_left;
  const bool visits = ledger.experiment().service.mode == Mode::interleave;
  const auto per_day = ledger.pace().per_day();
  (visits ? forecast.visits_per_day : forecast.duels_per_day) = per_day;
  if (!forecast.duels) return forecast;
  // Duels of one arm with itself, and pages that show one arm alone, are served as well.
  const auto served = static_cast<double>(ledger.served());
  const auto contests = static_cast<double>(ledger.total().served);
  const double serves = static_cast<double>(*forecast.duels) *
                        (contests > 0 ? std::max(1.0, served / contests) : 1.0);
  if (visits) forecast.visits = static_cast<std::uint64_t>(std::ceil(serves));
  if (per_day && ledger.state() == ExperimentState::running) {
    constexpr double kMsPerDay = 86'400'000;
    const auto& until = standing.waiting.until;
    const double waits =
        until ? static_cast<double>(std::max<std::int64_t>(0, until->ms - ledger.pace().last_ms()))
              : 0;
    forecast.days = serves / *per_day + waits / kMsPerDay;
  }
  return forecast;
}

std::string forecast_text(const Forecast& forecast) {
  if (forecast.questions_each) {
    return effort_text(PanelEffort{.people = forecast.people,
                                   .questions_each = *forecast.questions_each,
                                   .minutes_each = forecast.minutes_each.value_or(0)});
  }
  if (!forecast.duels) return "";
  const std::uint64_t count = forecast.visits.value_or(*forecast.duels);
  std::string text = fmt::format("about {} more {}{}", approximate_count(count),
                                 forecast.visits ? "visit" : "duel", count == 1 ? "" : "s");
  if (forecast.days) {
    text += fmt::format(", which take about {} at the present pace", span_text(*forecast.days));
  }
  return text;
}

}  // namespace duel
