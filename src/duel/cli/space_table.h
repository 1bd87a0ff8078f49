// The standing of a space that is tuned, as text: a line for each dimension, with a picture of what
// the learner believes along it.
#pragma once

#include <cstddef>
#include <string>

#include "duel/judging/interview.h"
#include "duel/verdict/space_standing.h"

namespace duel::cli {

// Who can tell what the learner believes; of a log that is only read there is none.
struct Believer {
  const PointChoice* points = nullptr;
  const TunedSpace* tuned = nullptr;
};

// Dimension, number in use, recommended number, where the search is, and the picture, of at most so
// many columns.
std::string space_table(const SpaceStanding& space, const Believer& believer, std::size_t columns);

// A legend for the pictures; "" where the learner draws none.
std::string picture_legend(const Believer& believer);

// "proof ━━━━╌╌╌╌ 43 %  candidate 2: p17 (weight 0.62) won 30, lost 20"; empty where none stands.
std::string proof_line(const SpaceStanding& space);

// The candidates before, with what became of them; empty where there were none.
std::string tried_table(const SpaceStanding& space);

}  // namespace duel::cli
