// How the options that the forms of SAVAGE share are described.
#pragma once

#include "duel/core/options.h"
#include "duel/policies/parts/savage.h"

namespace duel {

inline constexpr const char* kSavagePaper =
    "Urvoy, Clerot, Feraud, Naamane. Generic exploration and K-armed voting bandits. ICML 2013, "
    "Algorithm 1";

template <class Options>
OptionTable<Options> savage_options() {
  OptionTable<Options> table;
  table.horizon(&Options::horizon);
  table.automatic_number("delta", &Options::delta, {.above = 0, .below = 1},
                         "probability of naming a wrong winner; auto is 1/horizon", Shown::always);
  table.template choice<SavageBound>(
      "bound", &Options::bound,
      {{"horizon", SavageBound::horizon}, {"anytime", SavageBound::anytime}},
      "confidence radius sqrt(ln(eta/delta)/(2n)) of N unknown means: eta = 2 N horizon, or "
      "pi^2 N n^2/3 without the horizon");
  table.number("epsilon", &Options::epsilon, {.least = 0, .most = 0.5},
               "also stop when everything undecided is within epsilon of 1/2 with confidence");
  return table;
}

}  // namespace duel
