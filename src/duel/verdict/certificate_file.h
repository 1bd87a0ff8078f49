// A certificate as a file: self-contained JSON that says what was found, by which rule, from which
// log, up to which record. The same log gives the same bytes on every machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/log/experiment_log.h"
#include "duel/verdict/health.h"

namespace duel {

// "Arm 'b' beats every other arm ..": the statement in a sentence. REQUIRES: ledger.certificate().
std::string certificate_statement(const Ledger& ledger);

// The text of the certificate, ending with a newline. REQUIRES: `ledger` is the state right after
// the record that gave the certificate (ledger.certificate()->sequence == ledger.sequence()).
std::string certificate_text(const Ledger& ledger);

// A log that was read whole and found sound.
struct CheckedLog {
  LogExtent extent;
  Ledger ledger;
  std::string certificate;  // its text; empty where the log certifies nothing
  // When the certificate was given; without one, at the end.
  std::vector<HealthCheck> health;
};

// An error names file:line and what was found there.
Result<CheckedLog> check_log(const std::filesystem::path& file);

// Reads the log `file` up to the record that gives the certificate. An error where it gives none.
Result<std::string> certificate_of_log(const std::string& file);

// Where `given` differs from `expected`, both texts of certificates: the field and its two values,
// for people; nothing where they are the same to the last byte.
std::optional<std::string> certificate_difference(std::string_view given,
                                                  std::string_view expected);

}  // namespace duel
