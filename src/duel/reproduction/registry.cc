#include "duel/reproduction/registry.h"

#include <utility>

namespace duel {

Catalogue<ReproductionKind>& reproduction_catalogue() {
  static Catalogue<ReproductionKind> all("reproduction");
  return all;
}

bool register_reproduction(ReproductionFacts facts,
                           std::function<Result<Reproduction>(const ReproductionContext&)> run) {
  return reproduction_catalogue().add({std::move(facts), std::move(run)});
}

}  // namespace duel
