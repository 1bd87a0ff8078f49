#include "duel/policies/multisbm.h"

#include "duel/policies/registry.h"

namespace duel {

MultiSbm::MultiSbm(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), machines_(num_arms, UcbBandit(options, num_arms)), plays_(num_arms) {}

Duel MultiSbm::select(Round round, RoundRng rng) const {
  const Arm first = next_ != kNobody ? next_ : static_cast<Arm>(rng.below(machines_.size()));
  return {first, machines_[first].advance(rng), round};
}

void MultiSbm::issued(const Duel& duel, RoundRng /*rng*/) {
  next_ = duel.second;
  machines_[duel.first].pulled(duel.second);
  plays_.played(duel.first, duel.second);
}

void MultiSbm::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  UcbBandit& machine = machines_[duel.first];
  if (duel.foreign || !machine.expects(duel.second)) return;
  if (const auto points = points_of(outcome, options_.ties, rng)) {
    machine.rewarded(duel.second, points->second);
  } else {
    machine.lost(duel.second);
  }
}

bool MultiSbm::restored() {
  for (UcbBandit& machine : machines_) {
    if (!machine.restored()) return false;
  }
  return (next_ == kNobody || next_ < machines_.size()) && plays_.consistent(machines_.size());
}

namespace {

const bool multisbm_is_registered =
    register_policy<MultiSbm>({.name = "multisbm",
                               .title = "MultiSBM: a bandit for the opponents of each arm",
                               .paper = cardinal_reduction_paper(2),
                               .setting = "utilities with a linear link",
                               .guarantee = "O(K log T) up to log log T",
                               .departs = kCardinalReductionDeparts,
                               .status = "tested"},
                              ucb_bandit_options());

}  // namespace
}  // namespace duel
