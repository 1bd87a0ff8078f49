#include "duel/policies/select.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "duel/core/logarithm.h"
#include "duel/policies/stopping.h"

namespace duel {

std::uint64_t select_duels(std::size_t num_arms, double gap, double delta) {
  // ceil(log2 K), the most matches that the best arm plays.
  const double matches = std::max(1.0, static_cast<double>(std::bit_width(num_arms - 1)));
  return static_cast<std::uint64_t>(std::ceil(natural_log(matches / delta) / (2 * gap * gap)));
}

namespace {

const bool select_is_registered = register_stopping_policy<Select>(
    {.name = "select",
     .title = "SELECT, single elimination with repeats",
     .paper = "Mohajer, Suh, Elmahdy: Active Learning for Top-K Rank Aggregation from Noisy "
              "Comparisons. ICML 2017, Algorithm SELECT",
     .setting = "Condorcet winner that wins with probability >= 1/2 + gap, gap known",
     .guarantee = "stops on the winner with probability >= 1 - delta, after (K - 1) "
                  "ln(log2(K)/delta)/(2 gap^2) duels",
     .departs = "the number of duels per match follows from delta by Hoeffding's inequality",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    Finds::winner,
    OptionTable<SelectOptions>()
        .number("gap", &SelectOptions::gap, {.above = 0, .below = 0.5},
                "how far above 1/2 the winner is known to be against each arm", Shown::always)
        .number("delta", &SelectOptions::delta, {.above = 0, .below = 1},
                "probability of stopping on another arm; a run that certifies gives its level",
                Shown::always));

}  // namespace
}  // namespace duel
