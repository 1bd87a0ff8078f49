#include "duel/policies/noisy_tournament.h"

#include <algorithm>
#include <cmath>

#include "duel/core/logarithm.h"
#include "duel/policies/stopping.h"

namespace duel {

std::uint64_t noisy_tournament_lead(std::size_t num_arms, double gap, double delta) {
  const double g = delta / static_cast<double>(num_arms);
  const double lead = natural_log((1 - g) / g) / natural_log((0.5 + gap) / (0.5 - gap));
  return static_cast<std::uint64_t>(std::max(1.0, std::ceil(lead)));
}

std::vector<Match> NoisyTournament::played(std::span<const Match> matches, RoundRng& /*rng*/) {
  if (bracket_.standing().size() > 1) {
    for (const Match& match : matches) {
      beaten_by_.push_back(match.loser());
      beaten_by_.push_back(match.winner());
    }
    bracket_.played(matches);
    if (bracket_.standing().size() == 1) {
      const Arm survivor = bracket_.standing().front();
      unmet_[survivor] = 0;
      for (std::size_t k = 0; k < beaten_by_.size(); k += 2) {
        if (beaten_by_[k + 1] == survivor) unmet_[beaten_by_[k]] = 0;
      }
    }
  } else if (matches.front().verdict == Match::second_wins) {
    loses_ = 1;
    return {};
  } else {
    unmet_[matches.front().second] = 0;
  }
  return next_matches();
}

// One arm after the other once there is a survivor: the first to beat it ends the matter.
std::vector<Match> NoisyTournament::next_matches() const {
  if (bracket_.standing().size() > 1) return bracket_.matches();
  const auto next = std::find(unmet_.begin(), unmet_.end(), 1);
  if (next == unmet_.end() || unmet_.size() == 1) return {};
  return {{.first = bracket_.standing().front(),
           .second = static_cast<Arm>(std::distance(unmet_.begin(), next))}};
}

bool NoisyTournament::restored(std::size_t num_arms, std::span<const Match> matches) const {
  if (!bracket_.restored(num_arms) || unmet_.size() != num_arms || loses_ > 1 ||
      beaten_by_.size() % 2 != 0 ||
      !std::all_of(unmet_.begin(), unmet_.end(), [](std::uint8_t unmet) { return unmet <= 1; }) ||
      !std::all_of(beaten_by_.begin(), beaten_by_.end(), [=](Arm arm) { return arm < num_arms; })) {
    return false;
  }
  return loses_ == 1 ? matches.empty() : matches.size() == next_matches().size();
}

namespace {

const bool noisy_tournament_is_registered = register_stopping_policy<NoisyTournamentSampling>(
    {.name = "noisy-tournament",
     .title = "Noisy tournament sampling, the Condorcet winner or that there is none",
     .paper = "Haddenhorst, Bengs, Brandt, Huellermeier: Testification of Condorcet Winners in "
              "Dueling Bandits. UAI 2021",
     .setting = "no pair closer to 1/2 than gap, gap known",
     .guarantee = "stops on the Condorcet winner, or says rightly that there is none, with "
                  "probability >= 1 - delta, after duels of at most 2K - 3 pairs",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    Finds::winner,
    OptionTable<NoisyTournamentOptions>()
        .number("gap", &NoisyTournamentOptions::gap, {.above = 0, .below = 0.5},
                "how far from 1/2 each pair is known to be", Shown::always)
        .number("delta", &NoisyTournamentOptions::delta, {.above = 0, .below = 1},
                "probability of a wrong statement; a run that certifies gives its level",
                Shown::always));

}  // namespace
}  // namespace duel
