// Interleaving: two rankings become one list, and clicks on it say which ranking was better.
//
// A method draws the list, remembers what its credit needs, and turns clicks into raw credits and
// an outcome. The outcome is the sign of the raw value. Taking the sign can be biased where the raw
// value is not: a ranker that wins rarely by much and loses often by little has raw mean 0 but a
// negative mean sign (docs/interleaving.md has an example).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/options.h"
#include "duel/core/result.h"
#include "duel/core/rng.h"
#include "duel/ranking/document.h"
#include "duel/ranking/interleaving/rank_softmax.h"
#include "duel/ranking/interleaving/ranking_pool.h"

namespace duel {

// Which ranker picked a shown document, if the method has picks.
enum class Team : std::uint8_t { first, second, none };

// What one impression says. `no_contest`: the list could not have told the rankers apart, whatever
// was clicked; `no_feedback`: nothing was clicked. Neither is a tie.
enum class ClickOutcome : std::uint8_t { first_wins, second_wins, tie, no_feedback, no_contest };
std::string_view to_string(ClickOutcome outcome);
// The same as the answer to a duel. Nothing was asked where there was no contest, and nothing
// answered where nobody clicked: `none`.
Outcome as_answer(ClickOutcome outcome);

struct Credit {
  double first = 0;  // raw credit of each side
  double second = 0;
  double value = 0;  // what the outcome is the sign of: first - second unless the method says other
  ClickOutcome outcome = ClickOutcome::no_feedback;
};

// Credits are sums of fractions, so that what is 0 in exact arithmetic may come out as a few ulps.
// Up to this a value counts as 0. Credits that are counts of clicks are exact anyway.
inline constexpr double kCreditRounding = 1e-12;

ClickOutcome outcome_of(double value, bool contest, bool clicked);

// Memory to work in. It says nothing about the list, so copies do not carry it.
struct InterleavingMemory {
  InterleavingMemory() = default;
  InterleavingMemory(const InterleavingMemory&) {}
  InterleavingMemory(InterleavingMemory&&) noexcept {}
  InterleavingMemory& operator=(const InterleavingMemory&) { return *this; }  // NOLINT
  InterleavingMemory& operator=(InterleavingMemory&&) noexcept { return *this; }
  ~InterleavingMemory() = default;

  RankingPool pool;
  SoftmaxPool softmax;
  std::vector<RankingPool::Index> order;  // rankers or documents in waiting
  std::vector<RankingPool::Index> left;   // documents of a ranking that are not shown yet
};

// A shown list, top first, and per position what credit needs.
struct Interleaving {
  std::vector<Document> documents;
  std::vector<Team> teams;
  std::vector<std::uint32_t>
      first_ranks;  // from 1; length + 1 where the ranking lacks the document
  std::vector<std::uint32_t> second_ranks;
  // What a click on the position is worth to each side. For marginalised credit: the probability
  // that the side drew the document. Empty for balanced interleaving, whose credit is not additive.
  std::vector<double> first_credit;
  std::vector<double> second_credit;
  bool contest = false;  // whether clicks can tell the rankers apart
  // Balanced interleaving: positions from this one on only fill the page and earn nothing.
  std::size_t filled_from = std::numeric_limits<std::size_t>::max();

  InterleavingMemory memory;

  std::size_t size() const { return documents.size(); }
  // What tells two lists of a method apart.
  auto attribution() const { return std::tie(documents, teams, first_credit); }
  void clear();
  // Appends a document of `memory.pool` with its ranks, takes it, and notes whether they differ.
  void append(RankingPool::Index i, Team team) {
    memory.pool.take(i);
    documents.push_back(memory.pool.document(i));
    teams.push_back(team);
    const auto ranks = memory.pool.ranks(i);
    first_ranks.push_back(ranks[0]);
    second_ranks.push_back(ranks[1]);
    contest = contest || ranks[0] != ranks[1];
  }
  // For methods that know beforehand how much they will show: room for `size` documents, then one
  // after the other as `append` would, with its credit.
  void resize(std::size_t size);
  void set(std::size_t position, RankingPool::Index i, Team team, double first, double second) {
    documents[position] = memory.pool.document(i);
    teams[position] = team;
    const auto ranks = memory.pool.ranks(i);
    first_ranks[position] = ranks[0];
    second_ranks[position] = ranks[1];
    first_credit[position] = first;
    second_credit[position] = second;
  }
  void append_credit(double first, double second) {
    first_credit.push_back(first);
    second_credit.push_back(second);
  }
};

struct WeightedInterleaving {
  double probability = 0;
  Interleaving shown;
};

// Two rankings and a length, ready for many draws.
struct PreparedInterleaving {
  std::function<void(RoundRng& rng, Interleaving& shown)> draw;
};

// A method with its options fixed. Immutable and shared between threads.
//
// Rankings need not have equal lengths or the same documents; a repeated document counts where it
// stands first; both may be empty. The list ends at `length`, or before where the method has
// nothing more to show. Clicks are ascending, distinct positions of the list.
class Interleaver {
 public:
  virtual ~Interleaver() = default;

  // `probabilistic(tau=3)`: parses back to the same method.
  virtual std::string canonical() const = 0;

  // Draws a list. Allocates nothing once the vectors of `shown` have grown.
  virtual void interleave(std::span<const Document> first, std::span<const Document> second,
                          std::size_t length, RoundRng& rng, Interleaving& shown) const = 0;

  // REQUIRES: `shown` came from this method; clicks as above.
  virtual Credit credit(const Interleaving& shown, std::span<const Position> clicks) const = 0;

  // Whether a credit's value is the sum over the clicks of first_credit - second_credit, so that
  // the law of the value can be had position by position.
  virtual bool is_additive() const = 0;

  // Every distinct list with its attribution and exact probability, or an error where there are
  // more than kMostPaths ways to make them.
  virtual Result<std::vector<WeightedInterleaving>> enumerate(std::span<const Document> first,
                                                              std::span<const Document> second,
                                                              std::size_t length) const = 0;
  static constexpr std::size_t kMostPaths = std::size_t{1} << 18;

  // For many lists from the same two rankings. Methods whose work does not depend on the draw do it
  // here; `rng` serves what of it is random. `prepares` says whether that saves any work.
  virtual bool prepares() const { return false; }
  virtual std::unique_ptr<const PreparedInterleaving> prepare(std::span<const Document> first,
                                                              std::span<const Document> second,
                                                              std::size_t length,
                                                              RoundRng& rng) const;
};

// --- for the methods ----------------------------------------------------------------------------

// The credit of additive methods: sums over the clicked positions.
Credit additive_credit(const Interleaving& shown, std::span<const Position> clicks);

// Adds up the probabilities of equal lists with equal attribution.
template <class Weighted>
std::vector<Weighted> merged(std::vector<Weighted> paths) {
  std::sort(paths.begin(), paths.end(), [](const Weighted& a, const Weighted& b) {
    return a.shown.attribution() < b.shown.attribution();
  });
  std::vector<Weighted> distinct;
  for (Weighted& path : paths) {
    if (!distinct.empty() && distinct.back().shown.attribution() == path.shown.attribution()) {
      distinct.back().probability += path.probability;
    } else {
      distinct.push_back(std::move(path));
    }
  }
  return distinct;
}
Error too_many_paths(const std::string& method, std::size_t limit);

// Walks all paths of `draw(choices, shown)`, which draws one list (every_path.h).
template <class Path, class Weighted = WeightedInterleaving, class Method, class Draw>
Result<std::vector<Weighted>> enumerate_paths(const Method& method, Draw&& draw) {
  std::vector<Weighted> paths;
  Path path;
  decltype(Weighted::shown) shown;
  do {
    if (paths.size() == Interleaver::kMostPaths) {
      return too_many_paths(method.canonical(), Interleaver::kMostPaths);
    }
    draw(path, shown);
    paths.push_back({path.probability(), shown});
  } while (path.next());
  return merged(std::move(paths));
}

}  // namespace duel
