// A page of results from two or more lists of text ids, by a method whose wins are fair.
//
// As in impression_draft.h the page is a pure function of seed, impression id and lists, and its
// next page belongs to the same draft. Every item belongs to at most one list, its team, and a
// click on it counts for that list; how two lists fare is the sign of the difference of their
// clicks. Only credits with that form are here, because a win must not favour anybody when clicks
// do not depend on the items (docs/interleaving.md): the picks of a draft, and the coins of a
// probabilistic page as they fell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace duel {

enum class PageMethod {
  team_draft,                // of two lists; impression_draft.h
  probabilistic,             // of two lists; tau = 3
  team_draft_multileave,     // of two or more
  probabilistic_multileave,  // of two or more; tau = 3
};

struct TeamItem {
  std::string object_id;
  std::optional<std::uint32_t> team;  // index of the list that a click counts for
  std::uint64_t ordinal = 0;          // from 1, over all pages

  friend bool operator==(const TeamItem&, const TeamItem&) = default;
};

struct PageDraft {
  std::size_t num_lists = 0;
  std::vector<TeamItem> items;  // of the whole draft, to the end of all lists
  std::vector<bool> contests;   // [list x list]: whether clicks can tell the two apart

  bool contest(std::size_t i, std::size_t j) const { return contests[i * num_lists + j]; }
};

// How many lists a page of this method compares at most.
std::size_t most_lists(PageMethod method);

// The whole draft. Repeated ids in a list count where they stand first; lists may differ in length
// and may be empty. REQUIRES: at least two lists, and at most most_lists(method).
//
// Departs, for team_draft_multileave: a pick counts only while every list has more ids than were
// shown before it. Up to there every round has one pick of each list, in an order that is drawn
// uniformly and independently of all others, so that exchanging two lists in every round's order
// exchanges their clicks: not only the mean of the difference is 0 but its law is symmetric. The
// method itself also counts later picks, of which only the mean is fair.
PageDraft draft_lists(PageMethod method, std::uint64_t seed, std::string_view impression_id,
                      std::span<const std::vector<std::string>> lists);

}  // namespace duel
