// Any bytes are impressions and events or an error, never a crash. A line of dashes stands between
// the two logs.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "duel/core/check.h"
#include "duel/ranking/click_credit/click_events.h"
#include "duel/ranking/click_credit/credited_log.h"
#include "duel/ranking/click_credit/impression_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view line = "\n----\n";
  const std::size_t middle = text.find(line);
  const std::string_view clicks =
      middle == std::string_view::npos ? "" : text.substr(middle + line.size());
  duel::CreditSpec spec;
  auto events = duel::ClickEvents::read_text("clicks", clicks, spec.rule);
  if (!events.ok()) {
    DUEL_CHECK(!events.error().message.empty());
    return 0;
  }
  duel::ImpressionLines lines =
      duel::ImpressionLines::of_text("impressions", text.substr(0, middle));
  const auto log = duel::credit_log(lines, *events, spec);
  if (!log.ok()) {
    DUEL_CHECK(!log.error().message.empty());
    return 0;
  }
  DUEL_CHECK(!log->impressions.empty() && log->num_clusters >= 1);
  for (const duel::CreditedImpression& impression : log->impressions) {
    DUEL_CHECK(impression.cluster < log->num_clusters);
    DUEL_CHECK(impression.first != impression.second && !log->id_of(impression).empty());
  }
  return 0;
}
