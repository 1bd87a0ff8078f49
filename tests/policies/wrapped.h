// Wrappers of a policy under test: their options, and a world in which arms change places.
#pragma once

#include <string>

#include "duel/policies/registry.h"
#include "tests/policies/side_by_side.h"

namespace duel {

// Options of a wrapper of `inner` for so many arms.
template <class Options>
Options wrapping(const std::string& inner, std::size_t num_arms, Round rounds = 100'000) {
  Options options;
  options.inner = inner;
  options.configured = configure_policy(parse_call(inner).value(), {num_arms, rounds}).value();
  return options;
}

// Answers of `matrix`, and from round `change` on those of the matrix with its arms in reverse.
inline Outcome changing_outcome(const PreferenceMatrix& matrix, const Duel& duel, Round change,
                                std::uint64_t seed) {
  if (duel.round < change || duel.is_self()) return messy_outcome(matrix, duel, seed);
  const auto last = static_cast<Arm>(matrix.num_arms() - 1);
  return messy_outcome(matrix, {last - duel.first, last - duel.second, duel.round}, seed);
}

// A policy and its literal twin make the same choices in that world.
template <class P, class Twin>
void expect_same_choices_under_change(P& policy, Twin& twin, const PreferenceMatrix& matrix,
                                      std::uint64_t seed, Round rounds) {
  const TrialStreams streams(seed, 0, "side by side");
  for (Round t = 1; t <= rounds; ++t) {
    const Duel duel = policy.take(t, streams.choice.at(t));
    ASSERT_EQ(duel, twin.next(t, streams.choice.at(t))) << "seed " << seed << ", t " << t;
    const Outcome outcome = changing_outcome(matrix, duel, rounds / 2, seed);
    policy.observe(duel, outcome, streams.answer.at(t));
    twin.tell(duel, outcome, streams.answer.at(t));
  }
}

}  // namespace duel
