// Policies written in Python, in the simulator beside the native ones.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <string>

#include "conversions.h"

namespace duel::python {

// Keeps the first exception that Python code raises inside a simulation, so that the simulation's
// caller gets it as it was raised. Guarded by the interpreter's lock, but for `stop`, which is set
// before the trials begin.
struct PythonFailure {
  std::exception_ptr exception;
  const std::atomic<bool>* stop = nullptr;

  // A round in Python takes as long as hundreds of native ones, so that the simulator's own look at
  // the flag, every few thousand rounds, would keep Ctrl-C waiting.
  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

// Enters `factory` under a name, or replaces the one that is there: a cell of a notebook runs more
// than once. An error where a native policy has the name.
void register_python_policy(const std::string& name, const py::object& factory,
                            const std::string& doc);
bool is_python_policy(const std::string& name);

// While it lives, Python policies that are configured in this thread report to `failure`.
class FailuresOf {
 public:
  explicit FailuresOf(std::shared_ptr<PythonFailure> failure);
  ~FailuresOf();
  FailuresOf(const FailuresOf&) = delete;
  FailuresOf& operator=(const FailuresOf&) = delete;

 private:
  std::shared_ptr<PythonFailure> before_;
};

// While it lives, the registry is read by threads without the lock, and takes no new name.
class RegistryReader {
 public:
  RegistryReader();
  ~RegistryReader();
  RegistryReader(const RegistryReader&) = delete;
  RegistryReader& operator=(const RegistryReader&) = delete;
};

// A numpy generator that depends on the key alone.
py::object numpy_rng(std::uint64_t key, std::uint64_t stream);

}  // namespace duel::python
