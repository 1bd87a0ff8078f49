// The records of a live experiment: each says one thing that happened. The log is the sequence of
// these records; every state is computed from it. How they are written is described in
// record_fields.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/goal.h"
#include "duel/core/id.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/core/timestamp.h"
#include "duel/core/words.h"

namespace duel {

// How the two arms of a duel are placed: at random; in both orders, where a judge that contradicts
// itself makes a tie; or the arm that joined earlier always first.
enum class Placement { random, both, fixed };
// What a duel is for. explore: the policy wanted it, or a random draw in its place. contest: the
// policy had nothing to ask, so the leader meets a rival. aa: one arm twice, to test the judge.
// exploit: the policy's champion alone, from which nothing is learnt.
enum class Serving { explore, contest, aa, exploit };
// Who chose the duel. floor: a random draw among all pairs (the exploration floor). exclude: a
// random draw, because the caller could not show the policy's choice. recovered: a report whose
// serve was lost. Contests, A/A duels and exploitation count as the policy's.
enum class ServedBy { policy, floor, exclude, recovered };
// What an answer says. `invalid`: there was an answer, but it made no sense. `graded`: how much
// better one is, which is no win, tie or loss.
enum class Answered { win, tie, both_bad, skip, invalid, graded };
// point: a point of a space beats the one in use.
enum class CertificateKind {
  winner,
  no_winner,
  copeland,
  borda,
  set,
  order,
  ranking,
  epsilon,
  point,
};
// What a duel shows: two things, or one page drafted from two rankings.
enum class Mode { duel, interleave };
enum class ExperimentState { draft, running, paused, completed, archived };
enum class OnTimeout { discard, tie };
// How a page is drafted from the rankings of a duel's two arms, or of those two and others.
enum class Drafting {
  team_draft,
  probabilistic,
  team_draft_multileave,
  probabilistic_multileave,
};
// adopt: of a space alone. The certified point is the one in use from then on, and is challenged.
enum class OnCertified { notify, exploit, complete, adopt };
// What a certificate is about if duels are about tasks. `tasks_like_these`: the given tasks are a
// sample of many, so each is evidence about a pair at most once. `these_tasks`: exactly the given
// tasks, one of which is drawn at random for every duel.
enum class TaskScope { tasks_like_these, these_tasks };
// Whose preferences a certificate is about: those of people like the ones who answer, who are a
// sample; or those of these people alone, a panel, where each is asked about a pair once.
enum class Audience { people_like_these, these_people };

// The words of the log.
template <>
struct Words<Goal::Kind> {
  static constexpr std::string_view noun = "goal";
  static constexpr auto all = words_table<Goal::Kind>({{"condorcet", Goal::condorcet},
                                                       {"copeland", Goal::copeland},
                                                       {"borda", Goal::borda},
                                                       {"set", Goal::set},
                                                       {"order", Goal::order},
                                                       {"ranking", Goal::ranking},
                                                       {"epsilon", Goal::epsilon}});
};

template <>
struct Words<Assumption> {
  static constexpr std::string_view noun = "assumption";
  static constexpr auto all =
      words_table<Assumption>({{"none", Assumption::none}, {"order", Assumption::order}});
};

template <>
struct Words<Placement> {
  static constexpr std::string_view noun = "order of showing";
  static constexpr auto all = words_table<Placement>(
      {{"random", Placement::random}, {"both", Placement::both}, {"fixed", Placement::fixed}});
};

template <>
struct Words<Drafting> {
  static constexpr std::string_view noun = "method of interleaving";
  static constexpr auto all =
      words_table<Drafting>({{"team_draft", Drafting::team_draft},
                             {"probabilistic", Drafting::probabilistic},
                             {"team_draft_multileave", Drafting::team_draft_multileave},
                             {"probabilistic_multileave", Drafting::probabilistic_multileave}});
};

template <>
struct Words<Serving> {
  static constexpr std::string_view noun = "kind of serving";
  static constexpr auto all = words_table<Serving>({{"explore", Serving::explore},
                                                    {"contest", Serving::contest},
                                                    {"aa", Serving::aa},
                                                    {"exploit", Serving::exploit}});
  // In logs of formats 1 and 2.
  static constexpr auto older = words_table<Serving>({{"fallback", Serving::contest}});
};

template <>
struct Words<ServedBy> {
  static constexpr std::string_view noun = "chooser of duels";
  static constexpr auto all = words_table<ServedBy>({{"policy", ServedBy::policy},
                                                     {"floor", ServedBy::floor},
                                                     {"exclude", ServedBy::exclude},
                                                     {"recovered", ServedBy::recovered}});
};

template <>
struct Words<Mode> {
  static constexpr std::string_view noun = "mode";
  static constexpr auto all =
      words_table<Mode>({{"duel", Mode::duel}, {"interleave", Mode::interleave}});
};

template <>
struct Words<ExperimentState> {
  static constexpr std::string_view noun = "state";
  static constexpr auto all =
      words_table<ExperimentState>({{"draft", ExperimentState::draft},
                                    {"running", ExperimentState::running},
                                    {"paused", ExperimentState::paused},
                                    {"completed", ExperimentState::completed},
                                    {"archived", ExperimentState::archived}});
};

template <>
struct Words<OnTimeout> {
  static constexpr std::string_view noun = "meaning of a missing answer";
  static constexpr auto all =
      words_table<OnTimeout>({{"discard", OnTimeout::discard}, {"tie", OnTimeout::tie}});
};

template <>
struct Words<OnCertified> {
  static constexpr std::string_view noun = "action on a certificate";
  static constexpr auto all = words_table<OnCertified>({{"notify", OnCertified::notify},
                                                        {"exploit", OnCertified::exploit},
                                                        {"complete", OnCertified::complete},
                                                        {"adopt", OnCertified::adopt}});
};

template <>
struct Words<Answered> {
  static constexpr std::string_view noun = "result";
  static constexpr auto all = words_table<Answered>({{"win", Answered::win},
                                                     {"tie", Answered::tie},
                                                     {"both_bad", Answered::both_bad},
                                                     {"skip", Answered::skip},
                                                     {"invalid", Answered::invalid},
                                                     {"graded", Answered::graded}});
};

template <>
struct Words<CertificateKind> {
  static constexpr std::string_view noun = "kind of certificate";
  static constexpr auto all =
      words_table<CertificateKind>({{"winner", CertificateKind::winner},
                                    {"no_winner", CertificateKind::no_winner},
                                    {"copeland", CertificateKind::copeland},
                                    {"borda", CertificateKind::borda},
                                    {"set", CertificateKind::set},
                                    {"order", CertificateKind::order},
                                    {"ranking", CertificateKind::ranking},
                                    {"epsilon", CertificateKind::epsilon},
                                    {"point", CertificateKind::point}});
};

template <>
struct Words<TaskScope> {
  static constexpr std::string_view noun = "scope of tasks";
  static constexpr auto all = words_table<TaskScope>(
      {{"tasks_like_these", TaskScope::tasks_like_these}, {"these_tasks", TaskScope::these_tasks}});
};

template <>
struct Words<Audience> {
  static constexpr std::string_view noun = "audience";
  static constexpr auto all =
      words_table<Audience>({{"people_like_these", Audience::people_like_these},
                             {"these_people", Audience::these_people}});
};

inline std::string_view to_word(const Goal& goal) { return to_word(goal.kind); }
inline Result<Goal::Kind> parse_goal(std::string_view word) { return parse_word<Goal::Kind>(word); }
// A goal as a user asks for it. An error names the field: goal, top, epsilon or assume. Whether it
// fits the arms is another question (inference/order_threshold.h, check_goal).
Result<Goal> parse_goal(std::string_view kind, std::uint64_t top, double epsilon,
                        std::string_view assume);
// "set of 3", "epsilon 0.05", "ranking, the arms taken to have an order".
std::string describe(const Goal& goal);
inline Result<Placement> parse_placement(std::string_view word) {
  return parse_word<Placement>(word);
}
inline Result<Answered> parse_answered(std::string_view word) { return parse_word<Answered>(word); }

// An arm never changes. It is recorded by a reference (a path, a name) and the SHA-256 of its
// content, so that a changed file is noticed. Either may be empty.
struct ArmEntry {
  std::string id;
  std::string payload;
  std::string sha256;
  Json content;                    // the arm itself, if callers are given it with the duel
  std::vector<double> features{};  // for policies that use them; of all arms equally many, or none

  friend bool operator==(const ArmEntry&, const ArmEntry&) = default;
};

// The name that an arm had in the file it came from: its payload if the id was made from that
// ("Model B" -> `Model-B`, or `Model-B-2` if that was taken), otherwise its id.
std::string original_name(const ArmEntry& arm);

struct StoppingRule {
  double alpha = 0.05;
  std::uint64_t min_decisive_per_pair = 0;  // no certificate before, whatever the evidence
  std::uint64_t max_duels = 0;              // 0: no limit
  bool arms_fixed = true;                   // no arm will be added or retired: lower thresholds
  bool shared_causes = false;  // a task or a person may reach several pairs: threshold K/alpha

  friend bool operator==(const StoppingRule&, const StoppingRule&) = default;
};

// What the duels are about. Without tasks the count is 0, and so it is in older logs.
struct TaskSet {
  std::uint64_t count = 0;
  std::string sha256;  // of all tasks together
  TaskScope about = TaskScope::tasks_like_these;
  Json items;  // [{"task_id", "payload"}, ..], if callers are given them with the duel

  bool like_these() const { return count > 0 && about == TaskScope::tasks_like_these; }

  friend bool operator==(const TaskSet&, const TaskSet&) = default;
};

// How the command begins where one of several judges is drawn for each duel.
inline constexpr std::string_view kOneDrawnOf = "one drawn of: ";

// The program that answers. Both are empty if people answer, and in older logs.
struct JudgeEntry {
  std::string command;  // as it was written
  std::string sha256;   // of the command line and the files that it names

  friend bool operator==(const JudgeEntry&, const JudgeEntry&) = default;
};

// How long an answer is waited for, and what its absence means. It holds for duels served later.
struct FeedbackRule {
  std::uint64_t timeout_s = 1800;
  OnTimeout on_timeout = OnTimeout::discard;

  friend bool operator==(const FeedbackRule&, const FeedbackRule&) = default;
};

struct Guardrails {
  double explore_floor = 0;  // share of duels drawn uniformly over the pairs of active arms
  std::uint64_t max_duels_per_subject_per_day = 0;  // 0: no limit
  std::uint64_t max_pending = 100'000;

  friend bool operator==(const Guardrails&, const Guardrails&) = default;
};

// How pages are drafted and clicks are credited.
struct InterleaveRule {
  Drafting method = Drafting::team_draft;
  std::uint64_t length = 10;
  std::vector<std::pair<std::string, Json>> actions;  // weights; none: {"click": 1}
  std::uint64_t per_item_cap = 1;

  friend bool operator==(const InterleaveRule&, const InterleaveRule&) = default;
};

// What a server needs to know about an experiment besides what every experiment has. For `duel run`
// and the like it keeps its defaults.
struct ServiceRule {
  std::string name;
  Mode mode = Mode::duel;
  ExperimentState starts = ExperimentState::running;  // or `draft`
  std::string default_arm;  // what a fallback shows; the first arm if empty
  OnCertified on_certified = OnCertified::notify;
  FeedbackRule feedback;
  Guardrails guardrails;
  InterleaveRule interleave;
  std::string request;  // SHA-256 of the body that created it: a repeat is compared with it

  friend bool operator==(const ServiceRule&, const ServiceRule&) = default;
};

// Who a panel is. Without a size and a list it is those who have answered when it is closed.
struct PanelRule {
  std::uint64_t size = 0;
  std::vector<std::string> members;  // subjects; of an early panel in their drawn order
  // Whether a verdict may come before counting is certain, with an error level: in a large panel
  // that is listed. The order is drawn: by the keyed hashes that the subjects are.
  bool early = false;

  std::uint64_t seats() const { return members.empty() ? size : members.size(); }

  friend bool operator==(const PanelRule&, const PanelRule&) = default;
};

// What duels are told apart by, a language or a device, each with the values that get statements of
// their own; and the values of one duel.
using Slices = std::vector<std::pair<std::string, std::vector<std::string>>>;
using SliceValues = std::vector<std::pair<std::string, std::string>>;

// A program answers every duel, and people answer a drawn share of them: the statement is about
// people (inference/audited_units.h).
struct AuditPrice {
  double judge = 0;   // of an answer of the program
  double person = 0;  // of a person's

  friend bool operator==(const AuditPrice&, const AuditPrice&) = default;
};
struct AuditRule {
  double share = 0;                 // of the duels that people answer, too; 0: nobody audits
  double least = 0;                 // the smallest share, where it follows from the prices
  AuditPrice price;                 // 0: the share is fixed
  std::uint64_t give_up_after = 0;  // offers without an answer; 0: never
  std::string key_sha256;           // of the key that draws the duels, in hexadecimal digits
  bool from_seed = false;           // whether the key is made from the seed, for tests
  JudgeEntry auditor;               // the program by which people are asked, if it is one

  bool on() const { return share > 0; }
  bool by_price() const { return price.judge > 0 && price.person > 0; }

  friend bool operator==(const AuditRule&, const AuditRule&) = default;
};

// A box of named numbers in the place of arms: duels show points of it, and what is certified is
// that one of them beats the point in use today. The policy is then a learner of points.
struct SpaceRule {
  Json dimensions;           // as Space::to_json writes it (continuous/space.h); null: arms compete
  std::uint64_t warmup = 0;  // duels before a point may be proved; 0: 20 for every dimension
  // The share of tasks that is kept for proofs where a certificate is about tasks like these.
  double prove_tasks = 0.5;

  friend bool operator==(const SpaceRule&, const SpaceRule&) = default;
};

// What people who vote are told.
struct VotingRule {
  std::string question;       // in place of "Which one is better?"
  std::string instructions;   // shown before and beside it
  bool shows_result = false;  // to a voter who has nothing left to answer

  friend bool operator==(const VotingRule&, const VotingRule&) = default;
};

// Format 2 added tasks, judge, evidence and failed tries; 3 added what a server needs, and renamed
// `fallback` to `contest`; since 4 a task that the caller names is evidence about a pair once, and
// silence that is taken for a tie is counted as one. Older logs are read, and continued by their
// own rules.
inline constexpr std::uint64_t kLogFormat = 4;

// The first record: everything that decides what follows.
struct ExperimentRecord {
  std::string experiment_id;
  std::vector<ArmEntry> arms;  // none where points of a space are compared
  SpaceRule space{};
  std::string policy = "auto";
  Goal goal = Goal::condorcet;
  StoppingRule stopping;
  Placement order = Placement::random;
  double aa_rate = 0;  // share of duels that show one arm twice
  // Whether comparisons made elsewhere may enter the certificate, as if they had been served in the
  // order in which they are in the log. Otherwise only the policy learns from them.
  bool comparisons_count = false;
  // If their order is unknown: the number of comparisons after which their evidence is looked at,
  // once. Later ones are no evidence. 0: not so.
  std::uint64_t one_look_after = 0;
  TaskSet tasks;
  Audience about = Audience::people_like_these;
  PanelRule panel;  // where it is about these people
  VotingRule voting;
  Slices slices;
  JudgeEntry judge;
  AuditRule audit;
  ServiceRule service;
  std::uint64_t seed = 0;
  std::uint64_t format = kLogFormat;  // of the log that it begins

  friend bool operator==(const ExperimentRecord&, const ExperimentRecord&) = default;
};

// What arms are like for one visitor, or in one situation: features in place of the arms' own. By
// arm, as it was sent.
using Context = std::vector<std::pair<std::string, std::vector<double>>>;

// A duel went out.
struct ServeRecord {
  std::string duel_id;
  std::uint64_t ordinal = 0;  // 0, 1, 2, .. without gaps: the order of serving
  Round round = 0;            // of the policy
  std::string first;          // arms as shown
  std::string second;
  Serving serving = Serving::explore;
  std::string task;  // what was asked about; empty if the experiment has no tasks
  // Whether the answer may become evidence: decided before the answer is known.
  bool evidence = true;
  ServedBy by = ServedBy::policy;
  double propensity = 1;  // of this choice, given the past
  Timestamp expires_at;   // 0: never
  std::string subject;    // who is shown it, as a keyed hash
  std::string request;    // SHA-256 of the body that asked for it
  SliceValues slices{};   // of those that the experiment declares
  double audit = 0;       // the probability that a person is asked, too; 0: nobody will be
  // The numbers of the two where they are points of a space, by name.
  Json first_point{};
  Json second_point{};
  Context context{};  // in which the policy was asked; empty: none
  // Served when the machine lost power, as a later record says: the reason why `evidence` is false.
  // Set by the reader of the log and in no line of it.
  bool around_loss = false;

  friend bool operator==(const ServeRecord&, const ServeRecord&) = default;
};

struct Answer {
  Answered result = Answered::skip;
  std::string winner;  // the arm's id; only of a win
  // 1 or 2: the place that won, if one arm was shown twice and won. 0 otherwise.
  std::uint64_t place = 0;
  // Of the arm shown first, from 0 to 1, where the answer was given as a score: 1, 0 and 0.5 are a
  // win of the first, a win of the second and a tie.
  std::optional<double> score{};

  friend bool operator==(const Answer&, const Answer&) = default;
};

// One of the two answers of a duel judged in both orders, or of the answers of several judges.
struct Judgement {
  std::string first;  // the arm shown first
  Answer answer;
  std::string judge{};  // who said it, where several judges answer each duel

  friend bool operator==(const Judgement&, const Judgement&) = default;
};

// Who answered: `{"human", "rater-7"}`. Both are empty if unknown.
struct Source {
  std::string type;
  std::string id;

  friend bool operator==(const Source&, const Source&) = default;
};

struct OutcomeRecord {
  std::string duel_id;
  Answer answer;
  Source source;
  std::optional<std::uint64_t> response_ms;
  // Two, if the order is `both`; those of all judges in each order, where several answer.
  std::vector<Judgement> judgements;
  std::string note;                // what a person should know: why an answer is invalid
  std::uint64_t failed_tries = 0;  // before it came
  // What the judge says beside its answer. Kept and shown, never used.
  std::string reason;
  double cost = 0;           // in the experiment's currency
  std::uint64_t tokens = 0;  // of a language model
  bool cached = false;       // it had answered the same question before, and was not asked
  Json features;             // numbers for each place: {"first":{"length":120},"second":{..}}

  friend bool operator==(const OutcomeRecord&, const OutcomeRecord&) = default;
};

// No answer came in time. It is final: an answer after this record is late and counts for nothing.
struct ExpiredRecord {
  std::string duel_id;
  std::uint64_t failed_tries = 0;
  std::string note;  // why there is no answer

  friend bool operator==(const ExpiredRecord&, const ExpiredRecord&) = default;
};

struct ArmAddedRecord {
  ArmEntry arm;

  friend bool operator==(const ArmAddedRecord&, const ArmAddedRecord&) = default;
};

struct ArmRetiredRecord {
  std::string arm_id;

  friend bool operator==(const ArmRetiredRecord&, const ArmRetiredRecord&) = default;
};

// A comparison made elsewhere.
struct ComparisonRecord {
  std::string first;
  std::string second;
  Answer answer;
  Source source;
  std::string made_at;                              // as it was written there
  std::vector<std::pair<std::string, Json>> extra;  // other columns of the file it came from
  bool evidence = true;                             // whether it may count, if comparisons do
  std::string comparison_id{};  // by which a repeat is known; the sender may give none

  friend bool operator==(const ComparisonRecord&, const ComparisonRecord&) = default;
};

// More tasks were added. Only if the certificate is about tasks like these: all of them together
// are then still a sample, no matter when they come.
struct TasksAddedRecord {
  std::uint64_t count = 0;  // of all now
  std::string sha256;

  friend bool operator==(const TasksAddedRecord&, const TasksAddedRecord&) = default;
};

// An arm by its id alone.
struct NamedArm {
  std::string arm_id;

  friend bool operator==(const NamedArm&, const NamedArm&) = default;
};

// The records before this one certify something. A reader checks that, and refuses a log that lies.
struct CertifiedRecord {
  CertificateKind kind = CertificateKind::winner;
  std::string winner;            // empty if no arm or several are named
  std::uint64_t at = 0;          // sequence number of the record that gave the certificate
  std::vector<NamedArm> arms{};  // of a set, an order or a ranking

  friend bool operator==(const CertifiedRecord&, const CertifiedRecord&) = default;
};

// Whether a person is asked about a duel, too. Follows the program's answer.
struct AuditRecord {
  std::string duel_id;
  bool drawn = false;

  friend bool operator==(const AuditRecord&, const AuditRecord&) = default;
};

// A person is asked about a duel that was drawn.
struct OfferRecord {
  std::string duel_id;
  std::string subject;   // who is asked, as a keyed hash
  Timestamp expires_at;  // 0: never

  friend bool operator==(const OfferRecord&, const OfferRecord&) = default;
};

// Nobody will answer a duel that was drawn. It counts as the worst for either arm.
struct AuditLostRecord {
  std::string duel_id;

  friend bool operator==(const AuditLostRecord&, const AuditLostRecord&) = default;
};

// The key that draws duels for people was lost, and another one draws from now on.
struct AuditKeyRecord {
  std::string sha256;

  friend bool operator==(const AuditKeyRecord&, const AuditKeyRecord&) = default;
};

// Nothing is served any more.
struct CompletedRecord {
  std::string reason;  // certified | max_duels | stopped
  // The key that drew duels for people, in hexadecimal digits: with it the draws can be checked.
  std::string audit_key{};

  friend bool operator==(const CompletedRecord&, const CompletedRecord&) = default;
};

// The panel is those who have answered, and nobody joins any more.
struct PanelClosedRecord {
  std::uint64_t members = 0;  // how many they are

  friend bool operator==(const PanelClosedRecord&, const PanelClosedRecord&) = default;
};

// A member of an early panel will not come: what they have not answered speaks for neither arm.
struct AbsentRecord {
  std::string subject;

  friend bool operator==(const AbsentRecord&, const AbsentRecord&) = default;
};

// The best guess of a space's learner was frozen, to be proved from here on.
struct CandidateRecord {
  std::uint64_t number = 0;      // 1, 2, .. of those that challenge the same point in use
  std::uint64_t generation = 1;  // 1, 2, .. of the points in use
  std::string point_id;
  Json point;
  double level = 0;  // its share of alpha

  friend bool operator==(const CandidateRecord&, const CandidateRecord&) = default;
};

// The candidate is given up: answers to its duels that are still out prove nothing.
struct GivenUpRecord {
  std::uint64_t number = 0;
  std::string reason;  // beaten | better_guess

  friend bool operator==(const GivenUpRecord&, const GivenUpRecord&) = default;
};

// What the learner would recommend from here on. An opinion: it proves nothing.
struct RecommendedRecord {
  Json point;
  // That it beats the point in use, in standard deviations of what the learner believes; 0 where
  // the learner has no belief.
  double sureness = 0;

  friend bool operator==(const RecommendedRecord&, const RecommendedRecord&) = default;
};

// The experiment was started, paused, resumed or archived.
struct StateRecord {
  ExperimentState state = ExperimentState::running;

  friend bool operator==(const StateRecord&, const StateRecord&) = default;
};

// The settings that may change were changed; all of them are here, not only the changed ones.
struct ConfiguredRecord {
  std::string name;
  FeedbackRule feedback;
  Guardrails guardrails;

  friend bool operator==(const ConfiguredRecord&, const ConfiguredRecord&) = default;
};

// The policy was rebuilt from the answers so far, because it would not have chosen what the log
// says: another version of Duel wrote the lines before.
struct PolicyRebuiltRecord {
  std::string reason;

  friend bool operator==(const PolicyRebuiltRecord&, const PolicyRebuiltRecord&) = default;
};

// The machine lost power. The duels after record `after` that survived are those whose answers came
// fast enough to be synced, which is not a fair sample, so none of them is evidence.
struct RecoveredRecord {
  std::uint64_t after = 0;

  friend bool operator==(const RecoveredRecord&, const RecoveredRecord&) = default;
};

// The ranking of an arm that is not one of the duel's two, on a page of more than two.
struct OtherRanking {
  std::string arm_id;
  std::vector<std::string> list;

  friend bool operator==(const OtherRanking&, const OtherRanking&) = default;
};

// Items of a drafted page, by their place in the draft counted from 0: from `from` to before `to`.
struct ShownItems {
  std::uint64_t from = 0;
  std::uint64_t to = 0;

  friend bool operator==(const ShownItems&, const ShownItems&) = default;
};

// The rankings that a page was drafted from, fixed when the first page was asked for: those of the
// duel's arms and, if the method takes more than two, of others.
struct InterleavedRecord {
  std::string duel_id;
  std::vector<std::string> first;  // ids of objects, best first
  std::vector<std::string> second;
  std::vector<OtherRanking> others;
  ShownItems shown;  // on the first page that was asked for; an older log says nothing of it

  // The number of ids in all rankings, repeats counted.
  std::uint64_t num_ids() const;

  friend bool operator==(const InterleavedRecord&, const InterleavedRecord&) = default;
};

// Another page of the draft was shown.
struct PagedRecord {
  std::string duel_id;
  ShownItems items;

  friend bool operator==(const PagedRecord&, const PagedRecord&) = default;
};

// What a person did with an item of a page.
struct EventRecord {
  std::string duel_id;
  std::string event;  // SHA-256 by which a repeated event is recognised
  std::string action;
  std::string object;
  // The ranking that gets the credit: 1 and 2 are the duel's, 3 is the first of the others; 0:
  // none.
  std::uint64_t place = 0;
  double credit = 0;
  bool late = false;  // the duel was closed before

  friend bool operator==(const EventRecord&, const EventRecord&) = default;
};

using Record =
    std::variant<ExperimentRecord, ServeRecord, OutcomeRecord, ExpiredRecord, ArmAddedRecord,
                 ArmRetiredRecord, ComparisonRecord, CertifiedRecord, CompletedRecord,
                 TasksAddedRecord, StateRecord, ConfiguredRecord, PolicyRebuiltRecord,
                 RecoveredRecord, InterleavedRecord, PagedRecord, EventRecord, PanelClosedRecord,
                 AbsentRecord, AuditRecord, OfferRecord, AuditLostRecord, AuditKeyRecord,
                 CandidateRecord, GivenUpRecord, RecommendedRecord>;

// A record at its place in the log.
struct LogEntry {
  std::uint64_t sequence = 0;  // 1, 2, 3, .. without gaps
  std::int64_t time_ms = 0;
  Record record;
  std::string hash;  // of the chain up to here, 64 hexadecimal digits
};

// An answer that was given as a score of the arm shown first: a win, a tie, or how much. REQUIRES:
// 0 <= score <= 1.
Answer answer_of_score(double score, const std::string& first, const std::string& second);
// The score that an answer gives the arm shown first, of a win 1 or 0; none of an answer that says
// nothing. REQUIRES: a winner is one of the two.
std::optional<double> score_of(const Answer& answer, const std::string& first,
                               const std::string& second);

// What two judgements of one duel, in both orders, say together: what they agree on, or a tie if
// they differ. If one is skipped or invalid, so is the whole. Where one has a score, and of several
// judges, it is their mean score of `first`, without those that are invalid.
Answer combined(std::span<const Judgement> judgements, const std::string& first,
                const std::string& second);

// Whether a program has answered, and not a person.
bool is_program(const Source& source);

// Appends the fields of a record to `out` as they are in its line: `"record":"serve","duel_id":..`.
// An error names a text that is not UTF-8.
Status append_fields(std::string& out, const Record& record);

}  // namespace duel
