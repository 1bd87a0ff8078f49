// Judged queries out of nothing: documents with random features, judged by a hidden linear ranker.
//
// Features are uniform on [0, 1) and independent, or, with `factors` = F > 0, mixtures of F factors
// of the document and a part of their own, as the features of search engines are (many measure the
// same thing in another field or with another formula):
//
//   x_f = 1/2 + sqrt(1/12) (sqrt(1 - own) sum_j c_fj z_j + sqrt(own) e_f),
//
// z and e uniform with mean 0 and standard deviation 1, c_f of length 1. Before it is scaled to
// that length, c_fj is uniform on [-1, 1) times 1/sqrt(j): the strength of the factors falls as
// 1/j, as the spectra of real features do. x_f has mean 1/2 and variance 1/12, as an independent
// one has, and two features correlate at (1 - own) c_f.c_g.
//
// A document's merit is z + noise * e, where z is the hidden ranker's score w.x scaled to standard
// deviation 1 over documents, and e has standard deviation 1 and is near normal. The merits of all
// documents of all queries are cut at quantiles: grade g gets a share of documents proportional to
// 2^-g, so that of five grades 52, 26, 13, 6 and 3 %, which is near what MSLR-WEB has. Everything
// is + - * / sqrt of counter-based draws: the same bits everywhere.
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
  std::uint64_t factors = 0;  // 0: independent features
  double own = 0.05;  // the share of a feature's variance that no other feature has; with factors
};

const OptionTable<SyntheticOptions>& synthetic_options();

// The weights w of the hidden ranker, uniform on [-1, 1).
std::vector<double> synthetic_weights(const SyntheticOptions& options);

// c, row by row: the loading of feature f on factor j is at [f * factors + j].
std::vector<double> synthetic_loadings(const SyntheticOptions& options);

// REQUIRES: options inside the ranges of `synthetic_options()`.
JudgedQueries make_synthetic(const SyntheticOptions& options);

// `synthetic(queries=200,documents=50)`.
Result<JudgedQueries> make_synthetic(const CallSpec& call);

}  // namespace duel
