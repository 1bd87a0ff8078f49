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
          .status = "reproduced",
          .keeps_pairs = false};
}

const bool sparring_ucb_is_registered = register_policy<SparringUcb>(
    sparring_facts("sparring-ucb", "Sparring of two bandits with upper confidence bounds"),
    ucb_bandit_options());

const bool sparring_ts_is_registered = register_policy<SparringTs>(
    sparring_facts("sparring-ts", "Sparring of two bandits with Thompson sampling"), {});

}  // namespace
}  // namespace duel
