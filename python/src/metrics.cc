// Measures of rankings against judgements, and of logs of clicks.
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "conversions.h"
#include "duel/ranking/estimation/ranking_measures.h"
#include "duel/ranking/metrics/click_log.h"
#include "duel/ranking/metrics/click_metrics.h"
#include "duel/ranking/metrics/judged_measures.h"
#include "duel/study/spec.h"
#include "ranking_arguments.h"

namespace duel::python {
namespace {

std::size_t depth_of(const py::handle& k) {
  return static_cast<std::size_t>(count_of(k, "k", 1, std::uint64_t{1} << 32));
}

Grade relevant_of(const py::handle& relevant) {
  return static_cast<Grade>(count_of(relevant, "relevant", 1, 255));
}

// The grades of all judged documents; those shown where nothing else is said.
std::vector<Grade> judged_of(const py::object& judged, const std::vector<Grade>& ranked) {
  return judged.is_none() ? ranked : grades_of(judged, "judged");
}

double dcg_at(const py::object& ranked, const py::object& k, const std::string& gain,
              const std::string& discount) {
  return dcg(grades_of(ranked, "ranked"), depth_of(k), unwrap(gain_named(gain)),
             unwrap(discount_named(discount)));
}

double ndcg_at(const py::object& ranked, const py::object& judged, const py::object& k,
               const std::string& gain, const std::string& discount) {
  const std::vector<Grade> shown = grades_of(ranked, "ranked");
  return ndcg(shown, judged_of(judged, shown), depth_of(k), unwrap(gain_named(gain)),
              unwrap(discount_named(discount)));
}

double ndcg_of_scores(const py::object& scores, const py::object& grades, const py::object& k,
                      const std::string& gain) {
  const Numbers values = numbers_of(scores, "scores", 1);
  const std::vector<Grade> judged = grades_of(grades, "grades");
  if (static_cast<std::size_t>(values.size()) != judged.size()) {
    reject("scores", "as many scores as grades are needed");
  }
  const std::vector<double> given(values.data(), values.data() + values.size());
  if (std::any_of(given.begin(), given.end(), [](double score) { return std::isnan(score); })) {
    reject("scores", "a score is not a number");
  }
  return tie_averaged_ndcg(given, judged, depth_of(k), unwrap(gain_named(gain)));
}

double average_precision_of(const py::object& ranked, const py::object& judged,
                            const py::object& relevant) {
  const std::vector<Grade> shown = grades_of(ranked, "ranked");
  return average_precision(shown, judged_of(judged, shown), relevant_of(relevant));
}

double err_of(const py::object& ranked, const py::object& k, const py::object& highest) {
  const std::vector<Grade> shown = grades_of(ranked, "ranked");
  const auto most = static_cast<Grade>(count_of(highest, "highest", 1, 255));
  if (std::any_of(shown.begin(), shown.end(), [&](Grade grade) { return grade > most; })) {
    reject("highest", "a grade is above the highest of the scale");
  }
  return expected_reciprocal_rank(shown, depth_of(k), most);
}

py::object measure(const py::dict& fields, const py::object& progress) {
  const Request request(fields);
  RankingMeasuresSpec spec;
  request.take("data", spec.data);
  request.take("rankers", spec.rankers);
  request.take("normalise", spec.normalise);
  request.take("gain", spec.gain);
  request.take("discount", spec.discount);
  request.take("no_relevant", spec.no_relevant);
  request.take("k", spec.k, 1, RankingMeasuresSpec::kDepth.most);
  request.take("relevant", spec.relevant, 1, RankingMeasuresSpec::kRelevant.most);
  request.take("grades", spec.grades, 0, 256);
  request.take("threads", spec.threads, 0, kMaxThreads);
  std::optional<RankingMeasures> measures;
  run_unlocked(progress, [&](const std::atomic<bool>& stop, Progress& now) {
    JobHooks hooks = hooks_for(stop, now, 0);
    hooks.on_progress = [&](std::uint64_t finished) {
      now.done = finished;
      now.total = finished + 1;  // how many queries there are, the data say at the end
    };
    measures = unwrap(measure_rankings(spec, hooks));
    now.total = now.done.load();
  });
  return to_python(measures->to_json());
}

py::object measure_clicks(const std::string& name, const std::optional<std::string>& text,
                          double session_gap, const py::object& resamples, const py::object& seed,
                          const py::object& progress) {
  if (!(session_gap > 0 && session_gap < 1e6)) {
    reject("session_gap", "it is out of range", "minutes, above 0");
  }
  ClickMetricOptions options;
  options.session_gap_seconds = 60 * session_gap;
  options.resamples = static_cast<std::uint32_t>(count_of(resamples, "resamples", 2, 1'000'000));
  options.seed = count_of(seed, "seed", 0, kMaxSeed);
  Json json;
  run_unlocked(progress, [&](const std::atomic<bool>& stop, Progress& now) {
    now.total = 2;
    const ClickLog log =
        text ? unwrap(read_click_log_text(name, *text)) : unwrap(read_click_log_file(name));
    now.done = 1;
    if (stop) return;
    json = duel::to_json(log, compute_click_metrics(log, options));
    now.done = 2;
  });
  return to_python(json);
}

}  // namespace

void bind_metrics(py::module_& module) {
  module.def("dcg", &dcg_at, "ranked"_a, "k"_a, "gain"_a, "discount"_a);
  module.def("ndcg", &ndcg_at, "ranked"_a, "judged"_a, "k"_a, "gain"_a, "discount"_a);
  module.def("ndcg_of_scores", &ndcg_of_scores, "scores"_a, "grades"_a, "k"_a, "gain"_a);
  module.def(
      "precision",
      [](const py::object& ranked, const py::object& k, const py::object& relevant) {
        return precision(grades_of(ranked, "ranked"), depth_of(k), relevant_of(relevant));
      },
      "ranked"_a, "k"_a, "relevant"_a);
  module.def("average_precision", &average_precision_of, "ranked"_a, "judged"_a, "relevant"_a);
  module.def(
      "reciprocal_rank",
      [](const py::object& ranked, const py::object& relevant) {
        return reciprocal_rank(grades_of(ranked, "ranked"), relevant_of(relevant));
      },
      "ranked"_a, "relevant"_a);
  module.def("expected_reciprocal_rank", &err_of, "ranked"_a, "k"_a, "highest"_a);
  module.def("measure_rankings", &measure, "request"_a, "progress"_a);
  module.def("measure_clicks", &measure_clicks, "name"_a, "text"_a, "session_gap"_a, "resamples"_a,
             "seed"_a, "progress"_a);
}

}  // namespace duel::python
