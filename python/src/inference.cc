// Bradley-Terry strengths from counts.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "conversions.h"
#include "duel/inference/bradley_terry.h"

namespace duel::python {
namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

Array square(const py::object& values, const char* field) {
  const Array array = Array::ensure(values);
  if (!array) throw py::error_already_set();
  if (array.ndim() != 2 || array.shape(0) != array.shape(1) || array.shape(0) < 1) {
    raise(Error::invalid_argument("a square array of counts is needed").in_field(field));
  }
  for (py::ssize_t k = 0; k < array.size(); ++k) {
    const double count = array.data()[k];
    if (!std::isfinite(count) || count < 0) {
      raise(Error::invalid_argument("a count is finite and not negative").in_field(field));
    }
  }
  return array;
}

py::dict bradley_terry(const py::object& wins, const py::object& ties, const std::string& model,
                       const py::object& prior, const std::vector<std::string>& names) {
  const Array won = square(wins, "wins");
  const auto num_arms = static_cast<std::size_t>(won.shape(0));
  DuelTable table(num_arms);
  const auto cell = [&](const Array& array, std::size_t i, std::size_t j) {
    return array.data()[i * num_arms + j];
  };
  for (std::size_t i = 0; i < num_arms; ++i) {
    for (std::size_t j = 0; j < num_arms; ++j) {
      if (i != j) table.add_wins(static_cast<Arm>(i), static_cast<Arm>(j), cell(won, i, j));
    }
  }
  if (!ties.is_none()) {
    const Array tied = square(ties, "ties");
    if (tied.shape(0) != won.shape(0)) {
      raise(Error::invalid_argument("it has not the shape of the wins").in_field("ties"));
    }
    for (std::size_t i = 0; i < num_arms; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (cell(tied, i, j) != cell(tied, j, i)) {
          raise(Error::invalid_argument("ties are symmetric").in_field("ties"));
        }
        table.add_ties(static_cast<Arm>(i), static_cast<Arm>(j), cell(tied, i, j));
      }
    }
  }
  BradleyTerryOptions options;
  options.names = names;
  if (!names.empty() && names.size() != num_arms) {
    raise(Error::invalid_argument("as many names as arms are needed").in_field("arms"));
  }
  if (model == "davidson") {
    options.ties = TieModel::davidson;
  } else if (model == "rao_kupper") {
    options.ties = TieModel::rao_kupper;
  } else if (model != "halves") {
    raise(Error::invalid_argument("there is no model of ties '" + model + "'")
              .with_hint("halves, davidson or rao_kupper")
              .in_field("model"));
  }
  if (!prior.is_none()) {
    const double shape = prior.cast<double>();
    if (!(shape > 1 && shape < 1e6)) {
      raise(Error::invalid_argument("it is out of range").with_hint("above 1").in_field("prior"));
    }
    options.prior = GammaPrior{.shape = shape};
  }
  const BradleyTerryFit fit = unwrap(fit_bradley_terry(table, options));
  py::dict answer;
  answer["log_strength"] =
      py::array_t<double>(static_cast<py::ssize_t>(num_arms), fit.log_strength.data());
  answer["strength"] = py::array_t<double>(static_cast<py::ssize_t>(num_arms), fit.strength.data());
  std::vector<double> elo;
  for (std::size_t i = 0; i < num_arms; ++i) elo.push_back(fit.elo(static_cast<Arm>(i)));
  answer["elo"] = py::array_t<double>(static_cast<py::ssize_t>(num_arms), elo.data());
  const auto n = static_cast<py::ssize_t>(num_arms);
  answer["covariance"] = fit.covariance.size() == num_arms * num_arms
                             ? py::object(py::array_t<double>({n, n}, fit.covariance.data()))
                             : py::none();
  answer["tie_parameter"] = fit.tie_parameter;
  answer["added_wins"] = fit.added_wins;
  answer["log_likelihood"] = fit.log_likelihood;
  answer["p_value"] =
      fit.lack_of_fit ? py::object(py::float_(fit.lack_of_fit->p_value)) : py::object(py::none());
  return answer;
}

}  // namespace

void bind_inference(py::module_& module) {
  module.def("bradley_terry", &bradley_terry, py::arg("wins"), py::arg("ties"), py::arg("model"),
             py::arg("prior"), py::arg("arms"));
}

}  // namespace duel::python
