#include "duel/ranking/interleaving/page_draft.h"

#include <algorithm>

#include "duel/core/check.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

// A server's experiment has a dozen rankers at most, and a page of n lists answers for n (n - 1)/2
// pairs.
constexpr std::size_t kMostLists = 12;

const Interleaver& probabilistic() {
  static const auto method = configure_interleaver("probabilistic(tau=3)").value();
  return *method;
}

const Multileaver& multileaver(PageMethod method) {
  static const auto team_draft = configure_multileaver("team-draft-multileave").value();
  static const auto drawn =
      configure_multileaver("probabilistic-multileave(assignments=drawn)").value();
  return method == PageMethod::team_draft_multileave ? *team_draft : *drawn;
}

void set_contest(PageDraft& draft, std::size_t i, std::size_t j) {
  draft.contests[i * draft.num_lists + j] = true;
  draft.contests[j * draft.num_lists + i] = true;
}

void add_item(PageDraft& draft, std::string_view id, std::optional<std::uint32_t> team) {
  draft.items.push_back({std::string(id), team, draft.items.size() + 1});
}

std::optional<std::uint32_t> index_of(Team team) {
  if (team == Team::none) return std::nullopt;
  return team == Team::first ? 0 : 1;
}

void draft_in_teams(std::uint64_t seed, std::string_view impression_id,
                    std::span<const std::vector<std::string>> lists, PageDraft& draft) {
  const DraftedPage page =
      draft_page(seed, impression_id, lists[0], lists[1], 0, lists[0].size() + lists[1].size());
  for (const DraftedItem& item : page.items) {
    add_item(draft, item.object_id, index_of(item.team));
    if (item.competitive()) set_contest(draft, 0, 1);
  }
}

void draft_by_coins(RoundRng& rng, const NumberedLists& numbered, PageDraft& draft) {
  Interleaving shown;
  probabilistic().interleave(numbered.lists[0], numbered.lists[1], numbered.ids.size(), rng, shown);
  for (std::size_t k = 0; k < shown.size(); ++k) {
    add_item(draft, numbered.ids[shown.documents[k]], index_of(shown.teams[k]));
  }
  if (shown.contest) set_contest(draft, 0, 1);
}

void draft_many(PageMethod method, RoundRng& rng, const NumberedLists& numbered, PageDraft& draft) {
  Multileaving shown;
  multileaver(method).multileave(numbered.rankings(), numbered.ids.size(), rng, shown);
  const RankingPool& pool = shown.memory.pool;
  std::size_t shortest = pool.size();  // of the lists without repeats
  for (std::size_t r = 0; r < pool.num_rankings(); ++r) {
    shortest = std::min(shortest, pool.length(r));
  }
  const bool picks = method == PageMethod::team_draft_multileave;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const bool counts = shown.teams[k] != Multileaving::kNoTeam && (!picks || k < shortest);
    add_item(draft, numbered.ids[shown.documents[k]],
             counts ? std::optional(shown.teams[k]) : std::nullopt);
  }
  // Clicks on everything: whichever two are no contest even then never are.
  std::vector<Position> all(shown.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Position>(k);
  MultileaveCredit credit;
  multileaver(method).credit(shown, all, credit);
  const bool anything =
      std::ranges::any_of(draft.items, [](const TeamItem& item) { return item.team.has_value(); });
  for (std::size_t i = 0; i < draft.num_lists; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (anything && credit.outcome(i, j) != ClickOutcome::no_contest) set_contest(draft, i, j);
    }
  }
}

}  // namespace

std::size_t most_lists(PageMethod method) {
  const bool two = method == PageMethod::team_draft || method == PageMethod::probabilistic;
  return two ? 2 : kMostLists;
}

PageDraft draft_lists(PageMethod method, std::uint64_t seed, std::string_view impression_id,
                      std::span<const std::vector<std::string>> lists) {
  DUEL_CHECK(lists.size() >= 2 && lists.size() <= most_lists(method));
  PageDraft draft;
  draft.num_lists = lists.size();
  draft.contests.assign(lists.size() * lists.size(), false);
  if (method == PageMethod::team_draft) {
    draft_in_teams(seed, impression_id, lists, draft);
    return draft;
  }
  const NumberedLists numbered(lists);
  RoundRng rng = impression_rng(seed, impression_id);
  if (method == PageMethod::probabilistic) {
    draft_by_coins(rng, numbered, draft);
  } else {
    draft_many(method, rng, numbered, draft);
  }
  return draft;
}

}  // namespace duel
