// The right of one process to write: a locked file that says which process holds it. The system
// releases the lock when the process ends, even if it is killed.
#pragma once

#include <filesystem>

#include "duel/core/descriptor.h"
#include "duel/core/result.h"

namespace duel {

class OwnerLock {
 public:
  // An error (`conflict`) that names the process, if another one holds it.
  static Result<OwnerLock> take(const std::filesystem::path& file);

 private:
  explicit OwnerLock(int descriptor) : descriptor_(descriptor) {}
  Descriptor descriptor_;
};

}  // namespace duel
