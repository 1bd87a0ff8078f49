#include "duel/continuous/learner_registry.h"

#include <algorithm>

#include "duel/core/check.h"
#include "duel/core/spelling.h"

namespace duel {
namespace {

// Owned by a function, so that it exists before the first registration, whatever the link order.
struct Registry {
  std::vector<std::unique_ptr<const PointLearnerKind>> kinds;
  std::vector<const PointLearnerKind*> sorted;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

bool register_point_learner(std::unique_ptr<const PointLearnerKind> kind) {
  Registry& all = registry();
  for (const PointLearnerKind* known : all.sorted) {
    DUEL_CHECK(known->facts().name != kind->facts().name);
  }
  all.sorted.push_back(kind.get());
  all.kinds.push_back(std::move(kind));
  std::sort(all.sorted.begin(), all.sorted.end(),
            [](const PointLearnerKind* a, const PointLearnerKind* b) {
              return a->facts().name < b->facts().name;
            });
  return true;
}

std::span<const PointLearnerKind* const> point_learner_kinds() { return registry().sorted; }

Result<const PointLearnerKind*> find_point_learner(std::string_view name) {
  std::vector<std::string> names;
  for (const PointLearnerKind* kind : point_learner_kinds()) {
    if (kind->facts().name == name) return kind;
    names.push_back(kind->facts().name);
  }
  return Error::invalid_argument("there is no learner of points '" + std::string(name) + "'")
      .with_hint(spelling_hint(name, names));
}

Result<std::shared_ptr<const ConfiguredPointLearner>> configure_point_learner(
    std::string_view text, PointSetPtr set, std::uint64_t comparisons) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  DUEL_ASSIGN(const PointLearnerKind* kind, find_point_learner(call.name));
  return kind->configure(call, std::move(set), comparisons);
}

}  // namespace duel
