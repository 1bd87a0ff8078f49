// Credited impressions as votes on their rankers, which are comparisons that an experiment can take
// (experiment/comparison_table.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "duel/core/result.h"
#include "duel/ranking/click_credit/credited_log.h"

namespace duel {

// All views are into the log.
struct CreditedVote {
  std::string_view first, second;
  std::string_view result;                     // win, tie or skip
  std::optional<std::string_view> winner;      // of a win
  std::optional<std::uint64_t> serving_order;  // from 1, where it is known
  std::string_view id, user, time;             // user and time are empty where the log has none
  bool evidence = false;
  ClickOutcome outcome = ClickOutcome::no_feedback;
  double first_credit = 0, second_credit = 0;
};

// The vote of impression k.
CreditedVote vote_of(const CreditedLog& log, std::size_t k);

// Writes CSV. Without `skips` only the votes of impressions that were answered.
Status write_votes(const CreditedLog& log, const std::filesystem::path& file, bool skips);

}  // namespace duel
