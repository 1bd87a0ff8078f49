// Random strengths of arms, from which models make preferences.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace duel {

// `count` normal numbers with deviation `spread`, from Stream(seed, 0, Purpose::generate, owner).
std::vector<double> normal_utilities(std::uint64_t count, std::uint64_t seed, double spread,
                                     std::string_view owner);

}  // namespace duel
