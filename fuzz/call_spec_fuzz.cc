// Any text is a call or an error, never a crash; and a call reads back from its own string.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "duel/core/call_spec.h"
#include "duel/core/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto call = duel::parse_call(text);
  if (call.ok()) {
    const auto again = duel::parse_call(duel::to_string(*call));
    DUEL_CHECK(again.ok() && *again == *call);
  }
  const auto list = duel::parse_call_list(text);
  if (list.ok()) {
    DUEL_CHECK(!list->empty());
    for (const duel::CallSpec& entry : *list) DUEL_CHECK(!entry.name.empty());
  }
  return 0;
}
