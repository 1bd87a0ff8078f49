// Without a Condorcet winner: how often imed names a wrong arm after 1e6 rounds. At most one run in
// 1000 is asked for where the Copeland winners stay the same whatever pairs within .02 of 1/2 say;
// more than 5 of 1000 then have probability 6e-4. Without step 4 it is 30 to 150 of them.
#include <gtest/gtest.h>

#include "duel/policies/imed.h"
#include "duel/truth/matrix_catalogue.h"
#include "tests/policies/wrong_runs.h"

namespace duel {
namespace {

TEST(ImedSettling, is_on_a_copeland_winner_in_all_but_few_of_1000_runs) {
  for (const char* name :
       {"no-condorcet(k=5,seed=6)", "no-condorcet(k=5,seed=26)", "no-condorcet(k=6,seed=6)",
        "no-condorcet(k=6,seed=66)", "no-condorcet(k=7,seed=66)", "no-condorcet(k=8,seed=66)"}) {
    const PreferenceMatrix matrix = resolve_matrix(name).value();
    EXPECT_LE(wrong_runs<Imed>({}, matrix, 1'000'000, 1000, 2), 5) << name;
  }
}

}  // namespace
}  // namespace duel
