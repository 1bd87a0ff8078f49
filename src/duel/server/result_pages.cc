#include "duel/server/result_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/archive_containers.h"

namespace duel {

Record ResultPage::ending(const std::string& duel_id, const std::string& first_arm,
                          const std::string& second_arm, std::string_view why) const {
  if (competitive_coverage(items) == 0) return ExpiredRecord{duel_id, 0, "no_contest"};
  if (!clicked) return ExpiredRecord{duel_id, 0, "no_feedback"};
  OutcomeRecord record;
  record.duel_id = duel_id;
  record.source = {"clicks", ""};
  record.note = std::string(why);
  if (credit_first == credit_second) {
    record.answer = {Answered::tie, ""};
  } else {
    record.answer = {Answered::win, credit_first > credit_second ? first_arm : second_arm};
  }
  return record;
}

void ResultPages::draft(const std::string& duel_id, ResultPage& page) const {
  page.items = draft_page(draft_seed_, duel_id, page.first, page.second, 0,
                          page.first.size() + page.second.size())
                   .items;
}

void ResultPages::note(const LogEntry& entry) {
  if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    pages_.erase(outcome->duel_id);
  } else if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) {
    pages_.erase(expired->duel_id);
  } else if (const auto* drafted = std::get_if<InterleavedRecord>(&entry.record)) {
    ResultPage& page = pages_[drafted->duel_id];
    page.first = drafted->first;
    page.second = drafted->second;
    draft(drafted->duel_id, page);
  } else if (const auto* event = std::get_if<EventRecord>(&entry.record)) {
    const auto found = pages_.find(event->duel_id);
    if (found == pages_.end() || event->late) return;
    ResultPage& page = found->second;
    page.events.insert(event->event);
    page.clicked = true;
    ++page.paid[event->object];
    if (event->place == 1) page.credit_first += event->credit;
    if (event->place == 2) page.credit_second += event->credit;
  }
}

const ResultPage* ResultPages::find(std::string_view duel_id) const {
  const auto found = pages_.find(duel_id);
  return found == pages_.end() ? nullptr : &found->second;
}

template <class Archive>
void ResultPage::fields(Archive& archive) {
  archive_fields(archive, first, second, paid, events, credit_first, credit_second, clicked);
}

template <class Archive>
void ResultPages::fields(Archive& archive) {
  archive_fields(archive, pages_);
  if constexpr (kReadsState<Archive>) {
    for (auto& [duel_id, page] : pages_) draft(duel_id, page);
  }
}
template void ResultPages::fields(StateWriter& archive);
template void ResultPages::fields(StateReader& archive);

ResultPages::Taken ResultPages::take(const ResultPage& page, const PageEvent& event, double weight,
                                     std::uint64_t per_item_cap) {
  if (page.events.contains(event.identity)) return Nothing{};
  const auto item = std::find_if(page.items.begin(), page.items.end(), [&](const DraftedItem& one) {
    return one.object_id == event.object;
  });
  if (item == page.items.end()) return "the item was not shown";
  if (event.ordinal && *event.ordinal != item->ordinal) {
    return fmt::format("the item was shown at {}, not at {}", item->ordinal, *event.ordinal);
  }
  const auto paid = page.paid.find(event.object);
  const bool earns = item->competitive() && item->team != Team::none &&
                     (paid == page.paid.end() || paid->second < per_item_cap);
  EventRecord record{.duel_id = event.duel_id,
                     .event = event.identity,
                     .action = event.action,
                     .object = event.object};
  if (earns) {
    record.place = item->team == Team::first ? 1 : 2;
    record.credit = weight;
  }
  return record;
}

}  // namespace duel
