#include "duel/ranking/interleaving/team_draft.h"

#include "duel/ranking/interleaving/every_path.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

template <class Choices>
void draft(std::size_t length, Choices& choices, Interleaving& shown) {
  shown.clear();
  TeamDraft draft(shown.memory.pool);
  while (shown.size() < length && draft.is_open()) {
    const DraftPick pick = draft.next([&] { return choices.coin(); });
    shown.append(pick.index, pick.team);
    shown.append_credit(pick.team == Team::first ? 1 : 0, pick.team == Team::second ? 1 : 0);
  }
}

}  // namespace

void TeamDraftInterleaver::interleave(std::span<const Document> first,
                                      std::span<const Document> second, std::size_t length,
                                      RoundRng& rng, Interleaving& shown) const {
  shown.memory.pool.assign(first, second);
  RandomChoices choices(rng);
  draft(length, choices, shown);
}

Result<std::vector<WeightedInterleaving>> TeamDraftInterleaver::enumerate(
    std::span<const Document> first, std::span<const Document> second, std::size_t length) const {
  return enumerate_paths<EveryPath>(*this, [&](EveryPath& path, Interleaving& shown) {
    shown.memory.pool.assign(first, second);
    draft(length, path, shown);
  });
}

namespace {
const bool registered = register_interleaver<TeamDraftInterleaver>(
    {"team-draft", "each round both pick their best document left, in random order",
     "Radlinski, Kurup, Joachims, CIKM 2008", 2008});
}  // namespace

}  // namespace duel
