// Any bytes are a table of results or an error, never a crash; and what was read survives being
// written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "duel/core/check.h"
#include "duel/study/results.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!duel::parse_matrices_csv(text, "fuzz.csv").ok()) {
    const auto results = duel::parse_results_csv(text, "fuzz.csv");
    if (!results.ok()) {
      DUEL_CHECK(!results.error().message.empty());
      return 0;
    }
    const std::string written = duel::to_results_csv(*results);
    const auto again = duel::parse_results_csv(written, "again.csv");
    DUEL_CHECK(again.ok());
    DUEL_CHECK(duel::to_results_csv(*again) == written);
    DUEL_CHECK(!duel::to_json(*results).dump_pretty().empty());
  }
  return 0;
}
