// Recorded bytes, tests/golden/data: what the code made of a script when they were written, held
// against what it makes of it now. They change only in a commit that says why. With
// DUEL_WRITE_GOLDENS=1 in the environment they are recorded again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "duel/verdict/certificate_file.h"

namespace duel::golden {

// Fails with the first line that differs from data/<name>. REQUIRES: a gtest runs.
void expect_golden(const std::string& name, const std::string& actual);

bool writes_goldens();
std::string golden_file(const std::string& name);
// The recorded bytes; nothing where there are none.
std::string recorded(const std::string& name);

// Scripts sync after every answer, so temporary directories are made in memory from now on, if the
// machine has such a place. Whether it has.
bool use_quick_directory();

// The state after every record of a log, a line each: number, record, state hash of the ledger and
// of the live experiment, and whether the policy would have chosen otherwise. Fails if the log
// cannot be folded.
std::string states_of_log(const std::string& log);
// Of the live experiment at its end.
std::uint64_t last_state_of(const std::string& log);

// The bytes of the certificate that the log gives; empty where it gives none.
std::string certificate_of(const std::string& log, std::uint64_t format = kCertificateFormat);
// The bytes of the result at its end.
std::string result_of(const std::string& log);

// The log as if the lines after number `kept` had been written a second apart: doors that read the
// system's clock give the same bytes then. Only times and hashes change.
std::string retimed(const std::string& log, std::size_t kept = 0);

}  // namespace duel::golden
