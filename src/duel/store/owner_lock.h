// The right of one process to write: a locked file that says who holds it. The system gives the
// lock back when the process ends, however it ends.
#pragma once

#include <filesystem>

#include "duel/core/result.h"

namespace duel {

class OwnerLock {
 public:
  // An error (`conflict`) where another process holds it, naming that process.
  static Result<OwnerLock> take(const std::filesystem::path& file);
  OwnerLock(OwnerLock&& other) noexcept;
  OwnerLock& operator=(OwnerLock&&) = delete;
  ~OwnerLock();

 private:
  explicit OwnerLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace duel
