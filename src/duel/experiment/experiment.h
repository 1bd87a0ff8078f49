// The live experiment, one class behind every door: the fold of its log, the choice of the next
// duel, and an answer in the words of the domain for everything that can be asked of it.
//
// Serial, without a thread, a clock or a socket: the time is an argument, and so is whether the
// store takes records. A request that changes something stages its records: each is checked,
// applied at once, in log order, and its line waits to be appended. The holder takes the staged
// lines, appends them at the head that they name and says `committed`. If they cannot be appended,
// this object is no longer the fold of the log; the holder drops it and loads the experiment again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "duel/core/digest.h"
#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/core/words.h"
#include "duel/experiment/audit_offers.h"
#include "duel/experiment/live_experiment.h"
#include "duel/experiment/refused.h"
#include "duel/experiment/result_pages.h"
#include "duel/experiment/stored_duels.h"
#include "duel/experiment/task_draw.h"
#include "duel/log/record.h"
#include "duel/store/store.h"

namespace duel {

// Whether the store takes records at the moment of a request.
enum class StoreAccess {
  writable,
  read_only,   // full, or out of reach for writing: what is logged can be read, nothing is added
  unreadable,  // not even that, or this object is not known to be the fold of the log
};

struct Moment {
  std::int64_t now_ms = 0;
  StoreAccess store = StoreAccess::writable;
};

// What an experiment needs beside its log.
struct Setting {
  std::shared_ptr<Store> store;
  // What the store calls the experiment: a log file by its path; its id where this is empty.
  std::string name{};
  // Pages are drafted with it. A secret: a caller who chooses ids must not choose drafts.
  std::uint64_t draft_seed = 0;
  // Where people audit a program: draws the duels that they answer. A secret: a program that knows
  // it would answer honestly where it is watched.
  std::string audit_key{};
  // The id of a duel for which the caller has none; "d1", "d2", .. where this is empty.
  std::function<std::string(std::int64_t now_ms)> new_id{};
  // Whether duels expire by the clock. A local run waits for its judges itself.
  bool deadlines = true;
  // By how much the last record may be ahead of the clock when the experiment is loaded. Recorded
  // time never goes back, so it would stand still until the clock has caught up: nothing would
  // expire, and no cap of a day would end.
  std::int64_t most_ahead_ms = std::numeric_limits<std::int64_t>::max();
  // The names of tasks that the first record only counts. Where it holds the tasks, they are known
  // from there.
  std::vector<std::string> tasks{};
  // Hears of every record after it was applied, also while a log is read.
  std::function<void(const Ledger&, const LogEntry&)> follower{};
};

// The content of a proof that a duel was served, whose signature the door has checked. A fallback
// has one, too: it is in no log, and known by its proof.
struct Proof {
  std::string experiment_id;
  std::string duel_id;
  std::uint64_t round = 0;
  std::string first;
  std::string second;
  Serving serving = Serving::explore;
  bool fallback = false;
  std::string subject;  // keyed hash
  std::int64_t served_at_ms = 0;
  std::int64_t expires_at_ms = 0;

  friend bool operator==(const Proof&, const Proof&) = default;
};

// The proof of a duel, and of a fallback, which nothing can be late for.
struct Served;
struct Fallback;
Proof proof_of(const std::string& experiment_id, const Served& served);
Proof proof_of(const std::string& experiment_id, const Fallback& fallback);

// A voter's subject is "LINK/HASH": the share link that the voter came by, "t0123456789abcde", and
// the keyed hash of who it is. Subjects of other callers have no link, and `link_of` is empty then.
std::string subject_of_link(std::string_view link, std::string_view subject);
std::string_view link_of(std::string_view subject);

// A duel that somebody asks for. Subject and request are keyed hashes that the door has made.
struct Wish {
  std::string duel_id{};     // empty: a new one
  bool made_for_it = false;  // the id: nothing can have been served under it before
  std::string subject{};     // who will see it
  std::string request{};     // of the whole question: the same id with another question is refused
  // A voter has two open duels at most: the pair on the screen and the one after it, or the pair on
  // the screen and a vote that can be taken back. Asked for a third, the older one is given again.
  // A voter votes blind: nothing that is given tells which arm leads or has won.
  bool voter = false;
  std::uint64_t most_subjects = 0;  // of the share link that may be served in a day; 0: no limit
  bool over_cap = false;  // the door has counted too many new voters: nothing new is served
  std::vector<std::string> excluded{};  // arms that cannot be shown now
  std::string task{};                   // what it is about, where the caller says so
  SliceValues slices{};                 // of those that the experiment declares
  Context context{};                    // what the arms are like for them
  std::uint64_t limit = 0;              // duels served in all, beyond which nothing is; 0: none
  bool only_again = false;              // of a batch that was served before: nothing new is served
  // Whether the answer to a duel is known before it is served: it is then no evidence, and the pair
  // is not given the task again. Empty: no answer is known.
  std::function<bool(const ServeRecord&)> known{};
};

// A duel that is in the log, with what is shown.
struct Served {
  ServeRecord serve;
  std::int64_t at_ms = 0;
  bool again = false;  // it was served before
  Json first{};        // contents of the arms
  Json second{};
  Json task{};
  VotingRule voting{};
};

// One usable arm, from which nothing is learned. It is not logged; its id is remembered for a
// while.
struct Fallback {
  enum class Why {
    not_running,
    limit,          // max_duels, or the limit of the wish
    cap,            // of the subject's duels per day, or of the voters of a share link
    pending,        // too many duels wait for an answer
    tasks_used_up,  // nothing more can be learned from the tasks at hand
    few_arms,       // fewer than two can be shown
    certified,      // visitors are given the winner now; a voter is not told which arm that is
    done,           // nothing that the subject could still say can matter
    no_audits,      // no duel that was drawn for people waits for this one
    not_before,     // of a batch that is asked for again, and this one was not served then
    store,          // it takes no records
  };
  std::string duel_id;
  std::string arm;  // "" where nothing is shown: `done`
  Why why = Why::store;
  std::string subject{};
  std::int64_t at_ms = 0;
  Json content{};             // of the arm
  bool shows_result = false;  // of `done`: whether the door is to say how it came out
  std::string verdict{};      // which the door fills in
  // It has an id that the caller chose, and so it says that no duel was served under that id.
  bool named = false;
};

template <>
struct Words<Fallback::Why> {
  static constexpr std::string_view noun = "reason of a fallback";
  static constexpr auto all =
      words_table<Fallback::Why>({{"not_running", Fallback::Why::not_running},
                                  {"limit", Fallback::Why::limit},
                                  {"cap", Fallback::Why::cap},
                                  {"pending", Fallback::Why::pending},
                                  {"tasks_used_up", Fallback::Why::tasks_used_up},
                                  {"few_arms", Fallback::Why::few_arms},
                                  {"certified", Fallback::Why::certified},
                                  {"done", Fallback::Why::done},
                                  {"no_audits", Fallback::Why::no_audits},
                                  {"not_before", Fallback::Why::not_before},
                                  {"store", Fallback::Why::store}});
};

using Offer = std::variant<Served, Fallback>;

// An answer to a duel. For a page of results only `close` ends it early.
struct Report {
  std::string duel_id;
  std::optional<Answer> answer{};  // may be left out where there are judgements
  std::vector<Judgement> judgements{};
  Source source{};
  std::optional<std::uint64_t> response_ms{};
  std::string note{};
  std::uint64_t failed_tries = 0;
  bool close = false;
  std::optional<Proof> proof{};
  // What the judge says beside its answer (OutcomeRecord).
  std::string reason{};
  double cost = 0;
  std::uint64_t tokens = 0;
  bool cached = false;
  Json features{};
};

struct Reported {
  enum class What { applied, duplicate, late, conflicting, ignored };
  What what = What::applied;
  std::string subject{};   // to whom the duel was served; only where `who` was asked for
  bool recovered = false;  // its serve had been lost and was proven
};

template <>
struct Words<Reported::What> {
  static constexpr std::string_view noun = "fate of a report";
  static constexpr auto all =
      words_table<Reported::What>({{"applied", Reported::What::applied},
                                   {"duplicate", Reported::What::duplicate},
                                   {"late", Reported::What::late},
                                   {"conflict", Reported::What::conflicting},
                                   {"ignored", Reported::What::ignored}});
};

// Rankings that a page is drafted from, and which part of it is shown.
struct Lists {
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;  // by arm
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> limit{};  // the experiment's page length if absent
};

struct Page {
  struct Item {
    std::string object_id;
    std::uint64_t ordinal = 0;
    std::optional<std::string> arm;  // that gets the credit; none where the item counts for nobody
  };
  std::string duel_id;
  std::vector<Item> items;
  std::optional<std::uint64_t> next_offset;
  bool fallback = false;  // one arm's own list, from which nothing is learned
};

// What a list of experiments shows; it is in the snapshot, beside the state.
struct Overview {
  std::string name;
  ExperimentState state = ExperimentState::draft;
  Mode mode = Mode::duel;
  std::uint64_t arms = 0;
  std::uint64_t served = 0;
  bool certified = false;
  Timestamp created, active;  // when its first and its last record were written

  friend bool operator==(const Overview&, const Overview&) = default;
};
Overview overview_of(const Ledger& ledger, std::int64_t created_ms, std::int64_t last_time_ms);

class Experiment {
 public:
  static constexpr std::size_t kOpenDuelsPerVoter = 2;

  // The first record is staged.
  static Result<std::unique_ptr<Experiment>> create(Setting setting, const ExperimentRecord& record,
                                                    std::int64_t now_ms);
  // Folds the log, from its snapshot on if there is one that fits. `restore` takes the part of the
  // snapshot that the holder has added (see `save`); false refuses the snapshot.
  // Nothing expires for a while, so that a pause of the owner is not taken for silence of the
  // people; `after_pause` is false if this process has answered for the experiment all the time.
  using RestoreExtra = std::function<bool(std::string_view extra)>;
  static Result<std::unique_ptr<Experiment>> load(Setting setting, const std::string& experiment_id,
                                                  std::int64_t now_ms, bool after_pause = true,
                                                  const RestoreExtra& restore = {});

  const std::string& id() const { return ledger().experiment().experiment_id; }
  const Ledger& ledger() const { return live_.ledger(); }
  const LiveExperiment& live() const { return live_; }
  const std::string& head() const { return head_; }  // hash of the last record applied
  std::int64_t last_time_ms() const { return last_time_ms_; }
  Overview overview() const { return overview_of(ledger(), created_ms_, last_time_ms_); }
  // After the last line when the log was read: what a kill left of a line that never counted.
  std::uint64_t cut_bytes() const { return cut_bytes_; }
  // A duel was chosen and could not be served: this is not the fold of the log any more.
  bool spoiled() const { return live_.has_choice(); }
  // When something expires next.
  std::optional<std::int64_t> due_ms() const;
  // About how many bytes of payloads a duel can show.
  std::size_t most_bytes_shown() const {
    return payloads_.largest + payloads_.second + payloads_.task;
  }
  // Whether what cannot be cut into parts, such as saving or showing it, may take long.
  bool is_large() const;

  // --- Requests. An error is the caller's, and nothing was staged for it. ------------------------
  Result<Offer> serve(const Wish& wish, const Moment& moment);
  // What `serve` refuses whatever its moment. For a caller that stages something else before: an
  // error of `serve` would say that nothing was.
  Status check_wish(const Wish& wish) const;
  // The duel under that id, if it was served; an error where it was asked for with another request.
  Result<std::optional<Served>> served_before(const std::string& duel_id,
                                              const std::string& request);
  // Everything that is recorded of a duel. REQUIRES: it was served, otherwise an error.
  Result<DuelRecords> find(const std::string& duel_id);
  // `who`: whether the answer is to say whom the duel was served to.
  Result<Reported> report(const Report& report, const Moment& moment, bool who = false);
  // Ends an open duel without an answer.
  Status lose(const std::string& duel_id, std::string_view why, std::uint64_t failed_tries,
              const Moment& moment);
  // Where people audit a program (inference/audited_units.h). A duel that was drawn is offered to
  // somebody; nothing where it waits for nobody. Giving it up is for good, and only after as many
  // offers as the first record says. A new key, if the setting's is another, is recorded.
  Result<std::optional<Served>> offer(const std::string& duel_id, const std::string& subject,
                                      const Moment& moment);
  Status give_up_audit(const std::string& duel_id, const Moment& moment);
  Status renew_audit_key(const Moment& moment);
  Result<Page> page(const std::string& duel_id, const Lists& lists, const Moment& moment);
  // Serves and drafts at once. Arms without a list are not shown.
  struct ServedPage {
    Offer offer;
    Page page;
  };
  Result<ServedPage> serve_page(const Wish& wish, const Lists& lists, const Moment& moment);
  // The reason why the event is not taken, or nothing.
  Result<std::optional<std::string>> click(const PageEvent& event, const Moment& moment);
  // Whether the comparison is recorded, by its id. An error if it cannot be recorded, or if its id
  // was recorded with other content.
  Result<bool> knows(const ComparisonRecord& comparison);
  // REQUIRES: it is not known.
  Status compare(ComparisonRecord comparison, const Moment& moment);

  Status configure(const ConfiguredRecord& changed, const Moment& moment);
  enum class Step { start, pause, resume, complete, archive };
  Status change_state(Step step, const Moment& moment);
  // Whether the arm is new; adding the same one again changes nothing.
  Result<bool> add_arm(const ArmEntry& arm, const Moment& moment);
  Status retire_arm(const std::string& arm_id, const Moment& moment);
  Status add_tasks(const TasksAddedRecord& added, std::vector<std::string> names,
                   const Moment& moment);
  // The panel is those who have answered by now. Repeating it changes nothing.
  Status close_panel(const Moment& moment);
  // Members of an early panel who will not come: their open duels end, and later answers are late.
  // Repeating it changes nothing.
  Status miss(const std::vector<std::string>& subjects, const Moment& moment);
  // Ends the experiment: duels that are still open have expired.
  Status complete(std::string_view why_open_duels_end, const Moment& moment);

  // A served duel with the contents of its arms and its task. REQUIRES: a serve record of this log.
  Served shown(const LogEntry& entry, bool again) const;
  // Whether `duel_id` was given to a fallback that is still remembered.
  bool is_fallback(const std::string& duel_id) const;

  // Expires or closes what is due, the earliest first, until `enough` says so after one. Whether
  // any is left. A request that finds much due ends its own duels and a few others only: who holds
  // the experiment calls this, in parts that keep nobody waiting.
  Result<bool> expire(const Moment& moment, const std::function<bool()>& enough = {});

  // --- Certificates rest on a log that was read whole. -------------------------------------------
  // After a load from a snapshot nobody has read what lies below it, so a certificate that is
  // reached is not recorded. The holder checks the log (View::audit) and says so here.
  bool audited() const { return audited_; }
  // Whether `pass_audit` would change something: it was not called, or a certificate waits that
  // the process before had not recorded.
  bool awaits_audit() const {
    return !audited_ || (ledger().certificate() && !ledger().certificate_recorded());
  }
  Status pass_audit(const Moment& moment);

  // --- Lines that wait for the store, after which head, and that they are there now. -------------
  bool has_staged() const { return !lines_.empty(); }
  const Head& stored_head() const { return stored_head_; }
  // Refers to this object; valid until the next request.
  std::vector<Line> staged_lines() const;
  void committed();

  // What a line is found by in the store: the id of its duel or of its comparison. And its tag: a
  // number of the pair and the subject that it was served to as evidence.
  static std::string key_of(const Record& record);
  static std::uint64_t tag_of(const Record& record);

  // --- Snapshots ---------------------------------------------------------------------------------
  // The state as it is in the store, with what the holder adds. Nothing while lines wait for the
  // store or the state cannot be saved. A snapshot is of use to the version of Duel that made it,
  // and to no other. `glance` stands beside the state, for lists.
  std::optional<Snapshot> save(std::string_view extra, Json glance = Json()) const;
  static std::string snapshot_version();
  struct Digest {
    Overview summary;
    std::optional<std::int64_t> due_ms;
    Json glance{};  // of the holder; null where it gave none
  };
  // What stands in a snapshot beside the state; nothing where it is of another version.
  static std::optional<Digest> digest_of(const Snapshot& snapshot);
  // The part of a snapshot that shows the experiment: the ledger, which `ledger` becomes, what the
  // holder added, and the time of the last record. REQUIRES: a ledger of the same first record.
  struct SavedShown {
    std::string extra;
    std::int64_t last_time_ms = 0;
  };
  static Result<SavedShown> restore_shown(const Snapshot& snapshot, Ledger& ledger);
  // Of the snapshot that the state was folded from; 0 where it was the whole log.
  std::uint64_t snapshot_sequence() const { return snapshot_sequence_; }
  // Why there was one that was not used; mostly empty.
  const std::string& refused_snapshot() const { return refused_snapshot_; }

 private:
  static constexpr std::int64_t kDayMs = 86'400'000;

  Experiment(Setting setting, LiveExperiment live, StoredDuels* duels);

  using Loaded = Result<std::unique_ptr<Experiment>>;
  static Loaded begin(const Setting& setting, const LogEntry& first);
  static Loaded from_log(const Setting& setting, const std::string& experiment_id,
                         std::optional<std::uint64_t> recovered_after);
  static Loaded from_snapshot(const Setting& setting, const std::string& experiment_id,
                              const Snapshot& snapshot, const RestoreExtra& restore);
  Status restore(const Snapshot& snapshot, const RestoreExtra& restore);
  Status fold(const LogEntry& entry);
  template <class Archive>
  void fields(Archive& archive);

  // Recorded time never goes back, whatever the clock does.
  std::int64_t time_of(const Moment& moment) const {
    return std::max(moment.now_ms, last_time_ms_);
  }
  void count_payloads();  // of all arms and tasks
  void count_payload(const ArmEntry& arm);
  Result<Effect> stage(Record record, const Moment& moment);
  void note(const LogEntry& entry);
  void note_audit(const Record& record);
  // What somebody who audits is to be shown: a duel that was drawn and that nobody holds.
  Result<Offer> serve_audit(const Wish& wish, const Moment& moment);
  void remember_for_subject(const ServeRecord& serve);
  Status stage_certificate(const Moment& moment);
  Status stage_end(std::string reason, const Moment& moment);
  std::optional<std::int64_t> next_deadline() const;
  Status date_open_duels();
  Status settle(const std::string& duel_id, std::string_view why, const Moment& moment);
  // What a request begins with: these duels are not open any more if they are due.
  Status expire_for(std::span<const std::string> duel_ids, const Moment& moment);
  bool expires_now(const Moment& moment) const;
  bool is_due(const std::string& duel_id, std::int64_t time_ms) const;
  std::optional<std::string> first_due(std::int64_t time_ms);

  // Everything recorded of the duel. An error where it is open in memory and not in the store: a
  // database that crashed has lost its record, and until that is repaired the store's word about
  // the duel is not to be passed on.
  Result<const DuelRecords*> records_of(const std::string& duel_id);
  Result<std::optional<Served>> open_duel_of(const std::string& subject);
  std::optional<Fallback::Why> why_not_now(const Wish& wish, const Moment& moment) const;
  // The serve that was chosen, with its task; nothing where no task is left to learn from.
  Result<std::optional<ServeRecord>> choose(const Wish& wish, const std::vector<Arm>& excluded,
                                            const Moment& moment);
  // Of a space: what the log has to say before the next duel is chosen.
  Status stage_search(const Moment& moment);
  // Of a space: whether a candidate waits for tasks that no duel was about.
  bool lacks_proof_tasks();
  bool draw_task_of_space(const Wish& wish, ServeRecord& serve);
  Result<bool> has_met(const ServeRecord& serve) const;
  SliceValues slices_of(const Wish& wish, std::string_view task) const;
  static void recall(const Wish& wish, ServeRecord& serve);
  void note_recalled(const ServeRecord& serve);
  std::optional<std::string> task_to_recall(const std::string& task, Arm i, Arm j) const;
  bool draw_task(const Wish& wish, ServeRecord& serve);
  bool is_done(const std::string& subject) const;
  double audit_share_of(const ServeRecord& serve) const;
  Status draw_for_people(const std::string& duel_id, const Moment& moment);
  Fallback fallback(const Wish& wish, Fallback::Why why, std::int64_t now_ms);
  Json content_of_arm(const std::string& arm) const;
  std::string fallback_arm(std::span<const Arm> excluded, bool blind = false) const;
  Result<Reported> report_recovered(const Report& report, const Moment& moment);
  Result<OutcomeRecord> outcome_of(const Report& report) const;
  Result<InterleavedRecord> rankings_of(const ServeRecord& serve, const Lists& lists) const;
  Result<Page> own_page(const std::string& duel_id, const std::string& arm,
                        const Lists& lists) const;
  std::vector<Arm> without_list(const Lists& lists) const;
  Result<std::optional<std::string>> late_click(const PageEvent& event, const Moment& moment);

  const std::string& stored_name() const { return setting_.name.empty() ? id() : setting_.name; }

  Setting setting_;
  LiveExperiment live_;
  StoredDuels* duels_;  // the ledger owns it
  TaskDraw tasks_;
  std::size_t proof_task_ = 0;  // of a space: before it no task is left for a proof
  // Of a local run: pairs with tasks that were served and could be no evidence, such as those with
  // a known answer. A known answer is given once.
  std::set<std::pair<std::pair<Arm, Arm>, std::string>> recalled_;
  struct PayloadBytes {
    std::size_t largest = 0, second = 0;  // of an arm
    std::size_t task = 0;                 // the largest
    std::size_t all = 0;
  };
  PayloadBytes payloads_;
  ResultPages pages_;  // of open duels
  std::string head_;
  Head stored_head_;
  std::int64_t created_ms_ = 0;
  std::int64_t last_time_ms_ = 0;
  // Open duels of a log that says nothing of deadlines, with those that they get here.
  std::multimap<std::int64_t, std::string> undated_;
  std::int64_t nothing_expires_before_ms_ = 0;  // by the owner's clock, not by recorded time
  struct StagedLine {
    std::string text;
    std::string key;
    std::uint64_t tag = 0;
  };
  std::vector<StagedLine> lines_;
  std::unordered_set<std::uint64_t> staged_tags_;  // of these lines
  std::uint64_t snapshot_sequence_ = 0;
  bool audited_ = true;  // the whole log was read, by this object or by its holder
  std::uint64_t cut_bytes_ = 0;
  std::string refused_snapshot_;
  Sha256 sha_;
  TextMap<std::vector<std::string>> last_duels_of_;  // by subject, oldest first
  std::int64_t day_ = 0;
  TextMap<std::uint64_t> served_today_;            // by subject
  TextMap<std::set<std::string>> subjects_today_;  // by share link: who was served
  std::unordered_set<std::string> fallback_ids_;
  std::deque<std::string> fallback_order_;
  AuditOffers offers_;
};

}  // namespace duel
