// Pages of results: drafted from the rankings of arms, clicked on by people.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/described_json.h"
#include "duel/experiment/kept_record.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/ranking/interleaving/page_draft.h"
#include "duel/server/owned_experiment.h"

namespace duel {
namespace {

// A person does not click more often on a page that is closed. What is beyond is not kept.
constexpr std::size_t kMostLateEvents = 100;

Error wrong_list(const std::string& arm, std::string message) {
  return Error::invalid_argument(std::move(message),
                                 "/lists" + described_detail::pointer_part(arm));
}

// The list of an arm as it was sent.
Result<std::vector<std::string>> list_of(const InterleavingBody& body, const std::string& arm) {
  for (const auto& [name, list] : body.lists) {
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

// Whoever sent no list cannot be shown.
std::vector<Arm> without_list(const Ledger& ledger, const InterleavingBody& body) {
  std::vector<Arm> arms;
  for (Arm arm = 0; arm < ledger.num_arms(); ++arm) {
    const bool has = std::ranges::any_of(
        body.lists, [&](const auto& one) { return one.first == ledger.id_of(arm); });
    if (!has && ledger.arms()[arm].active) arms.push_back(arm);
  }
  return arms;
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

}  // namespace

// One arm's own list: nothing is compared.
Result<PageAnswer> OwnedExperiment::own_page(const std::string& duel_id, const std::string& arm,
                                             const InterleavingBody& body) const {
  DUEL_ASSIGN(const std::vector<std::string> list, list_of(body, arm));
  const std::uint64_t length = ledger().experiment().service.interleave.length;
  const DraftedPage page =
      draft_page(secrets_.draft_seed, duel_id, list, {}, body.offset, body.limit.value_or(length));
  PageAnswer answer{.query_id = duel_id, .items = {}, .next_offset = page.next_offset};
  for (const DraftedItem& item : page.items) {
    answer.items.push_back({item.object_id, item.ordinal, std::nullopt, false});
  }
  return answer;
}

// The lists of the duel's arms and, where the method takes more, those of other arms that were
// sent.
Result<InterleavedRecord> OwnedExperiment::rankings_of(const ServeRecord& serve,
                                                       const InterleavingBody& body) const {
  InterleavedRecord rankings;
  rankings.duel_id = serve.duel_id;
  DUEL_ASSIGN(rankings.first, list_of(body, serve.first));
  DUEL_ASSIGN(rankings.second, list_of(body, serve.second));
  const std::size_t most = most_lists(page_method(ledger().experiment().service.interleave.method));
  // An A/A duel is about one ranker against itself.
  if (most == 2 || serve.first == serve.second) return rankings;
  for (const auto& [arm_id, list] : body.lists) {
    if (arm_id == serve.first || arm_id == serve.second) continue;
    const auto arm = ledger().find_arm(arm_id);
    if (!arm) return wrong_list(arm_id, "is not an arm of the experiment");
    if (!ledger().arms()[*arm].active) continue;
    DUEL_ASSIGN(std::vector<std::string> ids, list_of(body, arm_id));
    rankings.others.push_back({arm_id, std::move(ids)});
  }
  if (2 + rankings.others.size() > most) {
    return Error::invalid_argument(fmt::format("has more than {} lists", most), "/lists");
  }
  return rankings;
}

Result<PageAnswer> OwnedExperiment::page_of(const std::string& duel_id,
                                            const InterleavingBody& body, bool sees_teams,
                                            std::int64_t now_ms) {
  const InterleaveRule& rule = ledger().experiment().service.interleave;
  if (ledger().experiment().service.mode != Mode::interleave) {
    return Error::conflict("pages are drafted in the mode `interleave`");
  }
  if (lost_ && is_fallback(duel_id)) {
    served_fallback_ = true;
    return own_page(duel_id, fallback_arm(without_list(ledger(), body)), body);
  }
  DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
  DUEL_RETURN_IF_ERROR(check_kept(ledger(), duel_id, records));
  if (!records.serve) {
    if (is_fallback(duel_id)) {
      return own_page(duel_id, fallback_arm(without_list(ledger(), body)), body);
    }
    return Error::not_found(fmt::format("no duel '{}' was served", duel_id));
  }
  const auto& serve = std::get<ServeRecord>(records.serve->record);
  if (serve.serving == Serving::exploit) return own_page(duel_id, serve.first, body);
  const std::uint64_t limit = body.limit.value_or(rule.length);
  InterleavedRecord rankings;
  if (records.page) {
    // Lists are frozen at first use, so that the pages of one query belong together.
    rankings = std::get<InterleavedRecord>(records.page->record);
  } else {
    DUEL_ASSIGN(rankings, rankings_of(serve, body));
    if (ledger().find_open(duel_id) == nullptr) {
      return Error::conflict(fmt::format("the duel '{}' is closed", duel_id));
    }
    const std::uint64_t from = std::min(body.offset, rankings.num_ids());
    rankings.shown = {from, from + limit};
    DUEL_RETURN_IF_ERROR(stage(rankings, now_ms));
  }
  std::vector<std::string> arms{serve.first, serve.second};
  for (const OtherRanking& other : rankings.others) arms.push_back(other.arm_id);
  const ResultPage* open = pages_.find(duel_id);
  const PageDraft draft =
      open != nullptr ? open->draft : draft_of(rule.method, secrets_.draft_seed, rankings);
  const std::uint64_t size = draft.items.size();
  const std::uint64_t begin = std::min(body.offset, size),
                      end = begin + std::min(limit, size - begin);
  // A store that takes nothing does not keep anybody from the next page; its clicks are lost.
  if (open != nullptr && !open->has_shown({begin, end}) && !store_refuses_ && !spoiled()) {
    DUEL_RETURN_IF_ERROR(stage(PagedRecord{duel_id, {begin, end}}, now_ms));
  }
  PageAnswer answer{.query_id = duel_id, .items = {}, .next_offset = {}};
  if (end < size) answer.next_offset = end;
  for (std::uint64_t k = begin; k < end; ++k) {
    const TeamItem& item = draft.items[k];
    // Opaque to whoever may not read results: a team's name says nothing across duels. An item that
    // counts for nobody has none.
    std::optional<std::string> team;
    if (item.team && sees_teams) {
      team = arms[*item.team];
    } else if (item.team) {
      const std::string mark =
          hmac_sha256_hex(secrets_.subject_salt, duel_id + "/" + arms[*item.team]);
      team = "t_" + mark.substr(0, 4);
    }
    answer.items.push_back({item.object_id, item.ordinal, std::move(team), item.team.has_value()});
  }
  return answer;
}

OwnedExperiment::Reply OwnedExperiment::interleave(const std::string& duel_id,
                                                   const InterleavingBody& body, bool sees_teams,
                                                   std::int64_t now_ms) {
  DUEL_ASSIGN(const PageAnswer page, page_of(duel_id, body, sees_teams, now_ms));
  return ServerAnswer{200, described_json(page), {}};
}

OwnedExperiment::Reply OwnedExperiment::interleave_in_one(const OneShotBody& body, bool sees_teams,
                                                          std::int64_t now_ms) {
  if (ledger().experiment().service.mode != Mode::interleave) {
    return Error::conflict("pages are drafted in the mode `interleave`");
  }
  DuelBody wanted = body.duel;
  for (const Arm arm : without_list(ledger(), body.page)) {
    wanted.exclude.push_back(ledger().id_of(arm));
  }
  // A list that cannot be drafted from is refused before a duel is served for it.
  for (const auto& [arm, list] : body.page.lists) {
    if (!ledger().find_arm(arm)) {
      return wrong_list(arm, "is not an arm of the experiment");
    }
    DUEL_RETURN_IF_ERROR(list_of(body.page, arm));
  }
  DUEL_RETURN_IF_ERROR(check_question(wanted));
  // Nor is the list of an arm that the caller has excluded, where a page has more than two.
  InterleavingBody shown = body.page;
  std::erase_if(shown.lists, [&](const auto& one) {
    return std::ranges::find(body.duel.exclude, one.first) != body.duel.exclude.end();
  });
  // The same question is what the caller has sent: arms come and go between two pages.
  DUEL_ASSIGN(ServedOne served,
              serve_one(wanted,
                        {.duel_id = wanted.duel_id,
                         .subject = subject_of(wanted),
                         .request = wanted.duel_id.empty() ? "" : hash_of_body(body.duel),
                         .voter = false},
                        now_ms));
  OneShotAnswer answer;
  if (served.duel.serving == "fallback") {
    // The default arm, if its list came; otherwise whichever came first.
    const std::string& chosen = served.duel.arms[0].arm_id;
    const bool has = list_of(body.page, chosen).ok();
    if (!has && body.page.lists.empty()) return Error::invalid_argument("is empty", "/lists");
    const std::string arm = has ? chosen : body.page.lists.front().first;
    if (!has) served.duel.arms[0] = duel_arm(arm, 1);
    DUEL_ASSIGN(answer.page, own_page(served.duel.duel_id, arm, body.page));
    served_fallback_ = true;
  } else {
    DUEL_ASSIGN(answer.page, page_of(served.duel.duel_id, shown, sees_teams, now_ms));
  }
  const int status = served.replayed ? 200 : 201;
  answer.duel = std::move(served.duel);
  return ServerAnswer{status, described_json(answer),
                      status == 200 ? HttpFields{{"Idempotent-Replayed", "true"}} : HttpFields{}};
}

Result<std::optional<std::string>> OwnedExperiment::take_event(const PageEvent& event,
                                                               std::int64_t now_ms) {
  using Reason = std::optional<std::string>;
  if (ledger().experiment().service.mode != Mode::interleave) {
    return Reason("the experiment does not serve pages");
  }
  DUEL_RETURN_IF_ERROR(expire(now_ms));
  const InterleaveRule& rule = ledger().experiment().service.interleave;
  const double weight = weight_of(rule, event.action);
  if (weight == 0) return Reason();  // views and the like earn nothing and are not kept
  const ResultPage* page = pages_.find(event.duel_id);
  if (page == nullptr) {
    if (ledger().find_open(event.duel_id) != nullptr) return Reason("no page was drafted yet");
    return take_late_event(event, now_ms);
  }
  ResultPages::Taken taken = ResultPages::take(*page, event, weight, rule.per_item_cap);
  if (auto* record = std::get_if<EventRecord>(&taken)) {
    DUEL_RETURN_IF_ERROR(stage(std::move(*record), now_ms));
    return Reason();
  }
  if (auto* reason = std::get_if<std::string>(&taken)) return Reason(std::move(*reason));
  return Reason();
}

// An event on a page that is not open. It is kept, once, where it would have been taken before.
Result<std::optional<std::string>> OwnedExperiment::take_late_event(const PageEvent& event,
                                                                    std::int64_t now_ms) {
  using Reason = std::optional<std::string>;
  const Reason closed = "the duel was closed before";
  DUEL_ASSIGN(const DuelRecords records,
              duels_->records_of(event.duel_id, ledger().sequence() + 1));
  DUEL_RETURN_IF_ERROR(check_kept(ledger(), event.duel_id, records));
  if (!records.serve) {
    return is_fallback(event.duel_id) ? Reason("the page was a fallback, which compares nothing")
                                      : Reason("the experiment served no duel of this query_id");
  }
  if (std::get<ServeRecord>(records.serve->record).serving == Serving::exploit) {
    return Reason("the page showed one arm alone, which compares nothing");
  }
  if (!records.page) return Reason("the duel was closed before a page was drafted");
  std::size_t late = 0;
  for (const EventRecord& known : records.events) {
    if (known.event == event.identity) return known.late ? closed : Reason();
    late += known.late ? 1 : 0;
  }
  if (late >= kMostLateEvents) return closed;
  const ResultPage page =
      pages_.drafted(std::get<InterleavedRecord>(records.page->record), records.paged);
  ResultPages::Taken taken = ResultPages::take(page, event, 0, 0);
  if (auto* reason = std::get_if<std::string>(&taken)) return Reason(std::move(*reason));
  EventRecord record = std::get<EventRecord>(std::move(taken));
  record.place = 0;
  record.credit = 0;
  record.late = true;
  DUEL_RETURN_IF_ERROR(stage(std::move(record), now_ms));
  return closed;
}

}  // namespace duel
