// Measures of a ranking against its judgements. `ranked` are the grades of the documents in the
// order shown, best place first; `judged` are the grades of all documents of the query in any
// order, from which the ideal and the number of relevant documents come. They are the same
// documents where the whole query was ranked.
//
// A query without a relevant document has no ideal to compare with: every measure but DCG is 0
// there, and means over queries may leave such queries out instead (NoRelevant).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "duel/core/result.h"
#include "duel/ranking/document.h"

namespace duel {

enum class Gain {
  exponential,  // 2^grade - 1 (Burges et al. 2005)
  linear,       // grade (Jarvelin and Kekalainen 2002)
};

// The discount at rank r is 1/log(r + 1); the base cancels in NDCG. That of the LETOR tools is
// another: ranks 1 and 2 count alike.
enum class DiscountBase {
  two,      // 1/log2(r + 1): the usual DCG, rank 1 counts fully
  natural,  // 1/ln(r + 1): rank 1 counts 1/ln 2
  letor,    // 1 at rank 1 and 1/log2(r) below, as the tools of LETOR 3 and 4 have it
};

// sum over the first k ranks of gain/log(rank + 1). Fewer than k documents: all there are.
double dcg(std::span<const Grade> ranked, std::size_t k, Gain gain = Gain::exponential,
           DiscountBase base = DiscountBase::two);

// DCG@k of the best order of `judged`.
double ideal_dcg(std::span<const Grade> judged, std::size_t k, Gain gain = Gain::exponential,
                 DiscountBase base = DiscountBase::two);

// DCG@k / ideal DCG@k, in [0, 1] where `ranked` is a choice of `judged`.
double ndcg(std::span<const Grade> ranked, std::span<const Grade> judged, std::size_t k,
            Gain gain = Gain::exponential, DiscountBase base = DiscountBase::two);

// NDCG@k of documents with these scores, equal scores in random order: the exact mean over all
// orders (McSherry and Najork 2008), in which a group of equal scores shares its gain over the
// ranks it fills. REQUIRES: as many scores as grades, none NaN.
double tie_averaged_ndcg(std::span<const double> scores, std::span<const Grade> grades,
                         std::size_t k, Gain gain = Gain::exponential);

// From here on a document is relevant if its grade is at least `relevant`. REQUIRES: relevant >= 1.

// (relevant among the first k)/k: empty places count as not relevant. REQUIRES: k >= 1.
double precision(std::span<const Grade> ranked, std::size_t k, Grade relevant = 1);

// The mean over the relevant documents of `judged` of the precision at their rank; those not in
// `ranked` count 0. Its mean over queries is MAP.
double average_precision(std::span<const Grade> ranked, std::span<const Grade> judged,
                         Grade relevant = 1);

// 1/(rank of the first relevant document), 0 without one. Its mean over queries is MRR.
double reciprocal_rank(std::span<const Grade> ranked, Grade relevant = 1);

// Expected reciprocal rank of the first k (Chapelle et al., CIKM 2009): the user stops at a
// document of grade g with probability (2^g - 1)/2^highest, and the measure is the mean of 1/(rank
// of the stop). `highest` is the highest grade of the scale (of the data set, not of the query).
// REQUIRES: no grade above it.
double expected_reciprocal_rank(std::span<const Grade> ranked, std::size_t k, Grade highest);

bool has_relevant(std::span<const Grade> judged, Grade relevant = 1);

enum class NoRelevant { zero, skip };

// The kinds by the words of specs and of Python: exponential, linear; log2, ln, letor; zero, skip.
// Errors name the field and the nearest spelling.
Result<Gain> gain_named(const std::string& word);
Result<DiscountBase> discount_named(const std::string& word);
Result<NoRelevant> no_relevant_named(const std::string& word);

}  // namespace duel
