#include "duel/ranking/interleaving/multileaver.h"

#include <cmath>

namespace duel {
namespace {

bool are_alike(const Multileaving& shown, std::size_t i, std::size_t j) {
  if (!shown.shares.empty()) {
    for (std::size_t k = 0; k < shown.shares.size(); k += shown.num_rankers) {
      if (std::fabs(shown.shares[k + i] - shown.shares[k + j]) > kCreditRounding) return false;
    }
    return true;
  }
  for (std::size_t position = 0; position < shown.size(); ++position) {
    const auto ranks = shown.ranks_at(position);
    if (ranks[i] != ranks[j]) return false;
  }
  return true;
}

}  // namespace

void Multileaving::clear(std::size_t rankers) {
  num_rankers = rankers;
  documents.clear();
  teams.clear();
  ranks.clear();
  credits.clear();
  shares.clear();
  num_candidates.clear();
  best_ranks.clear();
  key = 0;
}

void Multileaving::append(RankingPool::Index i, std::uint32_t team) {
  memory.pool.take(i);
  documents.push_back(memory.pool.document(i));
  teams.push_back(team);
  const auto ranks_of_all = memory.pool.ranks(i);
  ranks.insert(ranks.end(), ranks_of_all.begin(), ranks_of_all.end());
}

void start_credit(const Multileaving& shown, MultileaveCredit& credit) {
  const std::size_t n = shown.num_rankers;
  credit.num_rankers = n;
  credit.credits.assign(n, 0);
  credit.values.assign(n * n, 0);
  credit.outcomes.assign(n * n, ClickOutcome::no_contest);
}

void add_click_credits(const Multileaving& shown, std::span<const Position> clicks,
                       MultileaveCredit& credit) {
  for (const Position position : clicks) {
    const auto worth = shown.credits_at(position);
    for (std::size_t r = 0; r < worth.size(); ++r) credit.credits[r] += worth[r];
  }
}

void take_differences(MultileaveCredit& credit) {
  const std::size_t n = credit.num_rankers;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      credit.values[i * n + j] = credit.credits[i] - credit.credits[j];
    }
  }
}

void set_outcomes(const Multileaving& shown, std::span<const Position> clicks,
                  MultileaveCredit& credit) {
  const std::size_t n = credit.num_rankers;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const bool contest = !are_alike(shown, i, j);
      const bool clicked = !clicks.empty();
      credit.outcomes[i * n + j] = outcome_of(credit.values[i * n + j], contest, clicked);
      credit.outcomes[j * n + i] = outcome_of(credit.values[j * n + i], contest, clicked);
    }
  }
}

}  // namespace duel
