// An experiment for readers: ledger and history, folded from its log a second time and without the
// policy, so that working out a result does not hold up requests for duels.
//
// Without the policy a record takes some microseconds to read. A view begins with the newest
// snapshot that fits and goes on from there; each call of `catch_up` reads only the new records.
// REQUIRES: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "duel/core/result.h"
#include "duel/experiment/experiment.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/stored_duels.h"
#include "duel/store/store.h"
#include "duel/verdict/by_slice.h"
#include "duel/verdict/evidence_trail.h"
#include "duel/verdict/history.h"
#include "duel/verdict/if_wrong.h"

namespace duel {

class View {
 public:
  // The experiment at the head of its log. `not_found` if there is none.
  static Result<std::unique_ptr<View>> load(const std::shared_ptr<Store>& store,
                                            const std::string& experiment_id);
  // Reads the whole log and checks its chain. What a snapshot says of the experiment must be what
  // its records make: the same state, and the same certificate. An error says what is damaged; `io`
  // and `unsupported` say nothing of the log. `stop` is asked between two records.
  static Status audit(const std::shared_ptr<Store>& store, const std::string& experiment_id,
                      const std::function<bool()>& stop);
  // Reads the new records. `conflict` if the log does not continue what was read: a loss of power
  // took its end, or a `recovered` record takes evidence from records that were folded already. The
  // view is then useless and has to be loaded again.
  Status catch_up();

  const std::string& id() const { return ledger_.experiment().experiment_id; }
  const Ledger& ledger() const { return ledger_; }
  const History& history() const { return history_; }
  // The text of the certificate file; empty while there is none. The first time it reads the log.
  Result<std::string> certificate() const;
  // A result for each value of each slice that is declared. The first time it reads the log.
  Result<BySlice> by_slice() const;
  // What would overturn the certificate now; nothing is said while there is none.
  Result<IfWrong> if_wrong() const;
  Overview overview() const { return overview_of(ledger_, created_ms_, last_time_ms_); }
  std::int64_t last_time_ms() const { return last_time_ms_; }
  const Head& head() const { return head_; }
  // About how much memory it takes.
  std::size_t bytes() const;

 private:
  View(std::shared_ptr<Store> store, std::string name, Ledger ledger, StoredDuels* duels)
      : store_(std::move(store)),
        name_(std::move(name)),
        ledger_(std::move(ledger)),
        duels_(duels) {}
  static Result<std::unique_ptr<View>> begin(const std::shared_ptr<Store>& store,
                                             const std::string& name, const LogEntry& first);
  // The state that the snapshot holds. REQUIRES: `first` is the first record of the log.
  static Result<std::unique_ptr<View>> restored(const std::shared_ptr<Store>& store,
                                                const std::string& name, const LogEntry& first,
                                                const Snapshot& snapshot);
  static Result<std::unique_ptr<View>> from_snapshot(const std::shared_ptr<Store>& store,
                                                     const std::string& name,
                                                     const Snapshot& snapshot);
  static Result<std::unique_ptr<View>> from_log(const std::shared_ptr<Store>& store,
                                                const std::string& name);
  Status fold(const LogEntry& entry);
  Status read_on();
  // REQUIRES: ledger_.certificate().
  Result<const EvidenceTrail*> trail() const;

  std::shared_ptr<Store> store_;
  std::string name_;
  Ledger ledger_;
  StoredDuels* duels_;  // the ledger's
  History history_;
  // Of a certificate: read from the log when it is first asked for, and kept up since.
  mutable std::optional<EvidenceTrail> trail_;
  mutable std::optional<SliceLedgers> slices_;  // the same
  std::int64_t created_ms_ = 0;
  std::int64_t last_time_ms_ = 0;
  Head head_;
};

}  // namespace duel
