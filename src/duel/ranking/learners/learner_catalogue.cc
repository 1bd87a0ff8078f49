#include "duel/ranking/learners/learner_catalogue.h"

#include <fmt/format.h>

#include "duel/continuous/direction.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/learners/pairwise_dbgd.h"

namespace duel {
namespace {

// A click says who won, never how likely that was.
bool learns_rankers(const PointLearnerKind& kind) { return !kind.facts.sees_probability; }

RankerLearnerKind::Made configure_points(const PointLearnerKind& kind, const CallSpec& call,
                                         const RankerLearnerSetting& setting) {
  DUEL_ASSIGN(const PointSetPtr sphere, make_unit_sphere(setting.num_features));
  DUEL_ASSIGN(const std::shared_ptr<const ConfiguredPointLearner> points,
              kind.configure(call, sphere, setting.impressions));
  DUEL_ASSIGN(
      const std::shared_ptr<const Interleaver> interleaver,
      configure_interleaver(setting.interleave.empty() ? "team-draft" : setting.interleave));
  return std::make_shared<const ConfiguredRankerLearner>(
      points->canonical(), interleaver->canonical(), true, [=](RoundRng rng) {
        std::vector<double> start(sphere->dimension());
        draw_direction(rng, start);
        return std::make_unique<PairwiseDbgd>(points->make(std::move(start)), interleaver,
                                              setting.length);
      });
}

}  // namespace

Catalogue<RankerLearnerKind>& ranker_learner_catalogue() {
  static Catalogue<RankerLearnerKind> all("learner", "learner of rankers");
  return all;
}

std::vector<std::string> ranker_learner_names() {
  std::vector<std::string> names;
  for (const PointLearnerKind& kind : point_learner_catalogue()) {
    if (learns_rankers(kind)) names.push_back(kind.facts.name);
  }
  for (std::string& name : ranker_learner_catalogue().names()) names.push_back(std::move(name));
  return names;
}

RankerLearnerKind::Made configure_ranker_learner(const CallSpec& call,
                                                 const RankerLearnerSetting& setting) {
  if (setting.num_features == 0) {
    return Error::invalid_data("the documents have no features to learn from");
  }
  const auto& all = ranker_learner_catalogue();
  if (all.knows(call.name)) return all.configure(call, setting);
  for (const PointLearnerKind& kind : point_learner_catalogue()) {
    if (kind.facts.name == call.name && learns_rankers(kind)) {
      return configure_points(kind, call, setting);
    }
  }
  return all.unknown(call.name, ranker_learner_names());
}

std::string identity_of(const std::string& canonical, const RankerLearnerSetting& setting) {
  return fmt::format("{} on {} features", canonical, setting.num_features);
}

}  // namespace duel
