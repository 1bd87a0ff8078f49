#include "duel/verdict/verification.h"

#include <cstddef>
#include <utility>

#include "duel/core/described_json.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/local_experiment.h"

namespace duel {

Json Verification::to_json() const {
  if (!mismatch) return described_json(log);
  return {{"verified", false}, {"mismatch", *mismatch}};
}

Result<Verification> verify_log(const std::string& log, const std::string& certificate,
                                bool replay) {
  constexpr std::size_t kMostBytes = 64'000'000;  // of a certificate
  std::string given;
  if (!certificate.empty()) {
    DUEL_ASSIGN(given, read_whole_file(certificate, kMostBytes));
  }
  Verification found;
  auto checked = check_log(log);
  if (!checked.ok()) {
    if (checked.error().code != ErrorCode::invalid_data) return checked.error();
    found.mismatch = checked.error().to_string();
    return found;
  }
  found.log.experiment_id = checked->ledger.experiment().experiment_id;
  found.log.head = checked->extent.head;
  found.log.records = checked->extent.records;
  found.log.cut_bytes = checked->extent.cut_bytes;
  found.log.health = std::move(checked->health);
  found.log.certificate = std::move(checked->certificate);
  found.log.draws = checked->draws;
  if (replay) {
    DUEL_ASSIGN(const std::optional<Error> divergence, replay_log(log));
    if (divergence) {
      found.mismatch = divergence->to_string();
      return found;
    }
  }
  if (certificate.empty()) return found;
  if (!found.log.certificate) {
    found.mismatch = log + ": the log certifies nothing";
  } else if (const auto differs = certificate_difference(
                 given, certificate_text(*found.log.certificate, format_of(given)))) {
    found.mismatch = certificate + ": " + *differs;
  }
  return found;
}

}  // namespace duel
