// How an experiment comes into memory: from its log, or from a snapshot and the rest of the log.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/archive_containers.h"
#include "duel/core/zero_runs.h"
#include "duel/experiment/kept_record.h"
#include "duel/log/experiment_log.h"
#include "duel/server/owned_experiment.h"
#include "duel/version_info.h"

namespace duel {
namespace {

constexpr std::int64_t kGraceMs = 60'000;

// Changes whenever the fields of anything saved do.
constexpr int kSnapshotFormat = 3;
constexpr std::size_t kMostStateBytes = std::size_t{1} << 30;

}  // namespace

// A policy's state means something to the code that made it only, and that is known by its commit.
std::string OwnedExperiment::snapshot_version() {
  return fmt::format("{}/{}{}{}", kSnapshotFormat, kVersion, kGitCommit.empty() ? "" : "+",
                     kGitCommit);
}

Json OwnedExperiment::summary() const {
  Json json;
  json["name"] = ledger().name();
  json["state"] = std::string(to_word(ledger().state()));
  json["mode"] = std::string(to_word(ledger().experiment().service.mode));
  json["arms"] = std::uint64_t{ledger().num_arms()};
  json["served"] = ledger().served();
  json["certified"] = ledger().certificate().has_value();
  return json;
}

std::optional<std::int64_t> OwnedExperiment::due_ms() const {
  const auto deadline = next_deadline();
  if (!deadline) return std::nullopt;
  return std::max(*deadline, nothing_expires_before_ms_);
}

template <class Archive>
void OwnedExperiment::fields(Archive& archive) {
  archive(head_, last_time_ms_, certificate_text_, pages_, day_, timeline_);
  archive_fields(archive, served_today_);
  archive_fields(archive, last_duels_of_);
  std::vector<std::string> fallbacks(fallback_order_.begin(), fallback_order_.end());
  archive(fallbacks);
  if constexpr (kReadsState<Archive>) {
    fallback_order_.assign(fallbacks.begin(), fallbacks.end());
    fallback_ids_ = {fallbacks.begin(), fallbacks.end()};
  }
}

// The bytes: SHA-256 of what follows, then the packed state.
std::optional<Snapshot> OwnedExperiment::snapshot() const {
  if (has_staged() || stored_head_.hash != head_) return std::nullopt;
  const std::optional<std::string> live = live_.save();
  if (!live) return std::nullopt;
  StateWriter writer;
  writer(*live);
  const_cast<OwnedExperiment*>(this)->fields(writer);  // a writer only reads
  const std::string packed = pack_zero_runs(writer.finish());
  Json digest;
  digest["shown"] = summary();
  if (const auto due = due_ms()) digest["due_ms"] = *due;
  return Snapshot{stored_head_.sequence, stored_head_.hash, snapshot_version(),
                  sha256_hex(packed) + packed, digest.dump()};
}

std::optional<OwnedExperiment::Digest> OwnedExperiment::digest_of(const Snapshot& snapshot) {
  if (snapshot.version != snapshot_version()) return std::nullopt;
  const std::optional<Json> json = Json::parse(snapshot.summary);
  if (!json || !json->is_object() || !json->contains("shown")) return std::nullopt;
  Digest digest{json->at("shown"), std::nullopt};
  if (json->contains("due_ms")) digest.due_ms = json->at("due_ms").get<std::int64_t>();
  return digest;
}

Status OwnedExperiment::restore(const Snapshot& snapshot) {
  const std::string_view bytes = snapshot.bytes;
  if (bytes.size() < kHexDigits ||
      sha256_hex(bytes.substr(kHexDigits)) != bytes.substr(0, kHexDigits)) {
    return Error::invalid_data("its bytes are damaged");
  }
  DUEL_ASSIGN(const std::string state, unpack_zero_runs(bytes.substr(kHexDigits), kMostStateBytes));
  DUEL_ASSIGN(StateReader reader, StateReader::open(state));
  std::string live;
  reader(live);
  fields(reader);
  if (!reader.complete()) return Error::invalid_data("its state does not fit the experiment");
  DUEL_RETURN_IF_ERROR(live_.restore(live));
  if (head_ != snapshot.hash || ledger().sequence() != snapshot.sequence) {
    return Error::invalid_data("its state is of another record than it says");
  }
  duels_->know_arms(ledger().arms());
  snapshot_sequence_ = snapshot.sequence;
  return Done{};
}

struct OwnedExperiment::Loading {
  std::shared_ptr<Store> store;
  const std::string& experiment_id;
  const ExperimentSecrets& secrets;
  const ReportTokens& tokens;

  // The state after the first record.
  Loaded begin(const LogEntry& first) const {
    auto duels = std::make_unique<StoredDuels>(store, experiment_id);
    StoredDuels* const found = duels.get();
    DUEL_ASSIGN(LiveExperiment live,
                LiveExperiment::make(std::get<ExperimentRecord>(first.record), std::move(duels)));
    auto owned = std::unique_ptr<OwnedExperiment>(
        new OwnedExperiment(store, std::move(live), found, secrets, tokens));
    owned->head_ = first.hash;
    owned->last_time_ms_ = first.time_ms;
    return owned;
  }
};

Status OwnedExperiment::fold(const LogEntry& entry) {
  DUEL_RETURN_IF_ERROR(live_.apply(entry));
  note(entry);
  return Done{};
}

// `recovered_after`: of the serves after that record none is evidence, which the log is about to
// say.
OwnedExperiment::Loaded OwnedExperiment::from_log(const Loading& loading,
                                                  std::optional<std::uint64_t> recovered_after) {
  std::unique_ptr<OwnedExperiment> owned;
  std::vector<std::uint64_t> tags;
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (!owned) {
      DUEL_ASSIGN(owned, loading.begin(entry));
      return Done{};
    }
    if (const std::uint64_t tag = tag_of(entry.record); tag != 0) tags.push_back(tag);
    return owned->fold(entry);
  };
  DUEL_ASSIGN(const LogExtent extent,
              recovered_after ? read_log_recovered(*loading.store, loading.experiment_id,
                                                   *recovered_after, sink)
                              : read_log(*loading.store, loading.experiment_id, sink));
  if (!owned) return Error::invalid_data("the log holds no experiment", loading.experiment_id);
  owned->stored_head_ = {extent.records, extent.head};
  // A store of an older version keeps none.
  if (!tags.empty()) DUEL_RETURN_IF_ERROR(loading.store->add_tags(loading.experiment_id, tags));
  return owned;
}

OwnedExperiment::Loaded OwnedExperiment::from_snapshot(const Loading& loading,
                                                       const Snapshot& snapshot) {
  if (snapshot.version != snapshot_version()) {
    return Error::unsupported(
        fmt::format("it is of version {}, and this program makes and reads {}", snapshot.version,
                    snapshot_version()));
  }
  DUEL_ASSIGN(const LogEntry first, read_first_record(*loading.store, loading.experiment_id));
  DUEL_ASSIGN(std::unique_ptr<OwnedExperiment> owned, loading.begin(first));
  DUEL_RETURN_IF_ERROR(owned->restore(snapshot));
  DUEL_ASSIGN(
      const LogExtent extent,
      read_log_after(*loading.store, loading.experiment_id, {snapshot.sequence, snapshot.hash},
                     [&](const LogEntry& entry) { return owned->fold(entry); }));
  owned->stored_head_ = {extent.records, extent.head};
  return owned;
}

// `duel run` waits for its judges itself, and its log has no deadlines. A duel that it left open
// would stand before every certificate.
Status OwnedExperiment::date_open_duels() {
  const auto timeout_ms = static_cast<std::int64_t>(ledger().feedback().timeout_s) * 1000;
  for (const std::string& duel_id : ledger().pending()) {
    if (ledger().find_open(duel_id)->expires_at.ms != 0) continue;
    DUEL_ASSIGN(const DuelRecords records, duels_->records_of(duel_id, ledger().sequence() + 1));
    DUEL_RETURN_IF_ERROR(check_kept(ledger(), duel_id, records));
    if (records.serve) undated_.emplace(records.serve->time_ms + timeout_ms, duel_id);
  }
  return Done{};
}

Result<std::unique_ptr<OwnedExperiment>> OwnedExperiment::load(
    std::shared_ptr<Store> store, const std::string& experiment_id, std::int64_t now_ms,
    ExperimentSecrets secrets, const ReportTokens& tokens, bool after_pause) {
  const Loading loading{store, experiment_id, secrets, tokens};
  // Only after a loss of power can serves be missing.
  DUEL_ASSIGN(const LastStop stop, store->last_stop());
  DUEL_ASSIGN(const std::uint64_t synced, store->synced(experiment_id));
  DUEL_ASSIGN(const Head head, store->head(experiment_id));
  const bool power_lost = stop == LastStop::machine_stopped && synced < head.sequence;
  std::unique_ptr<OwnedExperiment> owned;
  std::string refused;
  // What the loss takes from the evidence a snapshot would still count.
  if (!power_lost) {
    DUEL_ASSIGN(const std::optional<Snapshot> snapshot, store->snapshot(experiment_id));
    if (snapshot) {
      Loaded loaded = from_snapshot(loading, *snapshot);
      if (loaded.ok()) {
        owned = std::move(*loaded);
      } else {
        refused = fmt::format("the snapshot of '{}' at record {} is not used: {}", experiment_id,
                              snapshot->sequence, loaded.error().to_string());
      }
    }
  }
  if (!owned) {
    DUEL_ASSIGN(owned, from_log(loading, std::nullopt));
  }
  if (power_lost) {
    const auto& certificate = owned->ledger().certificate();
    const std::uint64_t after =
        std::max<std::uint64_t>({synced, certificate ? certificate->sequence : 0, 1});
    // Once more, as everybody will read it who finds the record.
    DUEL_ASSIGN(owned, from_log(loading, after));
    DUEL_RETURN_IF_ERROR(owned->stage(RecoveredRecord{after}, now_ms));
  }
  owned->refused_snapshot_ = std::move(refused);
  DUEL_RETURN_IF_ERROR(owned->date_open_duels());
  if (after_pause) {
    const auto timeout_ms = static_cast<std::int64_t>(owned->ledger().feedback().timeout_s) * 1000;
    owned->nothing_expires_before_ms_ = now_ms + std::min(timeout_ms, kGraceMs);
  }
  if (owned->live_.divergence()) {
    DUEL_RETURN_IF_ERROR(
        owned->stage(PolicyRebuiltRecord{owned->live_.divergence()->message}, now_ms));
  }
  return owned;
}

}  // namespace duel
