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
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/strengths.h"

namespace duel {

struct Problem {
  // The truth that regret is counted against. If `right_arms` is set it is unknown; the matrix is
  // then all 1/2, and only gives the arms their names.
  MatrixSchedule schedule;
  std::shared_ptr<ClickEnvironment> clicks;  // null: outcomes are drawn from the schedule
  std::optional<std::vector<Arm>> right_arms;
  // In place of all of these: more arms than a matrix has room for. The schedule then is empty but
  // for its name.
  std::shared_ptr<const Strengths> strengths;

  // As SimulationPlan::outcomes.
  std::function<std::unique_ptr<OutcomeSource>(std::uint64_t, std::uint32_t)> outcomes() const;
};

// What a user means by `text`: `clicks(..)`, `strengths(..)`, or what `resolve_schedule`
// understands. `threads` serve what has to be worked out.
Result<Problem> resolve_problem(std::string_view text, unsigned threads);

}  // namespace duel
