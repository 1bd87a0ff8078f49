#include "duel/study/league.h"

#include <fmt/format.h>

#include <filesystem>

#include "duel/cli/commands.h"
#include "duel/cli/gnuplot.h"
#include "duel/cli/goal_options.h"
#include "duel/cli/league_table.h"
#include "duel/cli/progress.h"
#include "duel/core/checkpoints.h"
#include "duel/core/whole_file.h"
#include "duel/jobs/ranks.h"
#include "duel/pictures/league_map.h"
#include "duel/study/league_certificates.h"
#include "duel/study/spec.h"

namespace duel::cli {
namespace {

// What fits a first look; the rest of the time goes to policies that must play every round.
constexpr Round kQuickRounds = 10'000;
constexpr std::uint32_t kQuickTrials = 20;
constexpr std::uint64_t kQuickDuels = 10'000;
// So few rounds are too few to be right in 99 % of the trials.
constexpr double kQuickMaxWrong = 0.1;
// Policies that stop by themselves need many more duels than certificates do.
constexpr std::uint64_t kIdentificationDuels = 1'000'000;
constexpr std::uint64_t kQuickIdentificationDuels = 100'000;
constexpr std::uint32_t kIdentificationTrials = 20;

struct LeagueArguments {
  bool quick = false;
  std::vector<std::string> matrices;
  std::vector<std::string> directories;
  bool no_built_in = false;
  std::vector<std::string> policies;
  bool certificates = false;
  bool identification = false;
  bool features = false;
  std::vector<std::uint64_t> changes;
  std::vector<std::uint64_t> batches = {1};
  GoalOptions goal;
  double alpha = CertificateLeagueSpec{}.alpha;
  std::uint64_t max_duels = CertificateLeagueSpec{}.max_duels;
  std::uint64_t rounds = LeagueSpec{}.rounds;
  std::uint64_t trials = LeagueSpec{}.trials;
  std::uint64_t seed = 0;
  double max_wrong = LeagueSpec{}.max_wrong;
  std::uint64_t threads = 0;
  bool json = false;
  std::string output;
  bool force = false;
  const Option* rounds_option = nullptr;
  const Option* trials_option = nullptr;
  const Option* alpha_option = nullptr;
  const Option* max_duels_option = nullptr;
  const Option* max_wrong_option = nullptr;
};

// A file of the league's directory.
std::string file_in(const LeagueArguments& arguments, const std::string& name) {
  return (std::filesystem::path(arguments.output) / name).string();
}

// `--matrix 'a,b'` is a list, unless a file has that very name.
std::vector<std::string> matrices_of(const std::vector<std::string>& texts) {
  std::vector<std::string> matrices;
  for (const std::string& text : texts) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(text, ignored)) {
      matrices.push_back(text);
      continue;
    }
    const std::vector<std::string> items = split_list(text);
    matrices.insert(matrices.end(), items.begin(), items.end());
  }
  return matrices;
}

Result<std::vector<CallSpec>> policies_of(const LeagueArguments& arguments) {
  std::vector<CallSpec> policies;
  for (const std::string& text : arguments.policies) {
    DUEL_ASSIGN(const auto calls, in_field("policy", parse_call_list(text)));
    policies.insert(policies.end(), calls.begin(), calls.end());
  }
  return policies;
}

Result<std::vector<LeagueProblem>> problems_of(const LeagueArguments& arguments) {
  std::vector<std::string> matrices = matrices_of(arguments.matrices);
  if (matrices.empty() && !arguments.no_built_in) {
    matrices = arguments.identification     ? identification_league_matrices()
               : arguments.features         ? feature_league_problems()
               : !arguments.changes.empty() ? changing_league_matrices()
                                            : league_matrices();
  }
  if (matrices.empty() && arguments.directories.empty()) {
    return Error::invalid_argument("no problem is left to play", "--no-built-in",
                                   "add --matrices DIR");
  }
  return league_problems(matrices, arguments.directories);
}

// What the specs of both kinds of leagues have.
template <class Spec>
Status fill(Spec& spec, const LeagueArguments& arguments) {
  const bool few = arguments.quick && !arguments.trials_option->given();
  spec.trials = few ? kQuickTrials : static_cast<std::uint32_t>(arguments.trials);
  spec.seed = arguments.seed;
  spec.threads = static_cast<unsigned>(arguments.threads);
  DUEL_ASSIGN(spec.policies, policies_of(arguments));
  DUEL_ASSIGN(spec.problems, problems_of(arguments));
  if constexpr (requires { spec.rounds; }) {
    if (!arguments.changes.empty()) {
      DUEL_ASSIGN(spec.problems, in_field("changes", with_changes(spec.problems, arguments.changes,
                                                                  spec.rounds, spec.seed)));
    }
  }
  spec.problems = with_batches(spec.problems, arguments.batches);
  return Done{};
}

Result<LeagueSpec> spec_of(const LeagueArguments& arguments) {
  std::vector<const Option*> of_certificates = arguments.goal.options;
  of_certificates.insert(of_certificates.end(),
                         {arguments.alpha_option, arguments.max_duels_option});
  if (const Option* option = first_given(of_certificates)) {
    return Error::invalid_argument("a league by regret has no certificates", option->name(),
                                   "add --certificates");
  }
  LeagueSpec spec;
  spec.rounds = arguments.rounds;
  if (arguments.quick && !arguments.rounds_option->given()) spec.rounds = kQuickRounds;
  const bool lenient = arguments.quick && !arguments.max_wrong_option->given();
  spec.max_wrong = lenient ? kQuickMaxWrong : arguments.max_wrong;
  if (!(spec.max_wrong >= 0 && spec.max_wrong <= 1)) {
    return Error::invalid_argument(fmt::format("{} is out of range", spec.max_wrong), "--max-wrong",
                                   "0 to 1; 1 ranks everybody");
  }
  DUEL_RETURN_IF_ERROR(fill(spec, arguments));
  if (spec.policies.empty()) {
    spec.policies = arguments.features           ? feature_league_policies()
                    : !arguments.changes.empty() ? changing_league_policies()
                                                 : league_policies();
  }
  return spec;
}

Result<CertificateLeagueSpec> certificate_spec_of(const LeagueArguments& arguments) {
  if (arguments.rounds_option->given()) {
    return Error::invalid_argument("an experiment ends with its certificate", "--rounds",
                                   "--max-duels is the number after which it counts as undecided");
  }
  if (arguments.max_wrong_option->given()) {
    return Error::invalid_argument("a league of certificates ranks by duels alone", "--max-wrong",
                                   "its table counts what is wrong");
  }
  if (arguments.features) {
    return Error::invalid_argument("a certificate takes no features into account", "--features",
                                   "a league by regret can have them");
  }
  if (!arguments.changes.empty()) {
    return Error::invalid_argument("what changes has no winner to certify", "--changes",
                                   "a league by regret can have changes");
  }
  CertificateLeagueSpec spec;
  DUEL_ASSIGN(spec.goal, arguments.goal.parse());
  spec.alpha = arguments.alpha;
  spec.max_duels = arguments.max_duels;
  if (arguments.quick && !arguments.max_duels_option->given()) spec.max_duels = kQuickDuels;
  DUEL_RETURN_IF_ERROR(fill(spec, arguments));
  if (arguments.identification) {
    if (arguments.batches != std::vector<std::uint64_t>{1}) {
      return Error::invalid_argument("policies that stop by themselves ask one duel at a time",
                                     "--batch", "leave out --identification");
    }
    if (const Option* option = first_given(arguments.goal.options)) {
      return Error::invalid_argument("each policy has its own goal", option->name(),
                                     "`certify` looks for the Condorcet winner");
    }
    spec.own_stop = true;
    spec.round_robin = false;
    if (!arguments.max_duels_option->given()) {
      spec.max_duels = arguments.quick ? kQuickIdentificationDuels : kIdentificationDuels;
    }
    if (!arguments.trials_option->given()) spec.trials = kIdentificationTrials;
    if (arguments.policies.empty()) spec.policies = identification_league_policies();
    return spec;
  }
  // Round-robin stands beside them in any case; its name is no policy's.
  std::erase_if(spec.policies, [](const CallSpec& call) { return call.name == kRoundRobin; });
  if (arguments.policies.empty()) spec.policies = certificate_league_policies();
  return spec;
}

Status check_directory(const LeagueArguments& arguments) {
  const std::string table = file_in(arguments, "league.csv");
  std::error_code ignored;
  for (const std::string& left : {table, file_in(arguments, "certificates.csv")}) {
    if (arguments.force || !std::filesystem::exists(left, ignored)) continue;
    return Error::unsupported("the directory holds the results of a league", arguments.output,
                              "choose another directory, or --force to replace them");
  }
  DUEL_RETURN_IF_ERROR(make_directory(arguments.output));
  return check_output(table);
}

using NamedFiles = std::vector<std::pair<std::string, std::string>>;  // names and contents

Status write_files(const LeagueArguments& arguments, const NamedFiles& files,
                   CommandContext& context) {
  for (const auto& [name, content] : files) {
    DUEL_RETURN_IF_ERROR(context.write_output(file_in(arguments, name), content));
  }
  return Done{};
}

Status write_results(const LeagueResults& results, const LeagueArguments& arguments,
                     CommandContext& context) {
  DUEL_RETURN_IF_ERROR(write_files(arguments,
                                   {{"league.csv", to_league_csv(results)},
                                    {"ranking.csv", to_ranking_csv(results)},
                                    {"league.json", to_json(results).dump_pretty()}},
                                   context));
  for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png}) {
    const auto script = league_map_script(results, format);
    const auto picture = script.ok() ? run_gnuplot(*script) : script;
    if (!picture.ok()) {  // the numbers are there; a missing picture is no reason to fail
      context.warn("no heat map: " + picture.error().to_string());
      break;
    }
    DUEL_RETURN_IF_ERROR(
        context.write_output(file_in(arguments, "league." + to_string(format)), *picture));
  }
  return Done{};
}

Status write_results(const CertificateLeagueResults& results, const LeagueArguments& arguments,
                     CommandContext& context) {
  return write_files(arguments,
                     {{"certificates.csv", to_certificates_csv(results)},
                      {"ranking.csv", to_certificate_ranking_csv(results)},
                      {"certificates.json", to_json(results).dump_pretty()},
                      {"certificates.md", to_certificates_markdown(results)}},
                     context);
}

// Plays, shows and writes, whatever the league is judged by.
template <class Spec, class Results>
Result<int> play_league(const LeagueArguments& arguments, const Spec& spec,
                        Result<Results> (*play)(const Spec&, const LeagueOptions&),
                        CommandContext& context) {
  const bool writes = !arguments.output.empty() && is_first_rank();
  if (writes) DUEL_RETURN_IF_ERROR(check_directory(arguments));
  const InterruptGuard guard;
  std::unique_ptr<Progress> progress;
  LeagueOptions options;
  options.stop = &guard.stop();
  options.refused_everywhere_is_error = !arguments.policies.empty();
  options.progress = [&](const LeagueProgress& now) {
    if (!progress) {
      progress = std::make_unique<Progress>("trials", now.trials_total, context.quiet);
    }
    progress->update(now.trials_done, now.problem + " " + now.policy);
  };
  const auto ran = play(spec, options);
  if (progress) progress->finish();
  if (!ran.ok()) return ran.error();

  context.print(arguments.json ? to_json(*ran).dump_pretty() : league_text(*ran, stdout_paint()));
  if (writes) {
    DUEL_RETURN_IF_ERROR(write_results(*ran, arguments, context));
    context.note("results are in {}", arguments.output);
  }
  if (ran->interrupted) {
    context.warn("interrupted: showing only what finished all its trials");
    return guard.exit_code();
  }
  return kExitDone;
}

Result<int> run_either_league(const LeagueArguments& arguments, CommandContext& context) {
  if (arguments.force && arguments.output.empty()) {
    return Error::invalid_argument("there is nothing to replace", "--force", "add -o DIR");
  }
  if (arguments.certificates && arguments.identification) {
    return Error::invalid_argument("the leagues cannot be one", "--identification",
                                   "give --certificates or --identification");
  }
  if (arguments.certificates || arguments.identification) {
    DUEL_ASSIGN(const CertificateLeagueSpec spec, certificate_spec_of(arguments));
    return play_league(arguments, spec, run_certificate_league, context);
  }
  DUEL_ASSIGN(const LeagueSpec spec, spec_of(arguments));
  return play_league(arguments, spec, run_league, context);
}

}  // namespace

void add_league_command(Command& program) {
  Command& command = program.add_command(
      "league",
      "Plays all policies on all built-in problems and ranks them by regret.\n"
      "Policies play the same trials, so differences are taken trial by trial. Problems with a "
      "Condorcet winner are judged by average regret, the others by Copeland regret. A policy that "
      "refuses a problem is left out there, and the table says so. A policy that recommends a "
      "wrong arm too often has no rank (--max-wrong). Results depend on the seed alone, never "
      "on the number of threads. An interrupted league (Ctrl-C) shows what is finished.\n"
      "With --certificates the policies choose the duels of simulated experiments that end with a "
      "certificate, as in 'duel plan', and are ranked by how many duels that takes.\n"
      "With --identification the policies that stop by themselves play until they do, each with an "
      "error of at most --alpha, beside 'certify', which ends with a certificate of the same "
      "level, on the same answers.");
  LeagueArguments& arguments = command.runs(run_either_league);
  command.add(
      "--quick", &arguments.quick,
      fmt::format("A first look: {} rounds (at most {} duels) and {} trials, and --max-wrong "
                  "{}, unless given.",
                  kQuickRounds, kQuickDuels, kQuickTrials, kQuickMaxWrong));
  command.add("--certificates", &arguments.certificates,
              "Rank by the duels to a certificate instead of regret. Self-duels are left out, and "
              "a round-robin over all pairs is shown for comparison.");
  command.add("--identification", &arguments.identification,
              "Rank the policies that stop by themselves by the duels until they do, and show how "
              "often they are wrong.");
  command.add(
      "--features", &arguments.features,
      "Play on problems whose arms have features, of 5 and 20 numbers and 20 and 1000 arms, "
      "and on contexts, instead of the built-in matrices; regret is counted in utilities.");
  command.add("--changes N-LIST", counts(&arguments.changes, 0, 10'000),
              "Let preferences change: each problem is played once for each of these numbers, such "
              "as 0,1,5,20. So often its arms exchange their places, and another one is the best.");
  command.add("--batch N-LIST", counts(&arguments.batches, 1, kMostOutstanding),
              "Ask so many duels before any of their answers is heard: each problem is played once "
              "for each of these numbers, such as 1,10,100,1000 (default 1).");
  add_goal_options(command, arguments.goal, "With --certificates: ");
  arguments.alpha_option = &command.add("--alpha FLOAT", &arguments.alpha,
                                        "With --certificates or --identification: error level.");
  arguments.max_duels_option = &command.add(
      "--max-duels N", count(&arguments.max_duels, 1, 1'000'000'000),
      "With --certificates: duels after which an experiment is given up (default 5e4); with "
      "--identification 1e6.");
  command.add("--matrices DIR", not_empty(&arguments.directories),
              "Also play on every matrix file *.csv of this directory; may be repeated.");
  command.add(
      "--matrix MATRIX-LIST", not_empty(&arguments.matrices),
      "Play on these matrices instead of the built-in problems, separated by commas; may be "
      "repeated. See 'duel matrix'.");
  command.add("--no-built-in", &arguments.no_built_in, "Play on the matrices of --matrices alone.");
  command.add("--policy POLICY-LIST", not_empty(&arguments.policies),
              "Policies that take part, separated by commas; may be repeated. By default all, with "
              "their default options, but those that stop by themselves or use features. See 'duel "
              "policies'.");
  arguments.rounds_option = &command.add("--rounds N", count(&arguments.rounds, 1, kMaxRounds),
                                         "Rounds of every trial (default 1e5).");
  arguments.trials_option = &command.add("--trials N", count(&arguments.trials, 1, kMaxTrials),
                                         "Trials of every policy on every problem (default 50).");
  arguments.max_wrong_option = &command.add(
      "--max-wrong FLOAT", &arguments.max_wrong,
      "Rank a policy only where its last recommendation is wrong in at most this share of the "
      "trials (default 0.01). 1 ranks everybody, for runs too short to be right.");
  command.add_seed(&arguments.seed);
  command.add_threads(&arguments.threads);
  command.add("--json", &arguments.json, "Print JSON.");
  command.add("-o,--output DIR", not_empty(&arguments.output),
              "Directory for league.csv, ranking.csv, league.json and the heat map league.svg and "
              "league.png, or for certificates.csv, ranking.csv, certificates.json and "
              "certificates.md; created if missing.");
  command.add("--force", &arguments.force, "Replace the league in DIR.");
  command.footer =
      "Examples:\n"
      "  duel league --quick\n"
      "  duel league --policy rucb,rmed1,dts --matrices my_matrices --no-built-in\n"
      "  duel league --seed 1 -o league\n"
      "  duel league --certificates --policy auto,dts,rmed1 --seed 1\n"
      "  duel league --certificates --goal set --top 2 --policy auto,uniform --quick\n"
      "  duel league --changes 0,1,5,20 --seed 1\n"
      "  duel league --features --rounds 1e4 --trials 20 --seed 1\n"
      "  duel league --certificates --batch 1,10,100,1000 --policy auto,imed,pcomp --seed 1\n"
      "  duel league --identification --policy certify,pocowista,knockout --seed 1";
}

}  // namespace duel::cli
