#include "duel/reproduction/registry.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/spelling.h"

namespace duel {
namespace {

// Owned by a function, so that it exists before the first registration, whatever the link order.
struct Registry {
  std::vector<std::unique_ptr<const ReproductionKind>> kinds;
  std::vector<const ReproductionKind*> sorted;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

bool register_reproduction(ReproductionFacts facts,
                           std::function<Result<Reproduction>(const ReproductionContext&)> run) {
  Registry& all = registry();
  for (const ReproductionKind* known : all.sorted) DUEL_CHECK(known->facts.name != facts.name);
  all.kinds.push_back(
      std::make_unique<const ReproductionKind>(ReproductionKind{std::move(facts), std::move(run)}));
  all.sorted.push_back(all.kinds.back().get());
  std::sort(all.sorted.begin(), all.sorted.end(),
            [](const ReproductionKind* a, const ReproductionKind* b) {
              return a->facts.name < b->facts.name;
            });
  return true;
}

std::span<const ReproductionKind* const> reproduction_kinds() { return registry().sorted; }

std::vector<std::string> reproduction_names() {
  std::vector<std::string> names;
  for (const ReproductionKind* kind : reproduction_kinds()) names.push_back(kind->facts.name);
  return names;
}

Result<const ReproductionKind*> find_reproduction(std::string_view name) {
  for (const ReproductionKind* kind : reproduction_kinds()) {
    if (kind->facts.name == name) return kind;
  }
  return Error::invalid_argument("there is no reproduction '" + std::string(name) + "'")
      .with_hint(spelling_hint(name, reproduction_names()));
}

}  // namespace duel
