// An experiment at work: the ledger, and the chooser that says what to ask next.
//
// The state is a fold over the records: reading the log gives the state of having lived through it.
// A serve is a fact, whatever this version of the policy would have chosen; `divergence` says where
// it would have chosen something else. Not to be used by two threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/chooser.h"
#include "duel/experiment/ledger.h"
#include "duel/log/record.h"

namespace duel {

class LiveExperiment {
 public:
  // The state after the first record. An error names what is wrong: the policy, an arm's id, alpha,
  // .. Settled duels are kept in memory unless they are looked up elsewhere.
  static Result<LiveExperiment> make(const ExperimentRecord& experiment,
                                     std::unique_ptr<SettledDuels> settled = nullptr);

  // The next duel to serve (chooser.h). The next record applied has to be this serve; where it
  // cannot be appended the state is no longer that of the log, and the log has to be folded again.
  // It goes on after a certificate: ask `done` where that is the end.
  std::optional<ServeRecord> choose(const std::string& duel_id, const std::vector<Arm>& excluded,
                                    const std::string& subject = {}, const Context& context = {}) {
    return chooser_.choose(ledger_, duel_id, excluded, subject, context);
  }
  // Whether the policy can be asked in the context.
  Status check_context(const Context& context) const {
    return chooser_.check_context(ledger_, context);
  }
  // Of a panel: whether there is something left to ask the subject.
  bool has_question(const std::string& subject) const {
    return chooser_.has_question(ledger_, subject);
  }
  bool has_choice() const { return chooser_.has_choice(); }
  using Undo = Chooser::Undo;
  Undo before_choice() const { return chooser_.before_choice(); }
  void undo_choice(Undo undo) { chooser_.undo_choice(std::move(undo)); }

  // Of a space: a record that has to be in the log before the next duel is chosen. Ask again then.
  std::optional<Record> due() const {
    if (chooser_.points() == nullptr || divergence()) return std::nullopt;
    return chooser_.points()->due(*ledger_.tuned());
  }
  // Of a space: the learner, where points are compared; otherwise null.
  const PointChoice* points() const { return chooser_.points(); }

  // Whether `take` may be given the record. Ask before writing it.
  Status check(const Record& record) const;
  // REQUIRES: `check` had nothing against the record. An error (another duel was chosen) changes
  // nothing.
  Result<Effect> take(const LogEntry& entry);
  // Both, for logs that are read. An error changes nothing.
  Result<Effect> apply(const LogEntry& entry);

  // Set where the log has a serve that this version's policy would not have chosen, or where
  // something else chose. The policy is asked nothing more until a record `policy_rebuilt`; append
  // one before anything is served.
  const std::optional<Error>& divergence() const { return chooser_.divergence(); }

  const Ledger& ledger() const { return ledger_; }
  std::vector<std::string> pending() const { return ledger_.pending(); }
  const std::optional<GivenCertificate>& certificate() const { return ledger_.certificate(); }
  // Certified, or completed, or all duels that `max_duels` allows are served and final.
  bool done() const;
  // The arm that the policy would name now; where nothing is known, any.
  Arm leader() const { return chooser_.leader(); }
  std::uint64_t state_hash() const { return chooser_.hash(ledger_.state_hash()); }

  // The state between two records, for `restore`. Nothing where there is none to be saved: while a
  // choice waits to be served, after a divergence, or where fewer than two arms are active.
  std::optional<std::string> save() const;
  // Into an experiment that was just made from the same first record. Where the state is damaged or
  // does not fit there is an error, and this object is of no use any more.
  Status restore(std::string_view saved);
  // The ledger alone, for readers that choose nothing. REQUIRES: as `restore`, of the ledger.
  static Status restore_ledger(std::string_view saved, Ledger& ledger);

 private:
  LiveExperiment(Ledger ledger, Chooser chooser)
      : ledger_(std::move(ledger)), chooser_(std::move(chooser)) {}

  Ledger ledger_;
  Chooser chooser_;
};

}  // namespace duel
