// Names of a table that are cut to fit and can still be distinguished.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace duel {

// Each of `names` in at most `most` columns of a terminal: cut inside or, where that would make two
// different names alike, without what all of them begin and end with.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t most);

}  // namespace duel
