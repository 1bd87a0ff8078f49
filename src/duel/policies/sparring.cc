#include "duel/policies/sparring.h"

#include "duel/policies/registry.h"

namespace duel {
namespace {

// Hands the answer to both sides; the two rewards sum to one.
template <class Bandit>
void reward(Bandit& left, Bandit& right, const Duel& duel, Outcome outcome, Ties ties,
            RoundRng& rng) {
  if (duel.foreign || !left.expects(duel.first) || !right.expects(duel.second)) return;
  if (const auto points = points_of(outcome, ties, rng)) {
    left.rewarded(duel.first, points->first);
    right.rewarded(duel.second, points->second);
  } else {
    left.lost(duel.first);
    right.lost(duel.second);
  }
}

}  // namespace

SparringUcb::SparringUcb(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options),
      num_arms_(num_arms),
      left_(num_arms, options.alpha, options.deterministic_ties),
      right_(num_arms, options.alpha, options.deterministic_ties),
      plays_(num_arms) {}

SparringUcb::Choice SparringUcb::choose(Round round, RoundRng rng) const {
  const Arm first = left_.advance(rng);
  const Arm second = right_.advance(rng);
  return {{first, second, round}};
}

void SparringUcb::commit(const Choice& choice) {
  left_.pulled(choice.duel.first);
  right_.pulled(choice.duel.second);
  plays_.played(choice.duel.first, choice.duel.second);
}

void SparringUcb::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  reward(left_, right_, duel, outcome, options_.ties, rng);
}

bool SparringUcb::restored() {
  return left_.restored() && right_.restored() && plays_.consistent(num_arms_);
}

SparringTs::SparringTs(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), num_arms_(num_arms), left_(num_arms), right_(num_arms), plays_(num_arms) {}

SparringTs::Choice SparringTs::choose(Round round, RoundRng rng) const {
  Xoshiro draws(rng);
  const Arm first = left_.advance(draws);
  const Arm second = right_.advance(draws);
  return {{first, second, round}};
}

void SparringTs::commit(const Choice& choice) {
  left_.pulled(choice.duel.first);
  right_.pulled(choice.duel.second);
  plays_.played(choice.duel.first, choice.duel.second);
}

void SparringTs::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  reward(left_, right_, duel, outcome, options_.ties, rng);
}

bool SparringTs::restored() const {
  return left_.restored() && right_.restored() && plays_.consistent(num_arms_);
}

namespace {

const char* const kPaper =
    "Ailon, Karnin, Joachims: Reducing Dueling Bandits to Cardinal Bandits. ICML 2014, Algorithm 3";
const char* const kDeparts =
    "nowhere; it cannot be jumped, since the coin of a self-duel is a reward. Returns the arm "
    "played most in the last half to three quarters of the run";

const bool registered_ucb = register_policy<SparringUcb>(
    {.name = "sparring-ucb",
     .title = "Sparring of two bandits with upper confidence bounds",
     .paper = kPaper,
     .setting = "utilities",
     .guarantee = "none in general",
     .departs = kDeparts,
     .status = "reproduced"},
    OptionTable<SparringUcbOptions>().number(
        "alpha", &SparringUcbOptions::alpha, {.above = -2, .most = 1e6},
        "width of the bounds: mean + sqrt((alpha + 2)/2 ln s / n)", Shown::always));

const bool registered_ts =
    register_policy<SparringTs>({.name = "sparring-ts",
                                 .title = "Sparring of two bandits with Thompson sampling",
                                 .paper = kPaper,
                                 .setting = "utilities",
                                 .guarantee = "none in general",
                                 .departs = kDeparts,
                                 .status = "reproduced"},
                                {});

}  // namespace
}  // namespace duel
