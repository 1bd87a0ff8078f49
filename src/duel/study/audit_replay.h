// What people who audit a judge save or cost, on votes that were cast: the battles of a pair, which
// people and the judge have both voted on, are drawn with replacement until one arm is certified to
// beat the other (inference/audited_units.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "duel/core/rng.h"
#include "duel/verdict/judge_check.h"

namespace duel {

// What people and the judge said of a battle, in [-1, 1] from the side of the pair's first arm; 0
// where one of them said nothing.
struct JudgedBattle {
  double people = 0;
  double judge = 0;
};

struct VotedPair {
  std::string first, second;  // in the order of the alphabet
  std::vector<JudgedBattle> battles;

  double lead() const;           // of the first with people
  double lead_of_judge() const;  // and with the judge
};

// By the judge in this column of `votes.judges`: the pairs with the most battles first, pairs of as
// many in the order of their names.
std::vector<VotedPair> voted_pairs(const JudgedVotes& votes, std::size_t judge);

struct AuditReplay {
  int sign = 0;  // of whose certificate came: 1 of the first, -1 of the second, 0 of none
  std::uint64_t people = 0;  // answers of people until then
  std::uint64_t duels = 0;
};

struct AuditReplayOptions {
  double share = 1;  // of the duels that people answer; 1: people alone
  // E that certifies. For one pair 2/alpha: two directions.
  double threshold = 40;
  std::uint64_t most_people = 4000;  // answers of people after which it is given up
};

// REQUIRES: there are battles; 0 < share <= 1.
AuditReplay replay_audits(std::span<const JudgedBattle> battles, const AuditReplayOptions& options,
                          RoundRng rng);

}  // namespace duel
