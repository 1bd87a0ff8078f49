// The product's enumerations in the twins' words, and samples held against a law.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "duel/ranking/interleaving/methods.h"
#include "tests/ranking/interleaving/twins.h"

namespace duel {

inline std::shared_ptr<const Interleaver> interleaver(const std::string& text) {
  return configure_interleaver(text).value();
}
inline std::shared_ptr<const Multileaver> multileaver(const std::string& text) {
  return configure_multileaver(text).value();
}

// The value itself, for loops: a reference into a temporary Result would dangle.
template <class T>
T taken(Result<T> result) {
  return std::move(result).value();
}

inline std::vector<std::span<const Document>> spans(const std::vector<List>& lists) {
  return {lists.begin(), lists.end()};
}

inline ShownList as_shown(const Interleaving& shown) {
  std::vector<int> teams;
  for (const Team team : shown.teams) {
    teams.push_back(team == Team::none ? -1 : (team == Team::first ? 0 : 1));
  }
  return {shown.documents, teams};
}
inline ShownList as_shown(const Multileaving& shown) {
  std::vector<int> teams;
  for (const std::uint32_t team : shown.teams) {
    teams.push_back(team == Multileaving::kNoTeam ? -1 : static_cast<int>(team));
  }
  return {shown.documents, teams};
}
template <class Weighted>
Law as_law(const std::vector<Weighted>& lists) {
  Law law;
  for (const Weighted& list : lists) {
    const bool added = law.emplace(as_shown(list.shown), list.probability).second;
    EXPECT_TRUE(added) << "the enumeration repeats a list";
  }
  return law;
}

inline std::string text_of(const List& list) {
  std::string text;
  for (const Document x : list) text += (text.empty() ? "" : ",") + std::to_string(x);
  return "(" + text + ")";
}

// Equal up to the rounding of a few products.
inline void expect_same_law(const Law& actual, const Law& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double sum = 0;
  for (const auto& [shown, p] : expected) {
    const auto found = actual.find(shown);
    ASSERT_NE(found, actual.end()) << what << " never shows " << text_of(shown.first);
    EXPECT_NEAR(found->second, p, 1e-12) << what << " shows " << text_of(shown.first);
    sum += found->second;
  }
  EXPECT_NEAR(sum, 1, 1e-12) << what;
}

// Counts of a sample against their law. By Bernstein's inequality a binomial count with mean
// v/(1-p) and variance v leaves mean +- (sqrt(2 v t) + t/3) with probability at most 2 exp(-t); t =
// 25 makes that 3e-11, so a million comparisons give a false alarm with less than 1e-4.
inline void expect_sample_of(const Law& law, const std::map<ShownList, int>& counts, int n,
                             const std::string& what) {
  constexpr double t = 25;
  for (const auto& [shown, count] : counts) {
    ASSERT_TRUE(law.contains(shown)) << what << " showed " << text_of(shown.first);
  }
  for (const auto& [shown, p] : law) {
    const auto found = counts.find(shown);
    const int count = found == counts.end() ? 0 : found->second;
    EXPECT_NEAR(count, n * p, std::sqrt(2 * n * p * (1 - p) * t) + t / 3)
        << what << " shows " << text_of(shown.first);
  }
}

}  // namespace duel
