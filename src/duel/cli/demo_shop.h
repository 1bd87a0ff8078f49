// The world of `duel demo`: a shop with six rankers and users who search, look from the top and
// click. What the rankers are worth is known here, and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/rng.h"
#include "duel/truth/preference_matrix.h"

namespace duel::cli {

class DemoShop {
 public:
  explicit DemoShop(std::uint64_t seed);

  static constexpr std::size_t kQueries = 40;
  static constexpr std::size_t kPage = 10;

  const std::vector<std::string>& rankers() const { return rankers_; }
  // What a ranker answers to a query, best first.
  const std::vector<std::string>& ranking(std::size_t ranker, std::size_t query) const {
    return rankings_[ranker][query];
  }

  // What a ranker answers that mixes the scores of words and of meaning, by the weight of meaning.
  std::vector<std::string> hybrid(double weight, std::size_t query) const;
  // P(one weight beats another) among the pages that decide.
  double hybrid_wins(double weight, double other, std::uint64_t pages) const;

  // The query of a visit.
  static std::size_t query_of(RoundRng& rng) { return rng.below(kQueries); }
  // The places, from 0, of the items that a user clicks on. A page is read from the top, each
  // further item with a lower chance; better items are clicked more often.
  std::vector<std::size_t> clicks(const std::vector<std::string>& page, std::size_t query,
                                  RoundRng& rng) const;

  // P(i beats j) among the pages that decide, from `pages` drafts and users for each pair.
  PreferenceMatrix truth(std::uint64_t pages) const;

 private:
  using Ranking = std::function<std::vector<std::string>(std::size_t query)>;
  // Of the pages drafted from two rankings that one of them won, the share of the first.
  double share_won(const std::string& stream, std::uint64_t pages, const Ranking& one,
                   const Ranking& other) const;
  // 0 to 3.
  std::uint32_t grade(std::string_view object, std::size_t query) const;

  std::uint64_t seed_;
  std::vector<std::string> rankers_;
  std::vector<std::vector<std::uint32_t>> grades_;  // by query and item
  std::vector<std::vector<std::vector<std::string>>> rankings_;
};

}  // namespace duel::cli
