// Why judges answered as they did, in their own words. Kept in the log and shown; nothing rests on
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/log/record.h"

namespace duel {

struct GivenReason {
  std::string duel_id, first, second;  // as shown
  Answered result = Answered::skip;
  std::string winner;
  std::optional<double> score{};
  std::string judge;  // who said it, as the log has it
  bool cached = false;
  std::string reason;

  static constexpr std::string_view schema = "GivenReason";
  static constexpr FieldList fields{
      required("duel_id", &GivenReason::duel_id),
      required("first", &GivenReason::first, "the arm shown first"),
      required("second", &GivenReason::second),
      required("result", &GivenReason::result),
      optional("winner", &GivenReason::winner),
      optional("score", &GivenReason::score, "of the arm shown first"),
      optional("judge", &GivenReason::judge),
      optional("cached", &GivenReason::cached, "it was said before, and not asked for again"),
      required("reason", &GivenReason::reason)};
};

// Of all answers of a log that have one, in the order in which they came.
Result<std::vector<GivenReason>> reasons_in_log(const std::string& file);

}  // namespace duel
