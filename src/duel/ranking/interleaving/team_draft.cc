#include "duel/ranking/interleaving/team_draft.h"

#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

const bool team_draft_is_registered = register_method<TeamDraftInterleaver>(
    interleaver_catalogue(),
    {"team-draft", "each round both pick their best document left, in random order",
     "Radlinski, Kurup, Joachims, CIKM 2008", 2008},
    OptionTable<TeamDraftOptions>()
        .flag("fill", &TeamDraftOptions::fill,
              "fill the page, without credit, when one ranking ends; false stops there, as "
              "published, which favours the shorter ranking")
        .choice<SharedTop>(
            "shared", &TeamDraftOptions::shared,
            {{"picked", SharedTop::picked}, {"passed", SharedTop::passed}},
            "a document that both want next goes to a team by coin, as published, or to nobody, as "
            "in duel interleave"));

}  // namespace
}  // namespace duel
