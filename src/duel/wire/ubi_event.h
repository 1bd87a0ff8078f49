// Events of User Behavior Insights (UBI 1.3): clicks and other actions on a page, as collectors of
// search engines post them. A duel's id is the UBI `query_id`.
#pragma once

#include <string>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/result_pages.h"

namespace duel {

struct UbiEvent {
  PageEvent page;
  std::string experiment_id;  // `event_attributes.duel.experiment_id`; empty: all that served it
  std::string report_token;   // `event_attributes.duel.report_token`
};

// An error says what is missing; fields that are not used are ignored. UBI events have no id: a
// repeated one is recognised by its query, action, object, ordinal, time and session.
Result<UbiEvent> ubi_event_of(const Json& json);

}  // namespace duel
