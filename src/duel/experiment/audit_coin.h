// Which duels people answer, too, where they audit a program (inference/audited_units.h).
//
// The coin is keyed by a secret, not by the experiment's seed, which is in the log and on the
// command line: a program that could toss it would answer honestly where it is watched. The log
// begins with the key's hash and ends with the key, so that a verifier can toss every coin
// again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace duel {

// Whether a duel is drawn that is to be with this probability.
bool is_drawn(std::string_view key, std::string_view duel_id, double share);

// A key from the system's generator, as 64 hexadecimal digits.
std::string new_audit_key();
// For tests and examples: anybody can make it who can read the log.
std::string audit_key_of_seed(std::uint64_t seed, std::string_view experiment_id);

}  // namespace duel
