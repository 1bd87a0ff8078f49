#include "duel/continuous/learner_registry.h"

namespace duel {

Catalogue<PointLearnerKind>& point_learner_catalogue() {
  static Catalogue<PointLearnerKind> all("learner", "learner of points");
  return all;
}

PointLearnerKind::Made configure_point_learner(std::string_view text, const PointSetPtr& set,
                                               std::uint64_t comparisons) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  return point_learner_catalogue().configure(call, set, comparisons);
}

bool register_point_learner(LearnerFacts facts, PointStep step) {
  const auto configure = [step, sees_probability = facts.sees_probability](
                             const CallSpec& call, const PointSetPtr& set,
                             std::uint64_t comparisons) -> PointLearnerKind::Made {
    const OptionTable<DirectionOptions> table = direction_options();
    DirectionOptions options;
    options.horizon = comparisons;
    DUEL_ASSIGN(options, table.parse(call, options, "learner"));
    auto steps = step_sizes(options, *set);
    if (!steps.ok()) {
      Error error = steps.error();
      error.where = "learner '" + call.name + "'";
      return error;
    }
    if (options.delta && options.gamma) options.horizon = 0;  // not used, so not part of the name
    const std::string canonical = table.canonical(call.name, options);
    return std::make_shared<const ConfiguredPointLearner>(
        canonical, *steps, [=, steps = *steps](std::vector<double> start) {
          return std::make_unique<PointLearner>(canonical + " on " + set->to_string(), step,
                                                sees_probability, options, steps, set,
                                                std::move(start));
        });
  };
  return point_learner_catalogue().add({std::move(facts), direction_options().facts(), configure});
}

}  // namespace duel
