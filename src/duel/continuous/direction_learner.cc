#include "duel/continuous/direction_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/continuous/direction.h"
#include "duel/continuous/vectors.h"
#include "duel/core/check.h"

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

DirectionLearner::DirectionLearner(std::string identity, const DirectionOptions& options,
                                   StepSizes steps, PointSetPtr set, std::vector<double> start)
    : identity_(std::move(identity)),
      options_(options),
      steps_(steps),
      set_(std::move(set)),
      point_(std::move(start)),
      direction_(point_.size()),
      proposal_(point_.size()),
      gamma_(steps.gamma) {
  DUEL_CHECK(point_.size() == set_->dimension());
  set_->project(point_);
}

PointDuel DirectionLearner::select(Round /*round*/, RoundRng rng) {
  if (pending_ == 0) {
    draw_direction(rng, direction_);
    add_scaled(point_, steps_.delta, direction_, proposal_);
    set_->project(proposal_);
    tally_ = {};
    pending_ = 1;
    ++ticket_;
  }
  return {point_, proposal_, ticket_};
}

void DirectionLearner::observe(std::uint64_t ticket, const PointAnswer& answer) {
  if (pending_ == 0 || ticket != ticket_) return;
  ++tally_.comparisons;
  if (answer.outcome == Outcome::first_wins) ++tally_.first_wins;
  if (answer.outcome == Outcome::second_wins) ++tally_.second_wins;
  if (sees_probability()) {
    DUEL_CHECK(answer.probability_first_wins.has_value());
    tally_.sum_of_probabilities += *answer.probability_first_wins;
  }
  if (tally_.comparisons < options_.batch) return;
  pending_ = 0;
  const double factor = gamma_ * step(tally_);
  gamma_ *= options_.decay;
  if (factor == 0) return;
  add_scaled(point_, factor, direction_, point_);
  set_->project(point_);
  ++moves_;
}

std::string DirectionLearner::save() const {
  StateWriter writer;
  writer(identity_);
  const_cast<DirectionLearner*>(this)->fields(writer);  // `fields` only reads here
  return writer.finish();
}

Status DirectionLearner::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  std::string identity;
  reader(identity);
  if (identity != identity_) {
    return Error::invalid_data(
        fmt::format("the saved state belongs to '{}', not to '{}'", identity, identity_));
  }
  // Read on the side, so that a state that does not fit changes nothing.
  std::vector<double> point, direction, proposal;
  ProposalTally tally;
  std::uint64_t ticket = 0, moves = 0;
  std::uint8_t pending = 0;
  double gamma = 0;
  reader(point, direction, proposal, tally, ticket, moves, pending, gamma);
  const auto fits = [this](const std::vector<double>& vector) {
    return vector.size() == point_.size() &&
           std::all_of(vector.begin(), vector.end(), [](double x) { return std::isfinite(x); });
  };
  if (!reader.complete() || !fits(point) || !fits(direction) || !fits(proposal) || pending > 1 ||
      !(gamma >= 0)) {
    return Error::invalid_data("the saved state does not fit the learner");
  }
  point_ = std::move(point);
  direction_ = std::move(direction);
  proposal_ = std::move(proposal);
  tally_ = tally;
  ticket_ = ticket;
  moves_ = moves;
  pending_ = pending;
  gamma_ = gamma;
  return Done{};
}

}  // namespace duel
