// Bytes that are mostly zero, written short: a zero byte stands before the length of its run, all
// others stand for themselves. Tables of small counts shrink to a fifth, at the speed of a copy.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

std::string pack_zero_runs(std::string_view bytes);
// An error where the text is not such a packing, or is of more than `most_bytes`.
Result<std::string> unpack_zero_runs(std::string_view packed, std::size_t most_bytes);

}  // namespace duel
