#include "duel/policies/multisbm.h"

#include "duel/policies/registry.h"

namespace duel {

MultiSbm::MultiSbm(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options),
      machines_(num_arms, UcbBandit(num_arms, options.alpha, options.deterministic_ties)),
      plays_(num_arms) {}

MultiSbm::Choice MultiSbm::choose(Round round, RoundRng rng) const {
  const Arm first = next_ != kNobody ? next_ : static_cast<Arm>(rng.below(machines_.size()));
  return {{first, machines_[first].advance(rng), round}};
}

void MultiSbm::commit(const Choice& choice) {
  next_ = choice.duel.second;
  machines_[choice.duel.first].pulled(choice.duel.second);
  plays_.played(choice.duel.first, choice.duel.second);
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

const bool registered = register_policy<MultiSbm>(
    {.name = "multisbm",
     .title = "MultiSBM: a bandit for the opponents of each arm",
     .paper = "Ailon, Karnin, Joachims: Reducing Dueling Bandits to Cardinal Bandits. ICML 2014, "
              "Algorithm 2",
     .setting = "utilities with a linear link",
     .guarantee = "O(K log T) up to log log T",
     .departs = "nowhere; it cannot be jumped, since the coin of a self-duel is a reward. Returns "
                "the arm played most in the last half to three quarters of the run",
     .status = "tested"},
    OptionTable<MultiSbmOptions>().number(
        "alpha", &MultiSbmOptions::alpha, {.above = -2, .most = 1e6},
        "width of the bounds: mean + sqrt((alpha + 2)/2 ln s / n)", Shown::always));

}  // namespace
}  // namespace duel
