#include "conversions.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "duel/core/numbers.h"

namespace duel::python {
namespace {

constexpr int kMostDepth = 400;  // of what a user nests

Json json_of(const py::handle& object, int depth) {
  if (depth > kMostDepth) raise(Error::invalid_argument("the value is nested too deep"));
  if (object.is_none()) return {};
  if (py::isinstance<py::bool_>(object)) return object.cast<bool>();
  if (py::isinstance<py::int_>(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow == 0) return Json(static_cast<std::int64_t>(value));
    const unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      raise(Error::invalid_argument("the number is too large"));
    }
    return Json(static_cast<std::uint64_t>(large));
  }
  if (py::isinstance<py::float_>(object)) {
    const double value = object.cast<double>();
    if (!std::isfinite(value)) raise(Error::invalid_argument("the number is not finite"));
    return value;
  }
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  if (py::isinstance<py::dict>(object)) {
    Json json = Json::object();
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(object)) {
      if (!py::isinstance<py::str>(key)) throw py::type_error("the keys of a dict must be texts");
      json.add(key.cast<std::string>(), json_of(value, depth + 1));
    }
    return json;
  }
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    Json json = Json::array();
    for (const py::handle item : object) json.push_back(json_of(item, depth + 1));
    return json;
  }
  throw py::type_error("a value of type " + py::str(py::type::of(object)).cast<std::string>() +
                       " cannot be written as JSON");
}

}  // namespace

py::object to_python(const Json& json) {
  if (json.is_null()) return py::none();
  if (json.is_boolean()) return py::bool_(json.get<bool>());
  if (json.is_string()) return py::str(json.get<std::string>());
  if (json.is_unsigned()) return py::int_(json.get<std::uint64_t>());
  if (json.is_number()) {
    return json.same_kind(Json(std::int64_t{-1})) ? py::object(py::int_(json.get<std::int64_t>()))
                                                  : py::object(py::float_(json.get<double>()));
  }
  if (json.is_array()) {
    py::list list;
    for (const Json& item : json.items()) list.append(to_python(item));
    return list;
  }
  py::dict dict;
  for (const Json::Member& member : json.members()) {
    dict[py::str(member.name)] = to_python(member.value);
  }
  return dict;
}

Json to_json(const py::handle& object) { return json_of(object, 0); }

Outcome outcome_of(const py::handle& answer) {
  if (answer.ptr() == Py_True) return Outcome::first_wins;
  if (answer.ptr() == Py_False) return Outcome::second_wins;
  if (answer.is_none()) return Outcome::none;
  if (PyUnicode_Check(answer.ptr())) {
    const auto is = [&](const char* word) {
      return PyUnicode_CompareWithASCIIString(answer.ptr(), word) == 0;
    };
    for (const Outcome outcome : {Outcome::first_wins, Outcome::second_wins, Outcome::tie,
                                  Outcome::both_bad, Outcome::skip}) {
      if (is(word_of(outcome))) return outcome;
    }
    reject("outcome", "'" + answer.cast<std::string>() + "' is not an outcome",
           "first, second, tie, both_bad or skip; True, False or None");
  }
  // numpy's booleans, which comparisons of its numbers give.
  if (py::hasattr(answer, "dtype") && py::hasattr(answer, "item")) {
    const py::object item = answer.attr("item")();
    if (item.ptr() == Py_True || item.ptr() == Py_False) return outcome_of(item);
  }
  throw py::type_error(
      "an outcome is 'first', 'second', 'tie', 'both_bad' or 'skip', True (the first won), False "
      "(the second won) or None (no answer came), not " +
      py::repr(answer).cast<std::string>().substr(0, 80));
}

Said said_of(const py::handle& answer) {
  if (!PyFloat_Check(answer.ptr())) return outcome_of(answer);
  const auto score = answer.cast<double>();
  if (!(score >= 0 && score <= 1)) reject("score", fmt::format("{} is no score", score), "0 to 1");
  Said said;
  said.score = score;
  return said;
}

const char* word_of(Outcome outcome) {
  // In the order of Outcome.
  constexpr std::array kWords = {"first", "second", "tie", "both_bad", "skip", "none"};
  static_assert(kWords.size() == static_cast<std::size_t>(Outcome::none) + 1);
  return kWords.at(static_cast<std::size_t>(outcome));
}

std::uint64_t count_of(const py::handle& value, const char* field, std::uint64_t least,
                       std::uint64_t most) {
  const auto refuse = [&](const std::string& message) {
    reject(field, message,
           "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  };
  py::object number = py::reinterpret_borrow<py::object>(value);
  if (py::isinstance<py::float_>(value)) {
    const double real = value.cast<double>();
    if (!std::isfinite(real) || real != std::floor(real)) {
      refuse(format_number(real) + " is not a whole number");
    }
    number = py::reinterpret_steal<py::object>(PyLong_FromDouble(real));
    if (!number) throw py::error_already_set();
  } else if (py::isinstance<py::bool_>(value) || PyIndex_Check(value.ptr()) == 0) {
    throw py::type_error(std::string(field) + " must be a whole number");
  } else {
    number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!number) throw py::error_already_set();
  }
  const unsigned long long count = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(py::str(number).cast<std::string>().substr(0, 40) + " is out of range");
  }
  if (count < least || count > most) refuse(std::to_string(count) + " is out of range");
  return count;
}

namespace {

[[noreturn]] void refuse_type(const char* field, const char* wanted, const py::handle& value) {
  throw py::type_error(std::string(field) + ": " + wanted + " is needed, not " +
                       py::str(py::type::of(value).attr("__name__")).cast<std::string>());
}

}  // namespace

std::string text_of(const py::handle& value, const char* field) {
  if (!py::isinstance<py::str>(value)) refuse_type(field, "a text", value);
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    reject(field, "the text has half of a surrogate pair", "Unicode that can be written as UTF-8");
  }
  return {text, static_cast<std::size_t>(size)};
}

double number_of(const py::handle& value, const char* field) {
  const bool is_text = py::isinstance<py::str>(value) || py::isinstance<py::bytes>(value);
  if (is_text || value.ptr() == Py_True || value.ptr() == Py_False) {
    refuse_type(field, "a number", value);
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    const bool is_too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    PyErr_Clear();
    if (is_too_large) reject(field, "the number is too large");
    refuse_type(field, "a number", value);
  }
  if (!std::isfinite(number)) reject(field, format_number(number) + " is not a finite number");
  return number;
}

bool flag_of(const py::handle& value, const char* field) {
  if (value.ptr() == Py_True) return true;
  if (value.ptr() == Py_False) return false;
  refuse_type(field, "True or False", value);
}

std::vector<std::string> texts_of(const py::handle& values, const char* field) {
  if (!py::isinstance<py::list>(values) && !py::isinstance<py::tuple>(values)) {
    refuse_type(field, "a list of texts", values);
  }
  std::vector<std::string> texts;
  for (const py::handle value : values) texts.push_back(text_of(value, field));
  return texts;
}

std::optional<double> prior_shape_of(const py::handle& prior) {
  if (prior.is_none()) return std::nullopt;
  const double shape = number_of(prior, "prior");
  if (!(shape > 1 && shape < 1e6)) reject("prior", "it is out of range", "above 1");
  return shape;
}

CallSpec call_of(const std::string& text, const char* field) {
  return unwrap(in_field(field, parse_call(text)));
}

std::vector<CallSpec> calls_of(const std::vector<std::string>& texts, const char* field) {
  std::vector<CallSpec> calls;
  for (const std::string& text : texts) {
    const auto more = unwrap(in_field(field, parse_call_list(text)));
    calls.insert(calls.end(), more.begin(), more.end());
  }
  return calls;
}

void run_unlocked(const py::object& progress,
                  const std::function<void(const std::atomic<bool>& stop, Progress& now)>& work) {
  using namespace std::chrono_literals;
  constexpr auto kSignals = 20ms;  // how often signals are looked for
  constexpr int kTurns = 5;        // between two calls of `progress`

  std::atomic<bool> stop{false};
  Progress now;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr failure;
  std::exception_ptr interruption;
  const auto tell = [&] {
    if (!progress.is_none() && now.total.load() > 0) progress(now.done.load(), now.total.load());
  };
  {
    py::gil_scoped_release unlocked;
    std::thread worker([&] {
      try {
        work(stop, now);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      ended.notify_all();
    });
    std::unique_lock lock(mutex);
    for (int turn = 0; !ended.wait_for(lock, kSignals, [&] { return done; }); ++turn) {
      if (stop.load()) continue;
      lock.unlock();
      {
        py::gil_scoped_acquire locked;
        try {
          if (PyErr_CheckSignals() != 0) throw py::error_already_set();
          if (turn % kTurns == 0) tell();
        } catch (...) {
          interruption = std::current_exception();
          stop.store(true);
        }
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
  tell();
}

}  // namespace duel::python
