// Train, validation and test parts of judged queries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/ranking/letor/judged_queries.h"
#include "duel/ranking/letor/letor_reader.h"

namespace duel {

struct JudgedFold {
  JudgedQueries train;
  JudgedQueries vali;
  JudgedQueries test;
};

// A folder as LETOR and MSLR-WEB have them: train.txt, vali.txt and test.txt, each perhaps with .gz
// behind. All parts get as many features as the widest, the rest 0.
Result<JudgedFold> read_fold(const std::string& folder, const LetorLimits& limits = {});

// The queries in `parts` random parts whose sizes differ by at most one; each part ascends. A
// function of (num_queries, parts, seed) alone. REQUIRES: parts >= 1.
std::vector<std::vector<std::size_t>> split_queries(std::size_t num_queries, std::size_t parts,
                                                    std::uint64_t seed);

// Fold `number` (0 .. 4) of the queries in five parts S1 .. S5, rotated as in LETOR: fold 0 trains
// on S1, S2, S3, validates on S4 and tests on S5; fold 1 trains on S2, S3, S4; and so on. An error
// for fewer than five queries. REQUIRES: number < 5.
Result<JudgedFold> letor_fold(const JudgedQueries& queries, std::size_t number, std::uint64_t seed);

}  // namespace duel
