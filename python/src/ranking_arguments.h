// What the bindings of ranking share: grades, counts and the fields of requests from Python.
#pragma once

#include <pybind11/numpy.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "conversions.h"
#include "duel/jobs/jobs.h"
#include "duel/ranking/document.h"

namespace duel::python {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

inline Numbers numbers_of(const py::handle& values, const char* field, int dimensions) {
  const Numbers array = Numbers::ensure(values);
  if (!array) {
    PyErr_Clear();
    throw py::type_error(std::string(field) + " must be an array of numbers");
  }
  if (array.ndim() != dimensions) {
    reject(field, "an array of " + std::to_string(dimensions) +
                      (dimensions == 1 ? " dimension" : " dimensions") +
                      " is needed, and this has " + std::to_string(array.ndim()));
  }
  return array;
}

// Whole numbers from 0 to 255, one dimension.
inline std::vector<Grade> grades_of(const py::handle& values, const char* field) {
  const Numbers array = numbers_of(values, field, 1);
  std::vector<Grade> grades;
  grades.reserve(static_cast<std::size_t>(array.size()));
  for (py::ssize_t k = 0; k < array.size(); ++k) {
    const double value = array.data()[k];
    if (!(value >= 0 && value <= 255) || value != std::floor(value)) {
      reject(field, "a grade is a whole number from 0 to 255");
    }
    grades.push_back(static_cast<Grade>(value));
  }
  return grades;
}

// The fields of a request by name; what is absent or None keeps its default.
class Request {
 public:
  explicit Request(const py::dict& fields) : fields_(fields) {}

  void take(const char* name, std::string& value) const {
    if (!has(name)) return;
    if (!py::isinstance<py::str>(fields_[name])) {
      throw py::type_error(std::string(name) + " must be a text");
    }
    value = fields_[name].cast<std::string>();
  }
  void take(const char* name, bool& value) const {
    if (!has(name)) return;
    if (!py::isinstance<py::bool_>(fields_[name])) {
      throw py::type_error(std::string(name) + " must be True or False");
    }
    value = fields_[name].cast<bool>();
  }
  void take(const char* name, double& value) const {
    if (!has(name)) return;
    const double given = PyFloat_AsDouble(py::object(fields_[name]).ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw py::type_error(std::string(name) + " must be a number");
    }
    if (!std::isfinite(given)) reject(name, "it is not finite");
    value = given;
  }
  void take(const char* name, std::uint64_t& value, std::uint64_t least, std::uint64_t most) const {
    if (has(name)) value = count_of(fields_[name], name, least, most);
  }
  bool has(const char* name) const { return fields_.contains(name) && !fields_[name].is_none(); }

 private:
  const py::dict& fields_;
};

// Hooks of jobs that report to `now`, of which there are `total`.
inline JobHooks hooks_for(const std::atomic<bool>& stop, Progress& now, std::uint64_t total) {
  now.total = total;
  JobHooks hooks;
  hooks.stop = &stop;
  hooks.on_progress = [&now](std::uint64_t finished) { now.done = finished; };
  return hooks;
}

// Objects of the class come from functions of this module only. pybind11 gives methods of an object
// that `__new__` made, without `__init__`, memory that nobody wrote to; so `__new__` is refused.
inline PyObject* refuse_instance(PyTypeObject* type, PyObject* /*arguments*/, PyObject* /*named*/) {
  PyErr_Format(PyExc_TypeError, "objects of %s are not made by calling it", type->tp_name);
  return nullptr;
}
inline void seal(const py::handle& bound_class) {
  auto* const type = reinterpret_cast<PyTypeObject*>(bound_class.ptr());
  type->tp_new = &refuse_instance;
  PyType_Modified(type);
}

inline py::array_t<double> array_of(std::span<const double> values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

}  // namespace duel::python
