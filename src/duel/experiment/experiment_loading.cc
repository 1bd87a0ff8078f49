// How an experiment comes into memory: from its log, or from a snapshot and the rest of the log.
#include <fmt/format.h>

#include <algorithm>

#include "duel/core/archive_containers.h"
#include "duel/core/deflate.h"
#include "duel/core/described_json.h"
#include "duel/core/git_commit.h"
#include "duel/core/timestamp.h"
#include "duel/experiment/experiment.h"
#include "duel/log/experiment_log.h"
#include "duel/version_info.h"

namespace duel {
namespace {

constexpr std::int64_t kGraceMs = 60'000;

// Changes whenever the fields of anything saved do.
constexpr int kSnapshotFormat = 12;
constexpr std::size_t kMostStateBytes = std::size_t{1} << 30;

std::string version_of_snapshots() {
  // A policy's state means something to the code that made it only, and that is known by its
  // commit.
  return fmt::format("{}/{}{}{}", kSnapshotFormat, kVersion, git_commit().empty() ? "" : "+",
                     git_commit());
}

// The bytes that a snapshot was made of, if it is one of this program's.
Result<std::string> state_of(const Snapshot& snapshot) {
  if (snapshot.version != version_of_snapshots()) {
    return Error::unsupported(
        fmt::format("it is of version {}, and this program makes and reads {}", snapshot.version,
                    version_of_snapshots()));
  }
  const std::string_view bytes = snapshot.bytes;
  if (bytes.size() < kHexDigits ||
      sha256_hex(bytes.substr(kHexDigits)) != bytes.substr(0, kHexDigits)) {
    return Error::invalid_data("its bytes are damaged");
  }
  return inflated(bytes.substr(kHexDigits), kMostStateBytes);
}

// A clock that was once far ahead has left its time in the log. The clock of today may be the wrong
// one as well, so a person has to look.
Status check_clock(const Experiment& experiment, std::int64_t now_ms, std::int64_t most_ahead_ms) {
  const std::int64_t last_ms = experiment.last_time_ms();
  if (last_ms <= now_ms || last_ms - now_ms <= most_ahead_ms) return Done{};
  Error error = refused(
      Reason::ahead_of_clock,
      fmt::format("the last record of '{}' is of {}, {} s ahead of the clock ({}), and recorded "
                  "time would stand still until then",
                  experiment.id(), format_timestamp(last_ms), (last_ms - now_ms + 999) / 1000,
                  format_timestamp(now_ms)));
  error.hint = "set the clock right and start again; if it is right, raise most-ahead";
  return error;
}

Error unlike_its_record() {
  return Error::invalid_data("its state is of another record than it says");
}

}  // namespace

// What a list shows and when the experiment wakes, beside the bytes of a snapshot.
struct SavedDigest {
  Overview shown;
  std::optional<std::uint64_t> due_ms;
  Json glance{};
};
template <>
struct Described<Overview> {
  static constexpr FieldList fields{
      required("name", &Overview::name),       required("state", &Overview::state),
      required("mode", &Overview::mode),       required("arms", &Overview::arms),
      required("served", &Overview::served),   required("certified", &Overview::certified),
      required("created", &Overview::created), required("active", &Overview::active)};
};
template <>
struct Described<SavedDigest> {
  static constexpr FieldList fields{required("shown", &SavedDigest::shown),
                                    optional("due_ms", &SavedDigest::due_ms),
                                    optional("glance", &SavedDigest::glance)};
};

std::string Experiment::snapshot_version() { return version_of_snapshots(); }

template <class Archive>
void Experiment::fields(Archive& archive) {
  archive(head_, last_time_ms_, pages_, day_);
  archive_fields(archive, served_today_);
  archive_fields(archive, subjects_today_);
  archive_fields(archive, last_duels_of_);
  offers_.fields(archive);
  std::vector<std::string> fallbacks(fallback_order_.begin(), fallback_order_.end());
  archive(fallbacks);
  if constexpr (kReadsState<Archive>) {
    fallback_order_.assign(fallbacks.begin(), fallbacks.end());
    fallback_ids_ = {fallbacks.begin(), fallbacks.end()};
  }
}

// The bytes: SHA-256 of what follows, then the packed state.
std::optional<Snapshot> Experiment::save(std::string_view extra, Json glance) const {
  if (has_staged() || stored_head_.hash != head_) return std::nullopt;
  const std::optional<std::string> live = live_.save();
  if (!live) return std::nullopt;
  StateWriter writer;
  std::string added(extra);
  writer(*live, added);
  const_cast<Experiment*>(this)->fields(writer);  // a writer only reads
  const std::string packed = deflated(writer.finish());
  SavedDigest digest{overview(), std::nullopt, std::move(glance)};
  if (const auto due = due_ms()) digest.due_ms = static_cast<std::uint64_t>(*due);
  return Snapshot{stored_head_.sequence, stored_head_.hash, snapshot_version(),
                  sha256_hex(packed) + packed, described_json(digest).dump()};
}

std::optional<Experiment::Digest> Experiment::digest_of(const Snapshot& snapshot) {
  if (snapshot.version != snapshot_version()) return std::nullopt;
  const std::optional<Json> json = Json::parse(snapshot.summary);
  if (!json) return std::nullopt;
  SavedDigest saved;
  DescribedReader reader(UnknownFields::refused);
  reader.read(*json, "", saved);
  if (!reader.errors().empty()) return std::nullopt;
  Digest digest{saved.shown, std::nullopt, std::move(saved.glance)};
  if (saved.due_ms) digest.due_ms = static_cast<std::int64_t>(*saved.due_ms);
  return digest;
}

Result<Experiment::SavedShown> Experiment::restore_shown(const Snapshot& snapshot, Ledger& ledger) {
  DUEL_ASSIGN(const std::string state, state_of(snapshot));
  DUEL_ASSIGN(StateReader reader, StateReader::open(state));
  SavedShown shown;
  std::string live, head;
  reader(live, shown.extra, head, shown.last_time_ms);  // as `save` and `fields` have them
  DUEL_RETURN_IF_ERROR(LiveExperiment::restore_ledger(live, ledger));
  if (head != snapshot.hash || ledger.sequence() != snapshot.sequence) return unlike_its_record();
  return shown;
}

Status Experiment::restore(const Snapshot& snapshot, const RestoreExtra& restore) {
  DUEL_ASSIGN(const std::string state, state_of(snapshot));
  DUEL_ASSIGN(StateReader reader, StateReader::open(state));
  std::string live, extra;
  reader(live, extra);
  fields(reader);
  if (!reader.complete() || (restore && !restore(extra))) {
    return Error::invalid_data("its state does not fit the experiment");
  }
  DUEL_RETURN_IF_ERROR(live_.restore(live));
  if (head_ != snapshot.hash || ledger().sequence() != snapshot.sequence) {
    return unlike_its_record();
  }
  duels_->know_arms(ledger().arms());
  count_payloads();
  offers_.restored(ledger());
  snapshot_sequence_ = snapshot.sequence;
  audited_ = false;
  return Done{};
}

// The state after the first record.
Experiment::Loaded Experiment::begin(const Setting& setting, const LogEntry& first) {
  const auto& record = std::get<ExperimentRecord>(first.record);
  auto duels = std::make_unique<StoredDuels>(
      setting.store, setting.name.empty() ? record.experiment_id : setting.name);
  StoredDuels* const found = duels.get();
  DUEL_ASSIGN(LiveExperiment live, LiveExperiment::make(record, std::move(duels)));
  auto begun = std::unique_ptr<Experiment>(new Experiment(setting, std::move(live), found));
  begun->head_ = first.hash;
  begun->created_ms_ = begun->last_time_ms_ = first.time_ms;
  return begun;
}

Status Experiment::fold(const LogEntry& entry) {
  DUEL_RETURN_IF_ERROR(live_.apply(entry));
  note(entry);
  return Done{};
}

// `recovered_after`: of the serves after that record none is evidence, which the log is about to
// say.
Experiment::Loaded Experiment::from_log(const Setting& setting, const std::string& experiment_id,
                                        std::optional<std::uint64_t> recovered_after) {
  std::unique_ptr<Experiment> folded;
  std::vector<std::uint64_t> tags;
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (!folded) {
      DUEL_ASSIGN(folded, begin(setting, entry));
      return Done{};
    }
    if (const std::uint64_t tag = tag_of(entry.record); tag != 0) tags.push_back(tag);
    return folded->fold(entry);
  };
  DUEL_ASSIGN(const LogExtent extent,
              recovered_after
                  ? read_log_recovered(*setting.store, experiment_id, *recovered_after, sink)
                  : read_log(*setting.store, experiment_id, sink));
  if (!folded) return Error::invalid_data("the log holds no experiment", experiment_id);
  folded->stored_head_ = {extent.records, extent.head};
  folded->cut_bytes_ = extent.cut_bytes;
  // A store of an older version keeps none. Otherwise nothing is written: the disk may be full.
  std::vector<std::uint64_t> missing;
  for (const std::uint64_t tag : tags) {
    DUEL_ASSIGN(const bool known, setting.store->tagged(experiment_id, tag));
    if (!known) missing.push_back(tag);
  }
  if (!missing.empty()) DUEL_RETURN_IF_ERROR(setting.store->add_tags(experiment_id, missing));
  return folded;
}

Experiment::Loaded Experiment::from_snapshot(const Setting& setting,
                                             const std::string& experiment_id,
                                             const Snapshot& snapshot,
                                             const RestoreExtra& restore) {
  DUEL_ASSIGN(const LogEntry first, read_first_record(*setting.store, experiment_id));
  DUEL_ASSIGN(std::unique_ptr<Experiment> folded, begin(setting, first));
  DUEL_RETURN_IF_ERROR(folded->restore(snapshot, restore));
  DUEL_ASSIGN(const LogExtent extent,
              read_log_after(*setting.store, experiment_id, {snapshot.sequence, snapshot.hash},
                             [&](const LogEntry& entry) { return folded->fold(entry); }));
  folded->stored_head_ = {extent.records, extent.head};
  return folded;
}

// `duel run` waits for its judges itself, and its log has no deadlines. A duel that it left open
// would stand before every certificate.
Status Experiment::date_open_duels() {
  const auto timeout_ms = static_cast<std::int64_t>(ledger().feedback().timeout_s) * 1000;
  for (const std::string& duel_id : ledger().pending()) {
    if (ledger().find_open(duel_id)->expires_at.ms != 0) continue;
    DUEL_ASSIGN(const DuelRecords* records, records_of(duel_id));
    if (records->serve) undated_.emplace(records->serve->time_ms + timeout_ms, duel_id);
  }
  return Done{};
}

Result<std::unique_ptr<Experiment>> Experiment::load(Setting setting,
                                                     const std::string& experiment_id,
                                                     std::int64_t now_ms, bool after_pause,
                                                     const RestoreExtra& restore) {
  Store& store = *setting.store;
  // Only after a loss of power can serves be missing.
  DUEL_ASSIGN(const LastStop stop, store.last_stop());
  std::uint64_t synced = 0;
  bool power_lost = false;
  if (stop == LastStop::machine_stopped) {
    DUEL_ASSIGN(synced, store.synced(experiment_id));
    DUEL_ASSIGN(const Head head, store.head(experiment_id));
    power_lost = synced < head.sequence;
  }
  std::unique_ptr<Experiment> loaded;
  std::string refused_snapshot;
  // What the loss takes from the evidence a snapshot would still count.
  if (!power_lost) {
    DUEL_ASSIGN(const std::optional<Snapshot> snapshot, store.snapshot(experiment_id));
    if (snapshot) {
      Loaded tried = from_snapshot(setting, experiment_id, *snapshot, restore);
      if (tried.ok()) {
        loaded = std::move(*tried);
      } else {
        refused_snapshot =
            fmt::format("the snapshot of '{}' at record {} is not used: {}", experiment_id,
                        snapshot->sequence, tried.error().to_string());
        if (restore) restore({});
      }
    }
  }
  if (!loaded) {
    DUEL_ASSIGN(loaded, from_log(setting, experiment_id, std::nullopt));
  }
  DUEL_RETURN_IF_ERROR(check_clock(*loaded, now_ms, setting.most_ahead_ms));
  const Moment moment{now_ms};
  if (power_lost) {
    const auto& certificate = loaded->ledger().certificate();
    const std::uint64_t after =
        std::max<std::uint64_t>({synced, certificate ? certificate->sequence : 0, 1});
    // Once more, as everybody will read it who finds the record.
    if (restore) restore({});
    DUEL_ASSIGN(loaded, from_log(setting, experiment_id, after));
    DUEL_RETURN_IF_ERROR(loaded->stage(RecoveredRecord{after}, moment));
  }
  loaded->refused_snapshot_ = std::move(refused_snapshot);
  if (setting.deadlines) DUEL_RETURN_IF_ERROR(loaded->date_open_duels());
  if (after_pause) {
    const auto timeout_ms = static_cast<std::int64_t>(loaded->ledger().feedback().timeout_s) * 1000;
    loaded->nothing_expires_before_ms_ = now_ms + std::min(timeout_ms, kGraceMs);
  }
  if (loaded->live_.divergence()) {
    DUEL_RETURN_IF_ERROR(
        loaded->stage(PolicyRebuiltRecord{loaded->live_.divergence()->message}, moment));
  }
  return loaded;
}

}  // namespace duel
