// Click models, and the credit of logs of impressions and clicks.
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conversions.h"
#include "duel/core/options_json.h"
#include "duel/core/rng.h"
#include "duel/ranking/click_credit/click_events.h"
#include "duel/ranking/click_credit/credited_log.h"
#include "duel/ranking/click_credit/credited_votes.h"
#include "duel/ranking/click_credit/impression_lines.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/exact_clicks.h"
#include "duel/study/click_verdict.h"
#include "duel/study/spec.h"
#include "ranking_arguments.h"

namespace duel::python {
namespace {

constexpr std::uint64_t kMostCells = std::uint64_t{1} << 30;  // of an array of simulated clicks
constexpr std::size_t kMostExact = 5000;                      // documents of an exact distribution

struct UserObject {
  std::shared_ptr<const ClickModel> model;

  std::vector<Grade> checked(const py::handle& values) const {
    std::vector<Grade> grades = grades_of(values, "grades");
    for (const Grade grade : grades) {
      if (grade >= model->num_grades()) {
        reject("grades", "the user knows the grades 0 to " +
                             std::to_string(model->num_grades() - 1) + ", and not " +
                             std::to_string(grade));
      }
    }
    return grades;
  }
  std::vector<Grade> checked_short(const py::handle& values) const {
    std::vector<Grade> grades = checked(values);
    if (grades.size() > kMostExact) {
      reject("grades", "the list is too long for an exact distribution",
             "at most " + std::to_string(kMostExact) + " documents");
    }
    return grades;
  }

  static UserObject create(const std::string& text, const py::handle& grades) {
    const auto known = static_cast<std::size_t>(count_of(grades, "grades", 1, 256));
    return {unwrap(in_field("model", configure_click_model(text, known)))};
  }

  // [user, position]: whether it was clicked. User u draws from round u + 1 of the seed's stream.
  py::array_t<bool> click(const py::handle& values, const py::handle& users,
                          const py::handle& seed) const {
    const std::vector<Grade> grades = checked(values);
    const std::uint64_t rows = count_of(users, "users", 0, kMostCells);
    if (!grades.empty() && rows > kMostCells / grades.size()) {
      reject("users", "so many clicks do not fit");
    }
    const Stream stream(count_of(seed, "seed", 0, kMaxSeed), 0, Purpose::impression);
    const auto width = grades.size();
    py::array_t<bool> clicked({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(width)});
    bool* const cells = clicked.mutable_data();
    run_unlocked(py::none(), [&](const std::atomic<bool>& stop, Progress&) {
      std::vector<Position> positions;
      std::fill(cells, cells + rows * width, false);
      for (std::uint64_t user = 0; user < rows && !stop.load(); ++user) {
        RoundRng rng = stream.at(user + 1);
        model->click(grades, rng, positions);
        for (const Position position : positions) cells[user * width + position] = true;
      }
    });
    return clicked;
  }

  py::array_t<double> probabilities(const py::handle& values) const {
    return array_of(click_probabilities(*model, checked_short(values)));
  }
  py::array_t<double> count_distribution(const py::handle& values) const {
    return array_of(click_count_distribution(*model, checked_short(values)));
  }
  double pattern_probability(const py::handle& values, const py::handle& clicked) const {
    const std::vector<Grade> grades = checked(values);
    const Numbers flags = numbers_of(clicked, "clicked", 1);
    if (static_cast<std::size_t>(flags.size()) != grades.size()) {
      reject("clicked", "as many marks as grades are needed");
    }
    std::vector<Position> positions;
    for (py::ssize_t k = 0; k < flags.size(); ++k) {
      const double flag = flags.data()[k];
      if (flag != 0 && flag != 1) reject("clicked", "a mark is True or False");
      if (flag == 1) positions.push_back(static_cast<Position>(k));
    }
    return click_pattern_probability(*model, grades, positions);
  }
};

py::list click_models() {
  py::list list;
  for (const ClickModelKind& kind : click_model_catalogue()) {
    list.append(py::dict("name"_a = kind.facts.name, "doc"_a = kind.facts.doc,
                         "source"_a = kind.facts.source,
                         "options"_a = to_python(described_json(kind.options))));
  }
  return list;
}

// The rows that `duel credit --output --all` writes.
py::list votes_of(const CreditedLog& log) {
  py::list votes;
  for (std::size_t k = 0; k < log.impressions.size(); ++k) {
    const CreditedVote vote = vote_of(log, k);
    votes.append(
        py::dict("first"_a = vote.first, "second"_a = vote.second, "result"_a = vote.result,
                 "winner"_a = vote.winner, "query_id"_a = vote.id, "user_id"_a = vote.user,
                 "made_at"_a = vote.time, "serving_order"_a = vote.serving_order,
                 "evidence"_a = vote.evidence, "outcome"_a = to_string(vote.outcome),
                 "first_credit"_a = vote.first_credit, "second_credit"_a = vote.second_credit));
  }
  return votes;
}

// A log is a file, or the text of one under a name.
py::tuple credit(const std::string& impressions, const std::optional<std::string>& impressions_text,
                 const std::string& clicks, const std::optional<std::string>& clicks_text,
                 const py::dict& fields, const py::object& progress) {
  const Request request(fields);
  CreditSpec spec;
  std::string weights, position_weights, cluster;
  request.take("weights", weights);
  request.take("position_weights", position_weights);
  request.take("cluster", cluster);
  request.take("item_cap", spec.rule.item_cap);
  request.take("length", spec.length, 1, CreditSpec::kLength.most);
  request.take("seed", spec.seed, 0, kMaxSeed);
  request.take("in_order", spec.in_order);
  request.take("partial", spec.partial);
  Ordinals ordinals;
  std::uint64_t base = 2;  // neither 0 nor 1: the log says it
  request.take("ordinals", base, 0, 1);
  if (base < 2) ordinals.state(base);
  if (!weights.empty()) {
    spec.rule.actions = unwrap(in_field("weights", parse_action_weights(weights)));
  }
  if (!position_weights.empty()) {
    spec.rule.positions =
        unwrap(in_field("position_weights", parse_position_weights(position_weights)));
  }
  if (!cluster.empty()) spec.cluster = unwrap(in_field("cluster", parse_cluster_by(cluster)));
  unwrap(check_rule(spec.rule));
  ClickVerdictSpec asked;
  asked.delta.seed = spec.seed;
  request.take("alpha", asked.alpha);
  if (!(asked.alpha > 0 && asked.alpha < 1)) {
    reject("alpha", "it is out of range", "above 0 and below 1");
  }
  std::uint64_t resamples = 1000;
  request.take("resamples", resamples, 2, 1'000'000);
  asked.delta.resamples = static_cast<std::uint32_t>(resamples);
  request.take("name", asked.experiment_id);

  std::optional<CreditedLog> log;
  std::optional<ClickVerdict> verdict;
  run_unlocked(progress, [&](const std::atomic<bool>& stop, Progress& now) {
    now.total = 3;
    ClickEvents events =
        unwrap(clicks_text ? ClickEvents::read_text(clicks, *clicks_text, spec.rule, ordinals)
                           : ClickEvents::read(clicks, spec.rule, ordinals));
    now.done = 1;
    if (stop) return;
    ImpressionLines lines = impressions_text
                                ? ImpressionLines::of_text(impressions, *impressions_text)
                                : unwrap(ImpressionLines::open(impressions));
    log = unwrap(credit_log(lines, events, spec));
    now.done = 2;
    if (stop) return;
    verdict = unwrap(click_verdict(*log, asked));
    now.done = 3;
  });
  return py::make_tuple(to_python(duel::to_json(*log, *verdict)), votes_of(*log));
}

}  // namespace

void bind_clicks(py::module_& module) {
  py::class_<UserObject> user_class(module, "ClickModel");
  seal(user_class);
  user_class
      .def_property_readonly("canonical",
                             [](const UserObject& user) { return user.model->canonical(); })
      .def_property_readonly("num_grades",
                             [](const UserObject& user) { return user.model->num_grades(); })
      .def("click", &UserObject::click, "grades"_a, "users"_a, "seed"_a)
      .def("probabilities", &UserObject::probabilities, "grades"_a)
      .def("count_distribution", &UserObject::count_distribution, "grades"_a)
      .def("pattern_probability", &UserObject::pattern_probability, "grades"_a, "clicked"_a);
  module.def("click_model", &UserObject::create, "model"_a, "grades"_a);
  module.def("click_models", &click_models);
  module.def("credit", &credit, "impressions"_a, "impressions_text"_a, "clicks"_a, "clicks_text"_a,
             "request"_a, "progress"_a);
}

}  // namespace duel::python
