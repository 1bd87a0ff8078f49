// Any bytes are comparisons or an error, never a crash; and what was read survives being written in
// every format.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "duel/core/check.h"
#include "duel/experiment/comparison_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = duel::parse_comparisons(text, "fuzz");
  if (!table.ok()) {
    DUEL_CHECK(!table.error().message.empty());
    return 0;
  }
  const std::string lines = duel::to_text(*table, duel::ComparisonFormat::jsonl);
  const auto again = duel::parse_comparisons_jsonl(lines, "again");
  DUEL_CHECK(again.ok());
  DUEL_CHECK(duel::to_text(*again, duel::ComparisonFormat::jsonl) == lines);
  DUEL_CHECK(!duel::to_text(*table, duel::ComparisonFormat::arena).empty());
  DUEL_CHECK(!duel::to_text(*table, duel::ComparisonFormat::csv).empty());
  return 0;
}
