// Judged queries by name: a file, `letor(...)` or `synthetic(...)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "duel/core/result.h"
#include "duel/ranking/letor/judged_queries.h"
#include "duel/ranking/letor/letor_reader.h"

namespace duel {

// What a user means by `text`: a call of `synthetic` makes data (write ./synthetic for a file of
// that name); `letor(file=FILE,zero-based=true)` reads a file that numbers features from 0, its
// feature 0 being the first; anything else is a path for `read_letor_file`. Data without a query is
// an error.
Result<JudgedQueries> resolve_judged_queries(std::string_view text, const LetorLimits& limits = {});

// How many grades a user of the queries must know: `asked`, or for 0 as many as occur. An error
// where more occur.
Result<std::size_t> num_grades_of(const JudgedQueries& queries, std::uint64_t asked);

}  // namespace duel
