#include "duel/policies/sparring.h"

#include "duel/policies/registry.h"

namespace duel {
namespace {

PolicyFacts sparring_facts(const char* name, const char* title) {
  return {.name = name,
          .title = title,
          .paper = cardinal_reduction_paper(3),
          .setting = "utilities",
          .guarantee = "none in general",
          .departs = kCardinalReductionDeparts,
          .status = "reproduced"};
}

const bool registered_ucb = register_policy<SparringUcb>(
    sparring_facts("sparring-ucb", "Sparring of two bandits with upper confidence bounds"),
    ucb_bandit_options());

const bool registered_ts = register_policy<SparringTs>(
    sparring_facts("sparring-ts", "Sparring of two bandits with Thompson sampling"), {});

}  // namespace
}  // namespace duel
