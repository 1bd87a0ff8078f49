// Errors of the library as the exceptions of duel/errors.py.
#include <new>
#include <string>

#include "conversions.h"
#include "duel/core/check.h"

namespace duel::python {
namespace {

const char* class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "InvalidArgument";
    case ErrorCode::invalid_data:
      return "InvalidData";
    case ErrorCode::not_found:
      return "NotFound";
    case ErrorCode::unsupported:
      return "Unsupported";
    case ErrorCode::conflict:
      return "Conflict";
    case ErrorCode::io:
      return "StorageError";
    case ErrorCode::interrupted:
      return "Interrupted";
  }
  return "Error";
}

void set_exception(const char* name, const Error& error) {
  const py::object type = py::module_::import("duel.errors").attr(name);
  const py::object exception = type(error.message, py::arg("where") = error.where,
                                    py::arg("hint") = error.hint, py::arg("field") = error.field);
  PyErr_SetObject(type.ptr(), exception.ptr());
}

}  // namespace

void bind_errors(py::module_& /*module*/) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const ErrorRaised& raised) {
      set_exception(class_of(raised.error().code), raised.error());
    } catch (const CheckFailure& failure) {
      set_exception("InternalError",
                    Error::unsupported(failure.what()).with_hint("please report this"));
    }
  });
}

}  // namespace duel::python
