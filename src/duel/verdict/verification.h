// Whether a log, and a certificate that is said to come from it, can be believed: what
// `duel verify` and Python say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/health.h"

namespace duel {

struct VerifiedLog {
  bool verified = true;
  std::string experiment_id, head;
  std::uint64_t records = 0, cut_bytes = 0;
  std::vector<HealthCheck> health;
  std::optional<Certificate> certificate;
  std::optional<CheckedDraws> draws{};

  static constexpr std::string_view schema = "VerifiedLog";
  static constexpr FieldList fields{
      required("verified", &VerifiedLog::verified),
      required("experiment_id", &VerifiedLog::experiment_id),
      required("records", &VerifiedLog::records),
      required("head", &VerifiedLog::head, "the hash of the last record"),
      required("cut_bytes", &VerifiedLog::cut_bytes,
               "of a last line without an end, which does not count"),
      required("health", &VerifiedLog::health, "when the certificate was given, or at the end"),
      required("certificate", &VerifiedLog::certificate, "null where the log certifies nothing"),
      optional("draws", &VerifiedLog::draws, "of the duels that people audit, where they do")};
};

struct Verification {
  std::optional<std::string> mismatch;  // what does not fit, and where
  VerifiedLog log;                      // as far as it could be read

  Json to_json() const;
};

// `certificate` is a file, or empty to check the log alone. `replay`: every duel must be the one
// that the policy would have chosen. An error if a file cannot be read at all.
Result<Verification> verify_log(const std::string& log, const std::string& certificate,
                                bool replay);

}  // namespace duel
