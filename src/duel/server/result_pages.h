// Pages of results that were drafted from two rankings, and what their items have earned so far: of
// the duels that are open. A fold over the records, as the ledger is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "duel/core/text_map.h"
#include "duel/experiment/record.h"
#include "duel/ranking/interleaving/impression_draft.h"

namespace duel {

// One UBI event, as far as it is used.
struct PageEvent {
  std::string duel_id;
  std::string action;
  std::string object;
  std::optional<std::uint64_t> ordinal;
  std::string identity;  // SHA-256 that tells it from others
};

// A page that was drafted.
struct ResultPage {
  std::vector<std::string> first;
  std::vector<std::string> second;
  std::vector<DraftedItem> items;             // of the whole draft
  std::map<std::string, std::uint64_t> paid;  // actions per item
  std::unordered_set<std::string> events;
  double credit_first = 0;
  double credit_second = 0;
  bool clicked = false;

  template <class Archive>
  void fields(Archive& archive);

  // How the page ends: by its clicks, or without an answer where there was nothing to click for or
  // nobody clicked.
  Record ending(const std::string& duel_id, const std::string& first_arm,
                const std::string& second_arm, std::string_view why) const;
};

class ResultPages {
 public:
  explicit ResultPages(std::uint64_t draft_seed) : draft_seed_(draft_seed) {}

  // Opens, credits or closes a page.
  void note(const LogEntry& entry);

  const ResultPage* find(std::string_view duel_id) const;

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
  void draft(const std::string& duel_id, ResultPage& page) const;

  std::uint64_t draft_seed_;
  TextMap<ResultPage> pages_;
};

}  // namespace duel
