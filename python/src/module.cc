// The native part of the package `duel`: thin over the library, one source per noun. What needs no
// speed and no library (plots, HTML, the client, executors) is Python, in python/duel.
#include "conversions.h"
#include "duel/version_info.h"

namespace {

namespace py = pybind11;

newfunc make_instance = nullptr;  // of pybind11

// A class that none of our classes is a base of has nothing to make an instance of. pybind11 2.10
// throws then, through the interpreter, which ends the process.
PyObject* make_instance_or_raise(PyTypeObject* type, PyObject* arguments, PyObject* options) {
  if (py::detail::all_type_info(type).empty()) {
    PyErr_Format(PyExc_TypeError, "cannot create '%.100s' instances", type->tp_name);
    return nullptr;
  }
  return make_instance(type, arguments, options);
}

// A class and its subclasses. `object.__new__` insists that a class and its base agree.
void guard(const py::handle& kind, newfunc unguarded) {
  auto* const type = reinterpret_cast<PyTypeObject*>(kind.ptr());
  if (type->tp_new == unguarded) type->tp_new = make_instance_or_raise;
  // Of `type`, since a class may have a method of that name.
  for (const py::handle& subclass : py::type::of(py::type::of(kind)).attr("__subclasses__")(kind)) {
    guard(subclass, unguarded);
  }
}

// The base of all classes that pybind11 makes, which anybody can reach: duel.Duel.__mro__[1].
// Classes of other modules may share it.
void guard_base_class() {
  const py::handle base(py::detail::get_internals().instance_base);
  const newfunc found = reinterpret_cast<PyTypeObject*>(base.ptr())->tp_new;
  if (found == make_instance_or_raise) return;
  make_instance = found;
  guard(base, found);
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  using namespace duel::python;
  module.doc() = "The native part of duel. Use the package `duel`.";
  module.attr("version") = duel::kVersion;
  for (Bind* const bind : {bind_errors, bind_policies, bind_matrix, bind_simulation, bind_study,
                           bind_gate, bind_experiment, bind_inference, bind_interleaving,
                           bind_clicks, bind_metrics, bind_letor, bind_estimation, bind_learning}) {
    bind(module);
  }
  guard_base_class();
}
