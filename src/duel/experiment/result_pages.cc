#include "duel/experiment/result_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace duel {
namespace {

constexpr const char* kNoContest = "no_contest";
constexpr const char* kNoFeedback = "no_feedback";

Answer answer_by(double first, double second, const std::string& first_arm,
                 const std::string& second_arm) {
  if (first == second) return {Answered::tie, ""};
  return {Answered::win, first > second ? first_arm : second_arm};
}

}  // namespace

bool is_page_ending(std::string_view note) { return note == kNoContest || note == kNoFeedback; }

bool is_without_contest(std::string_view note) { return note == kNoContest; }

PageMethod page_method(Drafting drafting) {
  return drafting == Drafting::probabilistic              ? PageMethod::probabilistic
         : drafting == Drafting::team_draft_multileave    ? PageMethod::team_draft_multileave
         : drafting == Drafting::probabilistic_multileave ? PageMethod::probabilistic_multileave
                                                          : PageMethod::team_draft;
}

namespace {

std::vector<std::vector<std::string>> lists_of(const InterleavedRecord& rankings) {
  std::vector<std::vector<std::string>> lists{rankings.first, rankings.second};
  for (const OtherRanking& other : rankings.others) lists.push_back(other.list);
  return lists;
}

// A log made elsewhere may hold more rankings than the method takes; the page is of the first.
PageDraft draft_of(Drafting drafting, std::uint64_t seed, const std::string& duel_id,
                   std::span<const std::vector<std::string>> lists) {
  const PageMethod method = page_method(drafting);
  return draft_lists(method, seed, duel_id,
                     lists.first(std::min(lists.size(), most_lists(method))));
}

}  // namespace

PageDraft draft_of(Drafting drafting, std::uint64_t seed, const InterleavedRecord& rankings) {
  return draft_of(drafting, seed, rankings.duel_id, lists_of(rankings));
}

// What touches the new items becomes one with them, so that whatever is shown lies in one piece.
void ResultPage::show(ShownItems items) {
  std::erase_if(shown, [&](const ShownItems& one) {
    if (one.to < items.from || items.to < one.from) return false;
    items = {std::min(one.from, items.from), std::max(one.to, items.to)};
    return true;
  });
  shown.push_back(items);
}

bool ResultPage::has_shown(ShownItems items) const {
  if (items.from == items.to) return true;
  return std::ranges::any_of(
      shown, [&](const ShownItems& one) { return one.from <= items.from && items.to <= one.to; });
}

Record ResultPage::ending(const std::string& duel_id, const std::string& first_arm,
                          const std::string& second_arm, std::string_view why) const {
  if (!draft.contest(0, 1)) return ExpiredRecord{duel_id, 0, kNoContest};
  if (!clicked) return ExpiredRecord{duel_id, 0, kNoFeedback};
  OutcomeRecord record;
  record.duel_id = duel_id;
  record.source = {"clicks", ""};
  record.note = std::string(why);
  record.answer = answer_by(credits[0], credits[1], first_arm, second_arm);
  return record;
}

std::vector<ComparisonRecord> ResultPage::side_comparisons(const std::string& first_arm,
                                                           const std::string& second_arm) const {
  std::vector<ComparisonRecord> records;
  if (!clicked) return records;
  std::vector<std::string> arms{first_arm, second_arm};
  arms.insert(arms.end(), others.begin(), others.end());
  for (std::size_t j = 2; j < draft.num_lists; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (!draft.contest(i, j)) continue;
      ComparisonRecord record;
      record.first = arms[i];
      record.second = arms[j];
      record.answer = answer_by(credits[i], credits[j], arms[i], arms[j]);
      record.source = {"clicks", ""};
      record.evidence = false;
      records.push_back(std::move(record));
    }
  }
  return records;
}

void ResultPages::note(const LogEntry& entry) {
  if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    pages_.erase(outcome->duel_id);
  } else if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) {
    pages_.erase(expired->duel_id);
  } else if (const auto* drafted = std::get_if<InterleavedRecord>(&entry.record)) {
    pages_[drafted->duel_id] = this->drafted(*drafted, {});
  } else if (const auto* paged = std::get_if<PagedRecord>(&entry.record)) {
    if (const auto found = pages_.find(paged->duel_id); found != pages_.end()) {
      found->second.show(paged->items);
    }
  } else if (const auto* event = std::get_if<EventRecord>(&entry.record)) {
    const auto found = pages_.find(event->duel_id);
    if (found == pages_.end() || event->late) return;
    ResultPage& page = found->second;
    page.events.insert(event->event);
    page.clicked = true;
    ++page.paid[event->object];
    if (event->place >= 1 && event->place <= page.credits.size()) {
      page.credits[event->place - 1] += event->credit;
    }
  }
}

ResultPage ResultPages::drafted(const InterleavedRecord& rankings,
                                std::span<const PagedRecord> paged) const {
  ResultPage page;
  page.lists = lists_of(rankings);
  for (const OtherRanking& other : rankings.others) page.others.push_back(other.arm_id);
  page.credits.assign(page.lists.size(), 0);
  page.draft = draft_of(drafting_, draft_seed_, rankings.duel_id, page.lists);
  // Older logs do not say what was shown.
  const bool known = !(rankings.shown == ShownItems{});
  page.show(known ? rankings.shown : ShownItems{0, page.draft.items.size()});
  for (const PagedRecord& one : paged) page.show(one.items);
  return page;
}

const ResultPage* ResultPages::find(std::string_view duel_id) const {
  const auto found = pages_.find(duel_id);
  return found == pages_.end() ? nullptr : &found->second;
}

template <class Archive>
void ResultPages::fields(Archive& archive) {
  archive_fields(archive, pages_);
  if constexpr (kReadsState<Archive>) {
    for (auto& [duel_id, page] : pages_) {
      if (page.lists.size() < 2) page.lists.resize(2);  // of a snapshot that is refused below
      page.credits.resize(page.lists.size());
      page.draft = draft_of(drafting_, draft_seed_, duel_id, page.lists);
    }
  }
}
template void ResultPages::fields(StateWriter& archive);
template void ResultPages::fields(StateReader& archive);

ResultPages::Taken ResultPages::take(const ResultPage& page, const PageEvent& event, double weight,
                                     std::uint64_t per_item_cap) {
  if (page.events.contains(event.identity)) return Nothing{};
  const auto& items = page.draft.items;
  const auto item = std::ranges::find(items, event.object, &TeamItem::object_id);
  const auto index = static_cast<std::uint64_t>(item - items.begin());
  if (item == items.end() || !page.has_shown({index, index + 1})) return "the item was not shown";
  // Collectors count positions from 1 or from 0. The item is known by its id, so the position only
  // tells a page of another time, which has the item elsewhere.
  const bool elsewhere =
      event.ordinal && *event.ordinal != item->ordinal && *event.ordinal != item->ordinal - 1;
  if (elsewhere) {
    return fmt::format("the item was shown at {}, not at {}", item->ordinal, *event.ordinal);
  }
  const auto paid = page.paid.find(event.object);
  const bool earns = item->team && (paid == page.paid.end() || paid->second < per_item_cap);
  EventRecord record{.duel_id = event.duel_id,
                     .event = event.identity,
                     .action = event.action,
                     .object = event.object};
  if (earns) {
    record.place = *item->team + 1;
    record.credit = weight;
  }
  return record;
}

}  // namespace duel
