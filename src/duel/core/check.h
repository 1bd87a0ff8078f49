// Preconditions of our own code. A failed check is a bug in Duel, never something a user, a file or
// the network can cause (that is `Result<T>`, core/result.h).
#pragma once

#include <stdexcept>
#include <string>

namespace duel {

class CheckFailure : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  throw CheckFailure(std::string(file) + ":" + std::to_string(line) +
                     ": check failed: " + condition);
}

}  // namespace duel

#define DUEL_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::duel::check_failed(#condition, __FILE__, __LINE__))
