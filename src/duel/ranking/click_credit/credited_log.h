// Impressions joined with what users did: one outcome for each, in the order of serving, with what
// a certificate needs to know of clusters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/count_range.h"
#include "duel/core/result.h"
#include "duel/core/timestamp.h"
#include "duel/ranking/click_credit/click_events.h"
#include "duel/ranking/click_credit/credit_rule.h"
#include "duel/ranking/click_credit/logged_impression.h"

namespace duel {

// What hangs together: impressions of one user, or of one query text; or nothing does.
enum class ClusterBy { user, query, impression };
Result<ClusterBy> parse_cluster_by(std::string_view word);
std::string_view to_word(ClusterBy by);

struct CreditSpec {
  static constexpr CountRange kLength{1, 1'000'000};

  CreditRule rule;
  // None: by user where the log names users, otherwise by impression.
  std::optional<ClusterBy> cluster;
  std::uint64_t seed = 0;     // of the drafts, where the log has lists
  std::uint64_t length = 10;  // of the pages, likewise
  bool in_order = false;      // the file is in the order of serving, though it has no times
  bool partial = false;       // a verdict though a fifth of the log or more cannot be used
};

struct CreditedImpression {
  std::uint64_t line = 0;   // of the file of impressions
  std::uint32_t first = 0;  // rankers by number
  std::uint32_t second = 0;
  std::uint32_t cluster = 0;  // by number
  ClickOutcome outcome = ClickOutcome::no_feedback;
  // Whether it may be evidence: the first served of its cluster and pair, whatever its outcome.
  bool evidence = false;
  double first_credit = 0;
  double second_credit = 0;
  std::uint64_t text = 0;  // id, user and time, one after the other in CreditedLog::texts
  std::uint32_t id_length = 0, user_length = 0, time_length = 0;
};

// Events that earned nothing because something was wrong with them, and an example of each.
struct RejectedEvents {
  std::uint64_t not_shown = 0;      // the item was not on the page
  std::uint64_t wrong_ordinal = 0;  // it was, but elsewhere
  std::uint64_t unknown = 0;        // there is no such impression
  std::uint64_t other_actions = 0;  // actions that the rule does not know
  std::uint64_t without_id = 0;     // no query_id
  std::uint64_t without_item = 0;   // neither an item nor a position
  std::uint64_t one_too_low = 0;    // of `wrong_ordinal`: as if positions counted from 0
  std::string example_not_shown, example_wrong_ordinal, example_unknown;

  // Of the actions that count.
  std::uint64_t lost() const {
    return not_shown + wrong_ordinal + unknown + without_id + without_item;
  }
};

// Why the events were rejected, the most frequent reason first, and as much as each is true of.
std::vector<Unusable> reasons_of(const RejectedEvents& rejected);

struct CreditedLog {
  std::vector<std::string> rankers;             // in the order in which they appear
  std::vector<CreditedImpression> impressions;  // in the order of serving where it is known
  std::string texts;
  RejectedEvents rejected;
  std::uint64_t events = 0;              // of the actions that count, rejected or not
  Ordinals ordinals;                     // from where the events count positions
  std::vector<Unusable> unusable_pages;  // which are none of the impressions
  ClusterBy cluster = ClusterBy::impression;
  std::uint64_t num_clusters = 0;
  std::uint64_t without_cluster = 0;  // impressions that name no user or query: their own clusters
  bool in_order = false;              // whether the order of serving is known
  std::uint64_t competitive_items = 0, items = 0;

  std::string_view id_of(const CreditedImpression& impression) const {
    return std::string_view(texts).substr(impression.text, impression.id_length);
  }
  std::string_view user_of(const CreditedImpression& impression) const {
    return std::string_view(texts).substr(impression.text + impression.id_length,
                                          impression.user_length);
  }
  std::string_view time_of(const CreditedImpression& impression) const {
    return std::string_view(texts).substr(
        impression.text + impression.id_length + impression.user_length, impression.time_length);
  }
};

// Reads `impressions` to its end. An id that comes twice, or a page that shows an item twice, is an
// error with file and line. A log of whose pages or events a fifth or more cannot be used is an
// error with the most frequent reasons, unless `spec.partial` allows it: what is lost may depend on
// who was ahead.
Result<CreditedLog> credit_log(Impressions& impressions, ClickEvents& events,
                               const CreditSpec& spec);

}  // namespace duel
