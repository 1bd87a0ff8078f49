// The counts that a field may hold, written once for all programs that take it from a user.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

struct CountRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  Status check(std::string_view field, std::uint64_t value) const {
    if (least <= value && value <= most) return Done{};
    return Error::invalid_argument(fmt::format("{} is out of range", value))
        .with_hint(fmt::format("allowed: {} .. {}", least, most))
        .in_field(field);
  }
};

}  // namespace duel
