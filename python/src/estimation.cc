// From rankers, judged queries and a click model to a preference matrix.
#include <memory>
#include <optional>
#include <utility>

#include "conversions.h"
#include "duel/ranking/estimation/estimate.h"
#include "duel/study/spec.h"
#include "matrix.h"
#include "ranking_arguments.h"

namespace duel::python {
namespace {

py::tuple estimate(const py::dict& fields, const py::object& progress) {
  const Request request(fields);
  EstimateSpec spec;
  request.take("data", spec.data);
  request.take("rankers", spec.rankers);
  request.take("interleave", spec.interleave);
  request.take("clicks", spec.clicks);
  request.take("normalise", spec.normalise);
  request.take("ties", spec.ties);
  request.take("comparisons", spec.comparisons, 1, EstimateSpec::kComparisons.most);
  request.take("length", spec.length, 1, EstimateSpec::kLength.most);
  request.take("grades", spec.grades, 0, 256);
  request.take("seed", spec.seed, 0, kMaxSeed);
  request.take("threads", spec.threads, 0, kMaxThreads);
  request.take("exact", spec.exact);
  request.take("name", spec.name);
  std::optional<Estimate> found;
  run_unlocked(progress, [&](const std::atomic<bool>& stop, Progress& now) {
    JobHooks preparing;
    preparing.stop = &stop;
    const auto setup = unwrap(prepare_estimate(spec, preparing));
    found = unwrap(run_estimate(setup, hooks_for(stop, now, setup->num_jobs())));
  });
  const py::object summary = to_python(found->to_json());
  return py::make_tuple(
      summary, MatrixObject{std::make_shared<const PreferenceMatrix>(std::move(found->matrix))});
}

}  // namespace

void bind_estimation(py::module_& module) {
  module.def("estimate", &estimate, "request"_a, "progress"_a);
}

}  // namespace duel::python
