// Any bytes are a matrix or an error, never a crash; and what was read survives being written.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "duel/core/check.h"
#include "duel/truth/matrix_reader.h"
#include "duel/truth/winners.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto matrix = duel::read_matrix_text("fuzz.csv", text);
  if (!matrix.ok()) {
    DUEL_CHECK(!matrix.error().message.empty());
    return 0;
  }
  std::ostringstream written;
  duel::write_matrix_csv(*matrix, written);
  const auto again = duel::read_matrix_text("fuzz.csv", written.str());
  DUEL_CHECK(again.ok());
  DUEL_CHECK(again->arm_names() == matrix->arm_names());
  for (duel::Arm i = 0; i < matrix->num_arms(); ++i) {
    for (duel::Arm j = 0; j < matrix->num_arms(); ++j) {
      DUEL_CHECK((*again)(i, j) == (*matrix)(i, j));
      DUEL_CHECK((*matrix)(i, j) + (*matrix)(j, i) == 1);
    }
  }
  DUEL_CHECK(!duel::smith_set(*matrix).empty());
  return 0;
}
