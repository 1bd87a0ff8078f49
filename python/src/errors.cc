// Errors of the library as the exceptions of duel/errors.py.
#include <array>
#include <cstddef>
#include <new>
#include <string>

#include "conversions.h"
#include "duel/core/check.h"

namespace duel::python {
namespace {

// In the order of ErrorCode.
constexpr std::array kClasses = {"InvalidArgument", "InvalidData",  "NotFound",   "Unsupported",
                                 "Conflict",        "StorageError", "Interrupted"};
static_assert(kClasses.size() == static_cast<std::size_t>(ErrorCode::interrupted) + 1);

void set_exception(const char* name, const Error& error) {
  const py::object type = py::module_::import("duel.errors").attr(name);
  const py::object exception =
      type(error.message, "where"_a = error.where, "hint"_a = error.hint, "field"_a = error.field);
  PyErr_SetObject(type.ptr(), exception.ptr());
}

}  // namespace

void bind_errors(py::module_& /*module*/) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const ErrorRaised& raised) {
      set_exception(kClasses.at(static_cast<std::size_t>(raised.error().code)), raised.error());
    } catch (const py::cast_error&) {
      PyErr_SetString(PyExc_TypeError, "a value has a type that does not belong where it is");
    } catch (const CheckFailure& failure) {
      // Where in our sources, without the folder that they were compiled in.
      std::string text = failure.what();
      if (const std::size_t at = text.rfind("/src/duel/"); at != std::string::npos) {
        text.erase(0, at + 1);
      }
      set_exception("InternalError", Error::unsupported(text).with_hint("please report this"));
    }
  });
}

}  // namespace duel::python
