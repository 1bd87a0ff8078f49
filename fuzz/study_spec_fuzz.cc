// Any bytes are a study or an error, never a crash; and what was read survives being written.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "duel/core/check.h"
#include "duel/study/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto draft = duel::parse_study_toml(text, "fuzz.toml");
  if (!draft.ok()) {
    DUEL_CHECK(!draft.error().message.empty());
    return 0;
  }
  const auto spec = duel::complete(*draft);
  if (!spec.ok()) return 0;
  const auto again = duel::parse_study_toml(duel::to_toml(*spec), "again.toml");
  DUEL_CHECK(again.ok());
  DUEL_CHECK(*duel::complete(*again) == *spec);
  return 0;
}
