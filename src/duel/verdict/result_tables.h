// Parts of a result as tables and sentences, which the terminal and the file of a board both show.
#pragma once

#include <string>
#include <vector>

#include "duel/core/table.h"
#include "duel/verdict/experiment_result.h"

namespace duel {

// A line for each dimension of a space: the number in use, the best guess, and where the search
// asks. `pictures`: one for each dimension, of what the learner believes along it; empty for none.
Table dimensions_table(const SpaceStanding& space, const std::vector<std::string>& pictures = {});

// The candidates before, with what became of them.
Table tried_points(const SpaceStanding& space);

// "Judging cost 12.5 for 40 answers; 3 answers from the cache, which are no evidence."; "" where
// nothing is known of it.
std::string judging_costs(const ResultJudging& judging);

// How each of several judges answers: what it says for the side that is shown first, and how often
// it says something else in the other order.
Table judges_table(const ResultJudging& judging);

// "llama and gpt name the same arm in 81.0 [70.1, 89.2] % of 60 duels."
std::string agreement_sentence(const ResultAgreement& one);

// A sum of prices, without the digits that only adding them up has made.
std::string price_text(double price);

}  // namespace duel
