// The right of one process to write: a locked file that says which process holds it. The system
// releases the lock when the process ends, even if it is killed.
#pragma once

#include <filesystem>

#include "duel/core/result.h"

namespace duel {

class OwnerLock {
 public:
  // An error (`conflict`) that names the process, if another one holds it.
  static Result<OwnerLock> take(const std::filesystem::path& file);
  OwnerLock(OwnerLock&& other) noexcept;
  OwnerLock& operator=(OwnerLock&&) = delete;
  ~OwnerLock();

 private:
  explicit OwnerLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace duel
