// Multileaving: two or more rankings become one list, and clicks on it compare every two of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/rng.h"
#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

using Rankings = std::span<const std::span<const Document>>;

// A shown list, top first, and per position what credit needs.
struct Multileaving {
  static constexpr std::uint32_t kNoTeam = std::numeric_limits<std::uint32_t>::max();

  std::size_t num_rankers = 0;
  std::vector<Document> documents;
  std::vector<std::uint32_t> teams;  // whose pick it is, where the method has picks
  std::vector<std::uint32_t> ranks;  // [position x rankers], from 1; length + 1 where absent
  std::vector<double>
      credits;  // [position x rankers]: what a click is worth; empty where not additive
  // Probabilistic: [position x rankers], the probability that the ranker drew the document.
  std::vector<double> shares;
  std::vector<std::uint32_t> num_candidates;  // pairwise preference: |Omega(i)|
  std::vector<std::uint32_t> best_ranks;      // pairwise preference: smallest rank by any ranker
  std::uint64_t key = 0;                      // of the draws that a sampled credit makes

  InterleavingMemory memory;

  std::size_t size() const { return documents.size(); }
  auto attribution() const { return std::tie(documents, teams, num_candidates); }
  std::span<const std::uint32_t> ranks_at(std::size_t position) const {
    return {ranks.data() + position * num_rankers, num_rankers};
  }
  std::span<const double> credits_at(std::size_t position) const {
    return {credits.data() + position * num_rankers, num_rankers};
  }
  void clear(std::size_t rankers);
  // Appends a document of `memory.pool` with its ranks and takes it.
  void append(RankingPool::Index i, std::uint32_t team);
};

struct MultileaveCredit {
  std::size_t num_rankers = 0;
  std::vector<double> credits;         // raw, by ranker
  std::vector<double> values;          // [ranker x ranker], values(i, j) = -values(j, i)
  std::vector<ClickOutcome> outcomes;  // [ranker x ranker], the sign of the value

  double value(std::size_t i, std::size_t j) const { return values[i * num_rankers + j]; }
  ClickOutcome outcome(std::size_t i, std::size_t j) const { return outcomes[i * num_rankers + j]; }
};

struct WeightedMultileaving {
  double probability = 0;
  Multileaving shown;
};

// A method with its options fixed. Immutable and shared between threads. What Interleaver says of
// rankings, lengths and clicks holds here as well.
class Multileaver {
 public:
  virtual ~Multileaver() = default;

  virtual std::string canonical() const = 0;

  // REQUIRES: one ranking or more.
  virtual void multileave(Rankings rankings, std::size_t length, RoundRng& rng,
                          Multileaving& shown) const = 0;

  // Reuses the memory of `credit`. REQUIRES: `shown` came from this method.
  virtual void credit(const Multileaving& shown, std::span<const Position> clicks,
                      MultileaveCredit& credit) const = 0;

  // Every distinct list with its attribution and exact probability, or an error where there are
  // more than Interleaver::kMostPaths ways to make them.
  virtual Result<std::vector<WeightedMultileaving>> enumerate(Rankings rankings,
                                                              std::size_t length) const = 0;
};

// --- for the methods ----------------------------------------------------------------------------

// Starts a credit with zeros.
void start_credit(const Multileaving& shown, MultileaveCredit& credit);
// credits[r] = sum over the clicks of what each is worth to r.
void add_click_credits(const Multileaving& shown, std::span<const Position> clicks,
                       MultileaveCredit& credit);
// value(i, j) = credits[i] - credits[j].
void take_differences(MultileaveCredit& credit);
// Outcomes from the values. Two rankers are no contest where they rank every shown document alike,
// or, where `shares` are known, were equally likely to have drawn each: what is not shown tells
// softmaxes apart as well.
void set_outcomes(const Multileaving& shown, std::span<const Position> clicks,
                  MultileaveCredit& credit);

}  // namespace duel
