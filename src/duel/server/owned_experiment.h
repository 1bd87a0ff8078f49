// One experiment as its owner holds it: the folded state, the lines that are applied and wait to be
// appended, and an answer for every request. Serial: the engine calls one request after the other.
//
// A request that changes something stages its records: they are applied at once, in log order, and
// go to the store with those of other requests (engine.h). If they cannot be appended, this object
// is dropped and the experiment is folded again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "duel/core/digest.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/live_experiment.h"
#include "duel/experiment/result_pages.h"
#include "duel/experiment/stored_duels.h"
#include "duel/http/http.h"
#include "duel/log/record.h"
#include "duel/store/store.h"
#include "duel/verdict/timeline.h"
#include "duel/wire/answers.h"
#include "duel/wire/reply.h"
#include "duel/wire/report_token.h"
#include "duel/wire/requests.h"

namespace duel {

// What is secret of an experiment.
struct ExperimentSecrets {
  std::string subject_salt;
  std::uint64_t draft_seed = 0;  // a caller who chooses ids must not choose drafts
};

class OwnedExperiment {
 public:
  // The first record is staged.
  static Result<std::unique_ptr<OwnedExperiment>> create(std::shared_ptr<Store> store,
                                                         const ExperimentRecord& record,
                                                         std::int64_t now_ms,
                                                         ExperimentSecrets secrets,
                                                         const ReportTokens& tokens);
  // Folds the log, from its snapshot on where there is one that fits. Nothing expires for a while,
  // so that a pause of the server is not taken for silence of the people; `after_pause` is false
  // where this process has answered for the experiment all the time.
  static Result<std::unique_ptr<OwnedExperiment>> load(
      std::shared_ptr<Store> store, const std::string& experiment_id, std::int64_t now_ms,
      ExperimentSecrets secrets, const ReportTokens& tokens, bool after_pause = true);

  // What a line is found by in the store: the id of its duel. And its tag: a number of the pair and
  // the subject that it was served to as evidence.
  static std::string key_of(const Record& record);
  static std::uint64_t tag_of(const Record& record);

  // The state as it is in the store. Nothing where lines wait for the store or the state cannot be
  // saved now. A snapshot is of use to the version of Duel that made it, and to no other.
  std::optional<Snapshot> snapshot() const;
  static std::string snapshot_version();
  // What stands in a snapshot beside the state; nothing where it is of another version.
  struct Digest {
    Json summary;
    std::optional<std::int64_t> due_ms;
  };
  static std::optional<Digest> digest_of(const Snapshot& snapshot);
  // Of the snapshot that the state was folded from; 0 where it was the whole log.
  std::uint64_t snapshot_sequence() const { return snapshot_sequence_; }
  // Why there was one that was not used; mostly empty.
  const std::string& refused_snapshot() const { return refused_snapshot_; }
  // What a list shows of the experiment; it is in the snapshot, beside the state.
  Json summary() const;
  // When something expires next.
  std::optional<std::int64_t> due_ms() const;

  const std::string& id() const { return ledger().experiment().experiment_id; }
  const Ledger& ledger() const { return live_.ledger(); }
  const LiveExperiment& live() const { return live_; }
  // A duel was chosen and could not be served: the state is not that of the log any more.
  bool spoiled() const { return live_.has_choice(); }
  std::string etag() const;

  // Lines that wait for the store, after which head, and that they are there now.
  bool has_staged() const { return !lines_.empty(); }
  const Head& stored_head() const { return stored_head_; }
  std::vector<Line> staged_lines() const;
  void committed();
  // The store takes nothing now: duels are fallbacks, and what would change something is an error.
  void set_store_refuses(bool refuses) {
    store_refuses_ = refuses;
    refused_change_ = false;
    lost_ = false;
    served_fallback_ = false;
  }
  // The store cannot even be read, or the state is not known to be that of the log: nothing but
  // fallbacks can be had, until `set_store_refuses`.
  void set_lost() {
    store_refuses_ = true;
    lost_ = true;
  }
  bool lost() const { return lost_; }
  // Whether a request since then was answered with fallbacks only, which rest on no record.
  bool served_fallback() const { return served_fallback_; }
  // Whether a request since then would have changed something.
  bool refused_change() const { return refused_change_; }

  // --- Requests. An error is the caller's, and nothing was staged for it. ------------------------
  using Reply = Result<ServerAnswer>;
  Reply show() const;
  Reply patch(const PatchBody& body, const std::string& if_match, std::int64_t now_ms);
  Reply change_state(std::string_view verb, std::int64_t now_ms);
  Reply add_arm(const std::string& arm_id, const NewArmBody& body, std::int64_t now_ms);
  Reply retire_arm(const std::string& arm_id, std::int64_t now_ms);
  // `voter`: whoever has two open duels gets one of them again, and no third. Two are the pair on
  // the screen and the one after it, or the pair on the screen and a vote that can be taken back.
  static constexpr std::size_t kOpenDuelsPerVoter = 2;
  Reply serve(const DuelBody& body, bool voter, std::int64_t now_ms);
  Reply show_duel(const std::string& duel_id) const;
  // `trusted`: by a token of scope `duel`; otherwise the report token has to do.
  struct ReportOptions {
    bool trusted = true;
    bool next = false;
    bool voter = false;  // of the next
    std::string next_duel_id;
  };
  Reply report(const std::string& duel_id, const OutcomeBody& body, const ReportOptions& options,
               std::int64_t now_ms);
  Reply compare(const std::vector<ComparisonBody>& bodies, std::int64_t now_ms);
  Reply interleave(const std::string& duel_id, const InterleavingBody& body, bool sees_teams,
                   std::int64_t now_ms);
  // Serves and drafts at once.
  Reply interleave_in_one(const OneShotBody& body, bool sees_teams, std::int64_t now_ms);
  // The reason why it is not taken, or nothing.
  Result<std::optional<std::string>> take_event(const PageEvent& event, std::int64_t now_ms);
  Reply result() const;
  Reply health() const;
  Reply certificate() const;
  Reply timeline(std::size_t points) const;

  // What is due is expired or closed. Whether anything was.
  Result<bool> expire(std::int64_t now_ms);

 private:
  OwnedExperiment(std::shared_ptr<Store> store, LiveExperiment live, StoredDuels* duels,
                  ExperimentSecrets secrets, const ReportTokens& tokens);

  using Loaded = Result<std::unique_ptr<OwnedExperiment>>;
  struct Loading;
  static Loaded from_log(const Loading& loading, std::optional<std::uint64_t> recovered_after);
  static Loaded from_snapshot(const Loading& loading, const Snapshot& snapshot);
  Status restore(const Snapshot& snapshot);
  Status fold(const LogEntry& entry);
  template <class Archive>
  void fields(Archive& archive);
  Result<bool> has_met(const ServeRecord& serve) const;

  std::int64_t time_of(std::int64_t now_ms) const { return std::max(now_ms, last_time_ms_); }
  Result<Effect> stage(Record record, std::int64_t now_ms);
  void note(const LogEntry& entry);
  void remember_for_subject(const ServeRecord& serve);
  Status stage_certificate(std::int64_t now_ms);
  std::optional<std::int64_t> next_deadline() const;
  Status date_open_duels();
  Status settle(const std::string& duel_id, std::int64_t now_ms, std::string_view why);

  // For whom a duel is, and how it will be asked for again.
  struct Asked {
    std::string duel_id;  // empty: a new one
    std::string subject;  // keyed hash
    std::string request;  // hash of the body
    bool voter = false;
    bool only_again = false;  // of a batch that was served before: what is new is a fallback
  };
  struct ServedOne {
    DuelAnswer duel;
    bool replayed = false;
  };
  static constexpr std::int64_t kDayMs = 86'400'000;
  static std::string new_duel_id(std::int64_t now_ms);
  // Keyed like the subjects: whoever reads the log could otherwise try out who was asked.
  std::string hash_of_body(const DuelBody& body) const;
  std::string subject_of(const DuelBody& body) const;
  Status check_question(const DuelBody& body) const;
  Result<ServedOne> serve_one(const DuelBody& body, const Asked& asked, std::int64_t now_ms);
  Result<std::optional<ServedOne>> replay(const std::string& duel_id,
                                          const std::string& request) const;
  // The older of the voter's open duels where there may be no other.
  Result<std::optional<ServedOne>> open_duel_of(const std::string& subject) const;
  Status check_next(const DuelBody& next) const;
  Reply report_recovered(const ServedDuel& served, const OutcomeBody& body, std::int64_t now_ms);
  // One usable arm, from which nobody learns. It is not logged; its id is remembered for a while.
  // Its report token tells what it was after that.
  ServedOne fallback(const Asked& asked, std::span<const Arm> excluded, std::int64_t now_ms);
  bool is_fallback(const std::string& duel_id) const;
  std::string fallback_arm(std::span<const Arm> excluded) const;
  DuelAnswer duel_answer(const ServeRecord& serve, std::int64_t served_at_ms) const;
  DuelArm duel_arm(const std::string& arm_id, std::uint64_t position) const;
  ArmAnswer arm_answer(const std::string& arm_id) const;
  std::optional<DuelTask> task_of(const std::string& task_id) const;
  Result<InterleavedRecord> rankings_of(const ServeRecord& serve,
                                        const InterleavingBody& body) const;
  Result<PageAnswer> page_of(const std::string& duel_id, const InterleavingBody& body,
                             bool sees_teams, std::int64_t now_ms);
  Result<PageAnswer> own_page(const std::string& duel_id, const std::string& arm,
                              const InterleavingBody& body) const;
  Result<std::optional<std::string>> take_late_event(const PageEvent& event, std::int64_t now_ms);
  Status draw_task(const DuelBody& body, ServeRecord& serve) const;
  ServedDuel served_duel(const ServeRecord& serve, std::int64_t served_at_ms) const;
  Result<::duel::Answer> answer_of(const OutcomeBody& body) const;
  ProgressAnswer progress() const;

  std::shared_ptr<Store> store_;
  LiveExperiment live_;
  StoredDuels* duels_;  // the ledger owns it
  ExperimentSecrets secrets_;
  const ReportTokens& tokens_;
  ResultPages pages_;  // of open duels
  std::string head_;   // hash of the last record applied
  Head stored_head_;
  std::int64_t last_time_ms_ = 0;
  // Open duels of a log that says nothing of deadlines, with those that they get here.
  std::multimap<std::int64_t, std::string> undated_;
  std::int64_t nothing_expires_before_ms_ = 0;  // by the owner's clock, not by recorded time
  bool store_refuses_ = false;
  bool refused_change_ = false;
  bool lost_ = false;
  bool served_fallback_ = false;
  struct StagedLine {
    std::string text;
    std::string key;
    std::uint64_t tag = 0;
  };
  std::vector<StagedLine> lines_;
  std::unordered_set<std::uint64_t> staged_tags_;  // of these lines
  std::uint64_t snapshot_sequence_ = 0;
  std::string refused_snapshot_;
  Sha256 sha_;
  std::string certificate_text_;
  TextMap<std::vector<std::string>> last_duels_of_;  // by subject, oldest first
  std::int64_t day_ = 0;
  TextMap<std::uint64_t> served_today_;  // by subject
  Timeline timeline_;
  std::unordered_set<std::string> fallback_ids_;
  std::deque<std::string> fallback_order_;
};

}  // namespace duel
