// One comparison of two rankers as production makes it: a query, a merged list, a user who clicks.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/rng.h"
#include "duel/ranking/click_models/click_model.h"
#include "duel/ranking/estimation/ranked_queries.h"
#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

// The judged grades of documents, in their order.
void grades_of(std::span<const Document> documents, std::span<const Grade> judged,
               std::vector<Grade>& grades);

// How rankers are compared. Immutable and shared between threads.
struct ClickSetting {
  std::shared_ptr<const Interleaver> method;
  std::shared_ptr<const ClickModel> user;
};

// The shares of the five outcomes of a comparison, or their counts.
struct OutcomeShares {
  double first_wins = 0;
  double second_wins = 0;
  double ties = 0;         // clicks that credit both sides alike
  double no_feedback = 0;  // no click
  double no_contest = 0;   // a list that could not tell the rankers apart

  void add(ClickOutcome outcome, double amount);
  OutcomeShares& operator+=(const OutcomeShares& other);
  OutcomeShares scaled(double factor) const;

  double total() const { return first_wins + second_wins + (ties + no_feedback + no_contest); }
  // Clicked on, where clicks could tell the rankers apart.
  double answered() const { return first_wins + second_wins + ties; }
};

// What a method prepares for the queries of pairs of rankers, kept once it was made. May be shared
// between threads.
class PreparedLists {
 public:
  // `seed` is for methods that prepare by chance. All arguments must outlive it.
  PreparedLists(const RankedQueries& queries, const ClickSetting& setting, std::uint64_t seed)
      : queries_(queries), setting_(setting), seed_(seed) {}

  const PreparedInterleaving& get(std::size_t first, std::size_t second, std::size_t query);

 private:
  const RankedQueries& queries_;
  const ClickSetting& setting_;
  std::uint64_t seed_;
  std::shared_mutex mutex_;  // guards what follows
  std::unordered_map<std::uint64_t, std::unique_ptr<const PreparedInterleaving>> lists_;
};

// Comparisons drawn one by one. Keeps its buffers, so it is for one thread.
class ClickComparison {
 public:
  // All arguments must outlive it. `lists` is used only where the method prepares.
  ClickComparison(const RankedQueries& queries, const ClickSetting& setting, PreparedLists& lists)
      : queries_(queries), setting_(setting), lists_(lists) {}

  // A query at random, a list of two rankers, a user.
  ClickOutcome draw(std::size_t first, std::size_t second, RoundRng& rng);

 private:
  const RankedQueries& queries_;
  const ClickSetting& setting_;
  PreparedLists& lists_;
  Interleaving shown_;
  std::vector<Grade> grades_;
  std::vector<Position> clicks_;
};

// The exact law of the outcome for one query: every list the method can show, every pattern of
// clicks. An error where there are too many of either.
Result<OutcomeShares> exact_comparison(const RankedQueries& queries, const ClickSetting& setting,
                                       std::size_t first, std::size_t second, std::size_t query);

// Whether the click patterns of a list can be gone through one by one, as they are where the credit
// is not a sum of whole numbers over the clicks.
Status check_pattern_length(std::size_t length);

}  // namespace duel
