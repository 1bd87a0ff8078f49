#include "duel/continuous/point_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/continuous/direction.h"
#include "duel/core/check.h"
#include "duel/core/vectors.h"

namespace duel {

OptionTable<DirectionOptions> direction_options() {
  OptionTable<DirectionOptions> table;
  table.automatic_number("delta", &DirectionOptions::delta, {.above = 0},
                         "exploration: length of the step that is tried; auto: from horizon, "
                         "radius, dimension and delta_l",
                         Shown::always);
  table.automatic_number("gamma", &DirectionOptions::gamma, {.least = 0},
                         "exploitation: length of the step that is taken; auto: R/sqrt(T)",
                         Shown::always);
  table.number("delta_l", &DirectionOptions::delta_l, {.above = 0},
               "factor of the automatic delta; the analysis sets it to 1/sqrt(L)");
  table.choice("analysis", &DirectionOptions::analysis,
               std::vector<std::pair<std::string, StepAnalysis>>{
                   {"corollary", StepAnalysis::corollary}, {"theorem", StepAnalysis::theorem}},
               "whose delta: sqrt(2Rd/5) T^(-1/4) delta_l, or sqrt(2Rd/13) T^(-1/4) delta_l");
  table.count("horizon", &DirectionOptions::horizon, 0, 1'000'000'000'000'000'000,
              "comparisons T that automatic steps are tuned for; 0: those of the run");
  table.count("batch", &DirectionOptions::batch, 1, 1'000'000'000,
              "comparisons of a pair before the learner moves");
  table.number("decay", &DirectionOptions::decay, {.above = 0, .most = 1},
               "factor on gamma after every pair that was decided");
  return table;
}

Result<StepSizes> step_sizes(const DirectionOptions& options, const PointSet& set) {
  if (options.delta && options.gamma) return StepSizes{*options.delta, *options.gamma};
  const char* which = options.delta ? "gamma" : "delta";
  if (options.horizon == 0) {
    return Error::invalid_argument(fmt::format("the automatic {} needs a horizon", which))
        .with_hint(fmt::format("set {} or horizon", which));
  }
  const double radius = set.radius();
  if (!std::isfinite(radius)) {
    return Error::invalid_argument(
               fmt::format("the automatic {} needs a bounded set, not {}", which, set.to_string()))
        .with_hint(fmt::format("set {}", which));
  }
  const auto horizon = static_cast<double>(options.horizon);
  const auto d = static_cast<double>(set.dimension());
  const double divisor = options.analysis == StepAnalysis::corollary ? 5 : 13;
  const double delta =
      options.delta_l * std::sqrt(2 * radius * d / divisor) / std::sqrt(std::sqrt(horizon));
  return StepSizes{options.delta.value_or(delta),
                   options.gamma.value_or(radius / std::sqrt(horizon))};
}

PointLearner::PointLearner(std::string identity, PointStep step, bool sees_probability,
                           const DirectionOptions& options, StepSizes steps, PointSetPtr set,
                           std::vector<double> start)
    : identity_(std::move(identity)),
      step_(step),
      sees_probability_(sees_probability),
      options_(options),
      steps_(steps),
      set_(std::move(set)),
      state_{.point = std::move(start), .gamma = steps.gamma} {
  DUEL_CHECK(dimension() == set_->dimension());
  state_.direction.resize(dimension());
  state_.proposal.resize(dimension());
  set_->project(state_.point);
}

PointDuel PointLearner::select(Round /*round*/, RoundRng rng) {
  if (state_.pending == 0) {
    draw_direction(rng, state_.direction);
    add_scaled(state_.point, steps_.delta, state_.direction, state_.proposal);
    set_->project(state_.proposal);
    state_.tally = {};
    state_.pending = 1;
    ++state_.ticket;
  }
  return {state_.point, state_.proposal, state_.ticket};
}

void PointLearner::observe(std::uint64_t ticket, const PointAnswer& answer) {
  if (state_.pending == 0 || ticket != state_.ticket) return;
  ProposalTally& tally = state_.tally;
  ++tally.comparisons;
  if (answer.outcome == Outcome::first_wins) ++tally.first_wins;
  if (answer.outcome == Outcome::second_wins) ++tally.second_wins;
  if (sees_probability_) {
    DUEL_CHECK(answer.probability_first_wins.has_value());
    tally.sum_of_probabilities += *answer.probability_first_wins;
  }
  if (tally.comparisons < options_.batch) return;
  state_.pending = 0;
  const double factor = state_.gamma * step_(tally);
  state_.gamma *= options_.decay;
  if (factor == 0) return;
  add_scaled(state_.point, factor, state_.direction, state_.point);
  set_->project(state_.point);
  ++state_.moves;
}

std::string PointLearner::save() const {
  StateWriter writer;
  writer(identity_, state_);
  return writer.finish();
}

Status PointLearner::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  std::string identity;
  reader(identity);
  if (identity != identity_) {
    return Error::invalid_data(
        fmt::format("the saved state belongs to '{}', not to '{}'", identity, identity_));
  }
  // Read on the side, so that a state that does not fit changes nothing.
  State state;
  reader(state);
  const auto fits = [this](const std::vector<double>& vector) {
    return vector.size() == dimension() &&
           std::all_of(vector.begin(), vector.end(), [](double x) { return std::isfinite(x); });
  };
  if (!reader.complete() || !fits(state.point) || !fits(state.direction) || !fits(state.proposal) ||
      state.pending > 1 || !(state.gamma >= 0)) {
    return Error::invalid_data("the saved state does not fit the learner");
  }
  state_ = std::move(state);
  return Done{};
}

}  // namespace duel
