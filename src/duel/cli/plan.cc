#include "duel/study/plan.h"

#include <algorithm>

#include "duel/cli/commands.h"
#include "duel/cli/gnuplot.h"
#include "duel/cli/goal_options.h"
#include "duel/cli/progress.h"
#include "duel/cli/result_table.h"
#include "duel/core/described_json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/jobs/ranks.h"
#include "duel/pictures/plan_picture.h"
#include "duel/study/gate_plan.h"

namespace duel::cli {
namespace {

struct PlanArguments {
  PlanQuestion question;
  std::uint64_t arms = 0;
  double gap = 0;
  bool json = false;
  std::string output;
  const Option* arms_option = nullptr;
  const Option* gap_option = nullptr;
  bool gate = false;
  GateRule rule;
  const Option* max_duels = nullptr;
};

// Of a gate, which has no policy and no more than two arms.
Result<int> run_gate_plan(const PlanArguments& arguments, const Command& command,
                          CommandContext& context) {
  static const std::vector<std::string> known = {"gate",     "margin",    "alpha", "trials",
                                                 "tie-rate", "max-duels", "seed",  "json",
                                                 "threads",  "quiet"};
  for (const Option& option : command.options) {
    if (!option.given() || std::ranges::find(known, option.key()) != known.end()) continue;
    return usage_error(option.name(), Error::unsupported("a gate has nothing of it")
                                          .with_hint("leave it out, or leave out --gate"));
  }
  const PlanQuestion& question = arguments.question;
  GatePlanSpec spec{.rule = arguments.rule,
                    .tie_rate = question.tie_rate,
                    .trials = static_cast<std::uint32_t>(question.trials),
                    .seed = question.seed};
  spec.rule.alpha = question.alpha;
  if (arguments.max_duels->given()) spec.max_duels = question.max_duels;
  DUEL_ASSIGN(const GatePlan plan, plan_of_gate(spec));
  if (arguments.json) {
    context.print(described_json(plan).dump_pretty());
    return kExitDone;
  }
  Table table;
  table.column("the candidate", Align::left).column("p10").column("p50").column("p90");
  table.column("passes").column("fails").column("undecided");
  const auto add = [&](const std::string& what, const GateForecast& found) {
    const auto answers = [&](std::uint64_t count) {
      return capped_duels(static_cast<double>(count), spec.max_duels);
    };
    table.row({what, answers(found.p10), answers(found.p50), answers(found.p90),
               share_text(found.passed, spec.trials), share_text(found.failed, spec.trials),
               share_text(found.undecided, spec.trials)});
  };
  add("makes no difference", plan.no_difference);
  add("is worse by the margin", plan.at_the_margin);
  context.print("A gate with margin {}, error level {}, {} % ties: answers in {}\n\n{}\n",
                format_number(spec.rule.margin), format_number(spec.rule.alpha),
                format_number(100 * spec.tie_rate), counted(spec.trials, "simulated gate"),
                table.to_string());
  return kExitDone;
}

std::string plan_text(const PlanResults& results, bool priced, const Paint& paint) {
  const auto duels = [&](double value) { return capped_duels(value, results.max_duels); };
  std::string text = fmt::format(
      "{}: {}, {}error level {}, {} of at most {}\n\n", paint.bold(results.truth),
      counted(results.num_arms, "arm"),
      results.goal == Goal::condorcet ? "" : "goal " + describe(results.goal) + ", ", results.alpha,
      counted(results.trials, "simulated experiment"), counted(results.max_duels, "duel"));
  Table table;
  table.column("policy", Align::left).column("p10").column("p50").column("p90").column("p99");
  // A Condorcet winner is the one goal that may be certified not to exist.
  const bool may_have_none = results.goal == Goal::condorcet;
  table.column(may_have_none ? "winner" : "certified");
  if (may_have_none) table.column("no winner");
  table.column("undecided").column("wrong").column("regret");
  if (priced) table.column("cost p50").column("cost p90");
  for (const PlanEntry& entry : results.entries) {
    std::vector<std::string> row{entry.policy,     duels(entry.p10),
                                 duels(entry.p50), duels(entry.p90),
                                 duels(entry.p99), share_text(entry.winners, results.trials)};
    if (may_have_none) row.push_back(share_text(entry.no_winners, results.trials));
    row.push_back(share_text(entry.undecided, results.trials));
    row.push_back(fmt::format("{} (rate <= {:.3g})", entry.wrong, entry.wrong_limit));
    row.push_back(fmt::format("{:.0f}", entry.regret));
    if (entry.cost) {
      row.push_back(fmt::format("{:.2f}", entry.cost->p50));
      row.push_back(fmt::format("{:.2f}", entry.cost->p90));
    }
    table.row(row);
  }
  text += table.to_string() + "\n";
  if (results.reference) {
    text += fmt::format(
        "{:.0f} duels: the least that any rule of this level needs on average, the {} known.\n",
        *results.reference, results.goal.is_order() ? "answer" : "winner");
  }
  if (results.fixed_size) {
    text += fmt::format(
        "{:.0f} duels: tests of a fixed size, the {} known, one look at the end, power 0.8.\n",
        *results.fixed_size, results.goal.is_order() ? "answer" : "winner");
  }
  if (results.without_winner > 0) {
    const std::string none = !results.goal.is_order() ? "no arm beats every other"
                             : results.goal.kind == Goal::set
                                 ? fmt::format("there is no such set of {}", results.goal.top)
                                 : std::string("there is no such order");
    text +=
        fmt::format("In {} of the {} truths {}.\n", results.without_winner, results.trials, none);
  }
  return text;
}

// What audits save, against people who answer everything.
std::string audits_text(const PlanResults& results, const PlanResults& alone,
                        const PlanSpec& spec) {
  const auto duels = [&](double value) { return capped_duels(value, results.max_duels); };
  std::string text;
  for (std::size_t k = 0; k < results.entries.size(); ++k) {
    const PlanDuels& people = *results.entries[k].people;
    text += fmt::format(
        "{}: {} answers of people (p10 {}, p90 {}), auditing {} of the duels of a judge that "
        "agrees with them in {:.0f} %; people alone: {} (p10 {}, p90 {}).\n",
        results.entries[k].policy, duels(people.p50), duels(people.p10), duels(people.p90),
        format_number(spec.audits), 100 * spec.judge_agreement, duels(alone.entries[k].p50),
        duels(alone.entries[k].p10), duels(alone.entries[k].p90));
  }
  return text;
}

void warn_of_undecided(const PlanResults& results, CommandContext& context) {
  for (const auto& [entry, decider] : wasteful_designs(results)) {
    context.warn(
        "{} leaves {} undecided at {} duels, {} leaves {}: it spends duels on pairs that the "
        "certificate does not need",
        entry->policy, share_text(entry->undecided, results.trials), results.max_duels,
        decider->policy, share_text(decider->undecided, results.trials));
  }
}

Result<int> run_plan(const PlanArguments& arguments, const Command& command,
                     CommandContext& context) {
  if (arguments.gate) return run_gate_plan(arguments, command, context);
  for (const Option& option : command.options) {
    if (!option.given() || option.names != "--margin") continue;
    return usage_error("--margin",
                       Error::invalid_argument("is for a plan of a gate").with_hint("add --gate"));
  }
  PlanQuestion question = arguments.question;
  if (arguments.arms_option->given()) question.arms = arguments.arms;
  if (arguments.gap_option->given()) question.gap = arguments.gap;
  DUEL_ASSIGN(PlanSpec spec, plan_spec(question));
  const bool audited = spec.judge_agreement > 0;
  if (audited) spec.round_robin = false;
  if (!arguments.output.empty()) {
    DUEL_RETURN_IF_ERROR(plot_format_of(arguments.output));
    if (is_first_rank()) DUEL_RETURN_IF_ERROR(check_output(arguments.output));
  }
  const InterruptGuard guard;
  std::unique_ptr<Progress> progress;
  PlanHooks hooks;
  hooks.stop = &guard.stop();
  hooks.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!progress) progress = std::make_unique<Progress>("experiments", total, context.quiet);
    progress->update(done, spec.truth.name);
  };
  const auto ran = run_plan(spec, hooks);
  std::optional<PlanResults> alone;
  if (audited && ran.ok() && !ran->interrupted) {
    PlanSpec of_people = spec;
    of_people.judge_agreement = 0;
    DUEL_ASSIGN(alone, run_plan(of_people, hooks));
  }
  if (progress) progress->finish();
  if (!ran.ok()) return ran.error();
  if (ran->interrupted || (alone && alone->interrupted)) {
    context.warn("interrupted: too few experiments to show");
    return guard.exit_code();
  }
  Json json = described_json(*ran);
  if (alone) json["people_alone"] = described_json(alone->entries);
  context.print(arguments.json ? json.dump_pretty()
                               : plan_text(*ran, spec.cost_per_duel > 0, stdout_paint()) +
                                     (alone ? audits_text(*ran, *alone, spec) : ""));
  warn_of_undecided(*ran, context);
  if (!arguments.output.empty() && is_first_rank()) {
    DUEL_ASSIGN(const PlotFormat format, plot_format_of(arguments.output));
    DUEL_ASSIGN(const std::string picture, run_gnuplot(plan_picture_script(*ran, format)));
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, picture));
  }
  return kExitDone;
}

}  // namespace

void add_plan_command(Command& program) {
  Command& command = program.add_command(
      "plan",
      "Estimates how many duels a certificate will take.\nSimulates experiments with the policy "
      "that chooses the pairs and the rule that stops, and shows how many duels they take, how "
      "many stay undecided, how many are wrong, and what a round-robin over all pairs would cost. "
      "The truth is a matrix, a guess (--arms, --gap), or drawn from what a pilot saw. Results "
      "depend on the seed alone, never on the number of threads.");
  PlanArguments& arguments = command.runs(run_plan);
  PlanQuestion& question = arguments.question;
  command.add("--matrix MATRIX", not_empty(&question.matrix),
              "A matrix file or name. See 'duel matrix'.");
  command.add("--pilot FILE", not_empty(&question.pilot),
              "The log of an experiment, or comparisons in a CSV file (model_a, model_b, winner as "
              "in an arena, or first, second, winner) or JSON lines. Truths are drawn from what it "
              "says about each pair.");
  arguments.arms_option = &command.add("--arms N", count(&arguments.arms, 2, 10'000),
                                       "Guess: the number of arms; with --gap.");
  arguments.gap_option =
      &command.add("--gap FLOAT", &arguments.gap,
                   "Guess: the best arm wins 1/2 + gap of its duels with the second, and with all "
                   "others, which are even, unless there is a spread.");
  command
      .add("--spread FLOAT", &question.spread,
           "Guess: how far the other arms' strengths lie below the second's (standard deviations "
           "of log odds, drawn for each experiment). Default 0.")
      .needs = arguments.arms_option;
  command.add("--policy POLICY-LIST", not_empty(&question.policy),
              "Policies to compare, separated by commas; may be repeated (default auto).");
  add_goal_options(command, {&question.goal, &question.top, &question.epsilon, &question.assume});
  command.add("--alpha FLOAT", &question.alpha, "Error level of the certificate.");
  arguments.max_duels = &command.add(
      "--max-duels N", count(&question.max_duels, 1, 1'000'000'000),
      "Duels after which an experiment counts as undecided (default 1e5; of a gate 2000).");
  command.add("--tie-rate FLOAT", &question.tie_rate,
              "Share of duels that end without a winner. Default 0.");
  command.add("--shared-causes", &question.shared_causes,
              "Plan for a run with --tasks: pairs share them, so more evidence is needed.");
  command.add("--parallel N", count(&question.parallel, 1, 10'000),
              "Duels that are judged at the same time (default 1).");
  command.add("--cost-per-duel PRICE", &question.cost_per_duel, "Price of one duel.").not_negative =
      true;
  command.add("--judge-agreement SHARE", &question.judge_agreement,
              "Plan for a run with --audit: the share of answers in which the judge names the same "
              "arm as people. Shows how many answers of people it takes, and how many without it.");
  command.add("--audits SHARE", &question.audits,
              "With --judge-agreement: share of the duels that people answer (default 0.1).");
  command.add(
      "--gate", &arguments.gate,
      "Plan for 'duel gate': how many answers it takes if the candidate makes no difference, "
      "and if it is worse by the margin. Takes --margin, --tie-rate, --alpha, --max-duels, "
      "--trials, --seed.");
  command.add("--margin NUMBER", &arguments.rule.margin,
              "With --gate: by how much the mean score may be below 1/2 (default 0.05).");
  command.add("--trials N", count(&question.trials, 2, 10'000'000),
              "Experiments that are simulated (default 1000).");
  command.add_seed(&question.seed);
  command.add_threads(&question.threads);
  command.add("--json", &arguments.json, "Print JSON.");
  command.add("-o,--output FILE", not_empty(&arguments.output),
              "Picture of the share decided over the duels spent: .svg, .png or .pdf.");
  command.footer =
      "Examples:\n"
      "  duel plan --arms 5 --gap 0.05 --cost-per-duel 0.02\n"
      "  duel plan --matrix arxiv --policy auto,rmed1,dts -o plan.svg\n"
      "  duel plan --matrix 'arithmetic(k=8,step=0.05)' --goal set --top 3\n"
      "  duel plan --arms 2 --gap 0.1 --judge-agreement 0.85 --audits 0.1\n"
      "  duel plan --gate --margin 0.05 --tie-rate 0.8\n"
      "  duel plan --pilot votes.csv --alpha 0.01";
}

}  // namespace duel::cli
