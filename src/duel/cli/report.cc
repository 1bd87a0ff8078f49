#include <algorithm>
#include <array>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"

namespace duel::cli {
namespace {

struct ReportArguments {
  ClientOptions client;
  std::string experiment_id;
  std::string duel_id;
  std::string answer;
  std::string voter;
  std::string reason;
  double cost = 0;
  std::uint64_t tokens = 0;
};

// Not the id of an arm, which has no `=`.
constexpr std::string_view kScore = "score=";

constexpr std::array<std::string_view, 5> kResults = {"tie", "both_bad", "skip", "invalid",
                                                      "close"};

// What became of the report, for people.
std::string described(const std::string& status) {
  if (status == "applied") return "counted";
  if (status == "duplicate") return "already known; it counts once";
  if (status == "late") return "too late: kept, but not counted";
  if (status == "expired") return "expired: kept, but not counted";
  return "ignored: this duel does not count";
}

// The arm that stood at a place of the duel.
Result<std::string> arm_at(ApiClient& client, const ReportArguments& arguments, std::size_t place) {
  DUEL_ASSIGN(const Json duel,
              client.get(experiment_target(arguments.experiment_id,
                                           "/duels/" + percent_encoded(arguments.duel_id))));
  const auto arms = duel.at("arms").items();
  if (place >= arms.size()) {
    return Error::invalid_argument("one arm was shown", arguments.duel_id, "name it");
  }
  return arms[place].at("arm_id").get<std::string>();
}

Result<Json> body_of(ApiClient& client, const ReportArguments& arguments) {
  const std::string& answer = arguments.answer;
  Json body;
  if (std::ranges::find(kResults, answer) != kResults.end()) {
    body["result"] = answer;
  } else if (answer.starts_with(kScore)) {
    const auto score = parse_number(answer.substr(kScore.size()));
    if (!score.ok()) return usage_error("ANSWER", score.error());
    body["score"] = *score;
  } else {
    std::string winner = answer;
    if (answer == "first" || answer == "second") {
      DUEL_ASSIGN(winner, arm_at(client, arguments, answer == "first" ? 0 : 1));
    }
    body["result"] = "win";
    body["winner"] = winner;
  }
  if (!arguments.reason.empty()) body["reason"] = arguments.reason;
  if (arguments.cost > 0) body["cost"] = arguments.cost;
  if (arguments.tokens > 0) body["tokens"] = arguments.tokens;
  if (!arguments.voter.empty()) body["source"] = {{"type", "human"}, {"id", arguments.voter}};
  return body;
}

Result<int> run_report(const ReportArguments& arguments, CommandContext& context) {
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    DUEL_ASSIGN(const Json body, body_of(client, arguments));
    auto told = client.ask(
        HttpMethod::put,
        experiment_target(arguments.experiment_id,
                          fmt::format("/duels/{}/outcome", percent_encoded(arguments.duel_id))),
        body);
    if (!told.ok()) {
      Error error = told.error();
      for (const char* of_answer : {"/winner", "/result", "/score"}) {
        if (error.where == of_answer) error.where = "ANSWER";
      }
      return error;
    }
    return context.done(arguments.client.json
                            ? told->dump_pretty()
                            : fmt::format("{}: {}\n", arguments.duel_id,
                                          described(told->at("status").get<std::string>())));
  });
}

}  // namespace

void add_report_command(Command& program) {
  Command& command = program.add_command(
      "report",
      "Reports the outcome of a duel.\nThe outcome is on disk when the command ends. Reporting the "
      "same answer again has no effect; a different answer is refused.");
  ReportArguments& arguments = command.runs(run_report);
  command.add_required("EXPERIMENT", not_empty(&arguments.experiment_id), "Its id.");
  command.add_required("DUEL", not_empty(&arguments.duel_id), "The duel, as 'duel next' gave it.");
  command.add_required(
      "ANSWER", not_empty(&arguments.answer),
      "The winner's id, or first or second for the place it was shown at; tie, "
      "both_bad, skip or invalid; score=0.8 says how much better the first is, from 0 to "
      "1; close for a page of search results.");
  command.add("--voter ID", not_empty(&arguments.voter), "Who answered, for the log.");
  command.add("--reason TEXT", not_empty(&arguments.reason),
              "Why it was judged so, kept and shown with the duel.");
  command.add("--cost NUMBER",
              number(
                  &arguments.cost, [](double cost) { return cost >= 0 && cost <= 1e15; }, ">= 0"),
              "What the answer cost, in a currency of yours.");
  command.add("--tokens N", count(&arguments.tokens, 0, 1'000'000'000'000),
              "How many tokens a language model took for it.");
  add_json_client_options(command, arguments.client);
  command.footer =
      "Examples:\n  duel report logo c0196a red\n  duel report logo c0196b tie --voter ann\n"
      "  duel report logo c0196c score=0.8 --reason 'it is easier to read' --cost 0.002";
}

}  // namespace duel::cli
