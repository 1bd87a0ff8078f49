#include "duel/policies/knockout.h"

#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/policies/stopping.h"

namespace duel {

KnockoutTournament::KnockoutTournament(const Options& options, std::size_t num_arms, RoundRng& rng)
    : options_(options), bracket_(num_arms, rng) {
  set_levels();
}

void KnockoutTournament::set_levels() {
  constexpr double kCubeRootOfTwo = 1.2599210498948731648;
  epsilon_ = (kCubeRootOfTwo - 1) * options_.epsilon / options_.gamma;
  delta_ = options_.delta;
  for (std::uint64_t i = 0; i < round_; ++i) {
    epsilon_ /= kCubeRootOfTwo;
    delta_ /= 2;
  }
  most_duels_ = natural_log(2.0 / delta_) / (2 * epsilon_ * epsilon_);
}

std::vector<Match> KnockoutTournament::first_round(RoundRng& /*rng*/) { return bracket_.matches(); }

// COMPARE.
std::uint8_t KnockoutTournament::judge(const Match& match, RoundRng& /*rng*/) const {
  const double r = match.duels();
  const double p = match.mean();
  const double gap = p > 0.5 ? p - 0.5 : 0.5 - p;
  const double log_term = natural_log(4.0 * r * r) - natural_log(delta_);
  if (gap <= hoeffding_radius(log_term, r) - epsilon_ && r <= most_duels_) return Match::undecided;
  return p > 0.5 ? Match::first_wins : Match::second_wins;
}

std::vector<Match> KnockoutTournament::played(std::span<const Match> matches, RoundRng& rng) {
  bracket_.played(matches);
  bracket_.redraw(rng);
  ++round_;
  set_levels();
  return bracket_.matches();
}

Arm KnockoutTournament::leader(std::span<const Match> matches, RoundRng /*rng*/) const {
  return matches.empty() ? bracket_.standing().front() : matches.front().ahead();
}

bool KnockoutTournament::restored(std::size_t num_arms, std::span<const Match> matches) {
  if (!bracket_.restored(num_arms) || round_ < 1 || round_ > 64) return false;
  set_levels();
  return matches.size() == bracket_.standing().size() / 2;
}

namespace {

const bool knockout_is_registered = register_stopping_policy<Knockout>(
    {.name = "knockout",
     .title = "Knockout, a nearly best arm",
     .paper = "Falahatgar, Orlitsky, Pichapati, Suresh: Maximum Selection and Ranking under Noisy "
              "Comparisons. ICML 2017, Algorithm KNOCKOUT",
     .setting = "strong stochastic transitivity, stochastic triangle inequality",
     .guarantee = "no arm beats the one it stops on by more than epsilon, with probability >= 1 - "
                  "delta, after O(K gamma^2/epsilon^2 log(1/delta)) duels",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    Finds::winner,
    OptionTable<KnockoutOptions>()
        .number("epsilon", &KnockoutOptions::epsilon, {.above = 0, .below = 0.5},
                "by how much an arm may beat the one that is returned", Shown::always)
        .number("delta", &KnockoutOptions::delta, {.above = 0, .below = 1},
                "probability with which one may beat it by more; a run that certifies gives its "
                "level",
                Shown::always)
        .number("gamma", &KnockoutOptions::gamma, {.least = 1, .most = 1e6},
                "how far strong transitivity is relaxed; 1 is the strong form"));

}  // namespace
}  // namespace duel
