// What policies play on: a preference matrix, one that changes at given rounds, or rankers that are
// compared by clicks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/trial_arena.h"
#include "duel/ranking/estimation/click_environment.h"
#include "duel/truth/matrix_schedule.h"

namespace duel {

struct Problem {
  // What regret is counted against. Where `right_arms` is set nobody knows that; the matrix then is
  // all 1/2, for the names of the arms.
  MatrixSchedule schedule;
  std::shared_ptr<ClickEnvironment> clicks;  // null: outcomes are drawn from the schedule
  std::optional<std::vector<Arm>> right_arms;

  // As SimulationPlan::outcomes.
  std::function<std::unique_ptr<OutcomeSource>(std::uint64_t, std::uint32_t)> outcomes() const;
};

// What a user means by `text`: `clicks(..)`, or what `resolve_schedule` understands. `threads`
// serve what has to be worked out.
Result<Problem> resolve_problem(std::string_view text, unsigned threads);

}  // namespace duel
