// A duel that is open in memory and not in the store: a database that crashed has lost its record,
// and whoever owns the experiment has not appended it again yet, or is about to find out that it
// cannot. Until then the store's word about the duel is not to be passed on.
#pragma once

#include <fmt/format.h>

#include <string>

#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/stored_duels.h"

namespace duel {

inline Status check_kept(const Ledger& ledger, const std::string& duel_id,
                         const DuelRecords& records) {
  if (records.serve || ledger.find_open(duel_id) == nullptr) return Done{};
  return Error::io(fmt::format("the store has lost the record of the duel '{}'", duel_id));
}

}  // namespace duel
