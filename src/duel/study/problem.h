// What policies play on: a preference matrix, one that changes at given rounds, or rankers that are
// compared by clicks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "duel/core/feature_rows.h"
#include "duel/core/result.h"
#include "duel/core/trial_arena.h"
#include "duel/ranking/estimation/click_environment.h"
#include "duel/simulation/simulation.h"
#include "duel/truth/corruption.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/round_problem.h"
#include "duel/truth/strengths.h"

namespace duel {

struct Problem {
  // The truth that regret is counted against. If `right_arms` is set it is unknown; the matrix is
  // then all 1/2, and only gives the arms their names.
  MatrixSchedule schedule;
  std::shared_ptr<ClickEnvironment> clicks;      // null: outcomes are drawn from the schedule
  std::shared_ptr<const Corruption> corruption;  // of the schedule's matrix; or null
  std::optional<std::vector<Arm>> right_arms;
  // In place of all of these: more arms than a matrix has room for. The schedule then is empty but
  // for its name.
  std::shared_ptr<const Strengths> strengths;
  // What policies are told of the arms; null: nothing.
  std::shared_ptr<const FeatureRows> features;
  // In place of all of these: rounds that are more than duels. The schedule has its matrix, where
  // it has one.
  RoundProblemPtr by_round;

  // As SimulationPlan::outcomes.
  std::function<std::unique_ptr<OutcomeSource>(std::uint64_t, std::uint32_t)> outcomes() const;
};

// What a simulation is to play; the problem must outlive it.
void set_problem_of(SimulationPlan& plan, const Problem& problem);

// What a user means by `text`: `clicks(..)`, `strengths(..)`, `linear(..)`, `table(..)`,
// `choice(..)`, `multileave(..)`, `corrupt(..)`, or what `resolve_schedule`
// understands. `threads` serve what has to be worked out.
Result<Problem> resolve_problem(std::string_view text, unsigned threads);

// Whether the text names a problem whose arms have features or whose rounds are more than duels.
bool is_other_problem(std::string_view text);

}  // namespace duel
