#include "duel/experiment/remarks.h"

#include <algorithm>
#include <utility>

namespace duel {
namespace {

constexpr std::size_t kMostReasonBytes = 2000;

}  // namespace

std::string reason_within_bounds(std::string reason) {
  // Never inside of a character.
  std::size_t bytes = std::min(reason.size(), kMostReasonBytes);
  while (bytes < reason.size() && bytes > 0 &&
         (static_cast<unsigned char>(reason[bytes]) & 0xC0) == 0x80) {
    --bytes;
  }
  reason.resize(bytes);
  return reason;
}

Remarks remarks_of(const std::vector<Said>& judgements) {
  Remarks all;
  for (const Said& said : judgements) {
    if (!said.reason.empty()) all.reason += (all.reason.empty() ? "" : "\n") + said.reason;
    all.cost += said.cost;
    all.tokens += said.tokens;
    all.cached = all.cached || said.cached;
    if (all.features.is_null()) all.features = said.features;
  }
  all.reason = reason_within_bounds(std::move(all.reason));
  return all;
}

}  // namespace duel
