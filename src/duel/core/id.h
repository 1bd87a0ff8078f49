// Ids of experiments, arms, duels and tasks.
#pragma once

#include <string>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

// Ids match ^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$. `noun` is for the message: "an arm", "a duel".
Status check_id(std::string_view noun, std::string_view id);

// A text made to an id: what an id cannot hold becomes `-`.
std::string id_from(std::string_view text);

}  // namespace duel
