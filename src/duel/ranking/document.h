// The words that all of `ranking` shares.
#pragma once

#include <cstdint>

namespace duel {

// A document of one query: any number; equal numbers are the same document. Text ids are numbered
// at the edge.
using Document = std::uint32_t;

// A judgement of relevance, 0 the worst.
using Grade = std::uint8_t;

// A place in a shown list, 0 the top. Formulas with ranks use `position + 1`. Clicks on a list are
// a span of positions, ascending, each at most once.
using Position = std::uint32_t;

}  // namespace duel
