#include "duel/cli/interview_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "duel/cli/help.h"
#include "duel/cli/interview_report.h"
#include "duel/core/call_spec.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/experiment/certificate_file.h"
#include "duel/policies/registry.h"
#include "duel/study/round_robin.h"

namespace duel::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLogEnding = ".duel.jsonl";

// The policy a user gets who does not choose.
constexpr const char* kDefaultPolicy = "auto";

// Files of one folder are named after it.
std::string name_for(const std::vector<ListedArm>& arms) {
  std::string folder;
  for (const ListedArm& arm : arms) {
    const std::string parent = fs::path(arm.shown.path).parent_path().filename().string();
    if (parent.empty() || parent == "." || parent == ".." ||
        (!folder.empty() && folder != parent)) {
      return "duel";
    }
    folder = parent;
  }
  return id_from_name(folder);
}

// Two spellings of one policy are one policy, and the log says what was really used.
Result<std::string> canonical_policy(const std::string& text, std::size_t num_arms, Goal goal,
                                     double alpha) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  DUEL_ASSIGN(const auto policy, configure_policy(call, {.num_arms = num_arms,
                                                         .rounds = 0,
                                                         .aim = Aim::certificate,
                                                         .goal = goal,
                                                         .alpha = alpha}));
  return policy->canonical();
}

template <class T>
Result<T> of_option(const std::string& option, Result<T> result) {
  if (!result.ok()) return usage_error(option, result.error());
  return result;
}

}  // namespace

void add_interview_options(CLI::App* command, CommandContext& context, InterviewOptions& options,
                           const std::vector<std::string>& orders) {
  add_list_option(command, "--arms", options.arms,
                  "What to compare: files, globs in quotes ('prompts/*.txt') or names (a,b,c); may "
                  "be repeated. A file of that very name wins over a glob.")
      ->type_name("ARMS")
      ->check(is_not_empty);
  command->add_option("ARM", options.more_arms, "More arms, as --arms.")->type_name("ARM");
  command
      ->add_option("--arms-file", options.arms_file,
                   "A file with an arm a line: a file's path, a name, or "
                   R"({"arm_id":"b","payload":..}.)")
      ->type_name("FILE")
      ->check(is_not_empty);
  command
      ->add_option("--tasks", options.tasks,
                   "JSON Lines: each duel is about one task; a pair meets a task again only when "
                   "it has met all.")
      ->type_name("FILE")
      ->check(is_not_empty);
  context.configurable(
      command
          ->add_option("--policy", options.policy,
                       "Who chooses the pairs (default auto). See 'duel policies'.")
          ->type_name("POLICY")
          ->check(is_not_empty));
  command
      ->add_option("--goal", options.goal,
                   "What a winner is: condorcet (default; beats every other arm), copeland (beats "
                   "the most arms) or borda (highest mean rate).")
      ->type_name("GOAL")
      ->check(CLI::IsMember({"condorcet", "copeland", "borda"}));
  command
      ->add_option("--order", options.order,
                   orders.size() == 3
                       ? "Who is shown first: random (default), both (each duel is judged in both "
                         "orders; a flip is a tie), or fixed."
                       : "Who is shown first: random (default) or fixed.")
      ->type_name("ORDER")
      ->check(CLI::IsMember(orders));
  context.configurable(
      command
          ->add_option_function<std::string>(
              "--alpha",
              [&options](const std::string& text) {
                const auto value = parse_number(text);
                if (!value.ok() || *value <= 0 || *value >= 1) {
                  throw CLI::ValidationError(
                      "--alpha", fmt::format("'{}' is out of range (allowed: > 0 and < 1)", text));
                }
                options.alpha = *value;
              },
              "Chance that the certificate is wrong, at most (default 0.05).")
          ->type_name("NUMBER"));
  context.configurable(add_count_option(
      command, "--max-duels", options.max_duels, 1, 1'000'000'000,
      "Stop undecided after so many duels, those of earlier runs included (default 10000)."));
  context.configurable(add_count_option(command, "--seed", options.seed, 0, ~std::uint64_t{0},
                                        "Seed of all randomness (default 0)."));
  command
      ->add_option("--name", options.name,
                   "The experiment's id (default: the folder of the files, or 'duel').")
      ->type_name("ID")
      ->check(is_not_empty);
  command
      ->add_option("--log", options.log,
                   "Where every duel is recorded (default NAME.duel.jsonl). Where it exists, the "
                   "experiment goes on.")
      ->type_name("FILE")
      ->check(is_not_empty);
  command
      ->add_option("--certificate", options.certificate,
                   "Where the certificate goes (default: beside the log).")
      ->type_name("FILE")
      ->check(is_not_empty);
  command->add_flag("--json", options.json, "Print JSON.");
}

Result<Interview> open_interview(const InterviewOptions& options, const CommandContext& context) {
  InterviewPlan plan;
  std::vector<std::string> items = options.arms;
  items.insert(items.end(), options.more_arms.begin(), options.more_arms.end());
  DUEL_ASSIGN(plan.arms, list_arms(items, options.arms_file));
  if (!options.tasks.empty()) {
    DUEL_ASSIGN(plan.tasks, TaskList::read(options.tasks));
  }
  ExperimentRecord& experiment = plan.experiment;
  experiment.experiment_id = options.name.empty() ? name_for(plan.arms) : options.name;
  if (const Status status = check_id("an experiment", experiment.experiment_id); !status.ok()) {
    return usage_error("--name", status.error());
  }
  DUEL_ASSIGN(experiment.goal, parse_goal(options.goal));
  DUEL_ASSIGN(experiment.policy,
              of_option("--policy",
                        canonical_policy(options.policy.empty() ? kDefaultPolicy : options.policy,
                                         plan.arms.size(), experiment.goal, options.alpha)));
  DUEL_ASSIGN(experiment.order, parse_placement(options.order));
  experiment.stopping.alpha = options.alpha;
  experiment.stopping.arms_fixed = true;
  experiment.seed = options.seed;
  // Not part of the experiment: who wants to go on gives more.
  plan.max_duels = options.max_duels;
  plan.log = options.log.empty() ? experiment.experiment_id + kLogEnding : options.log;
  DUEL_ASSIGN(Interview interview, Interview::open(std::move(plan)));
  const std::string target = certificate_file(options, interview);
  if (target == interview.log_file()) {
    return Error::invalid_argument("the log and the certificate are the same file", "--certificate",
                                   "give another name");
  }
  DUEL_RETURN_IF_ERROR(check_output(target));
  if (interview.cut_bytes() > 0) {
    context.note(
        fmt::format("{}: the last line was cut off and never counted; removed its {} bytes",
                    interview.log_file(), interview.cut_bytes()));
  }
  if (interview.resumed()) {
    context.note(fmt::format(
        "going on with {}: {} duels so far{}", interview.log_file(), interview.ledger().served(),
        interview.asked_again() == 0
            ? ""
            : fmt::format(", {} of them without an answer yet", interview.asked_again())));
  }
  return interview;
}

std::string certificate_file(const InterviewOptions& options, const Interview& interview) {
  if (!options.certificate.empty()) return options.certificate;
  std::string base = interview.log_file();
  for (const std::string_view ending : {std::string_view(kLogEnding), std::string_view(".jsonl")}) {
    if (base.ends_with(ending) && base.size() > ending.size()) {
      base.resize(base.size() - ending.size());
      break;
    }
  }
  return base + ".certificate.json";
}

Result<int> report_ending(Ending ending, const InterviewOptions& options,
                          const Interview& interview, CommandContext& context, const Json& extra) {
  InterviewReport report(interview, ending);
  if (ending == Ending::certified) {
    DUEL_ASSIGN(const std::string text, certificate_of_log(interview.log_file()));
    report.certificate = certificate_file(options, interview);
    DUEL_RETURN_IF_ERROR(context.write_output(report.certificate, text));
    report.round_robin = round_robin_cost(interview.ledger());
  }
  if (options.json) {
    context.print(report.to_json(extra).dump_pretty());
  } else {
    context.print(report.to_text(Paint(wants_color(STDOUT_FILENO))));
  }
  return ending == Ending::certified ? kExitDone : kExitUndecided;
}

std::string same_command(const CLI::App* command) {
  std::string text = command_path(command);
  std::string positional;
  for (const CLI::Option* option : command->get_options()) {
    if (option->count() == 0 || option->get_name() == "--help") continue;
    const std::string name =
        option->get_lnames().empty() ? std::string() : "--" + option->get_lnames().front();
    if (option->get_expected_max() == 0) {
      text += " " + name;
      continue;
    }
    for (const std::string& value : option->results()) {
      if (name.empty()) {
        positional += " " + shell_word(value);
      } else {
        text += fmt::format(" {} {}", name, shell_word(value));
      }
    }
  }
  return text + positional;
}

}  // namespace duel::cli
