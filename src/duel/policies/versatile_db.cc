#include "duel/policies/versatile_db.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {

double tsallis_normaliser(std::span<const double> gaps, double c, double guess) {
  // One arm alone needs z = sqrt(c), all arms level need sqrt(K c).
  const double low = std::sqrt(c);
  const double high = low * std::sqrt(static_cast<double>(gaps.size()));
  double z = std::clamp(guess, low, high);
  for (int step = 0; step < 100; ++step) {
    double sum = 0, slope = 0;
    for (const double gap : gaps) {
      const double inverse = 1.0 / (gap + z);
      const double square = inverse * inverse;
      sum += square;
      slope += square * inverse;
    }
    // g = 1/sqrt(c sum), g' = g slope/sum; the step to g = 1 is (1 - g)/g'.
    const double root = std::sqrt(c * sum);
    const double next = std::clamp(z + (root - 1.0) * (sum / slope), low, high);
    const double moved = std::abs(next - z);
    z = next;
    if (moved <= 1e-14 * z) break;
  }
  return z;
}

VersatileDb::VersatileDb(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options), num_arms_(num_arms) {
  losses_[0].resize(num_arms);
  if (options.form == VersatileForm::two) losses_[1].resize(num_arms);
}

double VersatileDb::scale(Round round) const {
  const auto t = static_cast<double>(round);
  return reduced() ? 0.25 * t : t;
}

double VersatileDb::threshold(Round round) const { return 4.0 / scale(round); }

double VersatileDb::probability(Arm arm, Round round, std::size_t side) const {
  const double c = scale(round);
  const double z = tsallis_normaliser(losses_[side], c, normalisers_[side]);
  const double distance = losses_[side][arm] + z;
  return c / (distance * distance);
}

VersatileDb::Choice VersatileDb::choose(Round round, RoundRng rng) const {
  Choice choice;
  const double c = scale(round);
  std::array<Arm, 2> arms{};
  for (std::size_t player = 0; player < 2; ++player) {
    const std::size_t side = player % sides();
    const std::vector<double>& losses = losses_[side];
    if (side == player) {
      choice.normalisers[side] = tsallis_normaliser(losses, c, normalisers_[side]);
    }
    const double z = choice.normalisers[side];
    const auto q = [&](Arm arm) { return c / ((losses[arm] + z) * (losses[arm] + z)); };
    // The last arm takes what rounding leaves.
    double left_of = rng.uniform();
    Arm arm = 0;
    for (; arm + 1 < num_arms_; ++arm) {
      const double share = q(arm);
      if (left_of < share) break;
      left_of -= share;
    }
    arms[player] = arm;
    choice.q[player] = q(arm);
  }
  choice.duel = {arms[0], arms[1], round};
  return choice;
}

void VersatileDb::commit(const Choice& choice) {
  for (std::size_t side = 0; side < sides(); ++side) normalisers_[side] = choice.normalisers[side];
  Draw draw{choice.q, {}};
  if (reduced()) {
    const double c = scale(choice.duel.round);
    const double least = threshold(choice.duel.round);
    for (std::size_t side = 0; side < sides(); ++side) {
      for (const double loss : losses_[side]) {
        const double distance = loss + normalisers_[side];
        draw.baselines.push_back(c >= least * distance * distance ? 0.5 : 0.0);
      }
    }
  }
  tickets_.issued(choice.duel, std::move(draw));
}

void VersatileDb::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.foreign) return;
  const std::optional<Draw> draw = tickets_.settled(duel);
  if (!draw) return;
  // Nobody having answered, both lose 1/2, as in a tie. To add nothing would say that neither lost,
  // and lift arms whose duels often go unanswered above one that meets itself and always is.
  const Points points = points_of(outcome, options_.ties, rng).value_or(Points{1, 1});
  const double share = sides() == 1 ? 0.5 : 1.0;
  const std::array<double, 2> lost = {0.5 * points.second, 0.5 * points.first};
  const std::array<Arm, 2> arms = {duel.first, duel.second};
  for (std::size_t player = 0; player < 2; ++player) {
    const std::size_t side = player % sides();
    double own_baseline = 0;
    if (reduced()) {
      const double* baselines = &draw->baselines[side * num_arms_];
      own_baseline = baselines[arms[player]];
      for (Arm arm = 0; arm < num_arms_; ++arm) losses_[side][arm] += share * baselines[arm];
    }
    losses_[side][arms[player]] += share * (lost[player] - own_baseline) / draw->q[player];
  }
  for (std::size_t side = 0; side < sides(); ++side) settle(side);
}

// Only differences matter, so the least loss is kept at 0: nothing grows without need.
void VersatileDb::settle(std::size_t side) {
  std::vector<double>& losses = losses_[side];
  const double least = *std::min_element(losses.begin(), losses.end());
  if (least == 0) return;
  for (double& loss : losses) loss -= least;
}

Arm VersatileDb::recommend(RoundRng rng) const {
  return least_of(all_arms(num_arms_), options_.deterministic_ties, rng, [&](Arm arm) {
    return losses_[0][arm] + (sides() == 2 ? losses_[1][arm] : 0.0);
  });
}

bool VersatileDb::restored() const {
  for (std::size_t side = 0; side < 2; ++side) {
    if (losses_[side].size() != (side < sides() ? num_arms_ : 0)) return false;
    for (const double loss : losses_[side]) {
      if (!(loss >= 0) || !std::isfinite(loss)) return false;
    }
    if (!(normalisers_[side] > 0) || !std::isfinite(normalisers_[side])) return false;
  }
  return tickets_.restored(num_arms_, [&](const Draw& draw) {
    return draw.q[0] > 0 && draw.q[1] > 0 &&
           draw.baselines.size() == (reduced() ? sides() * num_arms_ : 0);
  });
}

namespace {

const bool versatile_db_is_registered = register_policy<VersatileDb>(
    {.name = "versatile-db",
     .title = "Versatile-DB: regularised leaders with Tsallis entropy",
     .paper = "Saha, Gaillard: Versatile Dueling Bandits: Best-of-both-World Analyses for Online "
              "Learning from Preferences. ICML 2022, Algorithm 1",
     .setting = "adversarial, or Condorcet winner",
     .guarantee = "O(sqrt(K T)) adversarial; O(sum log T / gap) with a Condorcet winner",
     .departs = "the two sides share one vector of losses (form=two keeps them apart)",
     .status = "reproduced",
     .keeps_pairs = false},
    OptionTable<VersatileDbOptions>()
        .choice<VersatileForm>("form", &VersatileDbOptions::form,
                               {{"shared", VersatileForm::shared}, {"two", VersatileForm::two}},
                               "one vector of losses for both sides, or one each")
        .choice<VersatileEstimator>("estimator", &VersatileDbOptions::estimator,
                                    {{"importance", VersatileEstimator::importance},
                                     {"reduced", VersatileEstimator::reduced}},
                                    "losses over probabilities with eta = 2/sqrt(t), or with a "
                                    "baseline that lowers the variance and eta = 4/sqrt(t)"));

}  // namespace
}  // namespace duel
