#include "duel/ranking/click_credit/solr_response.h"

// A conversion that could throw does not compile then: bad input is an error, never an exception.
#define SIMDJSON_EXCEPTIONS 0

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace duel {

namespace dom = simdjson::dom;

namespace {

std::optional<dom::element> member(const dom::element& object, std::string_view name) {
  dom::element value;
  if (object.at_key(name).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

// The names after `model=` in {!ltr model=A model='B C' reRankDocs=100}.
std::vector<std::string_view> models_of(std::string_view query) {
  constexpr std::string_view kModel = "model=";
  std::vector<std::string_view> models;
  for (std::size_t at = 0; (at = query.find(kModel, at)) != std::string_view::npos;) {
    const bool is_word = at > 0 && (query[at - 1] == ' ' || query[at - 1] == '!');
    at += kModel.size();
    if (!is_word || at >= query.size()) continue;
    const char quote = query[at] == '\'' || query[at] == '"' ? query[at] : '\0';
    const std::size_t begin = at + (quote != '\0' ? 1 : 0);
    const std::size_t end =
        quote != '\0' ? query.find(quote, begin) : query.find_first_of(" }", begin);
    models.push_back(query.substr(begin, end == std::string_view::npos ? end : end - begin));
    at = begin;
  }
  return models;
}

}  // namespace

struct SolrResponses::State {
  // A text, or a number as a text.
  std::string_view text_of(const dom::element& value) {
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS) return text;
    std::int64_t number = 0;
    if (value.get_int64().get(number) == simdjson::SUCCESS) {
      return kept.emplace_back(std::to_string(number));
    }
    dom::array array;  // a parameter that was given several times: the last one
    dom::element last;
    if (value.get_array().get(array) == simdjson::SUCCESS && array.size() > 0 &&
        array.at(array.size() - 1).get(last) == simdjson::SUCCESS) {
      return text_of(last);
    }
    return {};
  }
  std::string_view text_at(const std::optional<dom::element>& object, std::string_view name) {
    if (!object || !object->is_object()) return {};
    const auto value = member(*object, name);
    return value ? text_of(*value) : std::string_view();
  }

  dom::parser parser;
  std::deque<std::string> kept;  // texts that views of the impression are into
};

SolrResponses::SolrResponses() : state_(std::make_unique<State>()) {}
SolrResponses::~SolrResponses() = default;

bool SolrResponses::looks_like(std::string_view text) {
  return text.find("\"responseHeader\"") != std::string_view::npos ||
         text.find("\"[interleaving]\"") != std::string_view::npos;
}

Result<std::string> SolrResponses::read(std::string_view text, const std::string& where,
                                        LoggedImpression& impression) {
  State& state = *state_;
  state.kept.clear();
  ++responses_;
  const auto bad = [&](std::string message) {
    return Error::invalid_data(std::move(message), where, "a response of Solr as JSON");
  };
  dom::element root;
  if (state.parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS ||
      !root.is_object()) {
    return bad("the response is not a JSON object");
  }
  const auto header = member(root, "responseHeader");
  const auto params = header && header->is_object() ? member(*header, "params") : std::nullopt;
  const auto response = member(root, "response");
  const auto docs =
      response && response->is_object() ? member(*response, "docs") : std::optional<dom::element>();
  dom::array array;
  if (!docs || docs->get_array().get(array) != simdjson::SUCCESS) {
    return bad("there is no list 'response.docs'");
  }

  // The first that is there.
  const auto first_of = [](auto... texts) {
    std::string_view found;
    for (const std::string_view one : {std::string_view(texts)...})
      found = found.empty() ? one : found;
    return found;
  };
  impression.id =
      first_of(state.text_at(member(root, "ubi"), "query_id"), state.text_at(root, "query_id"),
               state.text_at(params, "query_id"), state.text_at(params, "rid"));
  if (impression.id.empty()) {
    ++numbered_;
    impression.id = state.kept.emplace_back(std::to_string(responses_));
  }
  for (const char* name : {"user_id", "client_id", "session_id"}) {
    impression.user =
        first_of(impression.user, state.text_at(root, name), state.text_at(params, name));
  }
  impression.query = first_of(state.text_at(root, "user_query"), state.text_at(params, "q"));
  impression.time = first_of(state.text_at(root, "timestamp"), state.text_at(params, "NOW"));

  std::int64_t start = 0;
  if (const auto given = member(*response, "start")) {
    if (given->get_int64().get(start) != simdjson::SUCCESS || start < 0) {
      return bad("the field 'response.start' is not a whole number");
    }
  }
  std::vector<std::string_view> teams;  // of the documents, in order
  auto models = models_of(state.text_at(params, "rq"));
  const bool stated = models.size() == 2 && models[0] != models[1];
  if (!stated) models.clear();
  for (const dom::element doc : array) {
    const std::string_view id = doc.is_object() ? state.text_at(doc, "id") : std::string_view();
    if (id.empty()) return bad("a document has no field 'id'");
    const std::string_view team = state.text_at(doc, "[interleaving]");
    teams.push_back(team);
    impression.items.push_back(
        {id, static_cast<std::uint64_t>(start) + impression.items.size() + 1, Team::none});
    if (team.empty() || std::ranges::find(models, team) != models.end()) continue;
    if (stated) {
      return bad(fmt::format("the model '{}' of '{}' is not one of the two in 'rq'", team, id));
    }
    models.push_back(team);
  }
  if (models.size() != 2) {
    return std::string(models.empty() ? "without the field [interleaving] in any document"
                       : models.size() > 2
                           ? "with more than two models"
                           : "with one model only and no parameter rq that names both");
  }
  impression.names[0] = models[0];
  impression.names[1] = models[1];
  for (std::size_t k = 0; k < teams.size(); ++k) {
    impression.items[k].team = teams[k].empty()        ? Team::none
                               : teams[k] == models[0] ? Team::first
                                                       : Team::second;
  }
  return std::string();
}

}  // namespace duel
