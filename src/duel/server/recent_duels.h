// The last duels of an experiment, for the dashboard. Reads the store alone; any thread may call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/timestamp.h"
#include "duel/log/record.h"
#include "duel/store/store.h"
#include "duel/wire/answers.h"

namespace duel {

struct RecentDuel {
  std::string duel_id, first, second;
  Serving serving = Serving::explore;
  std::string task_id;
  Timestamp served_at;
  std::string state = "served", result, winner;
  std::uint64_t place = 0;
  std::string note;
  std::optional<std::uint64_t> response_ms;
  std::optional<Timestamp> reported_at;
  std::string reason;

  static constexpr std::string_view schema = "RecentDuel";
  static constexpr std::string_view list = "RecentDuels";
  static constexpr FieldList fields{
      required("duel_id", &RecentDuel::duel_id),
      required("first", &RecentDuel::first),
      required("second", &RecentDuel::second),
      required("serving", &RecentDuel::serving),
      optional("task_id", &RecentDuel::task_id),
      required("served_at", &RecentDuel::served_at),
      required("state", &RecentDuel::state, kToldStatesDoc,
               OneOf("served", "reported", "closed", "expired")),
      optional("result", &RecentDuel::result, kToldResultsDoc, kToldResults),
      optional("winner", &RecentDuel::winner),
      optional("place", &RecentDuel::place, "1 or 2, for the win of an arm shown twice"),
      optional("note", &RecentDuel::note),
      optional("response_ms", &RecentDuel::response_ms),
      optional("reported_at", &RecentDuel::reported_at),
      optional("reason", &RecentDuel::reason, "that a judge gave; kept and shown, never used")};
};

// The last `limit` duels, the newest first, each with its outcome if there is one. Looks at no more
// than the last kMostRecentLines lines of the log, so there may be fewer.
inline constexpr std::uint64_t kMostRecentLines = 50'000;
Result<std::vector<RecentDuel>> recent_duels(Store& store, const std::string& experiment_id,
                                             std::size_t limit);

}  // namespace duel
