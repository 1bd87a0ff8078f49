#include "duel/ranking/learners/learn_results.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "duel/core/sample_mean.h"

namespace duel {
namespace {

Quantity quantity_of(std::span<const double> values) {
  const double center = mean(values);
  return {center, standard_error(values, center)};
}

// Of `value` over trials: a member, or a function.
template <class Trials, class Value>
Quantity over_trials(const Trials& trials, Value value) {
  std::vector<double> values;
  for (const auto& trial : trials) values.push_back(std::invoke(value, trial));
  return quantity_of(values);
}

Json json_of(const Quantity& quantity) {
  return {{"mean", quantity.mean}, {"standard_error", finite_or_null(quantity.se)}};
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
    const auto at = [&](auto value) {
      return over_trials(trials, [&](const RecordedTrial& trial) { return value(trial.curve()); });
    };
    using Curve = std::span<const CurvePoint>;
    rows.push_back({trials[0].curve()[i].impressions, at([&](Curve curve) {
                      return online_since(p > 0 ? curve[points[p - 1]] : CurvePoint{}, curve[i]);
                    }),
                    at([&](Curve curve) { return curve[i].discounted; }),
                    at([&](Curve curve) { return curve[i].offline; })});
  }
  return rows;
}

}  // namespace

LearnResults::LearnResults(Json run_settings, std::span<const RecordedTrial> run_trials,
                           std::span<const double> at_start)
    : settings(std::move(run_settings)),
      impressions(run_trials[0].trial().impressions()),
      start(quantity_of(at_start)) {
  for (const RecordedTrial& trial : run_trials) {
    trials.push_back(
        {trial.trial().discounted_ndcg(), trial.trial().mean_online_ndcg(), trial.offline_ndcg()});
  }
  discounted = over_trials(trials, &Trial::discounted);
  online = over_trials(trials, &Trial::online);
  offline = over_trials(trials, &Trial::offline);

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

Table LearnResults::curve_table() const {
  Table table("learner,impressions,measure,mean,se,trials,seed");
  const auto add = [&](std::uint64_t at, const char* measure, const Quantity& quantity) {
    table.row({settings["learner"], at, measure, quantity.mean, quantity.se, trials.size(),
               settings["seed"]});
  };
  for (const CurveRow& row : curve) {
    add(row.impressions, "online", row.online);
    add(row.impressions, "online-discounted", row.discounted);
    add(row.impressions, "offline", row.offline);
  }
  return table;
}

}  // namespace duel
