// Judged queries out of nothing: documents with random features, judged by a hidden linear ranker.
//
// Features are independent and uniform on [0, 1). A document's merit is z + noise * e, where z is the
// hidden ranker's score w.x scaled to standard deviation 1 over documents, and e has standard deviation
// 1 and is near normal. The merits of all documents of all queries are cut at quantiles: grade g gets a
// share of documents proportional to 2^-g, so that of five grades 52, 26, 13, 6 and 3 %, which is near
// what MSLR-WEB has. Everything is + - * / sqrt of counter-based draws: the same bits everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/options.h"
#include "duel/core/result.h"
#include "duel/ranking/letor/judged_queries.h"

namespace duel {

struct SyntheticOptions {
  std::uint64_t queries = 100;
  std::uint64_t documents = 20;  // of each query
  std::uint64_t features = 10;
  std::uint64_t grades = 5;
  double noise = 0.5;
  std::uint64_t seed = 1;
};

const OptionTable<SyntheticOptions>& synthetic_options();

// The weights w of the hidden ranker, uniform on [-1, 1).
std::vector<double> synthetic_weights(const SyntheticOptions& options);

// REQUIRES: options inside the ranges of `synthetic_options()`.
JudgedQueries make_synthetic(const SyntheticOptions& options);

// `synthetic(queries=200,documents=50)`.
Result<JudgedQueries> make_synthetic(const CallSpec& call);

}  // namespace duel
