
#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/core/json.h"
#include "duel/core/table.h"
#include "duel/wire/answers.h"

namespace duel::cli {
namespace {

struct NextArguments {
  ClientOptions client;
  std::string experiment_id;
  std::string duel_id;
  std::string subject;
  std::vector<std::string> exclude;
  std::string task;
  std::vector<std::string> slices;
  std::string context;
};

// What is asked for. The server says which slices, arms and tasks there are.
Result<Json> body_of(const NextArguments& arguments) {
  Json body;
  // The id is this program's, so that a request whose answer was lost gets the same duel again.
  body["duel_id"] = arguments.duel_id.empty() ? new_client_id() : arguments.duel_id;
  if (!arguments.subject.empty()) body["subject_id"] = arguments.subject;
  if (!arguments.exclude.empty()) body["exclude"] = Json(arguments.exclude);
  if (!arguments.task.empty()) body["task_id"] = arguments.task;
  for (const std::string& slice : arguments.slices) {
    const std::size_t sign = slice.find('=');
    if (sign == 0 || sign == std::string::npos) {
      return usage_error("--slice", Error::invalid_argument("is not NAME=VALUE", slice));
    }
    body["slices"][slice.substr(0, sign)] = slice.substr(sign + 1);
  }
  if (!arguments.context.empty()) {
    const auto context = Json::parse(arguments.context, {.numbers_as_written = true});
    if (!context || !context->is_object()) {
      return usage_error("--context", Error::invalid_argument("is no JSON object")
                                          .with_hint(R"({"red":[0.2,1],"blue":[0.5,0]})"));
    }
    body["context"] = *context;
  }
  return body;
}

Result<int> run_next(const NextArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const Json body, body_of(arguments));
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    DUEL_ASSIGN(
        const Json duel,
        client.ask(HttpMethod::post, experiment_target(arguments.experiment_id, "/duels"), body));
    if (arguments.client.json) return context.done(duel.dump_pretty());
    if (duel.at("serving").get<std::string>() == kDone) {
      context.print("{} has nothing left to say\n",
                    arguments.subject.empty() ? "this member" : arguments.subject);
      if (const Json* verdict = duel.find("verdict")) {
        context.print("{}\n", verdict->get<std::string>());
      }
      context.note(
          "a member of a panel is asked about each pair once, and only while the answer can "
          "matter; whoever has no seat in the panel is asked nothing");
      return kExitDone;
    }
    const std::string duel_id = duel.at("duel_id").get<std::string>();
    std::string text = fmt::format("duel {}\n", duel_id);
    if (const Json* task = duel.find("task")) {
      const Json* payload = task->find("payload");
      text += fmt::format("task {}{}\n", task->at("task_id").get<std::string>(),
                          payload != nullptr ? ": " + shown_text(*payload) : "");
    }
    Table table;
    table.column("place").column("arm", Align::left).column("payload", Align::left);
    for (const Json& arm : duel.at("arms").items()) {
      table.row(std::vector<std::string>{fmt::format("{}", arm.at("position").get<std::uint64_t>()),
                                         arm.at("arm_id").get<std::string>(),
                                         shown_text(arm, "payload")});
    }
    context.print(text + table.to_string());
    if (duel.at("arms").size() == 2) {
      const ClientOptions& client_options = arguments.client;
      std::string where;  // as it was given here
      if (client_options.server_option->on_command_line()) {
        where = " --server " + client_options.server;
      } else if (client_options.store_option->on_command_line()) {
        where = " --store " + client_options.store;
      }
      // The answer does not say the mode, and one more request could fail.
      context.note(
          "report the answer with 'duel report {} {} WINNER{}'; in the mode "
          "interleave clicks decide, and rankings and clicks are sent over HTTP",
          arguments.experiment_id, duel_id, where);
    } else {
      context.note(
          "this is not a duel but one arm to show ({}): the experiment is not running, "
          "or has nothing to ask",
          duel.at("serving").get<std::string>());
    }
    return kExitDone;
  });
}

}  // namespace

void add_next_command(Command& program) {
  Command& command = program.add_command(
      "next",
      "Asks an experiment for the next duel.\n"
      "Show the two arms in the order given, and report who won with 'duel report'.");
  NextArguments& arguments = command.runs(run_next);
  command.add_required("EXPERIMENT", not_empty(&arguments.experiment_id), "Its id.");
  command.add("--subject ID", not_empty(&arguments.subject),
              "User who will see it. Only a subject's first answer to a pair is evidence; only a "
              "keyed hash of the id is stored.");
  command.add("--id DUEL", not_empty(&arguments.duel_id),
              "Id of the duel (default: a new one). The same id again gives the same duel.");
  command.add("--exclude ARM_ID", not_empty(&arguments.exclude),
              "An arm that cannot be shown now. May be repeated.");
  command.add("--task ID", not_empty(&arguments.task), "The task that the duel is about.");
  command.add("--slice NAME=VALUE", not_empty(&arguments.slices),
              "The duel's value of a slice that the experiment declares, such as language=de. May "
              "be repeated.");
  command.add("--context JSON", not_empty(&arguments.context),
              "Features of every arm for who will see it, in place of its own: "
              R"({"red":[0.2,1],"blue":[0.5,0]}.)");
  add_json_client_options(command, arguments.client);
  command.footer =
      "Examples:\n  duel next logo --subject visitor-17\n  duel next answers --slice language=de";
}

}  // namespace duel::cli
