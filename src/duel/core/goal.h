// What a certificate is about.
#pragma once

#include <cstdint>

namespace duel {

// What is taken for granted about the arms. `order`: they have a total order, in which every
// earlier arm beats every later one.
enum class Assumption { none, order };

struct Goal {
  enum Kind : std::uint8_t {
    condorcet,  // the arm that beats every other, or that there is none
    copeland,   // the arm that beats the most others
    borda,      // the arm with the highest mean rate
    set,        // `top` arms that each beat every arm outside
    order,      // the same arms in their order: each beats all that come after it, and the rest
    ranking,    // the order of all arms
    epsilon     // an arm that loses to no other by more than `margin`
  };

  Kind kind = condorcet;
  std::uint64_t top = 0;  // of `set` and `order`
  double margin = 0;      // of `epsilon`
  Assumption assume = Assumption::none;

  // NOLINTNEXTLINE(google-explicit-constructor): most goals are no more than their kind
  constexpr Goal(Kind its_kind = condorcet, std::uint64_t its_top = 0, double its_margin = 0,
                 Assumption assumes = Assumption::none)
      : kind(its_kind), top(its_top), margin(its_margin), assume(assumes) {}

  // Whether it is about the order of arms: a set, the first few or all in their order.
  constexpr bool is_order() const { return kind == set || kind == order || kind == ranking; }
  // Whether it is about scores, which weigh all pairs.
  constexpr bool is_score() const { return kind == copeland || kind == borda; }
  // Whether one arm is named.
  constexpr bool names_arm() const { return !is_order(); }
  // How many arms `set`, `order` and `ranking` name. In a ranking the last follows from the rest.
  constexpr std::uint64_t arms_named(std::uint64_t num_arms) const {
    return kind == ranking ? num_arms - 1 : top;
  }

  friend bool operator==(const Goal&, const Goal&) = default;
};

}  // namespace duel
