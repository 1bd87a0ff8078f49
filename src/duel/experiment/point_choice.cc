#include "duel/experiment/point_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/check.h"

namespace duel {
namespace {

Result<ConfiguredTunerPtr> tuner_of(const ExperimentRecord& experiment) {
  DUEL_ASSIGN(const Space space, Space::from_json(experiment.space.dimensions));
  auto tuner = configure_tuner(experiment.policy, space.size(), experiment.stopping.max_duels);
  if (tuner.ok()) return tuner;
  Error error = tuner.error();
  if (error.field.empty()) error.field = "policy";
  return error;
}

}  // namespace

Result<std::string> canonical_tuner(const ExperimentRecord& experiment) {
  DUEL_ASSIGN(const ConfiguredTunerPtr tuner, tuner_of(experiment));
  return tuner->canonical();
}

Result<PointChoice> PointChoice::make(const ExperimentRecord& experiment, const TunedSpace& space) {
  DUEL_ASSIGN(ConfiguredTunerPtr tuner, tuner_of(experiment));
  return PointChoice(
      std::move(tuner),
      {.space = space.space(), .horizon = experiment.stopping.max_duels, .seed = experiment.seed},
      {.warmup = experiment.space.warmup});
}

PointChoice::PointChoice(ConfiguredTunerPtr tuner, const TunerSetting& setting,
                         const PointSearchOptions& options)
    : tuner_(std::move(tuner)),
      setting_(setting),
      options_(options),
      search_(std::make_unique<PointSearch>(*tuner_, setting_, options_)) {}

std::vector<double> PointChoice::guess() const {
  return setting_.space->values(search_->tuner().recommend());
}

std::optional<Record> PointChoice::due(const TunedSpace& space) const {
  const PointProof& proof = space.proof();
  switch (search_->due(proof)) {
    case PointSearch::Due::take: {
      const std::vector<double> values = guess();
      // Two points of the cube may have the numbers of one.
      if (values == space.in_use().values) break;
      const std::uint64_t number = proof.candidate() + 1;
      return CandidateRecord{.number = number,
                             .generation = proof.generation(),
                             .point_id = TunedPoint::id_of(space.ordinal_of(values)),
                             .point = setting_.space->payload(values),
                             .level = proof.level(number)};
    }
    case PointSearch::Due::give_up:
      return GivenUpRecord{proof.candidate(), search_->why(proof) == PointSearch::WhyGivenUp::beaten
                                                  ? "beaten"
                                                  : "better_guess"};
    case PointSearch::Due::nothing:
      break;
  }
  // It changes with every answer, and the log need not say all of it.
  if (heard() < recommended_at_ + std::max<std::uint64_t>(1, heard() / 20)) return std::nullopt;
  if (auto recommended = news(space)) return Record(std::move(*recommended));
  return std::nullopt;
}

std::optional<RecommendedRecord> PointChoice::news(const TunedSpace& space) const {
  const std::vector<double> values = guess();
  if (heard() == 0 || values == space.recommended().values) return std::nullopt;
  const auto belief = tuner().belief(tuner().recommend(), search_->in_use());
  return RecommendedRecord{setting_.space->payload(values), belief.value_or(0)};
}

PointChoice::Next PointChoice::next(const TunedSpace& space) {
  // Two points of the cube may have the numbers of one: the learner is asked again, for a while.
  constexpr int kMostTries = 64;
  for (int tries = 0; tries < kMostTries; ++tries) {
    PointSearch::Next next = search_->next(space.proof());
    // On a log scale a number does not come back from the cube to its last bit.
    const auto values_of = [&](const std::vector<double>& point) {
      return std::ranges::equal(point, search_->in_use()) ? space.in_use().values
                                                          : setting_.space->values(point);
    };
    std::vector<double> first = values_of(next.pair.first);
    std::vector<double> second = values_of(next.pair.second);
    if (first == second) continue;
    return {std::move(next.pair), std::move(first), std::move(second), next.proof};
  }
  // It stays with one point: that meets the one in use, or the middle of the box.
  PointPair pair{std::vector<double>(setting_.space->size(), 0.5), setting_.in_use(), 0};
  setting_.space->round_to_steps(pair.first);
  std::vector<double> first = setting_.space->values(pair.first);
  std::vector<double> second = setting_.space->values(pair.second);
  if (first == second) {
    pair.first.assign(setting_.space->size(), 0);
    setting_.space->round_to_steps(pair.first);
    first = setting_.space->values(pair.first);
  }
  return {std::move(pair), std::move(first), std::move(second), false};
}

void PointChoice::served_by_others(const ServeRecord& serve) {
  const auto point = [&](const Json& payload) {
    return setting_.space->point(setting_.space->values_of(payload).value());
  };
  out_[serve.ordinal] = {{point(serve.first_point), point(serve.second_point), 0}, false};
}

void PointChoice::tell(std::uint64_t ordinal, Outcome outcome) {
  const auto found = out_.find(ordinal);
  if (found == out_.end()) return;
  Out out = std::move(found->second);
  out_.erase(found);
  const Outcome of_pair = out.swapped ? mirrored(outcome) : outcome;
  search_->tell(out.pair, of_pair);
  if (of_pair == Outcome::none) return;
  ++heard_;
  kept_.push_back({std::move(out.pair), of_pair});
  if (kept_.size() > kMostKept) kept_.pop_front();
}

Status PointChoice::check(const TunedSpace& space, const Record& record) const {
  const bool of_search = std::holds_alternative<CandidateRecord>(record) ||
                         std::holds_alternative<GivenUpRecord>(record);
  if (!of_search) return Done{};
  const auto expected = due(space);
  if (expected && *expected == record) return Done{};
  return Error::invalid_data("the learner would not have taken or given up this candidate here")
      .with_hint("the log was written by another version of Duel");
}

void PointChoice::note(const TunedSpace& space, const Record& record) {
  if (const auto* candidate = std::get_if<CandidateRecord>(&record)) {
    // The learner's own point is the same one to more digits than the log may have.
    if (guess() == space.candidate().values) {
      search_->take();
    } else {
      search_->take(setting_.space->point(setting_.space->values_of(candidate->point).value()));
    }
  } else if (std::holds_alternative<GivenUpRecord>(record)) {
    search_->drop();
  } else if (std::holds_alternative<RecommendedRecord>(record)) {
    recommended_at_ = heard();
  } else if (std::holds_alternative<CertifiedRecord>(record) && space.candidate().ordinal == 0) {
    search_->adopt();
  }
  if (space.proof().certified() && dropped_at_ != space.proof().candidates()) {
    dropped_at_ = space.proof().candidates();
    search_->drop();
  }
}

void PointChoice::begin_again(const TunedSpace& space, std::uint64_t served) {
  search_ = std::make_unique<PointSearch>(*tuner_, setting_, options_);
  search_->go_on_after(served);
  for (Heard& one : kept_) {
    one.pair.ticket = 0;
    search_->tell(one.pair, one.outcome);
  }
  for (auto& [ordinal, out] : out_) out.pair.ticket = 0;
  if (space.in_use().ordinal != 0) {
    search_->take(setting_.space->point(space.in_use().values));
    search_->adopt();
  }
  if (space.candidate().ordinal == 0) return;
  search_->take(setting_.space->point(space.candidate().values));
  if (!space.proof().stands()) search_->drop();
}

}  // namespace duel
