#include "duel/ranking/learners/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <type_traits>

#include "duel/core/archive.h"
#include "duel/core/checkpoints.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/core/whole_file.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/learners/ranking_svm.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/normalisation.h"

namespace duel {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of what is read again

// So that data which changed since is noticed.
struct DataSize {
  std::uint64_t queries = 0, documents = 0, features = 0;
};

// What a saved run is made of, in the order of its file; for writing and for reading. Impressions
// and threads may differ when it goes on; `batch` is part of the learner's name by then.
template <class Spec, class Size, class Visit>
void for_each_setting(Spec& spec, Size& size, Visit visit) {
  visit("data", spec.data);
  visit("heldout", spec.heldout);
  visit("learner", spec.learner);
  visit("interleave", spec.interleave);
  visit("clicks", spec.clicks);
  visit("compare", spec.compare);
  visit("normalise", spec.normalise);
  visit("length", spec.length);
  visit("discount", spec.discount);
  visit("trials", spec.trials);
  visit("seed", spec.seed);
  visit("queries", size.queries);
  visit("documents", size.documents);
  visit("features", size.features);
  visit("grades", spec.grades);
}

// An empty text is null.
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

bool read_setting(const Json& json, std::string& target) {
  if (!json.is_null() && !json.is_string()) return false;
  target = json.is_null() ? "" : json.get<std::string>();
  return true;
}
bool read_setting(const Json& json, std::uint64_t& target) {
  if (!json.is_unsigned()) return false;
  target = json.get<std::uint64_t>();
  return true;
}
bool read_setting(const Json& json, double& target) {
  if (!json.is_number()) return false;
  target = json.get<double>();
  return true;
}

Error not_a_summary(const LearnFiles& files) {
  return Error::invalid_data("this is not the summary of a learning run", files.summary().string(),
                             "the directory of an earlier run has one");
}

Result<Json> saved_settings(const LearnFiles& files) {
  DUEL_ASSIGN(const std::string text, read_whole_file(files.summary(), kMostBytes));
  const auto json = Json::parse(text);
  if (!json || !json->contains("settings")) return not_a_summary(files);
  return json->at("settings");
}

Result<JudgedQueries> scaled_queries(const std::string& text, const std::string& scale) {
  DUEL_ASSIGN(JudgedQueries queries, resolve_judged_queries(text));
  DUEL_RETURN_IF_ERROR(in_field("normalise", normalise(queries, scale)));
  return queries;
}

Result<AnswerBasis> answer_of(const std::string& compare) {
  if (compare == "clicks") return AnswerBasis::clicks;
  if (compare == "ndcg-logistic") return AnswerBasis::ndcg_logistic;
  const std::string known[] = {"clicks", "ndcg-logistic"};
  return Error::invalid_argument(fmt::format("'{}' does not answer duels", compare))
      .with_hint(spelling_hint(compare, known));
}

// The learner's name with the batch, where that is given beside it.
Result<CallSpec> learner_call(const LearnSpec& spec) {
  DUEL_ASSIGN(CallSpec call, in_field("learner", parse_call(spec.learner)));
  if (spec.batch == 0) return call;
  DUEL_RETURN_IF_ERROR(LearnSpec::kBatch.check("batch", spec.batch));
  if (std::any_of(call.arguments.begin(), call.arguments.end(),
                  [](const auto& argument) { return argument.first == "batch"; })) {
    return Error::invalid_argument("the learner has a batch already")
        .with_hint("give one of them")
        .in_field("batch");
  }
  call.arguments.emplace_back("batch", fmt::format("{}", spec.batch));
  return call;
}

Result<LearningSetting> setting_of(const LearnSpec& spec, const JudgedQueries& queries) {
  DUEL_RETURN_IF_ERROR(LearnSpec::kImpressions.check("impressions", spec.impressions));
  DUEL_RETURN_IF_ERROR(LearnSpec::kTrials.check("trials", spec.trials));
  DUEL_RETURN_IF_ERROR(LearnSpec::kLength.check("length", spec.length));
  if (!(spec.discount > 0 && spec.discount <= 1)) {
    return Error::invalid_argument(fmt::format("the discount is {}", format_number(spec.discount)))
        .with_hint("allowed: > 0 and <= 1")
        .in_field("discount");
  }
  LearningSetting setting;
  setting.queries = &queries;
  setting.length = static_cast<std::size_t>(spec.length);
  setting.seed = spec.seed;
  setting.discount = spec.discount;
  DUEL_ASSIGN(setting.answer, in_field("compare", answer_of(spec.compare)));
  DUEL_ASSIGN(const CallSpec call, learner_call(spec));
  DUEL_ASSIGN(
      setting.learner,
      in_field("learner", configure_ranker_learner(call, {queries.num_features(), setting.length,
                                                          spec.interleave, spec.impressions})));
  if (setting.answer == AnswerBasis::ndcg_logistic) {
    if (setting.learner->learns_from_duels()) return setting;
    return Error::invalid_argument(fmt::format("{} learns from clicks alone", call.name))
        .with_hint("it needs a learner of duels: dbgd")
        .in_field("compare");
  }
  DUEL_ASSIGN(const std::size_t grades, in_field("grades", num_grades_of(queries, spec.grades)));
  DUEL_ASSIGN(setting.user, in_field("clicks", configure_click_model(spec.clicks, grades)));
  return setting;
}

std::string weight_lines(std::span<const double> weights) {
  std::string text;
  for (const double weight : weights) text += format_number(weight) + "\n";
  return text;
}

// A line of a file of rankers (ranker_catalogue.h).
std::string ranker_line(std::string name, std::span<const double> weights) {
  for (const double weight : weights) name += " " + format_number(weight);
  return name + "\n";
}

Status restore_trials(const LearnFiles& files, std::span<RecordedTrial> trials) {
  DUEL_ASSIGN(const std::string saved, read_whole_file(files.states(), kMostBytes));
  const auto failed = [&](Error error) {
    error.where = files.states().string();
    return error;
  };
  auto reader = StateReader::open(saved);
  if (!reader.ok()) return failed(reader.error());
  std::uint64_t count = 0;
  (*reader)(count);
  for (RecordedTrial& trial : trials) {
    std::string state;
    (*reader)(state);
    if (const Status status = trial.restore(state); !status.ok()) return failed(status.error());
  }
  if (count != trials.size() || !reader->complete()) {
    return failed(Error::invalid_data("the states do not fit the summary beside them"));
  }
  return Done{};
}

}  // namespace

Result<std::shared_ptr<const LearnData>> read_learn_data(const LearnSpec& spec) {
  if (spec.data.empty()) {
    return Error::invalid_argument("there is no data to learn from")
        .with_hint("a LETOR file, or synthetic(queries=200,features=20)")
        .in_field("data");
  }
  DUEL_ASSIGN(JudgedQueries training, in_field("data", scaled_queries(spec.data, spec.normalise)));
  const std::size_t features = training.num_features();
  auto data = std::make_shared<LearnData>(LearnData{std::move(training), std::nullopt});
  if (spec.heldout.empty()) return std::shared_ptr<const LearnData>(std::move(data));
  DUEL_ASSIGN(data->heldout, in_field("heldout", scaled_queries(spec.heldout, spec.normalise)));
  if (data->heldout->num_features() > features) {
    return Error::invalid_data(fmt::format("its documents have {} features, those to learn from {}",
                                           data->heldout->num_features(), features))
        .with_hint("a ranker needs the same features in both")
        .in_field("heldout");
  }
  data->heldout->widen(features);  // missing ones are 0
  return std::shared_ptr<const LearnData>(std::move(data));
}

Result<LearnSpec> resumed_spec(const LearnFiles& files, LearnSpec spec) {
  DUEL_ASSIGN(const Json settings, saved_settings(files));
  DataSize size;
  bool complete = true;
  for_each_setting(spec, size, [&](const char* key, auto& target) {
    const Json* setting = settings.find(key);
    complete = complete && setting != nullptr && read_setting(*setting, target);
  });
  if (!complete) return not_a_summary(files);
  spec.batch = 0;
  return spec;
}

Result<LearnRun> LearnRun::create(LearnSpec spec, std::shared_ptr<const LearnData> data) {
  LearnRun run;
  DUEL_ASSIGN(run.setting_, setting_of(spec, data->training));
  spec.learner = run.setting_.learner->canonical();
  spec.interleave = run.setting_.learner->interleave();
  spec.clicks = run.setting_.user ? run.setting_.user->canonical() : "";
  run.spec_ = std::move(spec);
  run.data_ = std::move(data);
  for (std::uint32_t k = 0; k < run.spec_.trials; ++k) {
    run.trials_.emplace_back(run.setting_, k, run.data_->judged());
    run.start_.push_back(run.trials_[k].offline_ndcg());
  }
  return run;
}

Json LearnRun::settings() const {
  const JudgedQueries& queries = data_->training;
  const DataSize size{queries.num_queries(), queries.num_documents(), queries.num_features()};
  Json json;
  for_each_setting(spec_, size, [&](const char* key, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const std::string&>) {
      json[key] = text_or_null(value);
    } else {
      json[key] = value;
    }
  });
  return json;
}

Status LearnRun::restore(const LearnFiles& files) {
  DUEL_ASSIGN(const Json saved, saved_settings(files));
  if (settings() != saved) {
    return Error::invalid_data("the data or the learner are not those of the saved run",
                               files.directory.string(),
                               "it can continue only with the same files");
  }
  DUEL_RETURN_IF_ERROR(restore_trials(files, trials_));
  std::uint64_t played = 0;  // an interrupted run left its trials at different places
  for (const RecordedTrial& trial : trials_) {
    played = std::max(played, trial.trial().impressions());
  }
  if (spec_.impressions < played) {
    return Error::invalid_argument(fmt::format("{} impressions were played already", played))
        .with_hint("the number to end with, at least as many")
        .in_field("impressions");
  }
  return Done{};
}

Result<std::uint64_t> LearnRun::play(const JobHooks& hooks) {
  const std::vector<std::uint64_t> checkpoints = log_checkpoints(spec_.impressions);
  DUEL_ASSIGN(const JobsRun jobs,
              run_jobs(
                  trials_.size(), static_cast<unsigned>(spec_.threads), hooks,
                  [&](std::uint64_t k, const std::atomic<bool>& stop) {
                    return trials_[k].play(checkpoints, stop);
                  },
                  [](std::uint64_t k) { return fmt::format("trial {}", k + 1); }));
  return jobs.finished;
}

LearnResults LearnRun::results() const { return {settings(), trials_, start_}; }

std::vector<std::vector<double>> LearnRun::weights() const {
  std::vector<std::vector<double>> all;
  for (const RecordedTrial& recorded : trials_) {
    const auto& weights = recorded.trial().weights();
    all.emplace_back(weights.begin(), weights.end());
  }
  return all;
}

Status LearnRun::write(const LearnFiles& files, const LearnResults& results) const {
  DUEL_RETURN_IF_ERROR(make_directory(files.directory));
  const LearningTrial& first = trials_[0].trial();
  Json model;
  model["learner"] = spec_.learner;
  model["impressions"] = first.impressions();
  model["features"] = first.weights().size();
  model["offline_ndcg"] = results.trials[0].offline;
  model["weights"] = first.weights();
  std::string rankers = "# one linear ranker per line, for duel estimate --rankers\n";
  StateWriter states;
  states(static_cast<std::uint64_t>(trials_.size()));
  for (std::size_t k = 0; k < trials_.size(); ++k) {
    rankers += ranker_line(fmt::format("trial-{}", k + 1), trials_[k].trial().weights());
    states(trials_[k].save());
  }
  DUEL_RETURN_IF_ERROR(write_whole_file(files.model(), model.dump_pretty()));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.weights(), weight_lines(first.weights())));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.rankers(), rankers));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.curve(), results.curve_table().to_csv()));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.states(), states.finish()));
  return write_whole_file(files.summary(), results.to_json().dump_pretty());
}

// --- from grades --------------------------------------------------------------------------------

bool learns_from_grades(const LearnSpec& spec) {
  const auto call = parse_call(spec.learner);
  if (!call.ok()) return false;
  const auto kind = ranker_learner_catalogue().find(call->name);
  return kind.ok() && (*kind)->facts.sees_grades;
}

Result<LearnedFromGrades> learn_from_grades(const LearnSpec& spec, const LearnData& data) {
  if (!spec.interleave.empty() || spec.compare != "clicks" || spec.batch != 0) {
    return Error::invalid_argument("ranking-svm learns from grades, not from duels")
        .with_hint("leave interleave, compare and batch out")
        .in_field("learner");
  }
  DUEL_RETURN_IF_ERROR(LearnSpec::kLength.check("length", spec.length));
  const auto table = ranking_svm_options();
  DUEL_ASSIGN(const CallSpec call, in_field("learner", parse_call(spec.learner)));
  DUEL_ASSIGN(const RankingSvmOptions options,
              in_field("learner", table.parse(call, {}, "learner")));
  DUEL_ASSIGN(TrainedSvm trained,
              in_field("data", train_ranking_svm(data.training, options, spec.seed)));
  const double offline =
      mean_ndcg(data.judged(), trained.weights, static_cast<std::size_t>(spec.length));
  return LearnedFromGrades{table.canonical(call.name, options), trained.pairs, offline,
                           std::move(trained.weights), spec};
}

Json LearnedFromGrades::to_json() const {
  Json json;
  json["learner"] = learner;
  json["data"] = spec.data;
  json["heldout"] = text_or_null(spec.heldout);
  json["pairs"] = pairs;
  json["features"] = weights.size();
  json["length"] = spec.length;
  json["offline_ndcg"] = offline_ndcg;
  json["weights"] = weights;
  return json;
}

Status LearnedFromGrades::write(const LearnFiles& files) const {
  DUEL_RETURN_IF_ERROR(make_directory(files.directory));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.model(), to_json().dump_pretty()));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.weights(), weight_lines(weights)));
  return write_whole_file(files.rankers(), ranker_line("ranking-svm", weights));
}

}  // namespace duel
