// What users did with the items of impressions, from a log of events:
//
//   UBI 1.3, one event per line (ubi_document.h), among which queries may stand
//   a table with a header, separated by commas or tabs: `query_id` and
//       `object_id` or `ordinal`, with `action` (default click) and `seconds`: an event per row; or
//       `ranks` (2;5) or `clicked` (0;1;0;0;1): an impression per row, as in a click log
//
// Positions count from 1, or from 0 (`Ordinals`).
//
// Events are kept by impression, since logs of clicks and of impressions are in different orders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/text_numbers.h"
#include "duel/ranking/click_credit/credit_rule.h"
#include "duel/ranking/click_credit/ubi_document.h"

namespace duel {

struct ClickEvent {
  std::string_view object_id;  // empty where only the ordinal is known
  std::uint64_t ordinal = 0;   // from 1; 0 where only the id is known
  std::uint32_t action = 0;    // number of the rule's action
  double seconds = 0;          // of dwell
};

class ClickEvents {
 public:
  // The events of the actions that the rule knows. `path` may be "-", standard input.
  static Result<ClickEvents> read(const std::string& path, const CreditRule& rule,
                                  Ordinals ordinals = {});
  static Result<ClickEvents> read_text(std::string name, std::string_view text,
                                       const CreditRule& rule, Ordinals ordinals = {});

  // An event of UBI; the ordinals of all of them say from where they count.
  void take(const UbiDocument& event, const CreditRule& rule);

  // Those of an impression, in the order of the file; marks the impression as met.
  void of(std::string_view impression_id, std::vector<ClickEvent>& events);

  std::uint64_t num_events() const { return events_.size(); }
  std::uint64_t num_other_actions() const { return other_actions_; }
  std::uint64_t num_without_impression() const { return without_impression_; }
  std::uint64_t num_without_item() const { return without_item_; }
  const Ordinals& ordinals() const { return ordinals_; }
  Ordinals& ordinals() { return ordinals_; }
  // Events of impressions that `of` was never asked for, and the id of one such impression.
  std::uint64_t num_unmet(std::string& example) const;

 private:
  struct Entry {
    std::uint64_t text = 0;  // of the object's id, in texts_
    std::uint32_t length = 0;
    std::uint32_t next = 0;                // number + 1 of the impression's next event, or 0
    std::optional<std::uint64_t> ordinal;  // as it was written
    std::uint32_t action = 0;
    double seconds = 0;
  };
  // An event before the events of all lines are known.
  struct Written {
    std::string_view action, query_id, object_id;
    std::optional<std::uint64_t> ordinal;
    double seconds = 0;
  };
  struct Chain {
    std::uint32_t first = 0, last = 0;  // number + 1
    bool met = false;
  };
  class Reader;

  void take(const Written& event, const CreditRule& rule);
  std::uint64_t ordinal_of(const Entry& entry) const;

  TextNumbers impressions_;
  std::vector<Chain> chains_;  // by impression
  std::vector<Entry> events_;
  std::string texts_;
  std::uint64_t other_actions_ = 0;
  std::uint64_t without_impression_ = 0;
  std::uint64_t without_item_ = 0;
  Ordinals ordinals_;
};

}  // namespace duel
