// Team draft for production: a pure function of seed, impression id and two lists of text ids.
//
// The coins come from a keyed hash of seed and id, so that a page that is asked for again, or its
// next page, belongs to the same draft, on any machine, without stored state; and the coins of
// different impressions are independent, which an id used as a bare seed would not give. Items
// carry what a click event needs. An item that both rankers want next is shown for nobody and
// begins no round: it is not competitive and earns no credit. When one list ends, the page is
// filled from the other; that tail is not competitive either. Which positions are competitive is
// therefore a function of the two lists, and each round of two competitive items is a fair coin:
// clicks that do not depend on the items favour nobody, however many there are (team_draft.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/rng.h"
#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

struct DraftedItem {
  std::string object_id;
  Team team = Team::none;     // none where the item is not competitive
  std::uint64_t ordinal = 0;  // from 1, over all pages

  bool competitive() const { return team != Team::none; }
  friend bool operator==(const DraftedItem&, const DraftedItem&) = default;
};

struct DraftedPage {
  std::vector<DraftedItem> items;
  std::optional<std::uint64_t> next_offset;  // none where the draft ends with this page
};

// Text ids as numbers, for the methods that know documents by number.
struct NumberedLists {
  // The texts must outlive it.
  explicit NumberedLists(std::span<const std::vector<std::string>> texts);

  std::vector<std::span<const Document>> rankings() const { return {lists.begin(), lists.end()}; }

  std::vector<std::vector<Document>> lists;
  std::vector<std::string_view> ids;  // by number
};

// The draws of one impression. `impression_id` may be any text.
RoundRng impression_rng(std::uint64_t seed, std::string_view impression_id);

// Items offset + 1 .. offset + limit of the impression's draft. Repeated ids in a list count where
// they stand first; lists may differ in length and may be empty. Linear in offset + limit and the
// lengths of the lists.
DraftedPage draft_page(std::uint64_t seed, std::string_view impression_id,
                       std::span<const std::string> first, std::span<const std::string> second,
                       std::uint64_t offset, std::uint64_t limit);

// The same for many impressions, with one set of buffers.
class PageDrafter {
 public:
  struct Item {
    std::string_view object_id;  // into the lists
    Team team = Team::none;
  };

  // All items of the draft up to `limit`. The view lives until the next call.
  std::span<const Item> draft(std::uint64_t seed, std::string_view impression_id,
                              std::span<const std::string_view> first,
                              std::span<const std::string_view> second, std::uint64_t limit);

  // Distinct ids of the lists last drafted.
  std::size_t num_documents() const { return texts_.size(); }

 private:
  void number(std::span<const std::string_view> texts, std::vector<Document>& documents);

  std::vector<std::string_view> texts_;  // number k is the k-th distinct text
  std::vector<std::uint32_t> slots_;     // open addressing: number + 1, or 0
  std::vector<Document> first_, second_;
  RankingPool pool_;
  std::vector<Item> items_;
  std::string owner_;
};

// Share of the items that are competitive; 0 for none. Rankers that agree almost everywhere need
// many impressions; below kLowCoverage a user should be told.
double competitive_coverage(std::span<const DraftedItem> items);
inline constexpr double kLowCoverage = 0.3;

// The error of a click on what is not among the shown ids, with the nearest of them.
Error not_shown(const std::string& id, std::span<const std::string> shown);

// Credit for clicks on `items`, the impression's items from the first on. Each item counts once,
// however often it is clicked. Without a competitive item the outcome is `no_contest`. A click on
// what was not shown is an error.
Result<Credit> draft_credit(std::span<const DraftedItem> items,
                            std::span<const std::string> clicked_ids);

}  // namespace duel
