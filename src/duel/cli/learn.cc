#include "duel/ranking/learners/learn.h"

#include <cmath>
#include <set>

#include "duel/cli/commands.h"
#include "duel/cli/progress.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"

namespace duel::cli {
namespace {

struct LearnArguments {
  LearnSpec spec;
  std::string output;
  std::string resume;
  bool json = false;
};

std::string text_of(const Quantity& quantity, int digits) {
  if (std::isnan(quantity.se)) return fmt::format("{:.{}f}", quantity.mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", quantity.mean, digits, quantity.se, digits);
}

// What is played.
std::string heading(const LearnRun& run) {
  const LearnSpec& spec = run.spec();
  const JudgedQueries& queries = *run.setting().queries;
  const std::string text =
      fmt::format("{} on {} with {}, {}, {}\n", spec.learner,
                  counted(queries.num_queries(), "query", "queries"),
                  counted(queries.num_features(), "feature"),
                  counted(spec.impressions, "impression"), counted(spec.trials, "trial"));
  if (run.setting().answer == AnswerBasis::ndcg_logistic) {
    return text +
           fmt::format("duels drawn from 10 x NDCG@{} through the logistic link\n\n", spec.length);
  }
  return text + fmt::format("{}{} users, {} shown\n\n",
                            spec.interleave.empty() ? "" : spec.interleave + ", ", spec.clicks,
                            counted(spec.length, "document"));
}

std::string tables(const LearnSpec& spec, const LearnResults& results) {
  Table table;
  table.column(fmt::format("NDCG@{}", spec.length), Align::left).column("value");
  table.row({fmt::format("online, discounted by {}", format_number(spec.discount)),
             text_of(results.discounted, 2)});
  table.row({"online, mean", text_of(results.online, 4)});
  table.row({spec.heldout.empty() ? "offline, on the training queries"
                                  : "offline, on the held-out queries",
             text_of(results.offline, 4)});
  table.row({"offline at the start", text_of(results.start, 4)});
  Table way("impressions,online since the line above,offline");
  for (const CurveRow& row : results.decades) {
    way.row({row.impressions, text_of(row.online, 4), text_of(row.offline, 4)});
  }
  return table.to_string() + "\n" + way.to_string();
}

Result<int> run_from_grades(const LearnArguments& arguments, const LearnSpec& spec,
                            const LearnData& data, CommandContext& context) {
  DUEL_ASSIGN(const LearnedFromGrades learned, learn_from_grades(spec, data));
  if (!arguments.output.empty()) {
    DUEL_RETURN_IF_ERROR(learned.write(LearnFiles(arguments.output)));
  }
  if (arguments.json) return context.done(learned.to_json().dump_pretty());
  return context.done(
      "{} on {} with {}, {} of documents; it sees the grades\n\n"
      "offline NDCG@{}, on the {} queries: {:.4f}\n",
      learned.learner, counted(data.training.num_queries(), "query", "queries"),
      counted(data.training.num_features(), "feature"), counted(learned.pairs, "pair"), spec.length,
      spec.heldout.empty() ? "training" : "held-out", learned.offline_ndcg);
}

Result<int> run_learn(const LearnArguments& given, const Command& command,
                      CommandContext& context) {
  LearnArguments arguments = given;
  LearnSpec spec = arguments.spec;
  if (!arguments.resume.empty()) {
    // All else is in the saved run.
    const std::set<std::string> free = {"--impressions", "--threads", "--output",
                                        "--resume",      "--json",    "--quiet"};
    for (const Option& option : command.options) {
      if (!option.on_command_line() || free.contains(option.name())) continue;
      return Error::invalid_argument(fmt::format("{} is taken from the saved run", option.name()),
                                     "--resume", "leave it out");
    }
    DUEL_ASSIGN(spec, resumed_spec(LearnFiles(arguments.resume), spec));
    if (arguments.output.empty()) arguments.output = arguments.resume;
  }
  DUEL_ASSIGN(const auto data, read_learn_data(spec));
  if (learns_from_grades(spec)) return run_from_grades(arguments, spec, *data, context);
  DUEL_ASSIGN(LearnRun run, LearnRun::create(spec, data));
  if (!arguments.resume.empty()) DUEL_RETURN_IF_ERROR(run.restore(LearnFiles(arguments.resume)));

  const InterruptGuard guard;
  Progress progress("trials", spec.trials, context.quiet);
  JobHooks hooks;
  hooks.stop = &guard.stop();
  hooks.on_progress = [&](std::uint64_t finished) {
    progress.update(finished, run.spec().learner);
  };
  const auto finished = run.play(hooks);
  progress.finish();
  if (!finished.ok()) return finished.error();
  const LearnResults results = run.results();
  if (!arguments.output.empty()) {
    DUEL_RETURN_IF_ERROR(run.write(LearnFiles(arguments.output), results));
  }
  if (*finished < spec.trials) {
    return Error::interrupted(
               fmt::format("interrupted after {} of {} trials", *finished, spec.trials))
        .with_hint(arguments.output.empty()
                       ? "with -o DIR it can be resumed later"
                       : fmt::format("continue with: duel learn --resume {} --impressions {}",
                                     shell_word(arguments.output), spec.impressions));
  }
  return context.done(arguments.json ? results.to_json().dump_pretty()
                                     : heading(run) + tables(run.spec(), results));
}

}  // namespace

void add_learn_command(Command& program) {
  Command& command = program.add_command(
      "learn",
      "Learns a linear ranker from simulated clicks, online.\n"
      "Each impression draws a query, shows the learner's list, lets a simulated user click and "
      "tells the learner. Reports NDCG of the lists shown while learning (online; the discounted "
      "sum weighs impression t by discount^(t-1)) and of the ranker learned (offline), at 1, "
      "2, 5, 10, ... impressions and at the end, with standard errors over trials. Results depend "
      "on the seed alone, never on the threads.");
  LearnArguments& arguments = command.runs(run_learn);
  LearnSpec& spec = arguments.spec;
  command.add_judged_data(&spec.data);
  command.add("--heldout DATA", not_empty(&spec.heldout),
              "Judged queries to measure the learned ranker on; default: those of --data.");
  command.add_configurable("--learner LEARNER", not_empty(&spec.learner),
                           "dbgd(delta=1,gamma=0.01) (default), mgd(candidates=9), pdgd, ...; "
                           "duel policies --setting continuous lists them.");
  command.add_configurable(
      "--interleave METHOD", not_empty(&spec.interleave),
      "How rankings are merged: team-draft (default of dbgd), probabilistic (default of "
      "mgd), ...");
  command.add_configurable(
      "--clicks MODEL", not_empty(&spec.clicks),
      "The simulated user: perfect (default), navigational, informational, ...");
  command.add("--compare WHAT", one_of(&spec.compare, {"clicks", "ndcg-logistic"}),
              "What answers a duel: clicks (default), or ndcg-logistic, a coin with probability "
              "sigma(10 (NDCG - NDCG')), for dbgd.");
  command.add_configurable("--impressions N", count(&spec.impressions, LearnSpec::kImpressions),
                           "Impressions of each trial (default 10000).");
  command.add("--batch N", count(&spec.batch, LearnSpec::kBatch),
              "Duels per update, the option batch of the learner.");
  command.add_configurable("--trials N", count(&spec.trials, LearnSpec::kTrials),
                           "Independent trials (default 5).");
  command.add_configurable("--length N", count(&spec.length, LearnSpec::kLength),
                           "Documents shown, and the k of NDCG@k (default 10).");
  command.add("--discount NUMBER",
              number(
                  &spec.discount, [](double x) { return x > 0 && x <= 1; }, "> 0 and <= 1"),
              "Factor per impression of the discounted sum (default 0.9995).");
  command.add_scale(&spec.normalise, &spec.grades);
  command.add_seed(&spec.seed);
  command.add_threads(&spec.threads, 1);
  command.add("-o,--output DIR", not_empty(&arguments.output),
              "A directory for learn.json, curve.csv, model.json and weights.txt (first trial), "
              "rankers.txt (all trials) and the states to resume from.");
  command.add("--resume DIR", not_empty(&arguments.resume),
              "Continue the run in DIR up to --impressions; the result is the same as without the "
              "interruption.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n"
      "  duel learn --data train.txt --heldout test.txt --learner 'dbgd(delta=1,gamma=0.01)' "
      "--interleave team-draft --clicks perfect --impressions 1e6\n"
      "  duel learn --data 'synthetic(queries=200,features=20)' --learner pdgd -o model\n"
      "  duel learn --resume model --impressions 2e4";
}

}  // namespace duel::cli
