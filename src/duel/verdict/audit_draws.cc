#include "duel/verdict/audit_draws.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "duel/core/digest.h"
#include "duel/experiment/audit_coin.h"

namespace duel {

AuditDraws::AuditDraws(const ExperimentRecord& experiment)
    : key_sha256_(experiment.audit.key_sha256) {
  if (!experiment.audit.from_seed) return;
  key_ = audit_key_of_seed(experiment.seed, experiment.experiment_id);
  // What comes from elsewhere may go on with another key.
  if (sha256_hex(key_) != key_sha256_) key_.clear();
}

Status AuditDraws::note(const LogEntry& entry) {
  if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
    if (serve->audit > 0) shares_[serve->duel_id] = serve->audit;
  } else if (const auto* audit = std::get_if<AuditRecord>(&entry.record)) {
    auto share = shares_.extract(audit->duel_id);
    if (!share.empty()) {
      draws_.push_back({audit->duel_id, share.mapped(), audit->drawn, entry.sequence});
    }
  } else if (const auto* other = std::get_if<AuditKeyRecord>(&entry.record)) {
    DUEL_RETURN_IF_ERROR(toss());
    key_.clear();
    key_sha256_ = other->sha256;
  } else if (const auto* end = std::get_if<CompletedRecord>(&entry.record)) {
    if (end->audit_key.empty()) return Done{};
    if (sha256_hex(end->audit_key) != key_sha256_) {
      return Error::invalid_data("'audit_key' is not the key that the log named by its hash");
    }
    key_ = end->audit_key;
  }
  return Done{};
}

Status AuditDraws::toss() {
  for (const Draw& draw : std::exchange(draws_, {})) {
    if (key_.empty()) {
      ++found_.unchecked;
      continue;
    }
    if (is_drawn(key_, draw.duel_id, draw.share) != draw.drawn) {
      return Error::invalid_data(
          fmt::format("record {}: the key {} the duel '{}' for a person, and the log says the "
                      "opposite",
                      draw.sequence, draw.drawn ? "does not draw" : "draws", draw.duel_id));
    }
    ++found_.checked;
  }
  return Done{};
}

Result<CheckedDraws> AuditDraws::finish() {
  DUEL_RETURN_IF_ERROR(toss());
  return found_;
}

}  // namespace duel
