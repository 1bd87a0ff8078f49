// Pages of results that were drafted from rankings, and what their items have earned so far: of the
// duels that are open. A fold over the records, as the ledger is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/text_map.h"
#include "duel/log/record.h"
#include "duel/ranking/interleaving/page_draft.h"

namespace duel {

// One UBI event, as far as it is used.
struct PageEvent {
  std::string duel_id;
  std::string action;
  std::string object;
  std::optional<std::uint64_t> ordinal;
  std::string identity;  // SHA-256 that tells it from others
};

PageMethod page_method(Drafting drafting);
// The draft of the rankings as they were recorded.
PageDraft draft_of(Drafting drafting, std::uint64_t seed, const InterleavedRecord& rankings);

// Whether an expiry's note is what a page ends with that has no answer: nobody clicked, or there
// was nothing to click for. Of a duel without a page it says nothing.
bool is_page_ending(std::string_view note);
// Of these: that there was nothing to click for.
bool is_without_contest(std::string_view note);

// A page that was drafted.
struct ResultPage {
  std::vector<std::vector<std::string>> lists;  // of the duel's two arms, then of the others
  std::vector<std::string> others;              // arms of the lists after the second
  PageDraft draft;
  std::vector<ShownItems> shown;              // of the draft; no two of them touch
  std::map<std::string, std::uint64_t> paid;  // actions per item
  std::unordered_set<std::string> events;
  std::vector<double> credits;  // by list
  bool clicked = false;

  void fields(auto& archive) {
    archive_fields(archive, lists, others, shown, paid, events, credits, clicked);
  }

  void show(ShownItems items);
  bool has_shown(ShownItems items) const;  // all of them

  // How the page ends: by its clicks, or without an answer where there was nothing to click for or
  // nobody clicked.
  Record ending(const std::string& duel_id, const std::string& first_arm,
                const std::string& second_arm, std::string_view why) const;
  // What the clicks say of the pairs that were not asked about: the page shows more than two
  // rankings to one person. Each is a comparison and no evidence, since evidence is of duels that
  // were served for their pair.
  std::vector<ComparisonRecord> side_comparisons(const std::string& first_arm,
                                                 const std::string& second_arm) const;
};

class ResultPages {
 public:
  ResultPages(std::uint64_t draft_seed, Drafting drafting)
      : draft_seed_(draft_seed), drafting_(drafting) {}

  // Opens, extends, credits or closes a page.
  void note(const LogEntry& entry);

  const ResultPage* find(std::string_view duel_id) const;
  // A page as it is before the first event, whether its duel is open or not.
  ResultPage drafted(const InterleavedRecord& rankings, std::span<const PagedRecord> paged) const;

  // The state between two records (core/archive.h). Drafts are made anew.
  template <class Archive>
  void fields(Archive& archive);

  // What an event on an open page becomes: a record, or the reason why it is not taken; neither
  // where it was taken before. `weight` is what the action is worth.
  struct Nothing {};
  using Taken = std::variant<Nothing, std::string, EventRecord>;
  static Taken take(const ResultPage& page, const PageEvent& event, double weight,
                    std::uint64_t per_item_cap);

 private:
  std::uint64_t draft_seed_;
  Drafting drafting_;
  TextMap<ResultPage> pages_;
};

}  // namespace duel
