// Two items before a person who is to say which is better: side by side where the width allows,
// else one above the other. Blind: ids and paths of texts are not shown.
#pragma once

#include <cstddef>
#include <string>

#include "duel/experiment/questions.h"

namespace duel::cli {

// The task and the two items. `columns` 0 or small: one above the other; `rows` 0: no limit, else
// what does not fit is cut and said so.
std::string ballot(const Question& question, std::size_t columns, std::size_t rows);

}  // namespace duel::cli
