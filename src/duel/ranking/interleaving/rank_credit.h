// What a click on a document is worth to a ranking that has it at some rank.
#pragma once

#include <cstddef>
#include <cstdint>

namespace duel {

// 1/rank, -rank, or 1 - (rank - 1)/length. What a ranking lacks has rank length + 1, and so the
// linear credit 0.
enum class RankCredit { inverse_rank, negative_rank, linear_rank };

inline double rank_credit(RankCredit kind, std::uint32_t rank, std::size_t length) {
  const auto value = static_cast<double>(rank);
  if (kind == RankCredit::inverse_rank) return 1 / value;
  if (kind == RankCredit::negative_rank) return -value;
  return length == 0 ? 0 : 1 - (value - 1) / static_cast<double>(length);
}

}  // namespace duel
