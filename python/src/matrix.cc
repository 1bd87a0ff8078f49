// Preference matrices: from arrays, files and names, and what there is to say of them.
#include "matrix.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "duel/study/spec.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/matrix_description.h"
#include "duel/truth/matrix_reader.h"
#include "duel/truth/rankings.h"
#include "duel/truth/winners.h"

namespace duel::python {
namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

MatrixObject object_of(Result<PreferenceMatrix> matrix) {
  return {std::make_shared<const PreferenceMatrix>(unwrap(in_field("matrix", std::move(matrix))))};
}

// Reads a float64 array of C order where it lies; others are converted by numpy first. The matrix
// keeps numbers of its own, since it makes p_ij + p_ji exact.
MatrixObject matrix_of(const py::object& values,
                       const std::optional<std::vector<std::string>>& arms,
                       const std::string& name) {
  const Array array = Array::ensure(values);
  if (!array) {
    PyErr_Clear();
    throw py::type_error("matrix: an array of numbers is needed");
  }
  if (array.ndim() != 2 || array.shape(0) != array.shape(1)) {
    std::string shape;
    for (py::ssize_t k = 0; k < array.ndim(); ++k) {
      shape += (k == 0 ? "" : " x ") + std::to_string(array.shape(k));
    }
    reject("matrix", "a preference matrix is square, and this has the shape " +
                         (shape.empty() ? "of a number" : shape));
  }
  const auto num_arms = static_cast<std::size_t>(array.shape(0));
  std::vector<std::string> names;
  if (arms) {
    names = *arms;
    if (names.size() != num_arms) {
      reject("arms",
             std::to_string(names.size()) + " names for " + std::to_string(num_arms) + " arms");
    }
  } else {
    for (std::size_t i = 0; i < num_arms; ++i) names.push_back("arm" + std::to_string(i + 1));
  }
  std::vector<double> numbers(array.data(), array.data() + array.size());
  return object_of(PreferenceMatrix::create(name, std::move(names), std::move(numbers)));
}

py::list indices(const std::vector<Arm>& arms) {
  py::list list;
  for (const Arm arm : arms) list.append(arm);
  return list;
}

}  // namespace

void bind_matrix(py::module_& module) {
  py::class_<MatrixObject> bound_matrix(module, "Matrix");
  refuse_pickling(bound_matrix);
  bound_matrix.def(py::init(&matrix_of), "values"_a, "arms"_a = py::none(), "name"_a = "matrix")
      .def_static(
          "resolve", [](const std::string& text) { return object_of(resolve_matrix(text)); },
          "text"_a)
      .def_static(
          "parse",
          [](const std::string& text, const std::string& name) {
            return object_of(read_matrix_text(name, text));
          },
          "text"_a, "name"_a)
      .def_property_readonly("name", [](const MatrixObject& self) { return self.matrix->name(); })
      .def_property_readonly("arms",
                             [](const MatrixObject& self) { return self.matrix->arm_names(); })
      .def("__len__", [](const MatrixObject& self) { return self.matrix->num_arms(); })
      .def("array",
           [](const py::object& self) {
             const auto& object = self.cast<const MatrixObject&>();
             const auto n = static_cast<py::ssize_t>(object.matrix->num_arms());
             // A view: the matrix never changes, and lives as long as the array.
             py::array_t<double> view({n, n}, object.matrix->row_major().data(), self);
             view.attr("setflags")("write"_a = false);
             return view;
           })
      .def("describe",
           [](const MatrixObject& self) {
             const SharedMatrix matrix = self.matrix;
             std::optional<Json> json;
             {
               const py::gil_scoped_release unlocked;
               json = MatrixDescription(*matrix).to_json();
             }
             return to_python(*json);
           })
      .def(
          "check",
          [](const MatrixObject& self, const std::vector<std::string>& require) {
            const auto verdicts =
                unwrap(in_field("require", check_requirements(*self.matrix, require)));
            return to_python(duel::to_json(*self.matrix, verdicts));
          },
          "require"_a)
      .def("condorcet_winner",
           [](const MatrixObject& self) { return condorcet_winner(*self.matrix); })
      .def("copeland_winners",
           [](const MatrixObject& self) { return indices(copeland_scores(*self.matrix).winners); })
      .def("borda_scores",
           [](const MatrixObject& self) { return borda_scores(*self.matrix).scores; })
      .def("smith_set", [](const MatrixObject& self) { return indices(smith_set(*self.matrix)); })
      .def(
          "von_neumann_winner",
          [](const MatrixObject& self) { return unwrap(von_neumann_winner(*self.matrix)).weights; })
      .def("lower_bound",
           [](const MatrixObject& self) { return unwrap(regret_lower_bound(*self.matrix)).value; })
      .def("csv", [](const MatrixObject& self) {
        std::ostringstream text;
        write_matrix_csv(*self.matrix, text);
        return text.str();
      });

  py::class_<ProblemObject> bound_problem(module, "Problem");
  refuse_pickling(bound_problem);
  bound_problem
      .def(py::init([](const MatrixObject& matrix) {
        Problem problem;
        problem.schedule.name = matrix.matrix->name();
        problem.schedule.segments.push_back({1, *matrix.matrix});
        return ProblemObject{std::make_shared<const Problem>(std::move(problem))};
      }))
      .def_static(
          "resolve",
          [](const std::string& text, const py::handle& number) {
            const auto threads = static_cast<unsigned>(count_of(number, "threads", 0, kMaxThreads));
            std::shared_ptr<const Problem> problem;
            {
              const py::gil_scoped_release unlocked;
              problem = std::make_shared<const Problem>(
                  unwrap(in_field("matrix", resolve_problem(text, threads))));
            }
            return ProblemObject{problem};
          },
          "text"_a, "threads"_a = 0);

  module.def("named_matrices", [] {
    py::list list;
    for (const MatrixKind& kind : matrix_catalogue()) {
      list.append(py::dict("name"_a = kind.facts.name, "doc"_a = kind.facts.doc,
                           "source"_a = kind.facts.source, "example"_a = kind.facts.example));
    }
    return list;
  });
}

}  // namespace duel::python
