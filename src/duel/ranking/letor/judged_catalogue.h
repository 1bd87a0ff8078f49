// Judged queries by name: a file, or `synthetic(...)`.
#pragma once

#include <string_view>

#include "duel/core/result.h"
#include "duel/ranking/letor/judged_queries.h"
#include "duel/ranking/letor/letor_reader.h"

namespace duel {

// What a user means by `text`: a call of `synthetic` makes data (write ./synthetic for a file of
// that name); anything else is a path for `read_letor_file`.
Result<JudgedQueries> resolve_judged_queries(std::string_view text, const LetorLimits& limits = {});

}  // namespace duel
