#include "duel/cli/learn_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "duel/cli/matrix_report.h"
#include "duel/core/archive.h"
#include "duel/core/csv.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/core/whole_file.h"
#include "duel/simulation/aggregate.h"

namespace duel::cli {
namespace {

Quantity quantity_of(std::span<const double> values) {
  const double center = mean(values);
  return {center, standard_error(values, center)};
}

template <class Value>
Quantity over_trials(std::span<const RecordedTrial> trials, Value value) {
  std::vector<double> values;
  for (const RecordedTrial& trial : trials) values.push_back(value(trial));
  return quantity_of(values);
}

Json json_of(const Quantity& quantity) {
  return {{"mean", quantity.mean}, {"standard_error", finite_or_null(quantity.se)}};
}

std::string text_of(const Quantity& quantity, int digits) {
  if (std::isnan(quantity.se)) return fmt::format("{:.{}f}", quantity.mean, digits);
  return fmt::format("{:.{}f} ± {:.{}f}", quantity.mean, digits, quantity.se, digits);
}

// Points that all trials have.
std::size_t common_points(std::span<const RecordedTrial> trials) {
  std::size_t common = trials[0].curve().size();
  for (const RecordedTrial& trial : trials) {
    common = std::min(common, trial.curve().size());
    for (std::size_t i = 0; i < common; ++i) {
      if (trial.curve()[i].impressions != trials[0].curve()[i].impressions) common = i;
    }
  }
  return common;
}

bool is_power_of_ten(std::uint64_t n) {
  while (n % 10 == 0 && n > 0) n /= 10;
  return n == 1;
}

// The given points of the curves, each with the stretch since the one before.
std::vector<CurveRow> curve_rows(std::span<const RecordedTrial> trials,
                                 std::span<const std::size_t> points) {
  std::vector<CurveRow> rows;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::size_t i = points[p];
    rows.push_back(
        {trials[0].curve()[i].impressions,
         over_trials(trials,
                     [&](const RecordedTrial& trial) {
                       const CurvePoint none;
                       return online_since(p > 0 ? trial.curve()[points[p - 1]] : none,
                                           trial.curve()[i]);
                     }),
         over_trials(trials,
                     [&](const RecordedTrial& trial) { return trial.curve()[i].discounted; }),
         over_trials(trials,
                     [&](const RecordedTrial& trial) { return trial.curve()[i].offline; })});
  }
  return rows;
}

}  // namespace

LearnResults::LearnResults(Json run_settings, std::span<const RecordedTrial> run_trials,
                           std::span<const double> at_start)
    : settings(std::move(run_settings)),
      impressions(run_trials[0].trial().impressions()),
      seed(settings.contains("seed") ? settings["seed"].get<std::uint64_t>() : 0),
      start(quantity_of(at_start)) {
  for (const RecordedTrial& trial : run_trials) {
    trials.push_back(
        {trial.trial().discounted_ndcg(), trial.trial().mean_online_ndcg(), trial.offline_ndcg()});
  }
  std::vector<double> by_discount, by_mean, by_weights;
  for (const Trial& trial : trials) {
    by_discount.push_back(trial.discounted);
    by_mean.push_back(trial.online);
    by_weights.push_back(trial.offline);
  }
  discounted = quantity_of(by_discount);
  online = quantity_of(by_mean);
  offline = quantity_of(by_weights);
  std::vector<std::size_t> all(common_points(run_trials)), few;
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t i : all) {
    if (i + 1 == all.size() || is_power_of_ten(run_trials[0].curve()[i].impressions)) {
      few.push_back(i);
    }
  }
  curve = curve_rows(run_trials, all);
  decades = curve_rows(run_trials, few);
}

Json LearnResults::to_json() const {
  Json json;
  json["settings"] = settings;
  json["impressions"] = impressions;
  json["online_discounted_ndcg"] = json_of(discounted);
  json["online_mean_ndcg"] = json_of(online);
  json["offline_ndcg"] = json_of(offline);
  json["offline_ndcg_at_start"] = json_of(start);
  json["curve"] = Json::array();
  for (const CurveRow& row : curve) {
    json["curve"].push_back({{"impressions", row.impressions},
                             {"online_ndcg", json_of(row.online)},
                             {"online_discounted_ndcg", json_of(row.discounted)},
                             {"offline_ndcg", json_of(row.offline)}});
  }
  json["trials"] = Json::array();
  for (const Trial& trial : trials) {
    json["trials"].push_back({{"online_discounted_ndcg", trial.discounted},
                              {"online_mean_ndcg", trial.online},
                              {"offline_ndcg", trial.offline}});
  }
  return json;
}

std::string LearnResults::curve_csv() const {
  std::string csv = "learner,impressions,measure,mean,se,trials,seed\n";
  const std::string learner = csv_field(settings["learner"].get<std::string>());
  const auto add = [&](std::uint64_t at, const char* measure, const Quantity& quantity) {
    csv +=
        fmt::format("{},{},{},{},{},{},{}\n", learner, at, measure, format_number(quantity.mean),
                    std::isnan(quantity.se) ? "" : format_number(quantity.se), trials.size(), seed);
  };
  for (const CurveRow& row : curve) {
    add(row.impressions, "online", row.online);
    add(row.impressions, "online-discounted", row.discounted);
    add(row.impressions, "offline", row.offline);
  }
  return csv;
}

std::string LearnResults::to_text(std::size_t length, double discount, bool heldout) const {
  Table table;
  table.column(fmt::format("NDCG@{}", length), Align::left).column("value");
  table.row(
      {fmt::format("online, discounted by {}", format_number(discount)), text_of(discounted, 2)});
  table.row({"online, mean", text_of(online, 4)});
  table.row({heldout ? "offline, on the held-out queries" : "offline, on the training queries",
             text_of(offline, 4)});
  table.row({"offline at the start", text_of(start, 4)});
  Table way;
  way.column("impressions").column("online since the line above").column("offline");
  for (const CurveRow& row : decades) {
    way.row({fmt::format("{}", row.impressions), text_of(row.online, 4), text_of(row.offline, 4)});
  }
  return table.to_string() + "\n" + way.to_string();
}

Status write_directory(const LearnFiles& files, const LearnResults& results,
                       std::span<const RecordedTrial> trials) {
  DUEL_RETURN_IF_ERROR(make_directory(files.directory));
  const auto first = trials[0].trial().weights();
  Json model;
  model["learner"] = results.settings["learner"];
  model["impressions"] = trials[0].trial().impressions();
  model["features"] = first.size();
  model["offline_ndcg"] = results.trials[0].offline;
  model["weights"] = std::vector<double>(first.begin(), first.end());
  std::string weights, rankers = "# one linear ranker a line, for duel estimate --rankers\n";
  for (const double weight : first) weights += format_number(weight) + "\n";
  StateWriter states;
  states(static_cast<std::uint64_t>(trials.size()));
  for (std::size_t k = 0; k < trials.size(); ++k) {
    rankers += fmt::format("trial-{}", k + 1);
    for (const double weight : trials[k].trial().weights()) rankers += " " + format_number(weight);
    rankers += "\n";
    states(trials[k].save());
  }
  DUEL_RETURN_IF_ERROR(write_whole_file(files.model(), model.dump_pretty()));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.weights(), weights));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.rankers(), rankers));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.curve(), results.curve_csv()));
  DUEL_RETURN_IF_ERROR(write_whole_file(files.states(), states.finish()));
  return write_whole_file(files.summary(), results.to_json().dump_pretty());
}

Status restore_trials(const LearnFiles& files, std::span<RecordedTrial> trials) {
  DUEL_ASSIGN(const std::string saved, read_whole_file(files.states(), LearnFiles::kMostBytes));
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

}  // namespace duel::cli
