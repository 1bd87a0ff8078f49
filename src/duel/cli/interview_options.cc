#include "duel/cli/interview_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "duel/cli/interview_report.h"
#include "duel/core/call_spec.h"
#include "duel/core/json.h"
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

void add_interview_options(Command& command, InterviewOptions& options,
                           const std::vector<std::string>& orders) {
  command.add("--arms ARMS", not_empty(&options.arms),
              "What to compare: files, globs in quotes ('prompts/*.txt') or names (a,b,c); may be "
              "repeated. A file of that very name wins over a glob.");
  command.add("ARM", &options.more_arms, "More arms, as --arms.");
  command.add(
      "--arms-file FILE", not_empty(&options.arms_file),
      R"(A file with an arm a line: a file's path, a name, or {"arm_id":"b","payload":..}.)");
  command.add("--tasks FILE", not_empty(&options.tasks),
              "JSON Lines: each duel is about one task; a pair meets a task again only when it has "
              "met all.");
  command.add_configurable("--policy POLICY", not_empty(&options.policy),
                           "Who chooses the pairs (default auto). See 'duel policies'.");
  command.add("--goal GOAL", one_of(&options.goal, {"condorcet", "copeland", "borda"}),
              "What a winner is: condorcet (default; beats every other arm), copeland (beats the "
              "most arms) or borda (highest mean rate).");
  command.add(
      "--order ORDER", one_of(&options.order, orders),
      orders.size() == 3
          ? "Who is shown first: random (default), both (each duel is judged in both orders; "
            "a flip is a tie), or fixed."
          : "Who is shown first: random (default) or fixed.");
  command.add_configurable(
      "--alpha NUMBER",
      number(
          &options.alpha, [](double alpha) { return alpha > 0 && alpha < 1; }, "> 0 and < 1"),
      "Chance that the certificate is wrong, at most (default 0.05).");
  command.add_configurable(
      "--max-duels N", count(&options.max_duels, 1, 1'000'000'000),
      "Stop undecided after so many duels, those of earlier runs included (default 10000).");
  command.add_seed(&options.seed);
  command.add("--name ID", not_empty(&options.name),
              "The experiment's id (default: the folder of the files, or 'duel').");
  command.add("--log FILE", not_empty(&options.log),
              "Where every duel is recorded (default NAME.duel.jsonl). Where it exists, the "
              "experiment goes on.");
  command.add("--certificate FILE", not_empty(&options.certificate),
              "Where the certificate goes (default: beside the log).");
  command.add("--json", &options.json, "Print JSON.");
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

std::string same_command(const Command& command) {
  std::string text = command.path();
  std::string positional;
  for (const Option& option : command.options) {
    if (!option.given()) continue;
    if (!option.takes_value()) text += " " + option.name();
    for (const std::string& value : option.texts) {
      if (option.is_argument()) {
        positional += " " + shell_word(value);
      } else if (option.takes_value()) {
        text += fmt::format(" {} {}", option.name(), shell_word(value));
      }
    }
  }
  return text + positional;
}

}  // namespace duel::cli
