// An experiment at work: the ledger, and the policy that chooses what to ask next.
//
// The state is a fold over the records: reading the log gives the state of having lived through it.
// A serve is a fact, whatever this version of the policy would have chosen; `divergence` says where
// it would have chosen something else. Not to be used by two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/log/record.h"
#include "duel/policies/asker.h"
#include "duel/policies/registry.h"

namespace duel {

// What to ask next.
struct ChosenDuel {
  Serving serving = Serving::explore;
  Duel duel;  // `explore`: as the policy gave it; `contest`: as the certifier numbers the arms
};

// The policy's next duel. Where it has nothing to ask, or nothing before an answer comes, the pair
// is asked that stands between the leader, or the arms in front, and a certificate; `pending`
// counts the duels of a pair that are out. Nothing where fewer than two arms are active. Where
// every round is somebody's `visit`, the policy may show one arm alone.
std::optional<ChosenDuel> choose_duel(Asker& asker, const Referee& referee,
                                      const std::function<std::uint64_t(Arm, Arm)>& pending,
                                      bool visits = false);

// The policy of an experiment of so many arms, with all of its options: two spellings of one policy
// are one, and the log says what was really used.
Result<std::string> canonical_policy(const ExperimentRecord& experiment, std::size_t num_arms);

class LiveExperiment {
 public:
  // The state after the first record. An error names what is wrong: the policy, an arm's id, alpha,
  // .. Settled duels are kept in memory unless they are looked up elsewhere.
  static Result<LiveExperiment> make(const ExperimentRecord& experiment,
                                     std::unique_ptr<SettledDuels> settled = nullptr);

  // The next duel to serve; append it to the log, then `apply` it. The id is "d1", "d2", .. unless
  // given; `task` is the caller's to fill in. Nothing where the experiment is not running or all
  // that may be served was, or where fewer than two arms are active. It goes on after a
  // certificate: ask `done` where that is the end. Changes nothing, and copies the policy for it.
  std::optional<ServeRecord> next(const std::string& duel_id = {}) const;
  // The same without a copy. The next record applied has to be this serve; where it cannot be
  // appended the state is no longer that of the log, and has to be folded anew.
  // `excluded`: arms that cannot be shown now.
  std::optional<ServeRecord> choose(const std::string& duel_id, const std::vector<Arm>& excluded);

  bool has_choice() const { return chosen_.has_value(); }
  // The policy before a choice, to take it back where it turns out that nothing is to be asked. It
  // copies the policy.
  struct Undo {
    Asker asker;
  };
  Undo before_choice() const { return {asker_}; }
  void undo_choice(Undo undo);

  // Whether `take` may be given the record. Ask before writing it. A policy that is built to find
  // that out is kept for `take`.
  Status check(const Record& record) const;
  // REQUIRES: `check` had nothing against the record. An error (another duel was chosen) changes
  // nothing.
  Result<Effect> take(const LogEntry& entry);
  // Both, for logs that are read. An error changes nothing.
  Result<Effect> apply(const LogEntry& entry);

  // Set where the log has a serve that this version's policy would not have chosen, or where
  // something else chose. The policy is asked nothing more until a record `policy_rebuilt`; append
  // one before anything is served.
  const std::optional<Error>& divergence() const { return divergence_; }

  const Ledger& ledger() const { return ledger_; }
  std::vector<std::string> pending() const { return ledger_.pending(); }
  const std::optional<GivenCertificate>& certificate() const { return ledger_.certificate(); }
  // Certified, or completed, or all duels that `max_duels` allows are served and final.
  bool done() const;
  // The arm that the policy would name now; where nothing is known, any.
  Arm leader() const;
  std::uint64_t state_hash() const;

  // The state between two records, for `restore`. Nothing where there is none to be saved: while a
  // choice waits to be served, after a divergence, or where fewer than two arms are active.
  std::optional<std::string> save() const;
  // Into an experiment that was just made from the same first record. Where the state is damaged or
  // does not fit there is an error, and this object is of no use any more.
  Status restore(std::string_view saved);
  // The ledger alone, for readers that choose nothing. REQUIRES: as `restore`, of the ledger.
  static Status restore_ledger(std::string_view saved, Ledger& ledger);

 private:
  // Answers of one kind, kept to teach a policy that begins anew: (first, second) with first <
  // second, as the ledger numbers the arms.
  struct Told {
    Arm first;
    Arm second;
    Outcome outcome;
    bool evidence;

    friend auto operator<=>(const Told&, const Told&) = default;
    template <class Archive>
    void fields(Archive& archive) {
      archive(first, second, outcome, evidence);
    }
  };
  struct Asked {               // of a duel that is pending
    std::uint64_t generation;  // of the policy that asked
    Duel duel;                 // as the policy gave it

    template <class Archive>
    void fields(Archive& archive) {
      archive(generation, duel.first, duel.second, duel.round, duel.foreign, duel.hearsay);
    }
  };
  struct Choice {
    Serving serving = Serving::explore;
    ServedBy by = ServedBy::policy;
    double propensity = 1;
    Arm first = 0;  // as shown
    Arm second = 0;
    std::optional<Duel> asked;  // of the policy, where it is to hear the answer
    Round round = 0;
  };

  LiveExperiment(Ledger ledger, Asker asker);

  static Result<Asker> make_asker(const ExperimentRecord& experiment, std::size_t num_arms);
  Result<Effect> take_serve(const LogEntry& entry);
  void number_arms();
  // Everything but the policy's choice is drawn from lots of the duel's ordinal.
  std::optional<Choice> decide(Asker& asker, const std::vector<Arm>& excluded) const;
  Choice asked_of_policy(Asker& asker) const;
  void draw_among(Choice& choice, const std::vector<Arm>& shown) const;
  // Certified, and that is what callers are to be given from then on.
  bool exploits_the_winner() const;
  ServeRecord serve_of(const Choice& choice, const std::string& duel_id) const;
  // What the serve says of the policy, where it is the policy's; nothing where it would have chosen
  // something else.
  std::optional<Choice> choice_behind(const ServeRecord& serve);
  void tell(const LedgerDuel& duel, Outcome outcome);
  void remember(Told told);
  void hear(const Told& told, std::uint64_t times);
  void begin_anew();

  Ledger ledger_;
  std::vector<Arm> policy_arms_;   // the policy's arms, as the ledger numbers them
  std::vector<Arm> policy_index_;  // back; policy_arms_.size() where retired
  Asker asker_;
  std::uint64_t generation_ = 0;
  std::unordered_map<std::uint64_t, Asked> asked_;  // by ordinal
  std::map<Told, std::uint64_t> told_;              // how often
  std::optional<Choice> chosen_;                    // by `choose`, and not served yet
  std::optional<Error> divergence_;
  mutable std::optional<std::pair<std::size_t, Asker>> built_;  // by `check`, for so many arms
};

}  // namespace duel
