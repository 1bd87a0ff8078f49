#include "duel/policies/doubler.h"

#include <algorithm>
#include <numeric>

#include "duel/policies/registry.h"

namespace duel {

Doubler::Doubler(const Options& options, std::size_t num_arms, RoundRng rng)
    : options_(options),
      num_arms_(num_arms),
      opponents_(num_arms),
      drawn_(num_arms),
      machine_(options, num_arms),
      plays_(num_arms) {
  opponents_[rng.below(num_arms)] = 1;
}

Duel Doubler::select(Round round, RoundRng rng) const {
  // L holds 2^(i-1) arms in epoch i.
  std::uint64_t k = rng.below(epoch_length_ / 2);
  Arm first = 0;
  while (k >= opponents_[first]) k -= opponents_[first++];
  return {first, machine_.advance(rng), round};
}

void Doubler::issued(const Duel& duel, RoundRng /*rng*/) {
  machine_.pulled(duel.second);
  ++drawn_[duel.second];
  plays_.played(duel.first, duel.second);
  if (++epoch_duels_ < epoch_length_) return;
  // The epoch is over; the next begins with a bandit that knows nothing.
  opponents_.swap(drawn_);
  std::fill(drawn_.begin(), drawn_.end(), 0);
  epoch_length_ *= 2;
  epoch_duels_ = 0;
  epoch_begins_ = duel.round + 1;
  machine_.forget();
}

void Doubler::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (!duel.foreign && duel.round >= epoch_begins_ && machine_.expects(duel.second)) {
    if (const auto points = points_of(outcome, options_.ties, rng)) {
      machine_.rewarded(duel.second, points->second);
    } else {
      machine_.lost(duel.second);
    }
  }
}

bool Doubler::restored() {
  if (opponents_.size() != num_arms_ || drawn_.size() != num_arms_ || !machine_.restored()) {
    return false;
  }
  const auto sum = [](const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  return epoch_length_ >= 2 && sum(opponents_) == epoch_length_ / 2 &&
         sum(drawn_) == epoch_duels_ && epoch_duels_ < epoch_length_ &&
         plays_.consistent(num_arms_);
}

namespace {

const bool doubler_is_registered =
    register_policy<Doubler>({.name = "doubler",
                              .title = "Doubler: a bandit against its own past",
                              .paper = cardinal_reduction_paper(1),
                              .setting = "utilities with a linear link",
                              .guarantee = "O(K log^2 T / gap)",
                              .departs = kCardinalReductionDeparts,
                              .status = "tested",
                              .keeps_pairs = false},
                             ucb_bandit_options());

}  // namespace
}  // namespace duel
