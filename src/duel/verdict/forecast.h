// What a certificate still takes, in the units that the owner has: duels, visits where pages are
// interleaved, and days at the pace of the last serves. An estimate from the rates so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "duel/core/described.h"
#include "duel/experiment/ledger.h"
#include "duel/verdict/standing.h"

namespace duel {

struct Forecast {
  std::optional<std::uint64_t> duels;
  std::optional<std::uint64_t> visits;
  std::optional<double> visits_per_day, duels_per_day, days;
  std::optional<std::uint64_t> people{}, questions_each{};
  std::optional<double> minutes_each{};

  static constexpr std::string_view schema = "Forecast";
  static constexpr FieldList fields{
      required("duels", &Forecast::duels,
               "as `expected_duels_left`: null once there is a certificate, and where nobody can "
               "tell"),
      optional("visits", &Forecast::visits,
               "of interleaved pages: as many as bring that many duels, with those that show one "
               "arm alone"),
      optional("visits_per_day", &Forecast::visits_per_day,
               "of interleaved pages, at the pace of the last 100"),
      optional("duels_per_day", &Forecast::duels_per_day,
               "of the other experiments, at the pace of the last 100"),
      optional("days", &Forecast::days,
               "at that pace, with the time until the answers that wait are counted"),
      optional("people", &Forecast::people, "of a panel: members who have still to answer"),
      optional("questions_each", &Forecast::questions_each, "of a panel: for each of them"),
      optional("minutes_each", &Forecast::minutes_each,
               "of a panel: at the time that answers take, or 10 seconds before one says so")};
};

// `standing` is the ledger's.
Forecast forecast_of(const Ledger& ledger, const Standing& standing);

// "about 2 100 more visits, which take about 3 days at the present pace"; "" if nobody can tell.
std::string forecast_text(const Forecast& forecast);

}  // namespace duel
