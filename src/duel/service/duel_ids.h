// Ids of duels that the service makes.
#pragma once

#include <cstdint>
#include <string>

#include "duel/core/world.h"

namespace duel {

// Time-ordered and random: 10 letters of the time in milliseconds, 16 of chance.
std::string new_duel_id(World& world, std::int64_t now_ms);

}  // namespace duel
