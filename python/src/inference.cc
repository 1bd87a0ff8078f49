// Bradley-Terry strengths from counts.
#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "conversions.h"
#include "duel/inference/bradley_terry.h"
#include "ranking_arguments.h"

namespace duel::python {
namespace {

Numbers square(const py::object& values, const char* field) {
  const Numbers array = Numbers::ensure(values);
  if (!array) {
    PyErr_Clear();
    throw py::type_error(std::string(field) + ": an array of numbers is needed");
  }
  if (array.ndim() != 2 || array.shape(0) != array.shape(1) || array.shape(0) < 1) {
    reject(field, "a square array of counts is needed");
  }
  for (py::ssize_t k = 0; k < array.size(); ++k) {
    const double count = array.data()[k];
    if (!std::isfinite(count) || count < 0) reject(field, "a count is finite and not negative");
  }
  return array;
}

py::dict bradley_terry(const py::object& wins, const py::object& ties, const std::string& model,
                       const py::object& prior, const std::vector<std::string>& names) {
  const Numbers won = square(wins, "wins");
  const auto num_arms = static_cast<std::size_t>(won.shape(0));
  DuelTable table(num_arms);
  const auto cell = [&](const Numbers& array, std::size_t i, std::size_t j) {
    return array.data()[i * num_arms + j];
  };
  for (std::size_t i = 0; i < num_arms; ++i) {
    for (std::size_t j = 0; j < num_arms; ++j) {
      if (i != j) table.add_wins(static_cast<Arm>(i), static_cast<Arm>(j), cell(won, i, j));
    }
  }
  if (!ties.is_none()) {
    const Numbers tied = square(ties, "ties");
    if (tied.shape(0) != won.shape(0)) reject("ties", "it has not the shape of the wins");
    for (std::size_t i = 0; i < num_arms; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (cell(tied, i, j) != cell(tied, j, i)) reject("ties", "ties are symmetric");
        table.add_ties(static_cast<Arm>(i), static_cast<Arm>(j), cell(tied, i, j));
      }
    }
  }
  BradleyTerryOptions options;
  options.names = names;
  if (!names.empty() && names.size() != num_arms) {
    reject("arms", "as many names as arms are needed");
  }
  if (model == "davidson") {
    options.ties = TieModel::davidson;
  } else if (model == "rao_kupper") {
    options.ties = TieModel::rao_kupper;
  } else if (model != "halves") {
    reject("model", "there is no model of ties '" + model + "'", "halves, davidson or rao_kupper");
  }
  if (const auto shape = prior_shape_of(prior)) options.prior = GammaPrior{.shape = *shape};
  const BradleyTerryFit fit = unwrap(fit_bradley_terry(table, options));
  std::vector<double> elo;
  for (std::size_t i = 0; i < num_arms; ++i) elo.push_back(fit.elo(static_cast<Arm>(i)));
  const auto n = static_cast<py::ssize_t>(num_arms);
  py::object covariance = py::none();
  if (fit.covariance.size() == num_arms * num_arms) {
    covariance = py::array_t<double>({n, n}, fit.covariance.data());
  }
  py::object p_value = py::none();
  if (fit.lack_of_fit) p_value = py::float_(fit.lack_of_fit->p_value);
  return py::dict("log_strength"_a = array_of(fit.log_strength),
                  "strength"_a = array_of(fit.strength), "elo"_a = array_of(elo),
                  "covariance"_a = covariance, "tie_parameter"_a = fit.tie_parameter,
                  "added_wins"_a = fit.added_wins, "log_likelihood"_a = fit.log_likelihood,
                  "p_value"_a = p_value);
}

}  // namespace

void bind_inference(py::module_& module) {
  module.def("bradley_terry", &bradley_terry, "wins"_a, "ties"_a, "model"_a, "prior"_a, "arms"_a);
}

}  // namespace duel::python
