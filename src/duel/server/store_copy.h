// Copies experiments from one store to another. The lines are copied unchanged, so that the chain
// of hashes is the same there. The source may be in use; the target is owned while it is written.
#pragma once

#include <cstdint>
#include <string>

#include "duel/core/result.h"
#include "duel/store/store.h"

namespace duel {

struct CopiedExperiment {
  std::string experiment;
  std::uint64_t records = 0;  // in the target now
  std::uint64_t copied = 0;   // by this call
};

// Copies one experiment. If the target has a beginning of it already, the copy goes on from there:
// an interrupted copy is completed, and one that has fallen behind catches up. If the target has
// other records it is a `conflict`, and the target stays as it is. A damaged chain is refused
// before the target gets a line of it.
Result<CopiedExperiment> copy_experiment(Store& from, Store& to, const std::string& experiment);

enum class ServerKey { none, copied, same, other };

// Copies the server's key, which signs report tokens, and the tokens of callers, unless the target
// has a key already. Says which key the target has now, compared with the source's.
Result<ServerKey> copy_server_entries(Store& from, Store& to);

}  // namespace duel
