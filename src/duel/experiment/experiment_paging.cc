// Pages of results: drafted from the rankings of arms, clicked on by people.
#include <fmt/format.h>

#include <algorithm>

#include "duel/experiment/experiment.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/ranking/interleaving/page_draft.h"

namespace duel {
namespace {

// A person does not click more often on a page that is closed. What is beyond is not kept.
constexpr std::size_t kMostLateEvents = 100;

Error wrong_list(const std::string& arm, std::string message) {
  return Error::invalid_argument(std::move(message)).in_field("lists." + arm);
}

// The list of an arm as it was sent.
Result<std::vector<std::string>> list_of(const Lists& lists, const std::string& arm) {
  for (const auto& [name, list] : lists.lists) {
    if (name != arm) continue;
    if (list.size() > 1000) return wrong_list(arm, "has more than 1000 ids");
    for (const std::string& id : list) {
      if (!id.empty() && id.size() <= 200) continue;
      return wrong_list(arm, "is not a list of ids of 1 to 200 bytes");
    }
    return list;
  }
  return wrong_list(arm, "is missing");
}

// What an action is worth. A log made elsewhere may say anything of it.
double weight_of(const InterleaveRule& rule, const std::string& action) {
  if (rule.actions.empty()) return action == "click" ? 1 : 0;
  double weight = 0;
  for (const auto& [name, value] : rule.actions) {
    if (name == action && value.is_number()) weight = value.get<double>();
  }
  return std::max(weight, 0.0);
}

Error not_in_this_mode() {
  return refused(Reason::wrong_mode, "pages are drafted in the mode `interleave`");
}

}  // namespace

// An arm without a list cannot be shown.
std::vector<Arm> Experiment::without_list(const Lists& lists) const {
  std::vector<bool> has(ledger().num_arms());
  for (const auto& [name, list] : lists.lists) {
    if (const auto arm = ledger().find_arm(name)) has[*arm] = true;
  }
  std::vector<Arm> arms;
  for (Arm arm = 0; arm < ledger().num_arms(); ++arm) {
    if (!has[arm] && ledger().arms()[arm].active) arms.push_back(arm);
  }
  return arms;
}

// One arm's own list: nothing is compared.
Result<Page> Experiment::own_page(const std::string& duel_id, const std::string& arm,
                                  const Lists& lists) const {
  DUEL_ASSIGN(const std::vector<std::string> list, list_of(lists, arm));
  const std::uint64_t length = ledger().experiment().service.interleave.length;
  const DraftedPage drafted = draft_page(setting_.draft_seed, duel_id, list, {}, lists.offset,
                                         lists.limit.value_or(length));
  Page page{.duel_id = duel_id, .items = {}, .next_offset = drafted.next_offset};
  for (const DraftedItem& item : drafted.items) {
    page.items.push_back({item.object_id, item.ordinal, std::nullopt});
  }
  return page;
}

// The lists of the duel's arms and, where the method takes more, those of other arms that were
// sent.
Result<InterleavedRecord> Experiment::rankings_of(const ServeRecord& serve,
                                                  const Lists& lists) const {
  InterleavedRecord rankings;
  rankings.duel_id = serve.duel_id;
  DUEL_ASSIGN(rankings.first, list_of(lists, serve.first));
  DUEL_ASSIGN(rankings.second, list_of(lists, serve.second));
  const std::size_t most = most_lists(page_method(ledger().experiment().service.interleave.method));
  // An A/A duel is about one ranker against itself.
  if (most == 2 || serve.first == serve.second) return rankings;
  for (const auto& [arm_id, list] : lists.lists) {
    if (arm_id == serve.first || arm_id == serve.second) continue;
    const auto arm = ledger().find_arm(arm_id);
    if (!arm) return wrong_list(arm_id, "is not an arm of the experiment");
    if (!ledger().arms()[*arm].active) continue;
    DUEL_ASSIGN(std::vector<std::string> ids, list_of(lists, arm_id));
    rankings.others.push_back({arm_id, std::move(ids)});
  }
  if (2 + rankings.others.size() > most) {
    return Error::invalid_argument(fmt::format("has more than {} lists", most)).in_field("lists");
  }
  return rankings;
}

Result<Page> Experiment::page(const std::string& duel_id, const Lists& lists,
                              const Moment& moment) {
  const InterleaveRule& rule = ledger().experiment().service.interleave;
  if (!ledger().parts().pages) return not_in_this_mode();
  duels_->forget();
  const auto of_fallback = [&]() -> Result<Page> {
    DUEL_ASSIGN(Page own, own_page(duel_id, fallback_arm(without_list(lists)), lists));
    own.fallback = true;
    return own;
  };
  const bool unreadable = moment.store == StoreAccess::unreadable;
  if (unreadable && is_fallback(duel_id)) return of_fallback();
  DUEL_ASSIGN(const DuelRecords* found, records_of(duel_id));
  if (!found->serve) {
    if (is_fallback(duel_id)) return of_fallback();
    return refused(Reason::unknown_duel, fmt::format("no duel '{}' was served", duel_id));
  }
  const DuelRecords records = *found;  // staging a record ends what was found
  const auto& serve = std::get<ServeRecord>(records.serve->record);
  if (serve.serving == Serving::exploit) return own_page(duel_id, serve.first, lists);
  const std::uint64_t limit = lists.limit.value_or(rule.length);
  InterleavedRecord rankings;
  if (records.page) {
    // Lists are frozen at first use, so that the pages of one query belong together.
    rankings = std::get<InterleavedRecord>(records.page->record);
  } else {
    DUEL_ASSIGN(rankings, rankings_of(serve, lists));
    if (ledger().find_open(duel_id) == nullptr) {
      return refused(Reason::closed, fmt::format("the duel '{}' is closed", duel_id));
    }
    const std::uint64_t from = std::min(lists.offset, rankings.num_ids());
    rankings.shown = {from, from + limit};
    DUEL_RETURN_IF_ERROR(stage(rankings, moment));
  }
  std::vector<std::string> arms{serve.first, serve.second};
  for (const OtherRanking& other : rankings.others) arms.push_back(other.arm_id);
  const ResultPage* open = pages_.find(duel_id);
  const PageDraft draft =
      open != nullptr ? open->draft : draft_of(rule.method, setting_.draft_seed, rankings);
  const std::uint64_t size = draft.items.size();
  const std::uint64_t begin = std::min(lists.offset, size),
                      end = begin + std::min(limit, size - begin);
  // A store that takes nothing does not keep anybody from the next page; its clicks are lost.
  if (open != nullptr && !open->has_shown({begin, end}) && moment.store == StoreAccess::writable &&
      !spoiled()) {
    DUEL_RETURN_IF_ERROR(stage(PagedRecord{duel_id, {begin, end}}, moment));
  }
  Page page{.duel_id = duel_id, .items = {}, .next_offset = {}};
  if (end < size) page.next_offset = end;
  for (std::uint64_t k = begin; k < end; ++k) {
    const TeamItem& item = draft.items[k];
    std::optional<std::string> arm;
    if (item.team) arm = arms[*item.team];
    page.items.push_back({item.object_id, item.ordinal, std::move(arm)});
  }
  return page;
}

Result<Experiment::ServedPage> Experiment::serve_page(const Wish& wish, const Lists& lists,
                                                      const Moment& moment) {
  if (!ledger().parts().pages) return not_in_this_mode();
  if (ledger().parts().space) {
    return refused(Reason::wrong_mode,
                   "which two points are shown is not known before the duel is served: ask for a "
                   "duel first, then send the lists of its two points");
  }
  Wish wanted = wish;
  for (const Arm arm : without_list(lists)) wanted.excluded.push_back(ledger().id_of(arm));
  // A list that cannot be drafted from is refused before a duel is served for it.
  for (const auto& [arm, list] : lists.lists) {
    if (!ledger().find_arm(arm)) return wrong_list(arm, "is not an arm of the experiment");
    DUEL_RETURN_IF_ERROR(list_of(lists, arm));
  }
  // Nor is the list of an arm shown that the caller has excluded, where a page has more than two.
  Lists shown = lists;
  std::erase_if(shown.lists, [&](const auto& one) {
    return std::ranges::find(wish.excluded, one.first) != wish.excluded.end();
  });
  DUEL_ASSIGN(Offer offer, serve(wanted, moment));
  if (const auto* served = std::get_if<Served>(&offer)) {
    DUEL_ASSIGN(Page drafted, page(served->serve.duel_id, shown, moment));
    return ServedPage{std::move(offer), std::move(drafted)};
  }
  // The default arm, if its list came; otherwise the arm whose list came first.
  auto& given = std::get<Fallback>(offer);
  if (!list_of(lists, given.arm).ok()) {
    if (lists.lists.empty()) return Error::invalid_argument("is empty").in_field("lists");
    given.arm = lists.lists.front().first;
    given.content = content_of_arm(given.arm);
  }
  DUEL_ASSIGN(Page own, own_page(given.duel_id, given.arm, lists));
  own.fallback = true;
  return ServedPage{std::move(offer), std::move(own)};
}

Result<std::optional<std::string>> Experiment::click(const PageEvent& event, const Moment& moment) {
  using Refusal = std::optional<std::string>;
  if (!ledger().parts().pages) {
    return Refusal("the experiment does not serve pages");
  }
  duels_->forget();
  DUEL_RETURN_IF_ERROR(expire_for({&event.duel_id, 1}, moment));
  const InterleaveRule& rule = ledger().experiment().service.interleave;
  const double weight = weight_of(rule, event.action);
  if (weight == 0) return Refusal();  // views and the like earn nothing and are not kept
  const ResultPage* page = pages_.find(event.duel_id);
  if (page == nullptr) {
    if (ledger().find_open(event.duel_id) != nullptr) return Refusal("no page was drafted yet");
    return late_click(event, moment);
  }
  ResultPages::Taken taken = ResultPages::take(*page, event, weight, rule.per_item_cap);
  if (auto* record = std::get_if<EventRecord>(&taken)) {
    DUEL_RETURN_IF_ERROR(stage(std::move(*record), moment));
    return Refusal();
  }
  if (auto* reason = std::get_if<std::string>(&taken)) return Refusal(std::move(*reason));
  return Refusal();
}

// An event on a page that is not open. It is kept, once, where it would have been taken before.
Result<std::optional<std::string>> Experiment::late_click(const PageEvent& event,
                                                          const Moment& moment) {
  using Refusal = std::optional<std::string>;
  const Refusal closed = "the duel was closed before";
  DUEL_ASSIGN(const DuelRecords* records, records_of(event.duel_id));
  if (!records->serve) {
    return is_fallback(event.duel_id) ? Refusal("the page was a fallback, which compares nothing")
                                      : Refusal("the experiment served no duel of this query_id");
  }
  if (std::get<ServeRecord>(records->serve->record).serving == Serving::exploit) {
    return Refusal("the page showed one arm alone, which compares nothing");
  }
  if (!records->page) return Refusal("the duel was closed before a page was drafted");
  std::size_t late = 0;
  for (const EventRecord& known : records->events) {
    if (known.event == event.identity) return known.late ? closed : Refusal();
    late += known.late ? 1 : 0;
  }
  if (late >= kMostLateEvents) return closed;
  const ResultPage page =
      pages_.drafted(std::get<InterleavedRecord>(records->page->record), records->paged);
  ResultPages::Taken taken = ResultPages::take(page, event, 0, 0);
  if (auto* reason = std::get_if<std::string>(&taken)) return Refusal(std::move(*reason));
  EventRecord record = std::get<EventRecord>(std::move(taken));
  record.place = 0;
  record.credit = 0;
  record.late = true;
  DUEL_RETURN_IF_ERROR(stage(std::move(record), moment));
  return closed;
}

}  // namespace duel
