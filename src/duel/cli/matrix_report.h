// What there is to say of one preference matrix, as text for people.
#pragma once

#include <string>
#include <vector>

#include "duel/cli/command.h"
#include "duel/truth/matrix_description.h"

namespace duel::cli {

std::string matrix_text(const MatrixDescription& facts, const Paint& paint);
std::string verdicts_text(const PreferenceMatrix& matrix,
                          const std::vector<AssumptionVerdict>& verdicts, const Paint& paint);

}  // namespace duel::cli
