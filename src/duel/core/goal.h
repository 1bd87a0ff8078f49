// What a certificate is about: which of the winners.
#pragma once

namespace duel {

enum class Goal { condorcet, copeland, borda };

}  // namespace duel
