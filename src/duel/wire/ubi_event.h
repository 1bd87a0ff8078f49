// Events of User Behavior Insights (UBI 1.3): clicks and other actions on a page, as collectors of
// search engines post them. A duel's id is the UBI `query_id`.
#pragma once

#include <string>
#include <string_view>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/result_pages.h"

namespace duel {

// The action that ends a page before its time, as an outcome `close` does. A page that is left can
// send nothing but a beacon, and what a beacon sends must need no headers.
inline constexpr std::string_view kCloseAction = "duel.close";

struct UbiEvent {
  // It is no event: an action line of a `_bulk` request, or a document of the index of queries.
  bool is_other = false;
  PageEvent page;
  bool closes = false;        // its page, by kCloseAction
  std::string experiment_id;  // `event_attributes.duel.experiment_id`; empty: all that served it
  std::string report_token;   // `event_attributes.duel.report_token`
};

// An error says what is missing; fields that are not used are ignored. A time may be in
// milliseconds since 1970, and a document may lie in `_source`, as in files of an index. UBI
// events have no id: a repeated one is recognised by its query, action, object, ordinal, time and
// session.
Result<UbiEvent> ubi_event_of(const Json& json);

}  // namespace duel
