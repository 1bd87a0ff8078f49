// The bodies of requests. The parser reads by the tables below, and /openapi.json is made from
// them.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/bounds.h"
#include "duel/experiment/panel.h"
#include "duel/log/record.h"
#include "duel/log/record_fields.h"
#include "duel/wire/token_scope.h"

namespace duel {

// Limits a text that is kept in the log: a caller must not fill the store with it.
struct ShortText {
  std::size_t most_bytes = 0;
  Status operator()(std::string_view text) const;
  // A template, so that no text is taken for an optional one.
  template <std::same_as<std::optional<std::string>> Text>
  Status operator()(const Text& text) const {
    return text ? (*this)(std::string_view(*text)) : Status(Done{});
  }
};
// What people call an experiment or a token. It stands in lists and titles.
inline constexpr ShortText kShortName{200};
struct ShortSource {
  Status operator()(const Source& source) const;
};

struct ArmBody {
  std::string arm_id;
  Json payload;
  bool is_default = false;
  std::vector<double> features;

  static constexpr FieldList fields{
      required("arm_id", &ArmBody::arm_id, "", IsIdOf{"an arm"}),
      optional("payload", &ArmBody::payload, "given with every duel of the arm; never changes"),
      optional("default", &ArmBody::is_default, "what a fallback shows"),
      optional(
          "features", &ArmBody::features,
          "what policies such as `lin-ts` are told of it: numbers, equally many for every arm")};
};

struct StoppingBody {
  double alpha = 0.05;
  std::string arms = "fixed";
  std::uint64_t min_decisive_per_pair = 0;
  std::uint64_t max_duels = 0;
  OnCertified on_certified = OnCertified::notify;
  bool pairs_independent = false;

  static constexpr FieldList before{
      optional("alpha", &StoppingBody::alpha, "probability of a false certificate, at most"),
      optional("arms", &StoppingBody::arms, "`open`: arms may join and leave",
               OneOf("fixed", "open")),
      optional("min_decisive_per_pair", &StoppingBody::min_decisive_per_pair,
               "no certificate before, whatever the evidence"),
      optional("max_duels", &StoppingBody::max_duels, "0 for no limit")};
  static constexpr FieldList after{
      optional("pairs_independent", &StoppingBody::pairs_independent,
               "true declares that no subject or task reaches several pairs: a lower threshold")};
  static constexpr auto fields =
      joined(before, FieldList{optional("on_certified", &StoppingBody::on_certified)}, after);
};

// What a new experiment does once it is certified, unless its owner says. An answer of a person or
// a judge costs somebody something and would change nothing any more; a visitor comes anyway, and
// gets the best there is. (A log that says nothing means the default of ServiceRule, which
// therefore never changes.)
constexpr OnCertified default_on_certified(Mode mode, bool space) {
  if (mode == Mode::duel) return OnCertified::complete;
  // No point is shown alone: the search goes on until somebody ends it.
  return space ? OnCertified::notify : OnCertified::exploit;
}

// The same as a caller writes it.
struct StoppingWish {
  StoppingBody rule;
  std::optional<OnCertified> on_certified;

  static constexpr auto fields =
      joined(inlined(&StoppingWish::rule, StoppingBody::before),
             FieldList{optional("on_certified", &StoppingWish::on_certified,
                                "`complete`, and `exploit` where clicks decide, if absent. Of a "
                                "space `notify` where clicks decide; `adopt` is for spaces alone")},
             inlined(&StoppingWish::rule, StoppingBody::after));
};

struct FeedbackBody {
  FeedbackRule rule;
  std::string late = "record";

  static constexpr FieldList fields{
      optional("timeout_s", MemberOf{&FeedbackBody::rule, &FeedbackRule::timeout_s},
               "seconds that an answer is waited for", kTimeouts),
      optional("on_timeout", MemberOf{&FeedbackBody::rule, &FeedbackRule::on_timeout},
               "what no answer in time means"),
      optional("late", &FeedbackBody::late, "late answers are kept", OneOf("record"))};
};

// How long an answer to a new experiment is waited for, unless its owner says. Clicks come within a
// visit, and a page decides nothing before its time is up. (A log that names no time means the
// default of FeedbackRule, which therefore never changes.)
constexpr std::uint64_t default_timeout_s(Mode mode) {
  return mode == Mode::interleave ? 300 : FeedbackRule{}.timeout_s;
}

// The same as a caller writes it.
struct FeedbackWish {
  std::optional<std::uint64_t> timeout_s;
  OnTimeout on_timeout = FeedbackRule{}.on_timeout;
  std::string late = "record";

  FeedbackRule rule(Mode mode) const {
    return {timeout_s.value_or(default_timeout_s(mode)), on_timeout};
  }

  static constexpr FieldList fields{
      optional("timeout_s", &FeedbackWish::timeout_s,
               "seconds that an answer is waited for; 1800, and 300 where clicks decide, if absent",
               kTimeouts),
      optional("on_timeout", &FeedbackWish::on_timeout, "what no answer in time means"),
      optional("late", &FeedbackWish::late, "late answers are kept", OneOf("record"))};
};

struct PresentationBody {
  Placement order = Placement::random;

  static constexpr FieldList fields{
      optional("order", &PresentationBody::order, "how two arms are placed")};
};

struct GuardrailsBody {
  Guardrails rule;
  double aa_rate = 0;

  static constexpr FieldList fields{
      optional("explore_floor", MemberOf{&GuardrailsBody::rule, &Guardrails::explore_floor},
               "share of duels drawn uniformly over the pairs", kShares),
      optional("aa_rate", &GuardrailsBody::aa_rate, "share of duels that show one arm twice",
               kAaRates),
      optional("max_duels_per_subject_per_day",
               MemberOf{&GuardrailsBody::rule, &Guardrails::max_duels_per_subject_per_day},
               "0 for no limit"),
      optional("max_pending", MemberOf{&GuardrailsBody::rule, &Guardrails::max_pending},
               "duels that may wait for an answer", kPendingDuels)};
};

struct InterleaveBody {
  InterleaveRule rule;

  static constexpr FieldList fields{
      optional("method", MemberOf{&InterleaveBody::rule, &InterleaveRule::method},
               "how pages are drafted; the multileaving ones take the lists of other arms, too"),
      optional("length", MemberOf{&InterleaveBody::rule, &InterleaveRule::length},
               "items of a page", kPageLengths),
      optional("actions", MemberOf{&InterleaveBody::rule, &InterleaveRule::actions},
               "what each action is worth; `{\"click\": 1}` if absent"),
      optional("per_item_cap", MemberOf{&InterleaveBody::rule, &InterleaveRule::per_item_cap},
               "actions that an item is paid for")};
};

struct TaskBody {
  std::string task_id;
  Json payload;
  SliceValues slices;

  static constexpr FieldList fields{
      required("task_id", &TaskBody::task_id, "", IsIdOf{"a task"}),
      optional("payload", &TaskBody::payload),
      optional("slices", &TaskBody::slices,
               "its value of each slice, as `{\"language\": \"de\"}`")};
};

// What a certificate is about, as a caller writes it.
inline constexpr OneOf kAbout("people-like-these", "tasks-like-these", "these-tasks",
                              "these-people");

struct PanelBody {
  std::optional<std::uint64_t> size;
  std::vector<std::string> members;
  bool early = false;

  friend bool operator==(const PanelBody&, const PanelBody&) = default;

  static constexpr FieldList fields{
      optional("size", &PanelBody::size, "how many people it has",
               Between{1, static_cast<double>(Panel::kMostMembers)}),
      optional("members", &PanelBody::members,
               "or who they are: the `subject_id` of each; only keyed hashes are kept"),
      optional(
          "early", &PanelBody::early,
          "with 25 members or more: a verdict may come before counting is certain, at `alpha`. "
          "Their order is drawn, and invitations should follow it")};
};

struct AuditBody {
  std::string by = "people";
  double share = 0.1;
  double least = 0.05;
  AuditPrice price;
  std::uint64_t give_up_after = 0;

  static constexpr FieldList fields{
      optional("by", &AuditBody::by, "who audits", OneOf("people")),
      optional("share", &AuditBody::share, "of the duels that people answer, too", kShares),
      optional("least", &AuditBody::least, "the smallest share that the prices may lead to",
               kShares),
      optional("price", &AuditBody::price,
               "of an answer; with both the share follows from how well the judge knows people"),
      optional("give_up_after", &AuditBody::give_up_after,
               "unanswered offers before an audit counts as lost; 0 for never")};
};

struct VotingBody {
  VotingRule rule;

  static constexpr FieldList fields{
      optional("question", MemberOf{&VotingBody::rule, &VotingRule::question},
               "that voters are asked; 200 bytes", kShortName),
      optional("instructions", MemberOf{&VotingBody::rule, &VotingRule::instructions},
               "shown with it; 2000 bytes", ShortText{2000}),
      optional("shows_result", MemberOf{&VotingBody::rule, &VotingRule::shows_result},
               "a voter who has nothing left to answer is told the verdict")};
};

struct ExperimentBody {
  std::string name;
  Mode mode = Mode::duel;
  std::vector<ArmBody> arms;
  Json space;
  Json default_point;
  std::uint64_t warmup = 0;
  std::string policy = "auto";
  Goal goal = Goal::condorcet;
  StoppingWish stopping;
  FeedbackWish feedback;
  PresentationBody presentation;
  GuardrailsBody guardrails;
  InterleaveBody interleave;
  std::vector<TaskBody> tasks;
  std::string about;
  PanelBody panel;
  std::optional<AuditBody> audit;
  VotingBody voting;
  Slices slices;
  std::optional<std::uint64_t> seed;

  static constexpr std::string_view schema = "ExperimentRequest";
  static constexpr auto fields = joined(
      FieldList{
          optional("name", &ExperimentBody::name, "200 bytes at most", kShortName),
          optional("mode", &ExperimentBody::mode),
          optional("arms", &ExperimentBody::arms, "what is compared, two at least; or a `space`"),
          optional("space", &ExperimentBody::space,
                   "whose points are compared, in the place of arms: a member for each dimension, "
                   "`{\"low\": 0, \"high\": 1}`, with `default`, `scale` (`linear` or `log`) and "
                   "`step`"),
          optional("default_point", &ExperimentBody::default_point,
                   "of a space: the point in use, where the dimensions have no `default`"),
          optional("warmup", &ExperimentBody::warmup,
                   "of a space: duels before a point may be proved; 20 for every dimension if "
                   "absent"),
          optional("policy", &ExperimentBody::policy,
                   "a policy string such as `rucb(alpha=0.6)`; of a space a learner, "
                   "`kernel-ts(trust=1)`")},
      as_optional(inlined(&ExperimentBody::goal, Described<Goal>::fields)),
      FieldList{
          optional("stopping", &ExperimentBody::stopping,
                   "`on_certified` if absent: `complete`, and `exploit` where clicks decide; of a "
                   "space where clicks decide `notify`"),
          optional("feedback", &ExperimentBody::feedback),
          optional("presentation", &ExperimentBody::presentation),
          optional("guardrails", &ExperimentBody::guardrails),
          optional("interleave", &ExperimentBody::interleave),
          optional("tasks", &ExperimentBody::tasks,
                   "what the duels are about, drawn for each pair"),
          optional("about", &ExperimentBody::about,
                   "what the certificate is about; people or tasks like these if absent", kAbout),
          optional("panel", &ExperimentBody::panel, "who `these-people` are"),
          optional("audit", &ExperimentBody::audit,
                   "people audit the judge: the statement is about people"),
          optional("voting", &ExperimentBody::voting, "what voters are told"),
          optional(
              "slices", &ExperimentBody::slices,
              "what duels are told apart by, as `{\"language\": [\"de\", \"en\"]}`: each value "
              "gets a board and a certificate of its own"),
          optional("seed", &ExperimentBody::seed)});
};

// What may change of an experiment, whole.
struct ChangeableBody {
  std::string name;
  FeedbackWish feedback;
  GuardrailsBody guardrails;

  static constexpr FieldList fields{optional("name", &ChangeableBody::name, "", kShortName),
                                    optional("feedback", &ChangeableBody::feedback),
                                    optional("guardrails", &ChangeableBody::guardrails)};
};

// A part of a body where null is a value, too: it stands for the default.
template <class Body>
struct Patched : Body {
  template <class Get>
  struct Nullable {
    Get get;
    constexpr auto operator()(auto& record) const {
      return std::optional(std::invoke(get, record));
    }
  };
  template <class Get, class Check, bool Needed>
  static constexpr Field<Nullable<Get>, Check, false> nullable(
      const Field<Get, Check, Needed>& of) {
    return {of.name, {of.get}, of.doc, of.check};
  }
  static constexpr auto fields =
      Body::fields.visit([](const auto&... field) { return FieldList{nullable(field)...}; });
};

// As a caller writes it, for the document: `changed_by` reads the body itself.
struct PatchBody {
  std::optional<std::string> name;
  std::optional<Patched<FeedbackWish>> feedback;
  std::optional<Patched<GuardrailsBody>> guardrails;

  static constexpr std::string_view schema = "PatchRequest";
  static constexpr FieldList fields{
      optional("name", &PatchBody::name, "200 bytes at most", kShortName),
      optional("feedback", &PatchBody::feedback, "what is not named stays; null: the default"),
      optional("guardrails", &PatchBody::guardrails, "what is not named stays; null: the default")};
};

// A JSON merge patch (RFC 7386): what the patch does not name stays as it is in `target`, and null
// removes a member. A null of a name that `target` does not have is kept, for the reader to refuse.
Json merged(const Json& target, const Json& patch);

struct NewArmBody {
  Json payload;
  std::vector<double> features;

  static constexpr std::string_view schema = "NewArmRequest";
  static constexpr FieldList fields{
      optional("payload", &NewArmBody::payload),
      optional("features", &NewArmBody::features, "where the other arms have them")};
};

struct AbsentBody {
  std::vector<std::string> subjects;

  static constexpr std::string_view schema = "AbsentRequest";
  static constexpr FieldList fields{
      required("subjects", &AbsentBody::subjects, "members of the list who will not come")};
};

struct DuelBody {
  std::string duel_id;
  std::string batch_id;
  std::uint64_t count = 1;
  std::string subject_id;
  bool voter = false;
  std::vector<std::string> exclude;
  std::string task_id;
  SliceValues slices;
  Context context;

  static constexpr std::string_view schema = "DuelRequest";
  static constexpr FieldList fields{
      optional("duel_id", &DuelBody::duel_id, "the caller's id: a repeat gets the same duel",
               IsIdOf{"a duel"}),
      optional("batch_id", &DuelBody::batch_id, "where `count` is more than 1", IsIdOf{"a batch"}),
      optional("count", &DuelBody::count, "how many duels", Between{1, 1000}),
      optional("subject_id", &DuelBody::subject_id,
               "who will see it; only a keyed hash is kept. Of a voter the one that the server has "
               "made; without it a new one is made",
               NotEmpty{}),
      optional("voter", &DuelBody::voter,
               "true: asked as by a share link: blind, and the server makes the subject"),
      optional("exclude", &DuelBody::exclude, "arms that cannot be shown now"),
      optional("task_id", &DuelBody::task_id, "what it is about", IsIdOf{"a task"}),
      optional("slices", &DuelBody::slices,
               "the duel's value of each slice, as `{\"language\": \"de\"}`; of one that is not "
               "named the task's, or `other`"),
      optional("context", &DuelBody::context,
               "what every arm is like for who will see it: features by arm, in place of its own")};
};

// In place of a result.
inline constexpr auto kScoreDoc =
    "of the arm shown first, 0 to 1, in place of `result`: 1 is a win, 0 a loss, 0.5 a tie";
inline constexpr Between kScores{0, 1};
// What an answer given by a word may say; how much is said by a score.
inline constexpr OneOf kResults("win", "tie", "both_bad", "skip", "invalid");

struct JudgementBody {
  std::string first;
  std::string result;  // a word of Answered
  std::string winner;
  std::optional<double> score;

  static constexpr FieldList fields{
      required("first", &JudgementBody::first, "the arm shown first"),
      optional("result", &JudgementBody::result, "required without `score`", kResults),
      optional("winner", &JudgementBody::winner),
      optional("score", &JudgementBody::score, kScoreDoc, kScores)};
};

struct OutcomeBody {
  std::string duel_id;  // in a batch
  std::string result;   // a word of Answered, or `close`
  std::string winner;
  std::uint64_t place = 0;
  Source source;
  std::optional<std::uint64_t> response_ms;
  std::vector<JudgementBody> judgements;
  std::string report_token;
  std::string note;
  std::optional<double> score;
  std::string reason;
  double cost = 0;
  std::uint64_t tokens = 0;
  bool cached = false;
  Json features;

  static constexpr std::string_view schema = "OutcomeRequest";
  static constexpr FieldList fields{
      optional("duel_id", &OutcomeBody::duel_id, "in a batch", IsIdOf{"a duel"}),
      optional("result", &OutcomeBody::result, "`close` ends a page of results before its time",
               OneOf("win", "tie", "both_bad", "skip", "invalid", "close")),
      optional("winner", &OutcomeBody::winner, "the arm, of a win only"),
      optional("place", &OutcomeBody::place, "1 or 2, for the win of an arm shown twice"),
      optional("source", &OutcomeBody::source, "who answered; 200 bytes at most of each text",
               ShortSource{}),
      optional("response_ms", &OutcomeBody::response_ms),
      optional("judgements", &OutcomeBody::judgements, "two, where the order is `both`"),
      optional("report_token", &OutcomeBody::report_token, "in place of an API token"),
      optional("note", &OutcomeBody::note, "why it was skipped or is invalid; 200 bytes"),
      optional("score", &OutcomeBody::score, kScoreDoc, kScores),
      optional("reason", &OutcomeBody::reason, "of the judge, kept and shown; 2000 bytes",
               ShortText{2000}),
      optional("cost", &OutcomeBody::cost, "of the answer, in a currency of yours",
               Between{0, 1e15}),
      optional("tokens", &OutcomeBody::tokens, "that a language model took"),
      optional("cached", &OutcomeBody::cached,
               "true where the judge had answered this before and was not asked"),
      optional("features", &OutcomeBody::features, "numbers for each place, kept and shown")};
};

struct ComparisonBody {
  std::string first;
  std::string second;
  std::string result;  // a word of Answered
  std::string winner;
  std::optional<double> score;
  Source source;
  std::string made_at;
  std::string comparison_id;

  static constexpr std::string_view schema = "ComparisonRequest";
  static constexpr FieldList fields{
      required("first", &ComparisonBody::first),
      required("second", &ComparisonBody::second),
      optional("result", &ComparisonBody::result, "required without `score`", kResults),
      optional("winner", &ComparisonBody::winner),
      optional("score", &ComparisonBody::score, "of `first`, 0 to 1, in place of `result`",
               kScores),
      optional("source", &ComparisonBody::source, "who answered; 200 bytes at most of each text",
               ShortSource{}),
      optional("made_at", &ComparisonBody::made_at, "200 bytes at most", ShortText{200}),
      optional("comparison_id", &ComparisonBody::comparison_id,
               "an id by which a repeat is known and not counted again")};
};

using ListsByArm = std::vector<std::pair<std::string, std::vector<std::string>>>;

struct InterleavingBody {
  ListsByArm lists;
  std::string user_query;  // not kept
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> limit;

  static constexpr std::string_view schema = "InterleavingRequest";
  static constexpr FieldList fields{
      required("lists", &InterleavingBody::lists, "ids of objects by arm, best first"),
      optional("user_query", &InterleavingBody::user_query, "not kept"),
      optional("offset", &InterleavingBody::offset, "items of the pages before"),
      optional("limit", &InterleavingBody::limit,
               "items of this page; `interleave.length` if absent", Between{1, 1000})};
};

// A duel and its page in one request.
struct OneShotBody {
  DuelBody duel;
  InterleavingBody page;

  static constexpr std::string_view schema = "OneShotRequest";
  static constexpr auto fields = joined(inlined(&OneShotBody::duel, DuelBody::fields),
                                        inlined(&OneShotBody::page, InterleavingBody::fields));
};

template <>
struct Described<LinkRule> {
  static constexpr FieldList fields{
      optional("max_subjects_per_day", &LinkRule::max_subjects_per_day,
               "of a share link: browsers that may vote by it in a day (default 1000)",
               Between{1, 1'000'000}),
      optional("max_subjects_per_address_per_day", &LinkRule::max_subjects_per_address_per_day,
               "of a share link: browsers that may begin to vote from one address in a day "
               "(default 30)",
               Between{1, 1'000'000}),
      optional("one_browser", &LinkRule::one_browser,
               "of a share link: only the first browser that opens it can vote by it"),
      optional("member", &LinkRule::member,
               "of a share link: it is for this member of a panel's list, in any browser",
               ShortText{200})};
};

struct TokenBody {
  TokenScope scope = TokenScope::read;
  std::string name;
  std::string experiment_id;
  std::optional<Timestamp> expires_at;
  LinkRule link;

  static constexpr std::string_view schema = "TokenRequest";
  static constexpr auto fields = joined(
      FieldList{
          required("scope", &TokenBody::scope),
          optional("name", &TokenBody::name, "what you call it; 200 bytes at most", kShortName),
          optional("experiment_id", &TokenBody::experiment_id,
                   "where it is for one experiment only", IsIdOf{"an experiment"}),
          optional("expires_at", &TokenBody::expires_at)},
      inlined(&TokenBody::link, Described<LinkRule>::fields));
};

struct PlanBody {
  std::uint64_t arms = 5;
  double gap = 0.1;
  double spread = 0;
  double alpha = 0.05;
  double tie_rate = 0;
  std::uint64_t parallel = 1;
  std::uint64_t max_duels = 100'000;
  std::uint64_t trials = 200;
  Goal goal = Goal::condorcet;
  std::string policy;
  bool shared_causes = false;

  static constexpr std::string_view schema = "PlanRequest";
  static constexpr auto fields = joined(
      FieldList{
          optional("arms", &PlanBody::arms, "", Between{2, 50}),
          optional("gap", &PlanBody::gap, "how far the best arm is ahead of the others"),
          optional("spread", &PlanBody::spread, "how far the others differ"),
          optional("alpha", &PlanBody::alpha, "probability of a false certificate, at most"),
          optional("tie_rate", &PlanBody::tie_rate, "share of duels without a winner"),
          optional("parallel", &PlanBody::parallel, "duels in flight at once", Between{1, 1000}),
          optional("max_duels", &PlanBody::max_duels, "", Between{1, 1'000'000}),
          optional("trials", &PlanBody::trials, "simulated runs", Between{10, 1000})},
      as_optional(inlined(&PlanBody::goal, Described<Goal>::fields)),
      FieldList{optional("policy", &PlanBody::policy, "one, or several with commas between"),
                optional("shared_causes", &PlanBody::shared_causes,
                         "whether a task or a person may reach several pairs")});
};

// The parts of an event of User Behavior Insights that are used.
struct UbiObject {
  std::optional<std::string> object_id;

  static constexpr bool others_ignored = true;
  static constexpr FieldList fields{optional("object_id", &UbiObject::object_id)};
};
struct UbiPosition {
  std::optional<std::uint64_t> ordinal;

  static constexpr bool others_ignored = true;
  static constexpr FieldList fields{
      optional("ordinal", &UbiPosition::ordinal, "1 for the first item")};
};
struct UbiDuel {
  std::optional<std::string> experiment_id;
  std::optional<std::string> report_token;

  static constexpr bool others_ignored = true;
  static constexpr FieldList fields{
      optional("experiment_id", &UbiDuel::experiment_id, "where the event is for one only"),
      optional("report_token", &UbiDuel::report_token, "in place of an API token")};
};
struct UbiAttributes {
  std::optional<UbiObject> object;
  std::optional<UbiPosition> position;
  std::optional<UbiDuel> duel;

  static constexpr bool others_ignored = true;
  static constexpr FieldList fields{optional("object", &UbiAttributes::object),
                                    optional("position", &UbiAttributes::position),
                                    optional("duel", &UbiAttributes::duel)};
};
struct UbiBody {
  std::string action_name;
  std::string timestamp;
  std::string query_id;
  std::optional<std::string> session_id;
  std::optional<UbiAttributes> event_attributes;

  static constexpr std::string_view schema = "UbiEvent";
  static constexpr bool others_ignored = true;
  static constexpr FieldList fields{
      required("action_name", &UbiBody::action_name, "`click`, `add_to_cart`, .."),
      required("timestamp", &UbiBody::timestamp, "RFC 3339, with its zone"),
      required("query_id", &UbiBody::query_id, "the id of the duel"),
      optional("session_id", &UbiBody::session_id),
      optional("event_attributes", &UbiBody::event_attributes)};
};

// The first record of the experiment that a body asks for. An error names the field as a JSON
// pointer in `where`. `request` is the hash of the body.
// REQUIRES: the number of arms is within the server's limit, since a policy is made for them.
// `subject_of` makes the keyed hash of a member's name.
Result<ExperimentRecord> experiment_of(
    const std::string& experiment_id, const ExperimentBody& body, const std::string& request,
    std::uint64_t random_seed, const std::function<std::string(std::string_view)>& subject_of);

// Sets `where` to the JSON pointer of the field that the error names in the library's words, or to
// `otherwise` if it names none that is known here.
Error at_pointer(Error error, std::string_view otherwise);

}  // namespace duel
