// What the pages of results have earned so far, shown while clicks come in. A fold over the
// records, as the ledger is. Clicks on a page that is open say nothing for good: more may come
// until it closes, and only what it ends with is an answer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/described.h"
#include "duel/core/text_map.h"
#include "duel/core/timestamp.h"
#include "duel/experiment/ledger.h"
#include "duel/log/record.h"

namespace duel {

// The open pages of a pair.
struct OpenPagesOfPair {
  std::string first, second;
  std::uint64_t open = 0, first_ahead = 0, second_ahead = 0, even = 0;

  static constexpr std::string_view schema = "OpenPagesOfPair";
  static constexpr FieldList fields{
      required("first", &OpenPagesOfPair::first),
      required("second", &OpenPagesOfPair::second),
      required("open", &OpenPagesOfPair::open),
      required("first_ahead", &OpenPagesOfPair::first_ahead,
               "pages on which the clicks so far are for `first`"),
      required("second_ahead", &OpenPagesOfPair::second_ahead),
      required("even", &OpenPagesOfPair::even, "clicked on, as much for the one as for the other")};
};

struct PagesSoFar {
  std::uint64_t open = 0, clicked = 0, clicks = 0;
  std::optional<Timestamp> next_closes_at;
  std::vector<OpenPagesOfPair> pairs;
  std::uint64_t closed_without_click = 0, closed_without_contest = 0;

  static constexpr std::string_view schema = "PagesSoFar";
  static constexpr FieldList fields{
      required("open", &PagesSoFar::open, "pages that were drafted and are not closed"),
      required("clicked", &PagesSoFar::clicked, "of them, with an accepted event"),
      required("clicks", &PagesSoFar::clicks, "accepted events on them"),
      optional("next_closes_at", &PagesSoFar::next_closes_at, "when the next one's time is up"),
      required("pairs", &PagesSoFar::pairs, "that have an open page"),
      required("closed_without_click", &PagesSoFar::closed_without_click,
               "`no_feedback`: no answer, and not a tie"),
      required("closed_without_contest", &PagesSoFar::closed_without_contest,
               "`no_contest`: whatever was clicked, they could not tell the two rankings apart")};
};

class PageTally {
 public:
  // To be called after the record was applied to the ledger.
  void note(const Ledger& ledger, const LogEntry& entry);

  PagesSoFar so_far(const Ledger& ledger) const;

  // The state between two records (core/archive.h).
  template <class Archive>
  void fields(Archive& archive) {
    archive_fields(archive, open_, without_click_, without_contest_);
  }

 private:
  struct Open {
    std::uint32_t first = 0, second = 0;  // arms of the duel, as shown
    std::int64_t closes_ms = 0;           // 0: never by itself
    std::uint64_t clicks = 0;
    double first_credit = 0, second_credit = 0;

    void fields(auto& archive) {
      archive_fields(archive, first, second, closes_ms, clicks, first_credit, second_credit);
    }
  };
  void close(std::string_view duel_id, std::string_view note);

  TextMap<Open> open_;
  std::uint64_t without_click_ = 0, without_contest_ = 0;
};

}  // namespace duel
