// What the bindings share: errors of the library become Python exceptions, JSON becomes Python
// objects, and long work runs without the interpreter's lock while Ctrl-C stays alive.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/duel.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/questions.h"

namespace duel::python {

namespace py = pybind11;
using namespace pybind11::literals;  // "name"_a, for dicts and arguments

// The library's error as a C++ exception; the translator in errors.cc makes the Python one.
class ErrorRaised : public std::exception {
 public:
  explicit ErrorRaised(Error error) : error_(std::move(error)), text_(error_.to_string()) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Error error_;
  std::string text_;
};

[[noreturn]] inline void raise(Error error) { throw ErrorRaised(std::move(error)); }
// A wrong value of the argument `field`.
[[noreturn]] inline void reject(std::string_view field, std::string message,
                                std::string hint = "") {
  raise(Error::invalid_argument(std::move(message), "", std::move(hint)).in_field(field));
}

template <class T>
T unwrap(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return std::move(result).value();
}

py::object to_python(const Json& json);
// Numbers, texts, lists and dicts with texts for keys; anything else is a TypeError.
Json to_json(const py::handle& object);

// "first", "second", "tie", "both_bad", "skip"; None for an answer that never came; True and False
// for the first and the second arm. A number would be an arm to one reader and a place to another,
// so it is refused.
Outcome outcome_of(const py::handle& answer);
// The same, or a float from 0 to 1: how much better the first is.
Said said_of(const py::handle& answer);
const char* word_of(Outcome outcome);

// A count that a user gave: an int, or a float that is whole (1e6). `field` names it in the error.
std::uint64_t count_of(const py::handle& value, const char* field, std::uint64_t least,
                       std::uint64_t most);
// A text, a finite number or a truth value that a user gave; anything else is a TypeError that
// names `field`.
std::string text_of(const py::handle& value, const char* field);
double number_of(const py::handle& value, const char* field);
bool flag_of(const py::handle& value, const char* field);
std::vector<std::string> texts_of(const py::handle& values, const char* field);
// The shape of a gamma prior on strengths; nothing where it is None.
std::optional<double> prior_shape_of(const py::handle& prior);
CallSpec call_of(const std::string& text, const char* field);
std::vector<CallSpec> calls_of(const std::vector<std::string>& texts, const char* field);

// Runs `work` in a thread of its own while the calling thread waits without the lock, tells
// `progress` (about ten times a second, where there is one) and looks for signals every few
// milliseconds. On a signal, or an exception of `progress`, it sets the stop flag, waits for the
// work to end, and raises. REQUIRES: the lock is held, and `work` does not need it but for moments.
struct Progress {
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> total{0};
};
void run_unlocked(const py::object& progress,
                  const std::function<void(const std::atomic<bool>& stop, Progress& now)>& work);

// pybind11 gives an object whose __init__ was never called (`Policy.__new__(Policy)`) memory
// without content at its first use, by the class's operator new where it has one. Here that is a
// TypeError. Such a class has a std::shared_ptr for its holder and is made by std::make_shared,
// which takes memory otherwise.
struct MadeByInit {
  static void* operator new(std::size_t /*size*/) {
    throw py::type_error("the object was never initialised");
  }
};

// A pointer that is a TypeError where it is null, and null in an object that was never initialised:
// its class takes memory by `zeroed`.
template <class T>
class Held {
 public:
  Held(std::shared_ptr<const T> pointer) : pointer_(std::move(pointer)) {}  // NOLINT: implicit
  const std::shared_ptr<const T>& shared() const {
    if (!pointer_) throw py::type_error("the object was never initialised");
    return pointer_;
  }
  operator const std::shared_ptr<const T>&() const { return shared(); }  // NOLINT: implicit
  const T& operator*() const { return *shared(); }
  const T* operator->() const { return shared().get(); }

 private:
  std::shared_ptr<const T> pointer_;
};

inline void* zeroed(std::size_t size) {
  void* const memory = ::operator new(size);
  std::memset(memory, 0, size);
  return memory;
}

// pybind11 2.10 aborts the process where an object without support for it is pickled by an old
// protocol, or asked for `__reduce__`.
template <class Class>
void refuse_pickling(Class& bound) {
  const auto refuse = [](const py::object& self, const py::args&) -> py::object {
    throw py::type_error("cannot pickle an object of type " +
                         py::str(py::type::of(self).attr("__name__")).cast<std::string>());
  };
  bound.def("__reduce__", refuse);
  bound.def("__reduce_ex__", refuse);
}

// One function per noun; each is defined in the source of its name.
using Bind = void(py::module_& module);
Bind bind_errors, bind_policies, bind_matrix, bind_simulation, bind_study, bind_experiment,
    bind_inference, bind_interleaving, bind_clicks, bind_metrics, bind_letor, bind_estimation,
    bind_learning, bind_gate;

}  // namespace duel::python
