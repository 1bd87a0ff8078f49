// Bytes made shorter with zlib, for snapshots: the tables of a policy are mostly zeros.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

// At zlib's fastest level: a snapshot is written beside requests that wait for the store.
std::string deflated(std::string_view bytes);
// What zlib or gzip has packed. An error where it is damaged, cut short, followed by other bytes,
// or unpacks to more than `most_bytes`.
Result<std::string> inflated(std::string_view packed, std::size_t most_bytes);

}  // namespace duel
