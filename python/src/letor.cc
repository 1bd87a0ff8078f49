// Judged queries: numpy arrays from LETOR files, and back.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "conversions.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/judged_queries.h"
#include "duel/ranking/letor/letor_reader.h"
#include "duel/ranking/letor/normalisation.h"
#include "ranking_arguments.h"

namespace duel::python {
namespace {

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

struct JudgedObject {
  std::shared_ptr<const JudgedQueries> queries;

  static JudgedObject scaled(JudgedQueries queries, const std::string& kind) {
    unwrap(in_field("normalise", normalise(queries, kind)));
    return {std::make_shared<const JudgedQueries>(std::move(queries))};
  }

  static JudgedObject load(const std::string& text, bool zero_based, const std::string& kind) {
    py::gil_scoped_release unlocked;
    const LetorLimits limits{.zero_based = zero_based};
    return scaled(unwrap(in_field("data", resolve_judged_queries(text, limits))), kind);
  }

  static JudgedObject parse(const std::string& text, bool zero_based, const std::string& kind) {
    py::gil_scoped_release unlocked;
    const LetorLimits limits{.zero_based = zero_based};
    return scaled(unwrap(in_field("data", read_letor_text("text", text, limits))), kind);
  }

  // Rows of one query are consecutive, and no query comes twice.
  static JudgedObject from_arrays(const py::object& values, const py::object& grades,
                                  const py::object& qids, const std::string& kind) {
    const Floats features = Floats::ensure(values);
    if (!features) {
      PyErr_Clear();
      throw py::type_error("features must be an array of numbers");
    }
    if (features.ndim() != 2) reject("features", "a row per document is needed");
    const auto rows = static_cast<std::size_t>(features.shape(0));
    const auto width = static_cast<std::size_t>(features.shape(1));
    if (rows == 0) reject("features", "there is no document");
    std::vector<Grade> judged = grades_of(grades, "grades");
    const Numbers numbers = numbers_of(qids, "qids", 1);
    if (judged.size() != rows) reject("grades", "as many grades as rows are needed");
    if (static_cast<std::size_t>(numbers.size()) != rows) {
      reject("qids", "as many ids of queries as rows are needed");
    }
    std::vector<std::uint64_t> offsets, ids;
    for (std::size_t row = 0; row < rows; ++row) {
      const double id = numbers.data()[row];
      if (!(id >= 0 && id < 9007199254740992.0) || id != std::floor(id)) {
        reject("qids", "the id of a query is a whole number from 0 to 2^53");
      }
      const auto whole = static_cast<std::uint64_t>(id);
      if (ids.empty() || ids.back() != whole) {
        offsets.push_back(row);
        ids.push_back(whole);
      }
    }
    offsets.push_back(rows);
    std::vector<std::uint64_t> sorted = ids;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      reject("qids", "the documents of a query are not together");
    }
    FeatureMatrix matrix(rows, width);
    for (std::size_t row = 0; row < rows; ++row) {
      const float* const from = features.data() + row * width;
      for (std::size_t k = 0; k < width; ++k) {
        if (!std::isfinite(from[k])) reject("features", "a feature is not finite");
      }
      std::copy(from, from + width, matrix.row(row).begin());
    }
    return scaled(
        JudgedQueries(std::move(matrix), std::move(judged), std::move(offsets), std::move(ids)),
        kind);
  }

  // Read-only, and the memory is the data set's own.
  static py::array features(const py::object& self) {
    const auto& queries = self.cast<const JudgedObject&>().queries;
    const float* const first =
        queries->num_documents() == 0 ? nullptr : queries->features(0, 0).data();
    py::array_t<float> array({static_cast<py::ssize_t>(queries->num_documents()),
                              static_cast<py::ssize_t>(queries->num_features())},
                             first, self);
    array.attr("flags").attr("writeable") = false;
    return array;
  }
  py::array_t<std::uint8_t> grades() const {
    py::array_t<std::uint8_t> array(static_cast<py::ssize_t>(queries->num_documents()));
    std::uint8_t* to = array.mutable_data();
    for (std::size_t q = 0; q < queries->num_queries(); ++q) {
      const auto from = queries->grades(q);
      to = std::copy(from.begin(), from.end(), to);
    }
    return array;
  }
  py::array_t<std::uint64_t> qids() const {
    py::array_t<std::uint64_t> array(static_cast<py::ssize_t>(queries->num_queries()));
    for (std::size_t q = 0; q < queries->num_queries(); ++q) {
      array.mutable_data()[q] = queries->qid(q);
    }
    return array;
  }
  py::array_t<std::int64_t> offsets() const {
    py::array_t<std::int64_t> array(static_cast<py::ssize_t>(queries->num_queries() + 1));
    std::int64_t* const to = array.mutable_data();
    to[0] = 0;
    for (std::size_t q = 0; q < queries->num_queries(); ++q) {
      to[q + 1] = to[q] + static_cast<std::int64_t>(queries->num_documents(q));
    }
    return array;
  }
  std::string text() const {
    py::gil_scoped_release unlocked;
    std::ostringstream out;
    write_letor(*queries, out);
    return out.str();
  }
};

}  // namespace

void bind_letor(py::module_& module) {
  py::class_<JudgedObject> judged_class(module, "JudgedQueries");
  seal(judged_class);
  judged_class.def_static("load", &JudgedObject::load, "data"_a, "zero_based"_a, "normalise"_a)
      .def_static("parse", &JudgedObject::parse, "text"_a, "zero_based"_a, "normalise"_a)
      .def_static("from_arrays", &JudgedObject::from_arrays, "features"_a, "grades"_a, "qids"_a,
                  "normalise"_a)
      .def("features", &JudgedObject::features)
      .def("grades", &JudgedObject::grades)
      .def("qids", &JudgedObject::qids)
      .def("offsets", &JudgedObject::offsets)
      .def("text", &JudgedObject::text);
}

}  // namespace duel::python
