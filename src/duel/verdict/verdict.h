// What can be said about an experiment now, in the words that the command line, the server and
// Python all use.
#pragma once

#include <cstdint>
#include <string>

#include "duel/experiment/ledger.h"
#include "duel/verdict/standing.h"

namespace duel {

// A sentence: what is certified, or who leads and what is still open. `standing` is the ledger's.
std::string verdict_of(const Ledger& ledger, const Standing& standing);

// "1. a, 2. b (certified); 3 to 7 open", or of a set "a, b, c are in front; 5 of 12 pairs are
// shown".
std::string order_text(const Ledger& ledger, const OrderStanding& order);

// What P(best) beside the arms means, with the probability that none of them is best.
std::string best_sentence(double probability_no_winner);

// "1 200": two digits count, for estimates.
std::string approximate_count(std::uint64_t count);

}  // namespace duel
