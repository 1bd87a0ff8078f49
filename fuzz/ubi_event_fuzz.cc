// Any JSON is a UBI event or an error with a reason, and an event is known by what it says: the
// same text written in another way is the same event.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "duel/core/check.h"
#include "duel/core/json.h"
#include "duel/wire/ubi_event.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = duel::Json::parse(text);
  if (!json) return 0;
  const auto event = duel::ubi_event_of(*json);
  if (!event.ok()) {
    DUEL_CHECK(!event.error().message.empty());
    return 0;
  }
  DUEL_CHECK(!event->page.duel_id.empty() && !event->page.action.empty());
  DUEL_CHECK(event->page.identity.size() == 64);
  const auto again = duel::Json::parse(json->dump());
  DUEL_CHECK(again.has_value());
  const auto same = duel::ubi_event_of(*again);
  DUEL_CHECK(same.ok());
  DUEL_CHECK(same->page.identity == event->page.identity);
  DUEL_CHECK(same->experiment_id == event->experiment_id);
  DUEL_CHECK(same->report_token == event->report_token);
  return 0;
}
