#include "duel/mcp/experiment_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duel/http/http.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

// The arguments without those that are not part of the body.
Json body_of(const Json& arguments, const std::vector<std::string_view>& but) {
  Json body = Json::object();
  for (const auto& [name, value] : arguments.members()) {
    if (std::find(but.begin(), but.end(), name) == but.end()) body.add(name, value);
  }
  return body;
}

// An id stands in the path of the request.
Result<std::string> id_of(const Json& arguments, std::string_view name) {
  const Json& id = arguments.at(name);
  if (id.is_string()) return id.get<std::string>();
  return Error::invalid_argument(fmt::format("'{}' is not a string", name));
}

Result<bool> flag_of(const Json& arguments, std::string_view name, bool otherwise) {
  const Json* flag = arguments.find(name);
  if (flag == nullptr || flag->is_null()) return otherwise;
  if (flag->is_boolean()) return flag->get<bool>();
  return Error::invalid_argument(fmt::format("'{}' is not true or false", name));
}

Json experiment_id_schema() {
  return described_schema("string", "the experiment; letters, digits and . _ : -, at most 100");
}

// A report token is for callers without a key; an agent would only carry it around.
Json without_token(const Json& duel) {
  Json shown = body_of(duel, {"report_token"});
  if (const Json* next = duel.find("next")) shown["next"] = body_of(*next, {"report_token"});
  return shown;
}

// A refusal is told in the words of the API, whose names are those of the arguments.
Result<Json> asked(ApiClient& client, HttpMethod method, const std::string& target,
                   const Json& body = Json()) {
  const bool empty = body.is_null();
  DUEL_ASSIGN(const HttpResponse response,
              client.send(method, target, empty ? "" : body.dump(), empty ? "" : "application/json",
                          Repeat::safe));
  const auto problem = response.status < 400 ? std::nullopt : Json::parse(response.body);
  const Json* detail = problem ? problem->find("detail") : nullptr;
  // Without a good token the command line knows what to do.
  if (response.status == 401 || detail == nullptr || !detail->is_string()) {
    return client.content_of(response);
  }
  return Error::invalid_argument(detail->get<std::string>());
}

Result<Json> create_experiment(ApiClient& client, const ToolCall& call) {
  DUEL_ASSIGN(const std::string id, id_of(call.arguments, "experiment_id"));
  DUEL_ASSIGN(const bool start, flag_of(call.arguments, "start", true));
  const std::string target = experiment_target(id);
  DUEL_ASSIGN(Json shown, asked(client, HttpMethod::put, target,
                                body_of(call.arguments, {"experiment_id", "start"})));
  // A repeat finds it started, and perhaps paused by somebody since.
  if (!start || shown.at("state") != Json("draft")) return shown;
  return asked(client, HttpMethod::post, target + "/start");
}

Result<Json> list_experiments(ApiClient& client, const ToolCall& call) {
  const Json* cursor = call.arguments.find("cursor");
  if (cursor == nullptr || cursor->is_null())
    return asked(client, HttpMethod::get, "/v1/experiments");
  DUEL_ASSIGN(const std::string after, id_of(call.arguments, "cursor"));
  return asked(client, HttpMethod::get, "/v1/experiments?cursor=" + percent_encoded(after));
}

Result<Json> next_pair(ApiClient& client, const ToolCall& call) {
  DUEL_ASSIGN(const std::string id, id_of(call.arguments, "experiment_id"));
  Json body = body_of(call.arguments, {"experiment_id"});
  // The id is ours, so that a request whose answer was lost on the way gets the same duel again.
  if (!body.contains("duel_id")) body["duel_id"] = new_client_id();
  DUEL_ASSIGN(const Json duel,
              asked(client, HttpMethod::post, experiment_target(id, "/duels"), body));
  return without_token(duel);
}

Result<Json> report(ApiClient& client, const ToolCall& call) {
  DUEL_ASSIGN(const std::string id, id_of(call.arguments, "experiment_id"));
  DUEL_ASSIGN(const std::string duel, id_of(call.arguments, "duel_id"));
  DUEL_ASSIGN(const bool next, flag_of(call.arguments, "next", false));
  Json body = body_of(call.arguments, {"experiment_id", "duel_id", "next"});
  if (body.contains("winner") && !body.contains("result")) body["result"] = "win";
  if (!body.contains("source") && !call.client.empty()) {
    body["source"]["type"] = "program";
    body["source"]["id"] = call.client.substr(0, 200);
  }
  DUEL_ASSIGN(const Json told,
              asked(client, HttpMethod::put,
                    experiment_target(id, fmt::format("/duels/{}/outcome{}", percent_encoded(duel),
                                                      next ? "?next=1" : "")),
                    body));
  return without_token(told);
}

Result<Json> shown(ApiClient& client, const ToolCall& call, std::string_view what) {
  DUEL_ASSIGN(const std::string id, id_of(call.arguments, "experiment_id"));
  return asked(client, HttpMethod::get, experiment_target(id, what));
}

}  // namespace

std::vector<McpTool> experiment_tools(const OpenClient& open) {
  using Ask = Result<Json> (*)(ApiClient&, const ToolCall&);
  const auto asking = [&open](Ask ask, bool may_create = false) {
    return [open, ask, may_create](const ToolCall& call) -> Result<Json> {
      DUEL_ASSIGN(const std::unique_ptr<ApiClient> client, open(may_create));
      return ask(*client, call);
    };
  };
  const auto of_experiment = [](Json schema) {
    return with_argument(schema, "experiment_id", experiment_id_schema(), true);
  };
  Json nothing = Json::object();
  nothing["type"] = "object";
  nothing["properties"] = Json::object();
  nothing["additionalProperties"] = false;

  std::vector<McpTool> tools;
  tools.push_back(
      {.name = "create_experiment",
       .title = "Create an experiment",
       .description =
           "Creates an experiment that finds the best of two or more arms (prompts, models, "
           "designs, rankers, anything that can be compared two at a time), and starts it. "
           "Repeating the call changes nothing; a different experiment under the same id is "
           "refused. Put what a judge has to see of an arm into its payload.",
       .schema = with_argument(of_experiment(schema_of_arguments<ExperimentBody>()), "start",
                               described_schema("boolean", "false: leave it a draft"), false),
       .call = asking(&create_experiment, true)});
  tools.push_back(
      {.name = "list_experiments",
       .title = "List experiments",
       .description = "Lists the experiments with their states and last verdicts.",
       .schema = with_argument(nothing, "cursor",
                               described_schema("string", "next_cursor of the page before"), false),
       .only_reads = true,
       .call = asking(&list_experiments)});
  tools.push_back(
      {.name = "next_pair",
       .title = "Next pair",
       .description =
           "Gives the next pair to compare. Look at both arms in the order given, decide which is "
           "better, and call report with the same duel_id. If 'arms' has one entry or none, there "
           "is nothing to compare: the experiment is not running, or its verdict has come. Every "
           "pair is an independent question: do not let the result so far sway the answer.",
       .schema = of_experiment(schema_of_arguments<DuelBody>(
           {"duel_id", "subject_id", "exclude", "task_id", "slices", "context"})),
       .call = asking(&next_pair)});
  Json report_schema =
      schema_of_arguments<OutcomeBody>({"result", "winner", "score", "judgements", "source",
                                        "response_ms", "note", "reason", "cost", "tokens"});
  report_schema = with_argument(
      report_schema, "next",
      described_schema("boolean", "true: answer with the next pair, as 'next'"), false);
  report_schema = with_argument(report_schema, "duel_id",
                                described_schema("string", "as next_pair gave it"), true);
  tools.push_back(
      {.name = "report",
       .title = "Report an outcome",
       .description =
           "Reports which arm of a pair was better: 'winner' is its arm_id. Without a winner say "
           "'result': tie, both_bad, skip (no answer) or invalid. In place of both 'score' says "
           "how much better the first arm is, from 0 to 1. Say why in 'reason'. The outcome is on "
           "disk when the call returns. Reporting the same again counts once; a different answer "
           "is refused. If a person answered, say so in 'source': {\"type\": \"human\", "
           "\"id\": \"ann\"}; otherwise the source is this client.",
       .schema = of_experiment(std::move(report_schema)),
       .call = asking(&report)});
  tools.push_back(
      {.name = "result",
       .title = "Result",
       .description =
           "The verdict in a sentence, the leader, all pairs with intervals, about how many duels "
           "are still needed, what would overturn the verdict, and whether the answers can be "
           "trusted (health). You may look as often as you like: a certificate holds whenever you "
           "look.",
       .schema = of_experiment(nothing),
       .only_reads = true,
       .call = asking([](ApiClient& client, const ToolCall& call) {
         return shown(client, call, "/result");
       })});
  tools.push_back(
      {.name = "certificate",
       .title = "Certificate",
       .description =
           "The certificate that an arm beats every other, once there is one: what it says, at "
           "what error level, what it assumes, and the evidence, as 'duel verify' checks it.",
       .schema = of_experiment(nothing),
       .only_reads = true,
       .call = asking([](ApiClient& client, const ToolCall& call) {
         return shown(client, call, "/certificate");
       })});
  return tools;
}

}  // namespace duel
