// An experiment at work: the ledger, and the policy that chooses what to ask next.
//
// `apply` is the only way to change it and `next` changes nothing, so that reading the log gives
// the state of having lived through it. Not to be used by two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/record.h"
#include "duel/policies/asker.h"
#include "duel/policies/registry.h"

namespace duel {

// What to ask next.
struct ChosenDuel {
  Serving serving = Serving::explore;
  Duel duel;  // `explore`: as the policy gave it; `fallback`: as the certifier numbers the arms
};

// The policy's next duel. Where it has nothing to ask, or nothing before an answer comes, the pair is
// asked that stands between the leader, or the arms in front, and a certificate; `pending` counts
// the duels of a pair that are out. Nothing where fewer than two arms are active.
std::optional<ChosenDuel> choose_duel(Asker& asker, const Referee& referee,
                                      const std::function<std::uint64_t(Arm, Arm)>& pending);

// The policy of an experiment of so many arms, with all of its options: two spellings of one policy
// are one, and the log says what was really used.
Result<std::string> canonical_policy(const ExperimentRecord& experiment, std::size_t num_arms);

class LiveExperiment {
 public:
  // The state after the first record. An error names what is wrong: the policy, an arm's id, alpha,
  // ..
  static Result<LiveExperiment> make(const ExperimentRecord& experiment);

  // The next duel to serve; append it to the log, then `apply` it. The id is "d1", "d2", .. unless
  // given; `task` is the caller's to fill in. Nothing where the experiment is completed or all that
  // may be served was, or where fewer than two arms are active. It goes on after a certificate: ask
  // `done` where that is the end.
  std::optional<ServeRecord> next(const std::string& duel_id = {}) const;

  // Whether `apply` would take the record. Ask before writing it.
  Status check(const Record& record) const;
  // An error changes nothing. A serve that this policy would not have given is an error: the log is
  // of another version or was written by hand.
  Result<Effect> apply(const LogEntry& entry);

  const Ledger& ledger() const { return ledger_; }
  std::vector<std::string> pending() const { return ledger_.pending(); }
  const std::optional<GivenCertificate>& certificate() const { return ledger_.certificate(); }
  // Certified, or completed, or all duels that `max_duels` allows are served and final.
  bool done() const;
  // The arm that the policy would name now; where nothing is known, any.
  Arm leader() const;
  std::uint64_t state_hash() const;

 private:
  // An answer as the policy is told of it, kept to teach a policy on another set of arms.
  struct Told {
    Arm first;
    Arm second;
    Outcome outcome;
    bool evidence;
  };
  struct Asked {  // of a duel that is pending
    std::uint64_t ordinal;
    std::uint64_t generation;  // of the policy that asked; kForeign: none
    Duel duel;                 // as the policy gave it
  };
  struct Choice {
    Asker asker;  // after choosing
    Serving serving;
    Arm first;  // as shown
    Arm second;
    Duel duel;  // of the policy
  };

  LiveExperiment(Ledger ledger, Asker asker);

  static Result<Asker> make_asker(const ExperimentRecord& experiment, std::size_t num_arms);
  Result<Effect> apply_serve(const LogEntry& entry);
  Result<Effect> apply_change_of_arms(const LogEntry& entry);
  void number_arms();
  std::optional<Choice> choose() const;
  // `choose` of the present state; worked out once.
  const std::optional<Choice>& choice() const;
  Status check_serve(const ServeRecord& serve) const;
  void tell(const LedgerDuel& duel, Outcome outcome);
  void hear(const Told& told);

  Ledger ledger_;
  std::vector<Arm> policy_arms_;   // the policy's arms, as the ledger numbers them
  std::vector<Arm> policy_index_;  // back; policy_arms_.size() where retired
  Asker asker_;
  std::uint64_t generation_ = 0;
  std::vector<Asked> asked_;
  std::vector<Told> told_;
  mutable std::optional<Choice> choice_;
  mutable std::uint64_t choice_sequence_ = 0;  // of the state that it was made for; 0: none
};

}  // namespace duel
