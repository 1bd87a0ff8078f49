#include "duel/policies/seq_eliminate.h"

#include "duel/policies/stopping.h"

namespace duel {

SeqEliminateTournament::SeqEliminateTournament(const Options& options, std::size_t num_arms,
                                               RoundRng& rng)
    : rule_{0, options.epsilon, options.delta / static_cast<double>(num_arms)} {
  std::vector<Arm> order = all_arms(num_arms);
  shuffle(order, rng);
  elimination_ = SequentialElimination(std::move(order));
}

namespace {

const bool seq_eliminate_is_registered = register_stopping_policy<SeqEliminate>(
    {.name = "seq-eliminate",
     .title = "Seq-Eliminate, a nearly best arm",
     .paper = "Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar: Maxing and Ranking with Few "
              "Assumptions. NIPS 2017, Algorithm SEQ-ELIMINATE",
     .setting = "strong stochastic transitivity",
     .guarantee = "no arm beats the one it stops on by more than epsilon, with probability >= 1 - "
                  "delta, after O(K/epsilon^2 log(K/delta)) duels",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    Finds::winner,
    OptionTable<SeqEliminateOptions>()
        .number("epsilon", &SeqEliminateOptions::epsilon, {.above = 0, .below = 0.5},
                "by how much an arm may beat the one that is returned", Shown::always)
        .number("delta", &SeqEliminateOptions::delta, {.above = 0, .below = 1},
                "probability with which one may beat it by more; a run that certifies gives its "
                "level",
                Shown::always));

}  // namespace
}  // namespace duel
