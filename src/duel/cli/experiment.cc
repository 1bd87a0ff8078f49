#include <fmt/ranges.h>

#include <filesystem>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/cli/goal_options.h"
#include "duel/cli/space_file.h"
#include "duel/core/described_json.h"
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/table.h"
#include "duel/core/whole_file.h"
#include "duel/judging/arm_list.h"
#include "duel/judging/interview_request.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostBytesOfConfig = std::size_t{16} << 20;

// --- new ----------------------------------------------------------------------------------------

struct NewArguments {
  ClientOptions client;
  std::string experiment_id;
  std::vector<std::string> arms;
  std::string arms_file;
  std::string space;
  std::string title;
  std::string mode;
  std::string policy;
  GoalOptions goal;
  double alpha = 0;  // not given
  std::uint64_t max_duels = 0;
  std::string about;
  std::string panel;
  bool early = false;
  std::string question;
  std::string instructions;
  std::string config;
  bool start = false;
  const Option* max_duels_option = nullptr;
};

Result<Json> json_file(const std::string& file) {
  const std::string path = file == "-" ? "/dev/stdin" : file;
  DUEL_ASSIGN(const std::string text, read_whole_file(path, kMostBytesOfConfig));
  auto json = Json::parse(text, {.numbers_as_written = true});
  if (!json) return Error::invalid_data("is not JSON", file);
  return std::move(*json);
}

// The arms as the server takes them. A bare name is its own content and needs no payload.
Result<Json> arms_of(const NewArguments& arguments) {
  std::vector<std::string> items = arguments.arms;
  std::string list = arguments.arms_file;
  // One file alone cannot be one of several arms: it lists them.
  std::error_code unknown;
  if (list.empty() && items.size() == 1 && std::filesystem::is_regular_file(items[0], unknown)) {
    list = std::exchange(items, {})[0];
  }
  DUEL_ASSIGN(const std::vector<ListedArm> listed, in_field("arms", list_arms(items, list)));
  Json arms = Json::array();
  for (const ListedArm& arm : listed) {
    Json one;
    one["arm_id"] = arm.shown.arm_id;
    if (!arm.shown.payload) {
      return Error::invalid_argument("is not text, or too long to be stored", arm.reference,
                                     "store a reference that judges can read: a URL or a path")
          .in_field("arms");
    }
    if (!arm.sha256.empty()) one["payload"] = *arm.shown.payload;
    if (!arm.features.empty()) one["features"] = described_json(arm.features);
    arms.push_back(std::move(one));
  }
  return arms;
}

// What the options say goes over what the file says.
Result<Json> body_of(const NewArguments& arguments) {
  Json body = Json::object();
  if (!arguments.config.empty()) {
    auto config = json_file(arguments.config);
    if (!config.ok()) return usage_error("--config", config.error());
    if (!config->is_object()) {
      return usage_error("--config",
                         Error::invalid_argument("is no JSON object", arguments.config));
    }
    body = std::move(*config);
  }
  if (!arguments.arms.empty() || !arguments.arms_file.empty()) {
    DUEL_ASSIGN(body["arms"], arms_of(arguments));
  }
  if (!arguments.space.empty()) {
    auto space = read_space_file(arguments.space);
    if (!space.ok()) return usage_error("--space", space.error());
    body["space"] = std::move(*space);
  }
  if (!body.contains("arms") && !body.contains("space")) {
    return Error::invalid_argument("no arms are given")
        .with_hint("write --arms a,b,c, --space FILE, or --config FILE")
        .in_field("arms");
  }
  if (!arguments.title.empty()) body["name"] = arguments.title;
  if (!arguments.mode.empty()) body["mode"] = arguments.mode;
  if (!arguments.policy.empty()) body["policy"] = arguments.policy;
  const GoalOptions& goal = arguments.goal;
  if (first_given(goal.options) != nullptr) {
    DUEL_RETURN_IF_ERROR(goal.parse());
    body["goal"] = goal.kind;
    if (goal.top > 0) body["top"] = goal.top;
    if (goal.epsilon > 0) body["epsilon"] = goal.epsilon;
    if (goal.assume != "none") body["assume"] = goal.assume;
  }
  if (!arguments.about.empty()) body["about"] = arguments.about;
  if (!arguments.panel.empty()) {
    // The server makes subjects of the names.
    Json names = Json::array();
    DUEL_ASSIGN(const PanelRule panel,
                panel_of(arguments.panel, arguments.early, [&](const std::string& name) {
                  names.push_back(name);
                  return name;
                }));
    if (panel.size > 0) body["panel"]["size"] = panel.size;
    if (names.size() > 0) body["panel"]["members"] = names;
  }
  if (arguments.early) body["panel"]["early"] = true;
  if (!arguments.question.empty()) body["voting"]["question"] = arguments.question;
  if (!arguments.instructions.empty()) body["voting"]["instructions"] = arguments.instructions;
  if (arguments.alpha > 0) body["stopping"]["alpha"] = arguments.alpha;
  if (arguments.max_duels_option->given()) body["stopping"]["max_duels"] = arguments.max_duels;
  return body;
}

Result<int> run_new(const NewArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const Json body, body_of(arguments));
  return with_client(arguments.client, StoreUse::created, [&](ApiClient& client) -> Result<int> {
    const std::string target = experiment_target(arguments.experiment_id);
    DUEL_ASSIGN(Json shown, client.ask(HttpMethod::put, target, body));
    if (arguments.start) {
      DUEL_ASSIGN(shown, client.ask(HttpMethod::post, target + "/start"));
    }
    if (arguments.client.json) return context.done(shown.dump_pretty());
    const std::string state = shown_text(shown, "state");
    context.print("{} is {}\n", arguments.experiment_id, state);
    if (state == "draft") {
      context.note("'duel experiment start {}' starts it", arguments.experiment_id);
    }
    return kExitDone;
  });
}

void add_new_command(Command& above) {
  Command& command = above.add_command(
      "new",
      "Creates an experiment.\nIt is a draft until you start it. Repeating the command changes "
      "nothing; a different experiment with the same id is refused.");
  NewArguments& arguments = command.runs(run_new);
  command.add_required("ID EXPERIMENT", not_empty(&arguments.experiment_id),
                       "Letters, digits and . _ : -, at most 100.");
  command.add("--arms ARMS", not_empty(&arguments.arms),
              "What to compare: names (a,b,c), files or globs in quotes; or one file with one arm "
              "per line. The content of a file becomes the arm's payload. May be repeated.");
  command.add(
      "--arms-file FILE", not_empty(&arguments.arms_file),
      R"(A file with one arm per line: a name, a file's path, or {"arm_id":"b","payload":..}.)");
  command.add("--space FILE", not_empty(&arguments.space),
              "In place of arms: the space whose points are compared, as 'duel tune' takes it.");
  command.add("--title TEXT", not_empty(&arguments.title), "Title shown to people.");
  command.add(
      "--mode MODE", one_of(&arguments.mode, {"duel", "interleave"}),
      "duel (default): two arms side by side; interleave: pages of search results and clicks.");
  command.add("--policy POLICY", not_empty(&arguments.policy),
              "Policy that chooses the pairs (default auto). See 'duel policies'.");
  add_goal_options(command, arguments.goal);
  command.add("--alpha NUMBER", error_level(&arguments.alpha),
              "Largest probability that the certificate is wrong (default 0.05).");
  arguments.max_duels_option =
      &command.add("--max-duels N", count(&arguments.max_duels, 0, 1'000'000'000),
                   "Largest number of duels to serve; 0 (default) means no limit.");
  command.add(
      "--about WHAT",
      one_of(&arguments.about,
             {"people-like-these", "tasks-like-these", "these-tasks", "these-people"}),
      "What the certificate is about: people like those who answer (default), or "
      "these-people, a panel; with tasks in --config, tasks like these (default) or these.");
  command.add("--panel WHO", not_empty(&arguments.panel),
              "With --about these-people: how many people the panel has, or their names "
              "(ann,bob,cem). Without it the panel is who has answered when you close it.");
  command.add("--early", &arguments.early,
              "With at least 25 names: allow a verdict before counting is certain, at --alpha.");
  command.add("--question TEXT", not_empty(&arguments.question),
              "What voters are asked, in place of 'Which one is better?'.");
  command.add("--instructions TEXT", not_empty(&arguments.instructions),
              "Shown to voters with each pair.");
  command.add("--config FILE", not_empty(&arguments.config),
              "The whole configuration as JSON, as PUT /v1/experiments/ID takes it; - for standard "
              "input. Options override it.");
  command.add("--start", &arguments.start, "Start it immediately.");
  add_json_client_options(command, arguments.client);
  command.footer =
      "Examples:\n"
      "  duel experiment new logo --arms red,blue,green --start\n"
      "  duel experiment new mascot --arms fox,owl,bear --about these-people --panel 8 --start\n"
      "  duel experiment new prompts --arms 'prompts/*.txt' --alpha 0.01 --server "
      "http://127.0.0.1:7557\n"
      "  duel experiment new fusion --space space.toml --start\n"
      "  duel experiment new hybrid --mode interleave --config hybrid.json --start";
}

// --- list and show ------------------------------------------------------------------------------

// What the commands take that look at an experiment or change it; each declares what it uses.
struct ExperimentArguments {
  ClientOptions client;
  std::string experiment_id;
  std::string verb;
  std::string arm_id;
  std::string payload;
  std::string payload_file;
  std::vector<std::string> members;
};

Result<int> run_list(const ExperimentArguments& arguments, CommandContext& context) {
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    Json items = Json::array();
    for (std::string query;;) {
      DUEL_ASSIGN(const Json page, client.get("/v1/experiments" + query));
      for (const Json& item : page.at("items").items()) items.push_back(item);
      const Json* cursor = page.find("next_cursor");
      if (cursor == nullptr || !cursor->is_string()) break;
      query = "?cursor=" + percent_encoded(cursor->get<std::string>());
    }
    if (arguments.client.json) return context.done(items.dump_pretty());
    Table table("experiment,state,mode", Align::left);
    table.column("arms").column("duels");
    table.column("certified", Align::left).column("name", Align::left);
    for (const Json& item : items.items()) {
      const Json* error = item.find("error");
      const Json* certified = item.find("certified");
      table.row(std::vector<std::string>{
          shown_text(item, "experiment_id"),
          error != nullptr ? "damaged" : shown_text(item, "state"), shown_text(item, "mode"),
          shown_text(item, "arms"), shown_text(item, "served"),
          certified != nullptr && certified->get<bool>() ? "yes" : "no", shown_text(item, "name")});
      if (error != nullptr) {
        context.warn("{}: {}", shown_text(item, "experiment_id"), shown_text(item, "error"));
      }
    }
    if (table.num_rows() == 0) {
      context.note("there are no experiments");
    } else {
      context.print(table.to_string());
    }
    return kExitDone;
  });
}

// A payload in a column of a table.
std::string short_payload(const Json& arm) {
  constexpr std::size_t kColumns = 50;
  const Json* payload = arm.find("payload");
  if (payload == nullptr || payload->is_null()) return "";
  const std::string text = payload->is_string() ? payload->get<std::string>() : payload->dump();
  return shortened(printable_line(text.substr(0, text.find('\n'))), kColumns);
}

std::string arms_table(const Json& experiment) {
  Table table("arm,state,payload", Align::left);
  for (const Json& arm : experiment.at("arms").items()) {
    const Json* const chosen = arm.find("default");
    const bool is_default = chosen != nullptr && chosen->get<bool>();
    table.row(std::vector<std::string>{
        shown_text(arm, "arm_id"),
        shown_text(arm, "state") + std::string(is_default ? ", default" : ""), short_payload(arm)});
  }
  return table.to_string();
}

std::string experiment_text(const std::string& id, const Json& shown) {
  const Json& stopping = shown.at("stopping");
  const Json& feedback = shown.at("feedback");
  std::string text =
      stdout_paint().bold(fmt::format("{} is {}", id, shown_text(shown, "state"))) + "\n\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<12}{}\n", name, value);
  };
  line("name", shown_text(shown, "name"));
  line("mode", shown_text(shown, "mode"));
  line("policy", shown_text(shown, "policy"));
  line("goal",
       fmt::format("{}, alpha {}", shown_text(shown, "goal"), shown_text(stopping, "alpha")));
  const auto most = stopping.at("max_duels").get<std::uint64_t>();
  line("duels", fmt::format("{} served, {} pending{}", shown_text(shown, "served"),
                            shown_text(shown, "pending"),
                            most > 0 ? fmt::format(", at most {}", most) : ""));
  line("timeout", fmt::format("{} s, then {}", shown_text(feedback, "timeout_s"),
                              shown_text(feedback, "on_timeout")));
  line("order", shown_text(shown.at("presentation"), "order"));
  line("record", fmt::format("{}, {}", shown_text(shown, "sequence"), shown_text(shown, "head")));
  const Json* const space = shown.find("space");
  if (space == nullptr || !space->is_object()) return text + "\n" + arms_table(shown);
  for (const auto& [name, dimension] : space->members()) {
    line("space", fmt::format("{}: {} to {}", name, dimension.at("low").get<double>(),
                              dimension.at("high").get<double>()));
  }
  return text;
}

Result<int> run_show(const ExperimentArguments& arguments, CommandContext& context) {
  return print_answer(
      arguments.client, HttpMethod::get, experiment_target(arguments.experiment_id), {},
      [&](const Json& shown) { return experiment_text(arguments.experiment_id, shown); }, context);
}

Result<int> run_state(const ExperimentArguments& arguments, CommandContext& context) {
  const std::string& id = arguments.experiment_id;
  return print_answer(
      arguments.client, HttpMethod::post, experiment_target(id, "/" + arguments.verb), {},
      [&](const Json& shown) { return fmt::format("{} is {}\n", id, shown_text(shown, "state")); },
      context);
}

// --- Arms ---------------------------------------------------------------------------------------

std::string arm_target(const ExperimentArguments& arguments) {
  return experiment_target(arguments.experiment_id, "/arms/" + percent_encoded(arguments.arm_id));
}

Result<int> run_arms_list(const ExperimentArguments& arguments, CommandContext& context) {
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    DUEL_ASSIGN(const Json shown, client.get(experiment_target(arguments.experiment_id)));
    return context.done(arguments.client.json ? shown.at("arms").dump_pretty() : arms_table(shown));
  });
}

// --- Panels -------------------------------------------------------------------------------------

Result<int> run_panel_close(const ExperimentArguments& arguments, CommandContext& context) {
  const std::string& id = arguments.experiment_id;
  return print_answer(
      arguments.client, HttpMethod::post, experiment_target(id, "/panel/close"), {},
      [&](const Json& shown) {
        return fmt::format("the panel of {} has {} members\n", id,
                           shown_text(shown.at("panel"), "size"));
      },
      context);
}

Result<int> run_panel_absent(const ExperimentArguments& arguments, CommandContext& context) {
  Json names = Json::array();
  for (const std::string& name : arguments.members) names.push_back(name);
  return print_answer(
      arguments.client, HttpMethod::post,
      experiment_target(arguments.experiment_id, "/panel/absent"), {{"subjects", names}},
      [&](const Json&) {
        return fmt::format("{} will not come\n", fmt::join(arguments.members, ", "));
      },
      context);
}

Result<int> run_arms_add(const ExperimentArguments& arguments, CommandContext& context) {
  Json body = Json::object();
  if (!arguments.payload.empty() && !arguments.payload_file.empty()) {
    return Error::invalid_argument("excludes --payload", "--payload-file");
  }
  std::string payload = arguments.payload;
  if (!arguments.payload_file.empty()) {
    auto text = read_whole_file(arguments.payload_file, kMostBytesOfConfig);
    if (!text.ok()) return usage_error("--payload-file", text.error());
    payload = *std::move(text);
  }
  if (!arguments.payload.empty() || !arguments.payload_file.empty()) {
    // What is not JSON is a text: most payloads are.
    const auto json = Json::parse(payload, {.numbers_as_written = true});
    body["payload"] = json ? *json : Json(payload);
  }
  return print_answer(
      arguments.client, HttpMethod::put, arm_target(arguments), body,
      [&](const Json&) { return fmt::format("{} takes part\n", arguments.arm_id); }, context);
}

Result<int> run_arms_retire(const ExperimentArguments& arguments, CommandContext& context) {
  return print_answer(
      arguments.client, HttpMethod::del, arm_target(arguments), {},
      [&](const Json&) { return fmt::format("{} is retired\n", arguments.arm_id); }, context);
}

// --- Declarations -------------------------------------------------------------------------------

// A command about one experiment: its id, what `more` declares, and where to ask.
void add_command_about_one(
    Command& above, const std::string& name, const std::string& about, const std::string& example,
    Result<int> (*run)(const ExperimentArguments&, CommandContext&),
    const std::function<void(Command&, ExperimentArguments&)>& more = [](auto&, auto&) {}) {
  Command& command = above.add_command(name, about);
  ExperimentArguments& arguments = command.runs(run);
  command.add_required("ID EXPERIMENT", not_empty(&arguments.experiment_id), "The experiment.");
  more(command, arguments);
  add_json_client_options(command, arguments.client);
  command.footer = "Example:\n  duel experiment " + example;
}

void add_state_command(Command& above, const std::string& verb, const std::string& about) {
  add_command_about_one(above, verb, about, verb + " logo", run_state,
                        [&](Command&, ExperimentArguments& arguments) { arguments.verb = verb; });
}

void add_panel_command(Command& above) {
  Command& panel = above.add_command(
      "panel",
      "Closes a panel, or says who of it will not come.\nA panel is asked when an experiment is "
      "about these-people.");
  panel.needs_command = true;
  panel.footer = "Example:\n  duel experiment panel close mascot";
  add_command_about_one(panel, "close",
                        "Ends a panel: it is those who have answered by now.\nNobody joins any "
                        "more, and the verdict speaks of them. It cannot be undone.",
                        "panel close mascot", run_panel_close);
  add_command_about_one(panel, "absent",
                        "Says that members of an early panel will not come.\nWhat they have not "
                        "answered counts against both arms of a pair. It cannot be undone.",
                        "panel absent mascot ann bob", run_panel_absent,
                        [](Command& command, ExperimentArguments& arguments) {
                          command.add_required("NAME MEMBER", not_empty(&arguments.members),
                                               "Names as on the panel's list.");
                        });
}

void add_arms_command(Command& above) {
  Command& arms = above.add_command(
      "arms",
      "Lists, adds and retires the arms of an experiment.\nArms can be added and retired after the "
      "start only if the configuration says \"stopping\": {\"arms\": \"open\"}. An arm never "
      "changes, and its id is never used again.");
  arms.needs_command = true;
  arms.footer = "Example:\n  duel experiment arms list logo";
  add_command_about_one(arms, "list", "Lists the arms.", "arms list logo", run_arms_list);
  add_command_about_one(
      arms, "add", "Adds an arm.", "arms add logo violet --payload '{\"file\":\"violet.svg\"}'",
      run_arms_add, [](Command& add, ExperimentArguments& arguments) {
        add.add_required("ARM_ID", not_empty(&arguments.arm_id), "The new arm.");
        add.add("--payload JSON", not_empty(&arguments.payload),
                "Payload that is returned with its duels; text that is not JSON becomes a JSON "
                "string.");
        add.add("--payload-file FILE", not_empty(&arguments.payload_file), "The same from a file.");
      });
  add_command_about_one(arms, "retire",
                        "Retires an arm: it is not served again, and nothing is erased.",
                        "arms retire logo green", run_arms_retire,
                        [](Command& retire, ExperimentArguments& arguments) {
                          retire.add_required("ARM_ID", not_empty(&arguments.arm_id), "The arm.");
                        });
}

}  // namespace

void add_experiment_command(Command& program) {
  Command& experiment = program.add_command(
      "experiment",
      "Creates, lists and changes experiments, in the store on this machine or on a server.\nExit "
      "codes: 0 done, 1 refused or failed, 2 wrong usage, 75 server unreachable.");
  experiment.needs_command = true;
  experiment.footer =
      "Examples:\n"
      "  duel experiment new logo --arms red,blue,green --start\n"
      "  duel experiment list --server http://127.0.0.1:7557";

  add_new_command(experiment);

  Command& list = experiment.add_command("list", "Lists all experiments.");
  add_json_client_options(list, list.runs(run_list).client);
  list.footer = "Example:\n  duel experiment list";
  add_command_about_one(experiment, "show", "Shows configuration, state and arms.", "show logo",
                        run_show);
  add_state_command(experiment, "start", "Starts a draft.");
  add_state_command(
      experiment, "pause",
      "Pauses a running experiment: callers get the default arm, and nothing counts.");
  add_state_command(experiment, "resume", "Resumes a paused experiment.");
  add_state_command(experiment, "complete", "Completes an experiment, for good.");
  add_state_command(experiment, "archive", "Archives a completed experiment.");
  add_arms_command(experiment);
  add_panel_command(experiment);
}

}  // namespace duel::cli
