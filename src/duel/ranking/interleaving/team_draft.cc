#include "duel/ranking/interleaving/team_draft.h"

#include "duel/ranking/interleaving/every_path.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

template <class Choices>
void draft(const TeamDraftOptions& options, std::size_t length, Choices& choices,
           Interleaving& shown) {
  shown.clear();
  const RankingPool& pool = shown.memory.pool;
  TeamDraft draft(shown.memory.pool, options.shared);
  while (shown.size() < length && (options.fill ? shown.size() < pool.size() : draft.is_open())) {
    const DraftPick pick = draft.next([&] { return choices.coin(); });
    const bool contest = shown.contest;
    shown.append(pick.index, pick.team);
    shown.append_credit(pick.team == Team::first ? 1 : 0, pick.team == Team::second ? 1 : 0);
    if (pick.team == Team::none) shown.contest = contest;  // its ranks decide nothing
  }
}

const OptionTable<TeamDraftOptions>& team_draft_options() {
  static const auto table = [] {
    OptionTable<TeamDraftOptions> options;
    options.flag("fill", &TeamDraftOptions::fill,
                 "fill the page, without credit, when one ranking ends; false stops there, as "
                 "published, which favours the shorter ranking");
    options.choice<SharedTop>(
        "shared", &TeamDraftOptions::shared,
        {{"picked", SharedTop::picked}, {"passed", SharedTop::passed}},
        "a document that both want next goes to a team by coin, as published, or to nobody, as in "
        "duel interleave");
    return options;
  }();
  return table;
}

}  // namespace

std::string TeamDraftInterleaver::canonical() const {
  return team_draft_options().canonical("team-draft", options_);
}

void TeamDraftInterleaver::interleave(std::span<const Document> first,
                                      std::span<const Document> second, std::size_t length,
                                      RoundRng& rng, Interleaving& shown) const {
  shown.memory.pool.assign(first, second);
  RandomChoices choices(rng);
  draft(options_, length, choices, shown);
}

Result<std::vector<WeightedInterleaving>> TeamDraftInterleaver::enumerate(
    std::span<const Document> first, std::span<const Document> second, std::size_t length) const {
  return enumerate_paths<EveryPath>(*this, [&](EveryPath& path, Interleaving& shown) {
    shown.memory.pool.assign(first, second);
    draft(options_, length, path, shown);
  });
}

namespace {
const bool team_draft_is_registered = register_interleaver<TeamDraftInterleaver>(
    {"team-draft", "each round both pick their best document left, in random order",
     "Radlinski, Kurup, Joachims, CIKM 2008", 2008},
    team_draft_options());
}  // namespace

}  // namespace duel
