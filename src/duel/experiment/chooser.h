// What is asked next, and why: the policy, the exploration floor, A/A duels, arms that cannot be
// shown, the contest that stands between the leader and a certificate, or the winner alone.
//
// It reads the ledger and never changes it; the ledger is an argument, as it was before the record
// in question unless said otherwise. Everything but the policy's own choice is drawn from lots of
// the duel's ordinal, so that a log that is read gives the choices of the log that was lived
// through. Only LiveExperiment (live_experiment.h) holds one; not to be used by two threads at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/feature_rows.h"
#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/panel_choice.h"
#include "duel/experiment/point_choice.h"
#include "duel/log/record.h"
#include "duel/policies/asker.h"

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

// An arm is certified, and it is what callers are to be given from then on.
bool exploits_the_winner(const Ledger& ledger);

class Chooser {
 public:
  // For the state after the first record. An error names what is wrong with the policy.
  static Result<Chooser> make(const Ledger& ledger);

  // The next duel, or nothing where the experiment is not running, all that may be served was, or
  // fewer than two arms can be shown. The next record has to be its serve. The id is "d1", "d2", ..
  // unless given; `excluded`: arms that cannot be shown now; `subject`: who asks, on which the next
  // pair of a panel depends. The serve is theirs.
  std::optional<ServeRecord> choose(const Ledger& ledger, const std::string& duel_id,
                                    const std::vector<Arm>& excluded,
                                    const std::string& subject = {}, const Context& context = {});
  // Whether a duel can be asked for in the context: the policy uses features, and it has those of
  // every active arm.
  Status check_context(const Ledger& ledger, const Context& context) const;
  bool has_choice() const { return chosen_.has_value(); }
  // The policy before a choice, to take it back where it turns out that nothing is to be asked. It
  // copies the policy.
  struct Undo {
    Asker asker;
  };
  // Whether `choose` would find a pair of a panel for the subject.
  bool has_question(const Ledger& ledger, const std::string& subject) const;
  Undo before_choice() const { return {asker_}; }
  void undo_choice(Undo undo);

  // Whether the policy can go on after the record. Some take only so many arms: a policy that is
  // built to find that out is kept for `begin_again`.
  Status check(const Ledger& ledger, const Record& record) const;
  // A duel goes out. An error (another duel was chosen) changes nothing.
  Status served(const Ledger& ledger, const ServeRecord& serve);
  // What it hears of a duel that is settled, or of a comparison made elsewhere (heard.h).
  void tell(const Ledger& ledger, const LedgerDuel& duel, Outcome outcome);
  // A policy on the arms that are active now, taught what was answered so far. `ledger`: after the
  // change of arms or the record `policy_rebuilt`.
  void begin_again(const Ledger& ledger);

  // Where points of a space are compared; otherwise null.
  const PointChoice* points() const { return points_ ? &*points_ : nullptr; }
  // A record is about to be applied, and was: what a space's learner makes of it.
  void before(const Ledger& ledger, const Record& record);
  void after(const Ledger& ledger, const Record& record) {
    if (points_) points_->note(*ledger.tuned(), record);
  }

  // See LiveExperiment.
  const std::optional<Error>& divergence() const { return divergence_; }
  Arm leader() const;
  std::uint64_t hash(std::uint64_t hash) const;

  // The state between two records. REQUIRES: no choice waits to be served, nothing has diverged.
  void save(StateWriter& writer) const;
  // The last of a saved state. REQUIRES: `ledger` is restored, and this was made for its first
  // record.
  Status restore(StateReader& reader, const Ledger& ledger);

 private:
  // Answers of one kind, kept to teach the next policy: (first, second) with first < second, as the
  // ledger numbers the arms.
  struct Told {
    Arm first;
    Arm second;
    Outcome outcome;
    bool evidence;

    friend auto operator<=>(const Told&, const Told&) = default;
    void fields(auto& archive) { archive(first, second, outcome, evidence); }
  };
  struct Asked {               // of a duel that is pending
    std::uint64_t generation;  // of the policy that asked
    Duel duel;                 // as the policy gave it

    void fields(auto& archive) {
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
    // Of a space. `swapped`: the second of the pair is shown first.
    std::optional<PointChoice::Next> points{};
    bool swapped = false;
  };

  // What the two arms of a duel were like in its context, as shown.
  struct SeenPair {
    std::vector<double> first;
    std::vector<double> second;

    void fields(auto& archive) { archive(first, second); }
  };
  struct ToldInContext {
    Told told;
    SeenPair seen;

    void fields(auto& archive) { archive(told, seen); }
  };
  // A policy that did not ask for a duel, or was made after it, is told of it in its context, too.
  struct Contexts {
    std::unordered_map<std::uint64_t, SeenPair> pending;  // by ordinal
    std::vector<ToldInContext> told;

    void fields(auto& archive) { archive_fields(archive, pending, told); }
    bool restored(std::size_t width) const;
  };

  explicit Chooser(Asker asker) : asker_(std::move(asker)) {}
  void number_arms(const Ledger& ledger);
  std::optional<Choice> decide(const Ledger& ledger, const std::vector<Arm>& excluded,
                               const std::string& subject, const Context& context);
  void begin_contexts(const Ledger& ledger);
  FeatureRows rows_of(const Ledger& ledger, const Context& context) const;
  void note_context(const ServeRecord& serve);
  // Where the duel has a context; it is pending no more.
  std::optional<ToldInContext> told_in_context(std::uint64_t ordinal, const Told& told);
  std::optional<Choice> decide_for_member(const Ledger& ledger, const std::vector<Arm>& excluded,
                                          const std::string& subject) const;
  void begin_panel(const Ledger& ledger);
  Choice asked_of_policy(const Ledger& ledger, const Context& context);
  Choice asked_of_search(const Ledger& ledger);
  // What of the serve is the policy's own; nothing where it would have chosen something else.
  std::optional<Choice> choice_behind(const Ledger& ledger, const ServeRecord& serve);
  // REQUIRES: there was an answer.
  void remember(Told told);
  void hear(const Told& told, std::uint64_t times);
  void hear(const ToldInContext& one);

  std::vector<Arm> policy_arms_;   // the policy's arms, as the ledger numbers them
  std::vector<Arm> policy_index_;  // back; policy_arms_.size() where retired
  Asker asker_;
  std::uint64_t generation_ = 0;
  std::unordered_map<std::uint64_t, Asked> asked_;  // by ordinal
  std::map<Told, std::uint64_t> told_;              // how often
  std::optional<Choice> chosen_;                    // by `choose`, and not served yet
  std::optional<Error> divergence_;
  std::optional<PanelChoice> panel_;
  std::optional<PointChoice> points_;
  std::optional<Contexts> contexts_;                            // where the arms have features
  mutable std::optional<std::pair<std::size_t, Asker>> built_;  // by `check`, for so many arms
};

}  // namespace duel
