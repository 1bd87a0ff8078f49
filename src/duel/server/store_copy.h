// Copies experiments from one store to another, line by line as they are, so that the chain of
// hashes is the same there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

struct CopiedExperiment {
  std::string experiment;
  std::uint64_t records = 0;  // in the target now
  std::uint64_t copied = 0;   // by this call
};

// One experiment. What of it the target has must be the beginning of what the source has, and the
// copy goes on from there: a copy that was interrupted is completed, and one that has fallen behind
// catches up. Anything else is a `conflict`, and the target stays as it is. A damaged chain is
// refused before the target gets a line of it.
Result<CopiedExperiment> copy_experiment(Store& from, Store& to, const std::string& experiment);

enum class ServerKey { none, copied, same, other };

// The key of the server's tokens and the tokens themselves, into a store that has no key yet. Says
// which key the target had or has got.
Result<ServerKey> copy_server_entries(Store& from, Store& to);

}  // namespace duel
