#include "duel/verdict/view.h"

#include <fmt/format.h>

#include <optional>
#include <variant>

#include "duel/log/experiment_log.h"
#include "duel/verdict/certificate_file.h"

namespace duel {

Result<std::unique_ptr<View>> View::begin(const std::shared_ptr<Store>& store,
                                          const std::string& name, const LogEntry& first) {
  auto duels = std::make_unique<StoredDuels>(store, name);
  StoredDuels* const found = duels.get();
  DUEL_ASSIGN(Ledger ledger,
              Ledger::make(std::get<ExperimentRecord>(first.record), std::move(duels)));
  auto view = std::unique_ptr<View>(new View(store, name, std::move(ledger), found));
  view->duels_->know_arms(view->ledger_.arms());
  view->created_ms_ = view->last_time_ms_ = first.time_ms;
  view->head_ = {1, first.hash};
  return view;
}

Status View::fold(const LogEntry& entry) {
  DUEL_RETURN_IF_ERROR(ledger_.apply(entry));
  if (std::holds_alternative<ArmAddedRecord>(entry.record) ||
      std::holds_alternative<ArmRetiredRecord>(entry.record)) {
    duels_->know_arms(ledger_.arms());
  }
  duels_->forget();
  history_.note(ledger_, entry);
  if (trail_) trail_->note(entry);
  if (slices_) slices_->note(entry);
  last_time_ms_ = entry.time_ms;
  head_ = {entry.sequence, entry.hash};
  return Done{};
}

Result<std::unique_ptr<View>> View::restored(const std::shared_ptr<Store>& store,
                                             const std::string& name, const LogEntry& first,
                                             const Snapshot& snapshot) {
  DUEL_ASSIGN(std::unique_ptr<View> view, begin(store, name, first));
  DUEL_ASSIGN(const Experiment::SavedShown shown,
              Experiment::restore_shown(snapshot, view->ledger_));
  if (!view->history_.restore(shown.extra)) {
    return Error::invalid_data("its state does not fit the experiment");
  }
  view->duels_->know_arms(view->ledger_.arms());
  view->last_time_ms_ = shown.last_time_ms;
  view->head_ = {snapshot.sequence, snapshot.hash};
  return view;
}

Result<std::unique_ptr<View>> View::from_snapshot(const std::shared_ptr<Store>& store,
                                                  const std::string& name,
                                                  const Snapshot& snapshot) {
  DUEL_ASSIGN(const LogEntry first, read_first_record(*store, name));
  DUEL_ASSIGN(std::unique_ptr<View> view, restored(store, name, first, snapshot));
  DUEL_RETURN_IF_ERROR(view->read_on());
  return view;
}

Result<std::unique_ptr<View>> View::from_log(const std::shared_ptr<Store>& store,
                                             const std::string& name) {
  std::unique_ptr<View> view;
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (view) return view->fold(entry);
    DUEL_ASSIGN(view, begin(store, name, entry));
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_log(*store, name, sink));
  if (!view) return Error::not_found("there is no experiment '" + name + "'");
  return view;
}

Result<std::unique_ptr<View>> View::load(const std::shared_ptr<Store>& store,
                                         const std::string& experiment_id) {
  DUEL_ASSIGN(const std::optional<Snapshot> snapshot, store->snapshot(experiment_id));
  if (snapshot) {
    auto view = from_snapshot(store, experiment_id, *snapshot);
    // The snapshot is of another version, damaged, or from before a loss of power. Read the log.
    if (view.ok() || view.error().code == ErrorCode::io) return view;
  }
  return from_log(store, experiment_id);
}

Status View::audit(const std::shared_ptr<Store>& store, const std::string& experiment_id,
                   const std::function<bool()>& stop) {
  const auto begins = store->head(experiment_id);
  const bool is_empty =
      begins.ok() ? begins->sequence == 0 : begins.error().code == ErrorCode::not_found;
  if (is_empty) return Done{};
  if (!begins.ok()) return begins.error();
  DUEL_ASSIGN(const std::optional<Snapshot> snapshot, store->snapshot(experiment_id));
  std::unique_ptr<View> view;
  std::unique_ptr<View> saved;  // none where nobody would use the snapshot
  bool differs = false;
  const auto compare = [&](const LogEntry& entry) {
    if (entry.sequence == snapshot->sequence) {
      // With another hash it is a snapshot of another log, which nobody uses.
      differs = entry.hash == snapshot->hash &&
                (view->ledger().state_hash() != saved->ledger().state_hash() ||
                 view->history().certificate() != saved->history().certificate());
    }
    // Evidence was taken from records below it, so that it is out of date and not damaged.
    const auto* recovered = std::get_if<RecoveredRecord>(&entry.record);
    if (recovered == nullptr || entry.sequence <= snapshot->sequence) return;
    if (recovered->after < snapshot->sequence) differs = false;
  };
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (stop()) return Error::unsupported("the check was stopped");
    if (view) {
      DUEL_RETURN_IF_ERROR(view->fold(entry));
    } else {
      DUEL_ASSIGN(view, begin(store, experiment_id, entry));
      if (snapshot) {
        auto restoring = restored(store, experiment_id, entry, *snapshot);
        if (restoring.ok()) saved = std::move(*restoring);
      }
    }
    if (saved) compare(entry);
    return Done{};
  };
  DUEL_ASSIGN(const LogExtent extent, read_log(*store, experiment_id, sink));
  if (differs) {
    return Error::invalid_data(
        fmt::format("the state saved at record {} is not the one that the records make",
                    snapshot->sequence),
        experiment_id);
  }
  DUEL_ASSIGN(const Head head, store->head(experiment_id));
  if (head.sequence == extent.records && head.hash != extent.head) {
    return Error::invalid_data("the store names another last record than the log has",
                               experiment_id);
  }
  return Done{};
}

Status View::read_on() {
  DUEL_RETURN_IF_ERROR(
      read_log_after(*store_, name_, head_, [this](const LogEntry& entry) { return fold(entry); }));
  return Done{};
}

Status View::catch_up() {
  DUEL_ASSIGN(const Head head, store_->head(name_));
  if (head == head_) return Done{};
  if (head.sequence <= head_.sequence) {
    return Error::conflict("the log has lost records that were read", name_);
  }
  return read_on();
}

Result<const EvidenceTrail*> View::trail() const {
  if (!trail_) {
    EvidenceTrail trail(ledger_);
    if (!needed_findings(ledger_).empty()) {
      DUEL_RETURN_IF_ERROR(read_log(*store_, name_, [&](const LogEntry& entry) -> Status {
        if (entry.sequence <= head_.sequence) trail.note(entry);
        return Done{};
      }));
    }
    trail_ = std::move(trail);
  }
  return &*trail_;
}

Result<BySlice> View::by_slice() const {
  if (ledger_.experiment().slices.empty()) return BySlice();
  if (!slices_) {
    std::optional<SliceLedgers> slices;
    DUEL_RETURN_IF_ERROR(read_log(*store_, name_, [&](const LogEntry& entry) -> Status {
      if (!slices) {
        DUEL_ASSIGN(slices, SliceLedgers::make(std::get<ExperimentRecord>(entry.record)));
      } else if (entry.sequence <= head_.sequence) {
        slices->note(entry);
      }
      return Done{};
    }));
    slices_ = std::move(slices);
  }
  return duel::by_slice(*slices_);
}

Result<std::string> View::certificate() const {
  const std::string& text = history_.certificate();
  if (text.empty() || needed_findings(ledger_).empty()) return text;
  DUEL_ASSIGN(const EvidenceTrail* const trail, this->trail());
  return completed_text(text, duel::if_wrong(ledger_, *trail, ledger_.certificate()->sequence));
}

Result<IfWrong> View::if_wrong() const {
  if (!ledger_.certificate()) return IfWrong();
  DUEL_ASSIGN(const EvidenceTrail* const trail, this->trail());
  return duel::if_wrong(ledger_, *trail, ledger_.sequence());
}

std::size_t View::bytes() const {
  // Measured: 75 MB with 600 arms, next to nothing with few.
  constexpr std::size_t kPerPair = 210, kPerView = 100'000;
  return kPerView + kPerPair * ledger_.num_arms() * ledger_.num_arms() +
         (trail_ ? trail_->bytes() : 0);
}

}  // namespace duel
