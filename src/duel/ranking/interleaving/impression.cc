#include "duel/ranking/interleaving/impression.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/spelling.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel {
namespace {

std::vector<Impression::Item> items_of(const std::vector<Document>& documents,
                                       const NumberedLists& numbered) {
  std::vector<Impression::Item> items;
  for (const Document document : documents) {
    items.push_back(
        {.object_id = std::string(numbered.ids[document]), .ordinal = items.size() + 1});
  }
  return items;
}

Result<std::vector<Position>> clicked_positions(const std::vector<Impression::Item>& items,
                                                const DocumentIds& clicks) {
  DocumentIds shown;
  for (const Impression::Item& item : items) shown.push_back(item.object_id);
  std::vector<Position> positions;
  for (const std::string& id : clicks) {
    const auto at = std::find(shown.begin(), shown.end(), id);
    if (at == shown.end()) return not_shown(id, shown).in_field("clicks");
    positions.push_back(static_cast<Position>(at - shown.begin()));
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

Impression::Answer answer_of(const DocumentIds& clicks, const Credit& credit) {
  return {clicks, {credit.first, credit.second}, {{0, 1, credit.value, credit.outcome}}};
}

Status check_rankings(const std::vector<std::string>& names) {
  if (names.size() < 2) {
    return Error::invalid_argument(names.empty() ? "there is no ranking to merge"
                                                 : "one ranking is not enough to merge")
        .with_hint("give two or more")
        .in_field("rankings");
  }
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) == name) continue;
    return Error::invalid_argument(fmt::format("'{}' is given twice", *name))
        .with_hint("for an A/A comparison give a copy under another name")
        .in_field("rankings");
  }
  return Done{};
}

// `win` with the winner's name, as in the outcomes of an experiment.
Json outcome_json(const Impression::Preference& preference, const std::vector<std::string>& names) {
  const bool first_wins = preference.outcome == ClickOutcome::first_wins;
  if (first_wins || preference.outcome == ClickOutcome::second_wins) {
    const std::size_t winner = first_wins ? preference.first : preference.second;
    return {{"result", "win"}, {"winner", names[winner]}};
  }
  Json json;
  json["result"] = to_string(preference.outcome);
  return json;
}

Json answer_json(const Impression& impression) {
  const Impression::Answer& answer = *impression.answer;
  const std::vector<std::string>& names = impression.spec.rankings;
  if (!impression.multileaved) {
    Json json = outcome_json(answer.preferences[0], names);
    json["credit"] = answer.credit;
    json["value"] = answer.preferences[0].value;
    json["clicks"] = answer.clicks;
    return json;
  }
  Json json;
  json["clicks"] = answer.clicks;
  json["credit"] = answer.credit;
  json["preferences"] = Json::array();
  for (const Impression::Preference& preference : answer.preferences) {
    Json pair{{"first", names[preference.first]},
              {"second", names[preference.second]},
              {"value", preference.value}};
    pair.update(outcome_json(preference, names));
    json["preferences"].push_back(std::move(pair));
  }
  return json;
}

Result<Impression> drafted(const ImpressionSpec& spec, const std::vector<DocumentIds>& lists,
                           const std::optional<DocumentIds>& clicks) {
  const auto page_of = [&](std::uint64_t offset, std::uint64_t length) {
    return draft_page(spec.seed, spec.id, lists[0], lists[1], offset, length);
  };
  const DraftedPage page = page_of(spec.offset, spec.length);
  Impression impression{.spec = spec};
  impression.page = {spec.offset, page.next_offset, competitive_coverage(page.items)};
  for (const DraftedItem& item : page.items) {
    impression.items.push_back({.object_id = item.object_id,
                                .ordinal = item.ordinal,
                                .team = {},
                                .competitive = item.competitive()});
    if (item.competitive()) {
      impression.items.back().team = spec.rankings[item.team == Team::first ? 0 : 1];
    }
  }
  if (clicks) {
    // Clicks may be on this page and on those before.
    const DraftedPage all = page_of(0, spec.offset + spec.length);
    DUEL_ASSIGN(const Credit credit, in_field("clicks", draft_credit(all.items, *clicks)));
    impression.answer = answer_of(*clicks, credit);
  }
  return impression;
}

Result<Impression> interleaved(const ImpressionSpec& spec, const Interleaver& method,
                               const std::vector<DocumentIds>& lists,
                               const std::optional<DocumentIds>& clicks) {
  const NumberedLists numbered(lists);
  RoundRng rng = impression_rng(spec.seed, spec.id);
  Interleaving shown;
  method.interleave(numbered.lists[0], numbered.lists[1], spec.length, rng, shown);
  Impression impression{.spec = spec, .items = items_of(shown.documents, numbered)};
  for (std::size_t k = 0; k < shown.size(); ++k) {
    Impression::Item& item = impression.items[k];
    item.ranks = {shown.first_ranks[k], shown.second_ranks[k]};
    if (shown.teams[k] != Team::none) {
      item.team = spec.rankings[shown.teams[k] == Team::first ? 0 : 1];
    }
    if (!shown.first_credit.empty()) item.credit = {shown.first_credit[k], shown.second_credit[k]};
  }
  if (clicks) {
    DUEL_ASSIGN(const auto positions, clicked_positions(impression.items, *clicks));
    impression.answer = answer_of(*clicks, method.credit(shown, positions));
  }
  return impression;
}

Result<Impression> multileaved(const ImpressionSpec& spec, const Multileaver& method,
                               const std::vector<DocumentIds>& lists,
                               const std::optional<DocumentIds>& clicks) {
  const NumberedLists numbered(lists);
  RoundRng rng = impression_rng(spec.seed, spec.id);
  Multileaving shown;
  method.multileave(numbered.rankings(), spec.length, rng, shown);
  Impression impression{
      .spec = spec, .multileaved = true, .items = items_of(shown.documents, numbered)};
  for (std::size_t k = 0; k < shown.size(); ++k) {
    Impression::Item& item = impression.items[k];
    const auto ranks = shown.ranks_at(k);
    item.ranks.assign(ranks.begin(), ranks.end());
    if (shown.teams[k] != Multileaving::kNoTeam) item.team = spec.rankings[shown.teams[k]];
    if (!shown.credits.empty()) {
      const auto credits = shown.credits_at(k);
      item.credit.assign(credits.begin(), credits.end());
    }
  }
  if (clicks) {
    DUEL_ASSIGN(const auto positions, clicked_positions(impression.items, *clicks));
    MultileaveCredit credit;
    method.credit(shown, positions, credit);
    Impression::Answer& answer = impression.answer.emplace(
        Impression::Answer{.clicks = *clicks, .credit = credit.credits, .preferences = {}});
    for (std::size_t i = 0; i < credit.num_rankers; ++i) {
      for (std::size_t j = i + 1; j < credit.num_rankers; ++j) {
        answer.preferences.push_back({i, j, credit.value(i, j), credit.outcome(i, j)});
      }
    }
  }
  return impression;
}

}  // namespace

bool Impression::has_teams() const {
  return std::any_of(items.begin(), items.end(),
                     [](const Item& item) { return item.team.has_value(); });
}

Json Impression::to_json() const {
  Json json;
  json["method"] = spec.method;
  json["query_id"] = spec.id;
  json["seed"] = spec.seed;
  json["rankings"] = spec.rankings;
  json["items"] = Json::array();
  const bool teams = page || has_teams();
  for (const Item& item : items) {
    Json entry{{"object_id", item.object_id}, {"ordinal", item.ordinal}};
    if (!item.ranks.empty()) entry["ranks"] = item.ranks;
    if (teams) entry["team"] = item.team;
    if (item.competitive) entry["competitive"] = *item.competitive;
    if (!item.credit.empty()) entry["credit"] = item.credit;
    json["items"].push_back(std::move(entry));
  }
  if (page) {
    json["offset"] = page->offset;
    json["next_offset"] = page->next_offset;
    json["competitive_coverage"] = page->competitive_coverage;
  }
  if (answer) json["outcome"] = answer_json(*this);
  return json;
}

Result<ImpressionPlan> ImpressionPlan::create(ImpressionSpec spec) {
  DUEL_RETURN_IF_ERROR(ImpressionSpec::kLength.check("length", spec.length));
  DUEL_RETURN_IF_ERROR(ImpressionSpec::kOffset.check("offset", spec.offset));
  DUEL_ASSIGN(const CallSpec call, in_field("method", parse_call(spec.method)));
  ImpressionPlan plan;
  if (multileaver_catalogue().knows(call.name)) {
    DUEL_ASSIGN(plan.multileaver_, in_field("method", configure_multileaver(call)));
  } else {
    DUEL_ASSIGN(plan.interleaver_, in_field("method", configure_interleaver(call)));
    // Its options are those of the published method, which has no pages.
    plan.drafts_ = call.name == "team-draft" && call.arguments.empty();
  }
  DUEL_RETURN_IF_ERROR(check_rankings(spec.rankings));
  if (plan.interleaver_ && spec.rankings.size() > 2) {
    return Error::invalid_argument(
               fmt::format("the method {} merges two rankings, and there are {}", spec.method,
                           spec.rankings.size()))
        .with_hint(spelling_hint(call.name + "-multileave", multileaver_catalogue().names()))
        .in_field("method");
  }
  if (spec.offset > 0 && !plan.drafts_) {
    return Error::invalid_argument(
               fmt::format("this is for team-draft only, not for {}", spec.method))
        .with_hint("team-draft without options has pages; nothing else does")
        .in_field("offset");
  }
  if (spec.id.empty()) {
    return Error::invalid_argument("the id of the impression is missing")
        .with_hint("the same id gives the same list again")
        .in_field("id");
  }
  spec.method = plan.interleaver_ ? plan.interleaver_->canonical() : plan.multileaver_->canonical();
  plan.spec_ = std::move(spec);
  return plan;
}

Result<Impression> ImpressionPlan::show(const std::vector<DocumentIds>& lists,
                                        const std::optional<DocumentIds>& clicks) const {
  DUEL_CHECK(lists.size() == spec_.rankings.size());
  if (drafts_) return drafted(spec_, lists, clicks);
  return interleaver_ ? interleaved(spec_, *interleaver_, lists, clicks)
                      : multileaved(spec_, *multileaver_, lists, clicks);
}

}  // namespace duel
