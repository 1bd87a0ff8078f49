#include "duel/ranking/click_credit/ubi_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/core/text_lines.h"
#include "duel/core/timestamp.h"

namespace duel {
namespace {

bool is_earlier(std::string_view one, std::string_view other) {
  const auto first = parse_written_time(one), second = parse_written_time(other);
  return first && second && first->form == second->form ? first->seconds < second->seconds
                                                        : one < other;
}

}  // namespace

Result<UbiLog> UbiLog::read(std::span<const std::string> files, const CreditRule& rule,
                            Ordinals ordinals, std::string_view team_field) {
  UbiLog log;
  log.clicks_.ordinals() = ordinals;
  const TextLimits by_line{.bytes = std::uint64_t{1} << 40};
  for (const std::string& file : files) {
    DUEL_ASSIGN(TextLines lines, TextLines::open(file, by_line));
    DUEL_RETURN_IF_ERROR(log.take_lines(lines, rule, team_field));
  }
  DUEL_RETURN_IF_ERROR(log.check_teams());
  return log;
}

Result<UbiLog> UbiLog::read_text(std::string name, std::string_view text, const CreditRule& rule,
                                 Ordinals ordinals, std::string_view team_field) {
  UbiLog log;
  log.clicks_.ordinals() = ordinals;
  TextLines lines = TextLines::of_text(std::move(name), text);
  DUEL_RETURN_IF_ERROR(log.take_lines(lines, rule, team_field));
  DUEL_RETURN_IF_ERROR(log.check_teams());
  return log;
}

Status UbiLog::take_lines(TextLines& lines, const CreditRule& rule, std::string_view team_field) {
  name_ = lines.name();
  team_field_ = team_field;
  UbiReader reader{std::string(team_field)};
  UbiDocument document;
  for (;;) {
    DUEL_ASSIGN(const auto line, lines.next());
    if (!line) return Done{};
    if (trimmed(*line).empty()) continue;
    const auto object = UbiReader::object_in(*line);
    if (!object) return Error::invalid_data("the line is not a JSON object", lines.here());
    DUEL_ASSIGN(const bool is_document, reader.read(*object, lines.here(), document));
    if (is_document) take(document, rule, lines.line_number());
  }
}

void UbiLog::take(const UbiDocument& document, const CreditRule& rule, std::uint64_t line) {
  ++documents_;
  if (document.is_query) {
    if (document.query_id.empty()) return note_unusable(unusable_, "without a query_id", "");
    Page& page = page_of(document, line);
    page.has_query = true;
    page.time = document.time;  // the query came before what it showed
    for (const std::string_view hit : document.hits) page.hits.push_back(objects_.number(hit));
    return;
  }
  const bool is_shown = document.action == "impression";
  if (!is_shown || rule.action(document.action)) clicks_.take(document, rule);
  if (is_shown && document.ordinal) clicks_.ordinals().note(*document.ordinal);
  if (document.query_id.empty()) return;
  // The team of a click is that of its item, where the impression did not say it.
  const bool tells_team = rule.action(document.action) && !document.team.empty();
  if (!is_shown && !tells_team) return;
  Page& page = page_of(document, line);
  if (document.object_id.empty()) return;
  if (!page.has_query && !document.time.empty() &&
      (page.time.empty() || is_earlier(document.time, page.time))) {
    page.time = document.time;
  }
  show(page, {.object = objects_.number(document.object_id),
              .team = team_number(document.team),
              .ordinal = document.ordinal.value_or(0),
              .has_ordinal = is_shown && document.ordinal.has_value(),
              .shown = is_shown});
}

UbiLog::Page& UbiLog::page_of(const UbiDocument& document, std::uint64_t line) {
  const std::uint32_t number = ids_.number(document.query_id);
  if (number == pages_.size()) {
    pages_.emplace_back();
    pages_.back().line = line;
  }
  Page& page = pages_[number];
  if (page.user == kNone && !document.user.empty()) page.user = texts_.number(document.user);
  if (page.query == kNone && !document.user_query.empty()) {
    page.query = texts_.number(document.user_query);
  }
  return page;
}

void UbiLog::show(Page& page, const Item& item) {
  items_.push_back(item);
  const auto number = static_cast<std::uint32_t>(items_.size() - 1);
  if (page.first == kNone) {
    page.first = number;
  } else {
    items_[page.last].next = number;
  }
  page.last = number;
}

std::uint32_t UbiLog::team_number(std::string_view team) {
  return team.empty() ? kNone : teams_.number(team);
}

Status UbiLog::check_teams() const {
  if (teams_.size() >= 2 || documents_ == 0) return Done{};
  const std::string hint =
      "`team_field` names the field that says which ranking an item comes from; without one, give "
      "the pages as impressions and the dump as clicks";
  if (teams_.size() == 1) {
    return Error::invalid_data(
        fmt::format("the field '{}' names one ranking only, '{}'", team_field_, teams_.text(0)),
        name_, hint);
  }
  return Error::invalid_data(
      fmt::format("no impression and no click has the field '{}'", team_field_), name_, hint);
}

Result<bool> UbiLog::next(LoggedImpression& impression) {
  while (next_ < pages_.size()) {
    const Page& page = pages_[next_++];
    impression.clear();
    impression.id = ids_.text(static_cast<std::uint32_t>(next_ - 1));
    if (page.first == kNone && page.hits.empty()) {
      ++without_page_;
      continue;
    }
    const std::string why = fill(page, impression);
    if (why.empty()) return true;
    note_unusable(unusable_, why, impression.id);
  }
  return false;
}

// Why the page cannot be used, or an empty text.
std::string UbiLog::fill(const Page& page, LoggedImpression& impression) {
  if (page.user != kNone) impression.user = texts_.text(page.user);
  if (page.query != kNone) impression.query = texts_.text(page.query);
  impression.time = page.time;

  // An item that was seen twice is one item, at the position that was met first. A click only adds
  // the ranking of an item that was shown.
  on_page_.clear();
  bool seen = false, team_clash = false;
  for (const bool shown : {true, false}) {
    for (std::uint32_t k = page.first; k != kNone; k = items_[k].next) {
      const Item& item = items_[k];
      if (item.shown != shown) continue;
      seen = seen || shown;
      const auto known = std::ranges::find(on_page_, item.object, &Item::object);
      if (known == on_page_.end()) {
        if (shown || std::ranges::find(page.hits, item.object) != page.hits.end()) {
          on_page_.push_back(item);
        }
        continue;
      }
      if (known->team == kNone) known->team = item.team;
      team_clash = team_clash || (item.team != kNone && known->team != item.team);
      if (!known->has_ordinal && item.has_ordinal) {
        known->has_ordinal = true;
        known->ordinal = item.ordinal;
      }
    }
  }
  // Events of impressions say where an item was; hits are a page only where there are none.
  const std::uint64_t base = clicks_.ordinals().base();
  for (std::size_t k = 0; k < page.hits.size(); ++k) {
    auto known = std::ranges::find(on_page_, page.hits[k], &Item::object);
    if (known == on_page_.end()) {
      known = on_page_.insert(on_page_.end(), Item{.object = page.hits[k]});
    }
    if (seen || known->has_ordinal) continue;
    known->has_ordinal = true;
    known->ordinal = k + base;
  }
  if (team_clash) return "with one item of two rankings";
  if (!seen && page.hits.empty()) return "with clicks, of which nothing says what was shown";

  std::uint32_t pair[2] = {kNone, kNone};
  for (const Item& item : on_page_) {
    if (item.team == kNone || item.team == pair[0] || item.team == pair[1]) continue;
    if (pair[1] != kNone) return "with more than two rankings";
    pair[pair[0] == kNone ? 0 : 1] = item.team;
  }
  if (pair[1] == kNone) {
    // One ranking may have every item of a short page: the other is known where there are but two.
    if (teams_.size() > 2) {
      return pair[0] == kNone ? "without the name of a ranking" : "with items of one ranking only";
    }
    if (pair[0] == kNone && seen) return "without the name of a ranking";
    pair[0] = 0;
    pair[1] = 1;
  }
  if (pair[0] > pair[1]) std::swap(pair[0], pair[1]);
  impression.names[0] = teams_.text(pair[0]);
  impression.names[1] = teams_.text(pair[1]);
  impression.teams_of_clicks = !seen;
  for (const Item& item : on_page_) {
    impression.items.push_back({objects_.text(item.object),
                                item.has_ordinal ? clicks_.ordinals().from_one(item.ordinal) : 0,
                                item.team == kNone     ? Team::none
                                : item.team == pair[0] ? Team::first
                                                       : Team::second});
  }
  return {};
}

}  // namespace duel
