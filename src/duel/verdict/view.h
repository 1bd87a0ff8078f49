// An experiment as it is shown: ledger and history, folded from its log without the policy, so that
// whoever reads a result keeps nobody waiting who asks for a duel.
//
// Reading a log costs some microseconds a record where the policy is not asked. A view begins with
// the newest snapshot that fits and goes on from there; brought up to the head of the log again and
// again, it reads each record once. Not to be used by two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/stored_duels.h"
#include "duel/store/store.h"
#include "duel/verdict/history.h"

namespace duel {

class View {
 public:
  // The experiment at the head of its log. `not_found` where there is none.
  static Result<std::unique_ptr<View>> load(const std::shared_ptr<Store>& store,
                                            const std::string& experiment_id);
  // Reads what the log has grown by. `conflict` where it is no longer a longer version of what was
  // read: its end was lost with the power, or a record says that evidence was. The view is of no
  // use then, and has to be loaded again.
  Status catch_up();

  const std::string& id() const { return ledger_.experiment().experiment_id; }
  const Ledger& ledger() const { return ledger_; }
  const History& history() const { return history_; }
  std::int64_t last_time_ms() const { return last_time_ms_; }
  const Head& head() const { return head_; }
  // About what it takes in memory.
  std::size_t bytes() const;

 private:
  View(std::shared_ptr<Store> store, std::string name, Ledger ledger, StoredDuels* duels)
      : store_(std::move(store)),
        name_(std::move(name)),
        ledger_(std::move(ledger)),
        duels_(duels) {}
  static Result<std::unique_ptr<View>> begin(const std::shared_ptr<Store>& store,
                                             const std::string& name, const LogEntry& first);
  static Result<std::unique_ptr<View>> from_snapshot(const std::shared_ptr<Store>& store,
                                                     const std::string& name,
                                                     const Snapshot& snapshot);
  static Result<std::unique_ptr<View>> from_log(const std::shared_ptr<Store>& store,
                                                const std::string& name);
  Status fold(const LogEntry& entry);
  Status read_on();

  std::shared_ptr<Store> store_;
  std::string name_;
  Ledger ledger_;
  StoredDuels* duels_;  // the ledger's
  History history_;
  std::int64_t last_time_ms_ = 0;
  Head head_;
};

}  // namespace duel
