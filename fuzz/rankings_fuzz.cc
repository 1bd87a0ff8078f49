// Any bytes are rankings or an error, never a crash; and counts never exceed the voters.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "duel/core/check.h"
#include "duel/truth/rankings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto unranked : {duel::Unranked::ignore, duel::Unranked::last}) {
    const auto counts =
        duel::read_rankings_text("fuzz.toi", text, {.unranked = unranked, .most_alternatives = 64});
    if (!counts.ok()) {
      DUEL_CHECK(!counts.error().message.empty());
      continue;
    }
    const auto num_arms = static_cast<duel::Arm>(counts->alternatives.size());
    for (duel::Arm i = 0; i < num_arms; ++i) {
      DUEL_CHECK((*counts)(i, i) == 0);
      for (duel::Arm j = 0; j < num_arms; ++j) {
        DUEL_CHECK((*counts)(i, j) + (*counts)(j, i) <= counts->voters);
      }
    }
    // Names may still be unfit for a matrix (a tab inside).
    const auto matrix = duel::matrix_from_counts(*counts);
    DUEL_CHECK(matrix.ok() || !matrix.error().message.empty());
  }
  return 0;
}
