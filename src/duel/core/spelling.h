// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace duel {

// Optimal string alignment: insertions, deletions, substitutions, swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known name nearest to `word`, or "" where none is near enough to be meant.
std::string nearest_spelling(std::string_view word, std::span<const std::string> known);

// "did you mean 'rucb'? known: a, b, c": a hint for an unknown name.
std::string spelling_hint(std::string_view word, std::span<const std::string> known);

}  // namespace duel
