// Any bytes are judged queries or an error, never a crash; where chunks end does not matter; and
// what was read survives being written.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "duel/core/check.h"
#include "duel/ranking/letor/letor_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  duel::LetorLimits limits{.line_bytes = 4096, .features = 1000, .matrix_bytes = 1 << 20};
  const auto queries = duel::read_letor_text("fuzz.txt", text, limits);
  limits.buffer_bytes = 16;
  const auto in_chunks = duel::read_letor_text("fuzz.txt", text, limits);
  DUEL_CHECK(queries.ok() == in_chunks.ok());
  if (!queries.ok()) {
    DUEL_CHECK(!queries.error().message.empty());
    DUEL_CHECK(queries.error().to_string() == in_chunks.error().to_string());
    return 0;
  }
  DUEL_CHECK(*queries == *in_chunks);
  DUEL_CHECK(queries->num_documents() >= 1);
  if (queries->num_documents() * queries->num_features() > 20'000) return 0;
  std::ostringstream written;
  duel::write_letor(*queries, written);
  limits = {};
  const auto again = duel::read_letor_text("again.txt", written.str(), limits);
  DUEL_CHECK(again.ok());
  DUEL_CHECK(*again == *queries);
  return 0;
}
