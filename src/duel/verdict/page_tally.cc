#include "duel/verdict/page_tally.h"

#include <algorithm>
#include <variant>

#include "duel/experiment/result_pages.h"

namespace duel {

void PageTally::note(const Ledger& ledger, const LogEntry& entry) {
  if (!ledger.parts().pages) return;
  if (const auto* drafted = std::get_if<InterleavedRecord>(&entry.record)) {
    const LedgerDuel* duel = ledger.find_open(drafted->duel_id);
    if (duel == nullptr) return;  // an imported log may draft a page of a duel that is settled
    open_[drafted->duel_id] = {
        .first = duel->first, .second = duel->second, .closes_ms = duel->expires_at.ms};
  } else if (const auto* event = std::get_if<EventRecord>(&entry.record)) {
    const auto found = open_.find(event->duel_id);
    if (found == open_.end() || event->late) return;
    ++found->second.clicks;
    if (event->place == 1) found->second.first_credit += event->credit;
    if (event->place == 2) found->second.second_credit += event->credit;
  } else if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    close(outcome->duel_id, "");
  } else if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) {
    close(expired->duel_id, expired->note);
  }
}

void PageTally::close(std::string_view duel_id, std::string_view note) {
  const auto found = open_.find(duel_id);
  if (found == open_.end()) return;
  open_.erase(found);
  if (!is_page_ending(note)) return;
  ++(is_without_contest(note) ? without_contest_ : without_click_);
}

PagesSoFar PageTally::so_far(const Ledger& ledger) const {
  PagesSoFar told{.open = open_.size(),
                  .next_closes_at = {},
                  .pairs = {},
                  .closed_without_click = without_click_,
                  .closed_without_contest = without_contest_};
  std::map<std::pair<Arm, Arm>, OpenPagesOfPair> pairs;
  for (const auto& [duel_id, page] : open_) {
    told.clicked += page.clicks > 0 ? 1 : 0;
    told.clicks += page.clicks;
    const bool sooner = !told.next_closes_at || page.closes_ms < told.next_closes_at->ms;
    if (page.closes_ms > 0 && sooner) told.next_closes_at = Timestamp{page.closes_ms};
    if (page.first == page.second) continue;  // one arm against itself compares nothing
    const bool in_order = page.first < page.second;
    OpenPagesOfPair& pair = pairs[std::minmax(page.first, page.second)];
    ++pair.open;
    if (page.clicks == 0) continue;
    if (page.first_credit == page.second_credit) {
      ++pair.even;
    } else {
      ++((page.first_credit > page.second_credit) == in_order ? pair.first_ahead
                                                              : pair.second_ahead);
    }
  }
  for (auto& [arms, pair] : pairs) {
    pair.first = ledger.id_of(arms.first);
    pair.second = ledger.id_of(arms.second);
    told.pairs.push_back(std::move(pair));
  }
  return told;
}

}  // namespace duel
