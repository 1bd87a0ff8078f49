// Learning rankers from clicks, and points from duels.
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conversions.h"
#include "duel/continuous/learner_registry.h"
#include "duel/continuous/point_set.h"
#include "duel/core/rng.h"
#include "duel/ranking/learners/learn.h"
#include "duel/study/method_card.h"
#include "duel/study/spec.h"
#include "ranking_arguments.h"

namespace duel::python {
namespace {

LearnSpec spec_of(const py::dict& fields) {
  const Request request(fields);
  LearnSpec spec;
  request.take("data", spec.data);
  request.take("heldout", spec.heldout);
  request.take("learner", spec.learner);
  request.take("interleave", spec.interleave);
  request.take("clicks", spec.clicks);
  request.take("compare", spec.compare);
  request.take("normalise", spec.normalise);
  request.take("impressions", spec.impressions, 1, LearnSpec::kImpressions.most);
  request.take("batch", spec.batch, 1, LearnSpec::kBatch.most);
  request.take("trials", spec.trials, 1, LearnSpec::kTrials.most);
  request.take("length", spec.length, 1, LearnSpec::kLength.most);
  request.take("discount", spec.discount);
  request.take("grades", spec.grades, 0, 256);
  request.take("seed", spec.seed, 0, kMaxSeed);
  request.take("threads", spec.threads, 0, kMaxThreads);
  if (!(spec.discount > 0 && spec.discount <= 1)) {
    reject("discount", "it is out of range", "> 0 and <= 1");
  }
  if (spec.compare != "clicks" && spec.compare != "ndcg-logistic") {
    reject("compare", "there is no comparison '" + spec.compare + "'", "clicks or ndcg-logistic");
  }
  return spec;
}

// The summary, and the weights of every trial's ranker.
py::tuple learn(const py::dict& fields, const std::string& output, const std::string& resume,
                const py::object& progress) {
  LearnSpec spec = spec_of(fields);
  const std::string folder = output.empty() ? resume : output;
  Json summary;
  std::vector<std::vector<double>> weights;
  run_unlocked(progress, [&](const std::atomic<bool>& stop, Progress& now) {
    if (!resume.empty()) spec = unwrap(resumed_spec(LearnFiles(resume), spec));
    const auto data = unwrap(read_learn_data(spec));
    if (learns_from_grades(spec)) {
      const LearnedFromGrades learned = unwrap(learn_from_grades(spec, *data));
      if (!folder.empty()) unwrap(learned.write(LearnFiles(folder)));
      summary = learned.to_json();
      weights.push_back(learned.weights);
      return;
    }
    LearnRun run = unwrap(LearnRun::create(spec, data));
    if (!resume.empty()) unwrap(run.restore(LearnFiles(resume)));
    const std::uint64_t finished = unwrap(run.play(hooks_for(stop, now, spec.trials)));
    const LearnResults results = run.results();
    if (!folder.empty()) unwrap(run.write(LearnFiles(folder), results));
    if (finished < spec.trials) raise(Error::interrupted("the run was interrupted"));
    summary = results.to_json();
    weights = run.weights();
  });
  const auto rows = static_cast<py::ssize_t>(weights.size());
  const auto width = static_cast<py::ssize_t>(weights.empty() ? 0 : weights[0].size());
  py::array_t<double> rankers({rows, width});
  double* to = rankers.mutable_data();
  for (const auto& ranker : weights) to = std::copy(ranker.begin(), ranker.end(), to);
  return py::make_tuple(to_python(summary), rankers);
}

py::list learners() {
  py::list list;
  for (const MethodCard& card : method_cards()) {
    if (card.kind != MethodCard::Kind::policy) list.append(to_python(to_json(card)));
  }
  return list;
}

// --- points -------------------------------------------------------------------------------------

std::vector<double> coordinates_of(const py::handle& values, const char* field) {
  const Numbers array = numbers_of(values, field, 1);
  std::vector<double> numbers(array.data(), array.data() + array.size());
  for (const double number : numbers) {
    if (!std::isfinite(number)) reject(field, "a coordinate is not finite");
  }
  return numbers;
}

PointSetPtr point_set_of(const py::dict& fields, std::size_t dimension) {
  const Request request(fields);
  std::string kind = "space";
  request.take("set", kind);
  double radius = 1;
  request.take("radius", radius);
  const auto side = [&](const char* name) {
    if (!request.has(name)) reject(name, "a box has a low and a high corner");
    std::vector<double> corner = coordinates_of(fields[name], name);
    if (corner.size() != dimension) reject(name, "it has not as many coordinates as the start");
    return corner;
  };
  if (kind == "space") return unwrap(in_field("start", make_whole_space(dimension)));
  if (kind == "ball") return unwrap(in_field("radius", make_ball(dimension, radius)));
  if (kind == "sphere") return unwrap(in_field("start", make_unit_sphere(dimension)));
  if (kind == "simplex") return unwrap(in_field("radius", make_simplex(dimension, radius)));
  if (kind == "box") return unwrap(in_field("low", make_box(side("low"), side("high"))));
  reject("set", "there is no set '" + kind + "'", "space, ball, sphere, simplex or box");
}

class PointLearnerObject {
 public:
  PointLearnerObject(const std::string& learner, const py::handle& start, const py::dict& fields,
                     const py::handle& horizon, const py::handle& seed, const py::handle& trial)
      : stream_(0, 0, Purpose::choice) {
    std::vector<double> from = coordinates_of(start, "start");
    if (from.empty()) reject("start", "it is empty");
    const PointSetPtr set = point_set_of(fields, from.size());
    const auto configured =
        unwrap(in_field("learner", configure_point_learner(
                                       learner, set, count_of(horizon, "duels", 0, kMaxRounds))));
    const auto kind = unwrap(point_learner_catalogue().find(call_of(learner, "learner").name));
    sees_probability_ = kind->facts.sees_probability;
    canonical_ = configured->canonical();
    steps_ = configured->steps();
    stream_ = Stream(count_of(seed, "seed", 0, kMaxSeed),
                     static_cast<std::uint32_t>(count_of(trial, "trial", 0, kMaxTrials)),
                     Purpose::choice, canonical_);
    learner_ = configured->make(std::move(from));
  }

  py::tuple select() {
    const PointDuel duel = learner_->select(round_, stream_.at(round_));
    return py::make_tuple(array_of(duel.first), array_of(duel.second), duel.ticket);
  }

  void observe(const py::handle& ticket, const py::handle& outcome, const py::object& probability) {
    PointAnswer answer;
    answer.outcome = outcome_of(outcome);
    if (!probability.is_none()) {
      const double given = PyFloat_AsDouble(probability.ptr());
      if (PyErr_Occurred() != nullptr) throw py::error_already_set();
      if (!(given >= 0 && given <= 1)) reject("probability", "it is out of range", "0 to 1");
      answer.probability_first_wins = given;
    } else if (sees_probability_) {
      reject("probability", "this learner needs the probability that the first wins");
    }
    learner_->observe(count_of(ticket, "ticket", 0, ~std::uint64_t{0} >> 1), answer);
    ++round_;
  }

  py::array_t<double> recommend() const { return array_of(learner_->recommend()); }
  std::uint64_t moves() const { return learner_->moves(); }
  std::uint64_t observed() const { return round_ - 1; }
  const std::string& canonical() const { return canonical_; }
  py::tuple steps() const { return py::make_tuple(steps_.delta, steps_.gamma); }

  py::tuple save() const { return py::make_tuple(py::bytes(learner_->save()), round_ - 1); }
  void restore(const std::string& state, const py::handle& observed) {
    const Round round = count_of(observed, "state", 0, kMaxRounds) + 1;
    unwrap(learner_->restore(state));
    round_ = round;
  }

 private:
  std::unique_ptr<PointLearner> learner_;
  Stream stream_;
  std::string canonical_;
  StepSizes steps_;
  bool sees_probability_ = false;
  Round round_ = 1;
};

}  // namespace

void bind_learning(py::module_& module) {
  module.def("learn", &learn, "request"_a, "output"_a, "resume"_a, "progress"_a);
  module.def("learners", &learners);
  py::class_<PointLearnerObject> learner_class(module, "PointLearner");
  seal(learner_class);
  learner_class.def("select", &PointLearnerObject::select)
      .def("observe", &PointLearnerObject::observe, "ticket"_a, "outcome"_a, "probability"_a)
      .def("recommend", &PointLearnerObject::recommend)
      .def_property_readonly("moves", &PointLearnerObject::moves)
      .def_property_readonly("observed", &PointLearnerObject::observed)
      .def_property_readonly("canonical", &PointLearnerObject::canonical)
      .def_property_readonly("steps", &PointLearnerObject::steps)
      .def("save", &PointLearnerObject::save)
      .def("restore", &PointLearnerObject::restore, "state"_a, "observed"_a);
  module.def(
      "point_learner",
      [](const std::string& learner, const py::object& start, const py::dict& set,
         const py::object& duels, const py::object& seed, const py::object& trial) {
        return std::make_unique<PointLearnerObject>(learner, start, set, duels, seed, trial);
      },
      "learner"_a, "start"_a, "set"_a, "duels"_a, "seed"_a, "trial"_a);
}

}  // namespace duel::python
