#include "duel/verdict/space_standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "duel/core/check.h"
#include "duel/core/numbers.h"

namespace duel {
namespace {

CandidateStanding standing_of(const TunedSpace& tuned, const TunedSpace::Tried& tried) {
  return {.number = tried.number,
          .generation = tried.generation,
          .point_id = tried.point.id(),
          .point = tuned.space()->payload(tried.point.values),
          .state = tried.reason,
          .wins = tried.wins,
          .losses = tried.losses,
          .level = tuned.proof().level(tried.number)};
}

RecommendationStanding recommendation(const TunedSpace& tuned,
                                      const TunedSpace::Recommendation& step) {
  RecommendationStanding shown{step.served, tuned.space()->payload(step.values), std::nullopt};
  if (step.sureness != 0) shown.beats_in_use = probability_of(step.sureness);
  return shown;
}

std::uint64_t warmup_of(const Ledger& ledger) {
  const std::uint64_t asked = ledger.experiment().space.warmup;
  return asked > 0 ? asked : 20 * ledger.tuned()->space()->size();
}

}  // namespace

std::string coordinate_text(double value) {
  return format_number(std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr));
}

double probability_of(double standard_deviations) {
  return 0.5 * std::erfc(-standard_deviations / std::sqrt(2.0));
}

std::string point_text(const Json& point) {
  std::string text;
  for (const auto& [name, value] : point.members()) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", name, coordinate_text(value.get<double>()));
  }
  return text;
}

std::string point_text(const Space& space, const std::vector<double>& values) {
  return point_text(space.payload(values));
}

SpaceStanding space_standing(const Ledger& ledger) {
  DUEL_CHECK(ledger.tuned() != nullptr);
  const TunedSpace& tuned = *ledger.tuned();
  const PointProof& proof = tuned.proof();
  SpaceStanding standing;
  const auto spread = tuned.spread();
  for (std::size_t k = 0; k < tuned.space()->size(); ++k) {
    const Dimension& dimension = tuned.space()->dimensions()[k];
    DimensionStanding& shown = standing.dimensions.emplace_back();
    shown.name = dimension.name;
    shown.low = dimension.low;
    shown.high = dimension.high;
    shown.step = dimension.step;
    shown.scale = dimension.scale;
    shown.in_use = tuned.in_use().values[k];
    shown.recommended = tuned.recommended().values[k];
    if (!spread) continue;
    shown.spread_low = spread->low[k];
    shown.spread_high = spread->high[k];
  }
  standing.in_use = tuned.in_use().id();
  standing.in_use_point = tuned.space()->payload(tuned.in_use().values);
  standing.recommended = recommendation(tuned, tuned.recommended());
  if (proof.stands()) {
    standing.candidate =
        CandidateStanding{.number = proof.candidate(),
                          .generation = proof.generation(),
                          .point_id = tuned.candidate().id(),
                          .point = tuned.space()->payload(tuned.candidate().values),
                          .state = "standing",
                          .wins = proof.wins(),
                          .losses = proof.losses(),
                          .level = proof.level(proof.candidate()),
                          .log_evidence = proof.log_evidence(),
                          .log_threshold = proof.log_threshold()};
  }
  for (const TunedSpace::Tried& tried : tuned.tried()) {
    standing.tried.push_back(standing_of(tuned, tried));
  }
  for (const TunedSpace::Recommendation& step : tuned.path()) {
    standing.path.push_back(recommendation(tuned, step));
  }
  standing.warmup = warmup_of(ledger);
  return standing;
}

std::string point_statement(const Ledger& ledger) {
  const TunedSpace& tuned = *ledger.tuned();
  const TaskSet& tasks = ledger.tasks();
  const std::string scope = tasks.count == 0 ? ""
                            : tasks.about == TaskScope::these_tasks
                                ? fmt::format(", over exactly these {} tasks", tasks.count)
                                : fmt::format(", on tasks like the {} given", tasks.count);
  return fmt::format(
      "The point '{}' ({}) beats the point in use, '{}' ({}): it wins more than half of the duels "
      "with a decisive answer{}. Whenever you look, such a statement is false with probability at "
      "most {}.",
      tuned.certified().id(), point_text(*tuned.space(), tuned.certified().values),
      tuned.beaten().id(), point_text(*tuned.space(), tuned.beaten().values), scope,
      format_number(ledger.experiment().stopping.alpha));
}

std::string why_not_proved(const Ledger& ledger) {
  const TunedSpace& tuned = *ledger.tuned();
  const PointProof& proof = tuned.proof();
  if (proof.stands()) {
    const double share = std::clamp(proof.log_evidence() / proof.log_threshold(), 0.0, 1.0);
    return fmt::format(
        "Candidate {}, '{}' ({}), has won {} and lost {} of its duels with the point in "
        "use: {:.0f} "
        "% of the evidence that a proof takes.",
        proof.candidates(), tuned.candidate().id(),
        point_text(*tuned.space(), tuned.candidate().values), proof.wins(), proof.losses(),
        100 * share);
  }
  const std::uint64_t warmup = warmup_of(ledger);
  if (ledger.served() < warmup) {
    return fmt::format("The search has the first {} to itself.", counted(warmup, "duel"));
  }
  if (tuned.recommended().values == tuned.in_use().values) {
    return "The best guess is the point in use itself, and no other is a candidate.";
  }
  return "No candidate stands now: the next best guess that is another point becomes one.";
}

std::string space_verdict(const Ledger& ledger) {
  const TunedSpace& tuned = *ledger.tuned();
  const std::uint64_t duels = ledger.served();
  const std::string after = fmt::format("Undecided after {}", counted(duels, "duel"));
  if (ledger.total().decisive() == 0) return after + ": no decisive answer yet.";
  const TunedSpace::Recommendation& guess = tuned.recommended();
  std::string text = after;
  if (guess.values == tuned.in_use().values) {
    text += ": the best guess so far is the point in use";
  } else {
    text += ": the best guess so far is " + point_text(*tuned.space(), guess.values);
    if (guess.sureness != 0) {
      text += fmt::format(
          ", of which the learner believes with probability {:.2f} that it beats "
          "the point in use",
          probability_of(guess.sureness));
    }
  }
  if (!tuned.proof().stands()) return text + "; nothing is proved.";
  const double share =
      std::clamp(tuned.proof().log_evidence() / tuned.proof().log_threshold(), 0.0, 1.0);
  return text + fmt::format("; '{}' has {:.0f} % of the evidence that a proof takes.",
                            tuned.candidate().id(), 100 * share);
}

namespace {

// The k-th of so many places from 0 to 1.
double grid_place(std::size_t k, std::size_t steps) {
  DUEL_CHECK(steps >= 2);
  return static_cast<double>(k) / static_cast<double>(steps - 1);
}

// With what probability `point` beats the one in use, as the learner believes; nothing where it
// holds no belief.
std::optional<double> believed_to_beat(const PointChoice& points, const std::vector<double>& point,
                                       const std::vector<double>& in_use) {
  if (point == in_use) return 0.5;
  const auto belief = points.tuner().belief(point, in_use);
  if (!belief) return std::nullopt;
  return std::isfinite(*belief) ? probability_of(*belief) : 0.5;
}

}  // namespace

std::optional<std::vector<SlicePoint>> slice_of(const PointChoice& points, const TunedSpace& space,
                                                std::size_t dimension, std::size_t steps) {
  DUEL_CHECK(dimension < space.space()->size());
  const std::vector<double> in_use = space.space()->point(space.in_use().values);
  const std::span<const double> guess = points.tuner().recommend();
  std::vector<double> point(guess.begin(), guess.end());
  std::vector<SlicePoint> slice;
  for (std::size_t k = 0; k < steps; ++k) {
    point[dimension] = grid_place(k, steps);
    const auto belief = believed_to_beat(points, point, in_use);
    if (!belief) return std::nullopt;
    slice.push_back({space.space()->values(point)[dimension], *belief});
  }
  return slice;
}

std::optional<std::vector<PlanePoint>> plane_of(const PointChoice& points, const TunedSpace& space,
                                                std::size_t steps) {
  DUEL_CHECK(space.space()->size() == 2);
  const std::vector<double> in_use = space.space()->point(space.in_use().values);
  std::vector<PlanePoint> plane;
  for (std::size_t k = 0; k < steps; ++k) {
    for (std::size_t m = 0; m < steps; ++m) {
      const std::vector<double> point = {grid_place(k, steps), grid_place(m, steps)};
      const auto belief = believed_to_beat(points, point, in_use);
      if (!belief) return std::nullopt;
      const std::vector<double> values = space.space()->values(point);
      plane.push_back({values[0], values[1], *belief});
    }
  }
  return plane;
}

ShownSlices slices_of(const PointChoice& points, const TunedSpace& space, std::size_t steps) {
  ShownSlices shown{.through =
                        space.space()->payload(space.space()->values(points.tuner().recommend()))};
  for (std::size_t k = 0; k < space.space()->size(); ++k) {
    auto slice = slice_of(points, space, k, steps);
    if (!slice) break;
    shown.slices.push_back({space.space()->dimensions()[k].name, *std::move(slice)});
  }
  if (space.space()->size() == 2) shown.plane = plane_of(points, space, steps);
  return shown;
}

}  // namespace duel
