#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "duel/cli/commands.h"
#include "duel/cli/learn_output.h"
#include "duel/cli/matrix_report.h"
#include "duel/cli/progress.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/whole_file.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/learners/learning_curve.h"
#include "duel/ranking/learners/ranking_svm.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/normalisation.h"
#include "duel/simulation/checkpoints.h"

namespace duel::cli {
namespace {

struct Arguments {
  std::string data;
  std::string heldout;
  std::string learner = "dbgd(delta=1,gamma=0.01)";
  std::string interleave;
  std::string clicks = "perfect";
  std::string compare = "clicks";
  std::string normalise = "none";
  std::uint64_t impressions = 10'000;
  std::uint64_t batch = 0;  // 0: the learner's own
  std::uint64_t trials = 5;
  std::uint64_t length = 10;
  std::uint64_t grades = 0;  // 0: as many as the data has
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
  std::string discount = "0.9995";
  std::string output;
  std::string resume;
  bool json = false;
};

Error of_option(const std::string& option, Error error) {
  error.where = error.where.empty() ? option : option + ": " + error.where;
  return error;
}

Json settings_of(const Arguments& arguments, const LearningSetting& setting) {
  Json json;
  json["data"] = arguments.data;
  json["heldout"] = arguments.heldout.empty() ? Json() : Json(arguments.heldout);
  json["learner"] = setting.learner->canonical();
  json["interleave"] =
      setting.learner->interleave().empty() ? Json() : Json(setting.learner->interleave());
  json["clicks"] = setting.user ? Json(setting.user->canonical()) : Json();
  json["compare"] = arguments.compare;
  json["normalise"] = arguments.normalise;
  json["length"] = setting.length;
  json["discount"] = setting.discount;
  json["trials"] = arguments.trials;
  json["seed"] = setting.seed;
  json["queries"] = setting.queries->num_queries();
  json["documents"] = setting.queries->num_documents();
  json["features"] = setting.queries->num_features();
  json["grades"] = arguments.grades;
  return json;
}

// What a directory says about its run, as arguments; the command line's own number of impressions,
// threads and output stay.
Result<Json> read_settings(const LearnFiles& files, Arguments& arguments) {
  DUEL_ASSIGN(const std::string text, read_whole_file(files.summary(), LearnFiles::kMostBytes));
  const Error unreadable =
      Error::invalid_data("this is not the summary of a learning run", files.summary().string(),
                          "written by duel learn -o DIR");
  const auto json = Json::parse(text);
  if (!json || !json->contains("settings")) return unreadable;
  const Json& settings = json->at("settings");
  const auto text_of = [&](const char* key, std::string& target) {
    if (!settings.contains(key)) return false;
    if (settings[key].is_null()) {
      target.clear();
      return true;
    }
    if (!settings[key].is_string()) return false;
    target = settings[key].get<std::string>();
    return true;
  };
  const auto count_of = [&](const char* key, std::uint64_t& target) {
    if (!settings.contains(key) || !settings[key].is_unsigned()) return false;
    target = settings[key].get<std::uint64_t>();
    return true;
  };
  if (!text_of("data", arguments.data) || !text_of("heldout", arguments.heldout) ||
      !text_of("learner", arguments.learner) || !text_of("interleave", arguments.interleave) ||
      !text_of("clicks", arguments.clicks) || !text_of("compare", arguments.compare) ||
      !text_of("normalise", arguments.normalise) || !count_of("length", arguments.length) ||
      !count_of("trials", arguments.trials) || !count_of("seed", arguments.seed) ||
      !count_of("grades", arguments.grades) || !settings.contains("discount") ||
      !settings["discount"].is_number()) {
    return unreadable;
  }
  arguments.discount = format_number(settings["discount"].get<double>());
  arguments.batch = 0;  // part of the learner's name by now
  return settings;
}

Result<JudgedQueries> read_data(const std::string& option, const std::string& text,
                                const std::string& normalisation) {
  auto data = resolve_judged_queries(text);
  if (!data.ok()) return of_option(option, data.error());
  if (data->num_queries() == 0) {
    return of_option(option, Error::invalid_data("there is no query in it", text));
  }
  if (normalisation == "min-max") normalise(*data, Normalisation::min_max);
  if (normalisation == "z-score") normalise(*data, Normalisation::z_score);
  return data;
}

Result<LearningSetting> prepare(const Arguments& arguments, const JudgedQueries& data) {
  LearningSetting setting;
  setting.queries = &data;
  setting.length = static_cast<std::size_t>(arguments.length);
  setting.seed = arguments.seed;
  setting.answer = arguments.compare == "clicks" ? DuelAnswer::clicks : DuelAnswer::ndcg_logistic;
  const auto discount = parse_number(arguments.discount);
  if (!discount.ok() || !(*discount > 0 && *discount <= 1)) {
    return Error::invalid_argument(fmt::format("the discount is {}", arguments.discount),
                                   "--discount", "allowed: > 0 and <= 1");
  }
  setting.discount = *discount;

  auto call = parse_call(arguments.learner);
  if (!call.ok()) return of_option("--learner", call.error());
  if (arguments.batch != 0) {
    for (const auto& [key, value] : call->arguments) {
      if (key == "batch") {
        return Error::invalid_argument("the learner has a batch already", "--batch",
                                       "give one of them");
      }
    }
    call->arguments.emplace_back("batch", fmt::format("{}", arguments.batch));
  }
  auto learner = configure_ranker_learner(
      *call, {data.num_features(), setting.length, arguments.interleave, arguments.impressions});
  if (!learner.ok()) return of_option("--learner", learner.error());
  setting.learner = *learner;
  if (setting.answer == DuelAnswer::ndcg_logistic) {
    if (!setting.learner->learns_from_duels()) {
      return Error::invalid_argument(fmt::format("{} learns from clicks alone", call->name),
                                     "--compare ndcg-logistic",
                                     "it needs a learner of duels: dbgd");
    }
    return setting;
  }
  if (arguments.grades != 0 && arguments.grades < data.num_grades()) {
    return Error::invalid_argument(
        fmt::format("the data has {} grades, 0 .. {}", data.num_grades(), data.num_grades() - 1),
        "--grades", "at least as many");
  }
  const std::size_t num_grades =
      arguments.grades != 0 ? static_cast<std::size_t>(arguments.grades) : data.num_grades();
  auto user = configure_click_model(arguments.clicks, num_grades);
  if (!user.ok()) return of_option("--clicks", user.error());
  setting.user = *user;
  return setting;
}

// Held-out documents with the features of the training data: missing ones are 0.
Status match_features(JudgedQueries& heldout, const JudgedQueries& data) {
  if (heldout.num_features() > data.num_features()) {
    return Error::invalid_data(fmt::format("its documents have {} features, those of --data {}",
                                           heldout.num_features(), data.num_features()),
                               "--heldout", "a ranker needs the same features in both");
  }
  heldout.widen(data.num_features());
  return Done{};
}

// What is played, above the table of results.
std::string heading(const Arguments& arguments, const LearningSetting& setting) {
  std::string text = fmt::format("{} on {} queries with {} features, {} impressions, {} trial{}\n",
                                 setting.learner->canonical(), setting.queries->num_queries(),
                                 setting.queries->num_features(), arguments.impressions,
                                 arguments.trials, arguments.trials == 1 ? "" : "s");
  if (setting.answer == DuelAnswer::ndcg_logistic) {
    return text + fmt::format("duels drawn from 10 x NDCG@{} through the logistic link\n\n",
                              setting.length);
  }
  const std::string& merged = setting.learner->interleave();
  return text + fmt::format("{}{} users, {} documents shown\n\n",
                            merged.empty() ? "" : merged + ", ", setting.user->canonical(),
                            setting.length);
}

// The baseline that sees the grades: no impressions, one ranker.
Result<int> run_ranking_svm(const Arguments& arguments, const CallSpec& call,
                            const JudgedQueries& data, const JudgedQueries& judged,
                            CommandContext& context) {
  if (!arguments.interleave.empty() || arguments.compare != "clicks" || arguments.batch != 0) {
    return Error::invalid_argument("ranking-svm learns from grades, not from duels", "--learner",
                                   "leave --interleave, --compare and --batch out");
  }
  const auto options = ranking_svm_options().parse(call, {}, "learner");
  if (!options.ok()) return of_option("--learner", options.error());
  auto trained = train_ranking_svm(data, *options, arguments.seed);
  if (!trained.ok()) return of_option("--data", trained.error());
  const auto length = static_cast<std::size_t>(arguments.length);
  const double offline = mean_ndcg(judged, trained->weights, length);
  Json model;
  model["learner"] = ranking_svm_options().canonical(call.name, *options);
  model["data"] = arguments.data;
  model["heldout"] = arguments.heldout.empty() ? Json() : Json(arguments.heldout);
  model["pairs"] = trained->pairs;
  model["features"] = data.num_features();
  model["length"] = length;
  model["offline_ndcg"] = offline;
  model["weights"] = trained->weights;
  if (!arguments.output.empty()) {
    const LearnFiles files(arguments.output);
    std::string weights, ranker = "ranking-svm";
    for (const double weight : trained->weights) {
      weights += format_number(weight) + "\n";
      ranker += " " + format_number(weight);
    }
    DUEL_RETURN_IF_ERROR(make_directory(files.directory));
    DUEL_RETURN_IF_ERROR(write_whole_file(files.model(), model.dump_pretty()));
    DUEL_RETURN_IF_ERROR(write_whole_file(files.weights(), weights));
    DUEL_RETURN_IF_ERROR(write_whole_file(files.rankers(), ranker + "\n"));
  }
  if (arguments.json) {
    context.print(model.dump_pretty());
    return kExitDone;
  }
  context.print(fmt::format(
      "{} on {} queries with {} features, {} pairs of documents; it sees the grades\n\n"
      "offline NDCG@{}, on the {} queries: {:.4f}\n",
      model["learner"].get<std::string>(), data.num_queries(), data.num_features(), trained->pairs,
      length, arguments.heldout.empty() ? "training" : "held-out", offline));
  return kExitDone;
}

Result<int> run(Arguments arguments, CommandContext& context) {
  std::optional<Json> resumed;
  if (!arguments.resume.empty()) {
    DUEL_ASSIGN(resumed, read_settings(LearnFiles(arguments.resume), arguments));
    if (arguments.output.empty()) arguments.output = arguments.resume;
  } else if (arguments.data.empty()) {
    return Error::invalid_argument("there is no data to learn from", "--data",
                                   "a LETOR file, or synthetic(queries=200,features=20)");
  }
  DUEL_ASSIGN(const JudgedQueries data, read_data("--data", arguments.data, arguments.normalise));
  std::optional<JudgedQueries> heldout;
  if (!arguments.heldout.empty()) {
    DUEL_ASSIGN(heldout, read_data("--heldout", arguments.heldout, arguments.normalise));
    DUEL_RETURN_IF_ERROR(match_features(*heldout, data));
  }
  const JudgedQueries& judged = heldout ? *heldout : data;
  if (const auto call = parse_call(arguments.learner); call.ok() && call->name == "ranking-svm") {
    return run_ranking_svm(arguments, *call, data, judged, context);
  }
  DUEL_ASSIGN(const LearningSetting setting, prepare(arguments, data));
  const Json settings = settings_of(arguments, setting);
  if (resumed && settings != *resumed) {
    return Error::invalid_data("the data or the learner are not those of the saved run",
                               arguments.resume, "it can go on only with the same files");
  }

  std::vector<RecordedTrial> trials;
  std::vector<double> start;
  for (std::uint32_t k = 0; k < arguments.trials; ++k) {
    trials.emplace_back(setting, k, judged);
    start.push_back(trials[k].offline_ndcg());
  }
  if (resumed) {
    DUEL_RETURN_IF_ERROR(restore_trials(LearnFiles(arguments.resume), trials));
    std::uint64_t played = 0;  // an interrupted run left its trials at different places
    for (const RecordedTrial& trial : trials) {
      played = std::max(played, trial.trial().impressions());
    }
    if (arguments.impressions < played) {
      return Error::invalid_argument(fmt::format("{} impressions were played already", played),
                                     "--impressions", "the number to end with, at least as many");
    }
  }
  const InterruptGuard guard;
  Progress progress("trials", arguments.trials, context.quiet);
  JobHooks hooks;
  hooks.stop = &guard.stop();
  hooks.on_progress = [&](std::uint64_t finished) {
    progress.update(finished, setting.learner->canonical());
  };
  const std::vector<std::uint64_t> checkpoints = log_checkpoints(arguments.impressions);
  const auto jobs = run_jobs(
      arguments.trials, static_cast<unsigned>(arguments.threads), hooks,
      [&](std::uint64_t k, const std::atomic<bool>& stop) {
        return trials[k].play(checkpoints, stop);
      },
      [](std::uint64_t k) { return fmt::format("trial {}", k + 1); });
  progress.finish();
  if (!jobs.ok()) return jobs.error();
  const bool finished = jobs->finished == arguments.trials;
  const LearnResults results(settings, trials, start);
  if (!arguments.output.empty()) {
    DUEL_RETURN_IF_ERROR(write_directory(LearnFiles(arguments.output), results, trials));
  }
  if (!finished) {
    return Error::interrupted(
               fmt::format("interrupted after {} of {} trials", jobs->finished, arguments.trials))
        .with_hint(arguments.output.empty()
                       ? "with -o DIR it could go on later"
                       : fmt::format("go on with: duel learn --resume {} --impressions {}",
                                     shell_word(arguments.output), arguments.impressions));
  }
  context.print(arguments.json
                    ? results.to_json().dump_pretty()
                    : heading(arguments, setting) +
                          results.to_text(setting.length, setting.discount, heldout.has_value()));
  return kExitDone;
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
  auto& arguments = command.keep<Arguments>();
  command.add_judged_data(&arguments.data);
  command.add("--heldout DATA", not_empty(&arguments.heldout),
              "Judged queries to measure the learned ranker on; default: those of --data.");
  command.add_configurable("--learner LEARNER", not_empty(&arguments.learner),
                           "dbgd(delta=1,gamma=0.01) (default), mgd(candidates=9), pdgd, ...; "
                           "duel policies --setting continuous lists them.");
  command.add_configurable(
      "--interleave METHOD", not_empty(&arguments.interleave),
      "How rankings are merged: team-draft (default of dbgd), probabilistic (default of "
      "mgd), ...");
  command.add_configurable(
      "--clicks MODEL", not_empty(&arguments.clicks),
      "The simulated user: perfect (default), navigational, informational, ...");
  command.add("--compare WHAT", one_of(&arguments.compare, {"clicks", "ndcg-logistic"}),
              "What answers a duel: clicks (default), or ndcg-logistic, a coin with probability "
              "sigma(10 (NDCG - NDCG')), for dbgd.");
  command.add_configurable("--impressions N", count(&arguments.impressions, 1, 1'000'000'000'000),
                           "Impressions of each trial (default 10000).");
  command.add("--batch N", count(&arguments.batch, 1, 1'000'000'000),
              "Duels per update, the option batch of the learner.");
  command.add_configurable("--trials N", count(&arguments.trials, 1, 100'000),
                           "Independent trials (default 5).");
  command.add_configurable("--length N", count(&arguments.length, 1, 1000),
                           "Documents shown, and the k of NDCG@k (default 10).");
  command.add("--discount NUMBER", &arguments.discount,
              "Factor per impression of the discounted sum (default 0.9995).");
  command.add_scale(&arguments.normalise, &arguments.grades);
  command.add_seed(&arguments.seed);
  command.add_threads(&arguments.threads, 1);
  command.add("-o,--output DIR", not_empty(&arguments.output),
              "A directory for learn.json, curve.csv, model.json and weights.txt (first trial), "
              "rankers.txt (all trials) and the states to resume from.");
  command.add("--resume DIR", not_empty(&arguments.resume),
              "Go on with the run in DIR up to --impressions; the result is that of a run without "
              "interruption.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n"
      "  duel learn --data train.txt --heldout test.txt --learner 'dbgd(delta=1,gamma=0.01)' "
      "--interleave team-draft --clicks perfect --impressions 1e6\n"
      "  duel learn --data 'synthetic(queries=200,features=20)' --learner pdgd -o model\n"
      "  duel learn --resume model --impressions 2e4";
  command.action = [&arguments, &command](CommandContext& context) -> Result<int> {
    // All else is in the saved run.
    const std::set<std::string> free = {"--impressions", "--threads", "--output",
                                        "--resume",      "--json",    "--quiet"};
    for (const Option& option : command.options) {
      if (arguments.resume.empty() || !option.on_command_line() || free.contains(option.name())) {
        continue;
      }
      return Error::invalid_argument(fmt::format("{} is taken from the saved run", option.name()),
                                     "--resume", "leave it out");
    }
    return run(arguments, context);
  };
}

}  // namespace duel::cli
