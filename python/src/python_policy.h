// Policies written in Python, in the simulator beside the native ones.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "conversions.h"

namespace duel::python {

// Where the first exception of Python code goes that a simulation calls, so that the caller of the
// simulation meets it as it was raised. Guarded by the interpreter's lock.
struct PythonFailure {
  std::exception_ptr exception;
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
