// What the server answers: the tables from which answers are written and /openapi.json is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/core/options_json.h"
#include "duel/experiment/experiment.h"
#include "duel/log/record.h"
#include "duel/log/record_fields.h"
#include "duel/verdict/by_slice.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/glance.h"
#include "duel/verdict/page_tally.h"
#include "duel/wire/requests.h"
#include "duel/wire/token_scope.h"

namespace duel {

// A page of a list.
template <class Item>
struct ListOf {
  std::vector<Item> items;
  std::optional<std::string> next_cursor{};

  static constexpr std::string_view schema = Item::list;
  static constexpr FieldList fields{
      required("items", &ListOf::items),
      required("next_cursor", &ListOf::next_cursor, "null on the last page")};
};

// --- Experiments --------------------------------------------------------------------------------

// A part of a request as it is answered: nothing is left out.
template <class Body>
struct Whole : Body {
  static constexpr auto fields = as_required(Body::fields);
};

struct ArmAnswer {
  std::string arm_id;
  Json payload;
  std::string state = "active";
  bool is_default = false;
  std::vector<double> features{};

  static constexpr std::string_view schema = "Arm";
  static constexpr FieldList fields{
      required("arm_id", &ArmAnswer::arm_id),
      required("payload", &ArmAnswer::payload, "as it was given"),
      required("state", &ArmAnswer::state, "", OneOf("active", "retired")),
      required("default", &ArmAnswer::is_default, "what a fallback shows"),
      optional("features", &ArmAnswer::features, "as they were given")};
};

struct PanelAnswer {
  std::optional<std::uint64_t> size;
  bool listed = false, early = false, closed = false;
  std::uint64_t answered = 0;

  static constexpr std::string_view schema = "PanelState";
  static constexpr FieldList fields{
      required("size", &PanelAnswer::size, "members; null before a panel without one is closed"),
      required("listed", &PanelAnswer::listed, "it has a list of members"),
      required("early", &PanelAnswer::early, "a verdict may come before counting is certain"),
      required("closed", &PanelAnswer::closed, "nobody joins any more"),
      required("answered", &PanelAnswer::answered, "members who have answered something")};
};

// How people audit the judge, as a request says it: without the key that draws the duels.
struct AuditAnswer {
  std::string by = "people";
  double share = 0;
  std::optional<double> least{};
  std::optional<AuditPrice> price{};
  std::uint64_t give_up_after = 0;

  static constexpr FieldList fields{
      required("by", &AuditAnswer::by, "who audits", OneOf("people")),
      required("share", &AuditAnswer::share, "of the duels that people answer, too"),
      optional("least", &AuditAnswer::least, "the smallest share that the prices may lead to"),
      optional("price", &AuditAnswer::price, "of an answer"),
      optional("give_up_after", &AuditAnswer::give_up_after,
               "unanswered offers before an audit counts as lost; never if absent")};
};

struct ExperimentAnswer {
  std::string experiment_id;
  std::string name;
  ExperimentState state = ExperimentState::draft;
  Mode mode = Mode::duel;
  std::string policy;
  Goal goal = Goal::condorcet;
  std::vector<ArmAnswer> arms;
  Json space;
  Whole<StoppingBody> stopping;
  Whole<FeedbackBody> feedback;
  Whole<PresentationBody> presentation;
  Whole<GuardrailsBody> guardrails;
  std::optional<Whole<InterleaveBody>> interleave;
  std::uint64_t num_tasks = 0;
  std::string about;
  std::optional<PanelAnswer> panel;
  std::optional<AuditAnswer> audit;
  std::optional<Whole<VotingBody>> voting;
  Slices slices;
  std::uint64_t seed = 0;
  std::uint64_t served = 0;
  std::uint64_t pending = 0;
  std::uint64_t sequence = 0;
  std::string head;
  std::string etag;

  static constexpr std::string_view schema = "Experiment";
  static constexpr auto fields = joined(
      FieldList{required("experiment_id", &ExperimentAnswer::experiment_id),
                required("name", &ExperimentAnswer::name),
                required("state", &ExperimentAnswer::state),
                required("mode", &ExperimentAnswer::mode),
                required("policy", &ExperimentAnswer::policy,
                         "what `auto` stands for, with all options")},
      inlined(&ExperimentAnswer::goal, Described<Goal>::fields),
      FieldList{
          required("arms", &ExperimentAnswer::arms, "none where points of a space are compared"),
          optional("space", &ExperimentAnswer::space,
                   "its dimensions, where points of a space are compared"),
          required("stopping", &ExperimentAnswer::stopping),
          required("feedback", &ExperimentAnswer::feedback),
          required("presentation", &ExperimentAnswer::presentation),
          required("guardrails", &ExperimentAnswer::guardrails),
          optional("interleave", &ExperimentAnswer::interleave, "of the mode `interleave`"),
          required("num_tasks", &ExperimentAnswer::num_tasks),
          optional("about", &ExperimentAnswer::about,
                   "what the certificate is about; people or tasks like these if absent", kAbout),
          optional("panel", &ExperimentAnswer::panel, "where it is about `these-people`"),
          optional("audit", &ExperimentAnswer::audit,
                   "where people audit the judge: the statement is about people"),
          optional("voting", &ExperimentAnswer::voting, "what voters are told"),
          optional("slices", &ExperimentAnswer::slices, "what duels are told apart by"),
          required("seed", &ExperimentAnswer::seed),
          required("served", &ExperimentAnswer::served, "duels so far"),
          required("pending", &ExperimentAnswer::pending, "duels that wait for an answer"),
          required("sequence", &ExperimentAnswer::sequence, "of the last record"),
          required("head", &ExperimentAnswer::head, "hash of the log up to there"),
          required("etag", &ExperimentAnswer::etag, "for `If-Match`")});
};

struct ExperimentSummary {
  std::string experiment_id;
  std::optional<std::string> name;
  std::optional<ExperimentState> state;
  std::optional<Mode> mode;
  std::optional<std::uint64_t> arms;
  std::optional<std::uint64_t> served;
  std::optional<bool> certified;
  std::optional<Timestamp> created_at, active_at;
  std::optional<Glance> glance;
  std::string error;

  static constexpr std::string_view schema = "ExperimentSummary";
  static constexpr std::string_view list = "ExperimentList";
  static constexpr FieldList fields{
      required("experiment_id", &ExperimentSummary::experiment_id),
      optional("name", &ExperimentSummary::name),
      optional("state", &ExperimentSummary::state),
      optional("mode", &ExperimentSummary::mode),
      optional("arms", &ExperimentSummary::arms, "how many"),
      optional("served", &ExperimentSummary::served, "duels so far"),
      optional("certified", &ExperimentSummary::certified),
      optional("created_at", &ExperimentSummary::created_at),
      optional("active_at", &ExperimentSummary::active_at, "when its last record was written"),
      optional("glance", &ExperimentSummary::glance,
               "what was last said of it; absent before anybody has asked"),
      optional("error", &ExperimentSummary::error, "why it cannot be read; nothing else is there")};
};

struct AcceptedAnswer {
  std::uint64_t accepted = 0;
  std::uint64_t duplicates = 0;

  static constexpr std::string_view schema = "Accepted";
  static constexpr FieldList fields{
      required("accepted", &AcceptedAnswer::accepted, "all of the request"),
      required("duplicates", &AcceptedAnswer::duplicates,
               "of these: known by their ids, and not counted again")};
};

// --- Duels --------------------------------------------------------------------------------------

struct DuelArm {
  std::string arm_id;
  std::uint64_t position = 1;
  Json payload;

  static constexpr std::string_view schema = "DuelArm";
  static constexpr FieldList fields{required("arm_id", &DuelArm::arm_id),
                                    required("position", &DuelArm::position, "1 is shown first"),
                                    required("payload", &DuelArm::payload)};
};

struct DuelTask {
  std::string task_id;
  Json payload;

  static constexpr std::string_view schema = "Task";
  static constexpr FieldList fields{required("task_id", &DuelTask::task_id),
                                    required("payload", &DuelTask::payload)};
};

// The serving of an answer that shows nothing: a panel's member has nothing left to say.
inline constexpr std::string_view kDone = "done";

struct DuelAnswer {
  std::string duel_id;
  std::string experiment_id;
  std::string serving;  // a word of Serving, or `fallback`
  bool learn = true;
  std::optional<Fallback::Why> reason;
  std::optional<double> propensity = 1;
  std::vector<DuelArm> arms;
  std::optional<DuelTask> task;
  std::optional<Timestamp> served_at;
  std::optional<Timestamp> expires_at;
  std::string report_token;
  std::optional<std::string> subject_id;
  std::optional<VotingBody> voting;
  std::optional<std::string> verdict;

  static constexpr std::string_view schema = "Duel";
  static constexpr FieldList fields{
      required("duel_id", &DuelAnswer::duel_id),
      required("experiment_id", &DuelAnswer::experiment_id),
      required("serving", &DuelAnswer::serving,
               "what it is for; a voter, who votes blind, is told `explore`, `fallback` or `done`",
               OneOf("explore", "contest", "aa", "exploit", "fallback", kDone)),
      required("learn", &DuelAnswer::learn, "whether an outcome teaches anything"),
      optional("reason", &DuelAnswer::reason,
               "of a `fallback` and of `done`: why there is no duel"),
      optional("propensity", &DuelAnswer::propensity,
               "probability of the choice, given the past; absent for a voter"),
      required("arms", &DuelAnswer::arms, "two; one for `exploit` and `fallback`; none for `done`"),
      optional("task", &DuelAnswer::task, "what the duel is about"),
      optional("served_at", &DuelAnswer::served_at),
      optional("expires_at", &DuelAnswer::expires_at, "an outcome after this is late"),
      optional(
          "report_token", &DuelAnswer::report_token,
          "reports this duel without an API token; absent for `exploit`, which nobody is asked "
          "about"),
      optional("subject_id", &DuelAnswer::subject_id,
               "of a voter: who it is, to be sent with the next request"),
      optional("voting", &DuelAnswer::voting, "what voters are to be told"),
      optional("verdict", &DuelAnswer::verdict,
               "of `done`, where the experiment shows its result to voters")};
};

struct DuelBatch {
  std::string batch_id;
  std::vector<DuelAnswer> items;

  static constexpr std::string_view schema = "DuelBatch";
  static constexpr FieldList fields{required("batch_id", &DuelBatch::batch_id),
                                    required("items", &DuelBatch::items)};
};

// The result of a duel that ended: an answer, or why a page has none.
inline constexpr OneOf kToldResults("win", "tie", "both_bad", "skip", "invalid", "no_feedback",
                                    "no_contest");
inline constexpr std::string_view kToldResultsDoc =
    "of a page of results also `no_feedback` (nobody clicked) and `no_contest` (it could not have "
    "told the two rankings apart)";
inline constexpr std::string_view kToldStatesDoc =
    "`closed`: a page of results that ended without an answer, or one arm shown alone; `expired`: "
    "nobody answered in time, or a page was never asked for";

struct ToldOutcome {
  std::string result;
  std::string winner;
  Timestamp reported_at;

  static constexpr std::string_view schema = "Outcome";
  static constexpr FieldList fields{
      required("result", &ToldOutcome::result, kToldResultsDoc, kToldResults),
      optional("winner", &ToldOutcome::winner, "the arm, of a win only"),
      required("reported_at", &ToldOutcome::reported_at)};
};

struct DuelShown {
  DuelAnswer duel;
  std::string state;
  std::optional<ToldOutcome> outcome;

  static constexpr std::string_view schema = "DuelWithOutcome";
  static constexpr auto fields =
      joined(inlined(&DuelShown::duel, DuelAnswer::fields),
             FieldList{required("state", &DuelShown::state, kToldStatesDoc,
                                OneOf("served", "reported", "closed", "expired")),
                       optional("outcome", &DuelShown::outcome)});
};

struct PageItem {
  std::string object_id;
  std::uint64_t ordinal = 0;
  std::optional<std::string> team;
  bool competitive = false;

  static constexpr std::string_view schema = "PageItem";
  static constexpr FieldList fields{
      required("object_id", &PageItem::object_id),
      required("ordinal", &PageItem::ordinal, "1 for the first item of the first page"),
      required("team", &PageItem::team,
               "the ranking that a click is for, under a name that says nothing to callers without "
               "the scope `read`; null where a click earns nothing"),
      required("competitive", &PageItem::competitive, "whether a click earns credit")};
};

struct PageAnswer {
  std::string query_id;
  std::vector<PageItem> items;
  std::optional<std::uint64_t> next_offset;

  static constexpr std::string_view schema = "Page";
  static constexpr FieldList fields{
      required("query_id", &PageAnswer::query_id, "of UBI events: the id of the duel"),
      required("items", &PageAnswer::items),
      optional("next_offset", &PageAnswer::next_offset, "where the next page begins, if any")};
};

struct OneShotAnswer {
  DuelAnswer duel;
  PageAnswer page;

  static constexpr std::string_view schema = "DuelWithPage";
  static constexpr auto fields = joined(inlined(&OneShotAnswer::duel, DuelAnswer::fields),
                                        inlined(&OneShotAnswer::page, PageAnswer::fields));
};

struct ProgressAnswer {
  std::optional<std::string> verdict;
  bool certified = false;
  std::optional<std::uint64_t> expected_duels_left;

  static constexpr std::string_view schema = "Progress";
  static constexpr FieldList fields{
      optional("verdict", &ProgressAnswer::verdict,
               "a sentence; absent for a voter, since it names the arm that leads"),
      required("certified", &ProgressAnswer::certified),
      required("expected_duels_left", &ProgressAnswer::expected_duels_left,
               "null where nobody can tell")};
};

struct OutcomeAnswer {
  std::string duel_id;
  std::string status;
  bool applied = false;
  std::optional<DuelAnswer> next;
  std::optional<ProgressAnswer> progress;

  static constexpr std::string_view schema = "Reported";
  static constexpr FieldList fields{
      required("duel_id", &OutcomeAnswer::duel_id),
      required("status", &OutcomeAnswer::status, "",
               OneOf("applied", "duplicate", "late", "expired", "ignored")),
      required("applied", &OutcomeAnswer::applied, "whether it counts now"),
      optional("next", &OutcomeAnswer::next, "with `next=1`"),
      optional("progress", &OutcomeAnswer::progress, "with `next=1`")};
};

struct BatchOutcome {
  std::uint64_t index = 0;
  std::string duel_id;
  std::string status;
  std::string detail;

  static constexpr std::string_view schema = "ReportedItem";
  static constexpr FieldList fields{
      required("index", &BatchOutcome::index, "0 for the first"),
      optional("duel_id", &BatchOutcome::duel_id),
      required("status", &BatchOutcome::status, "",
               OneOf("applied", "duplicate", "late", "expired", "ignored", "unknown", "conflict",
                     "invalid")),
      optional("detail", &BatchOutcome::detail, "why it was not taken")};
};

struct BatchOutcomes {
  std::vector<BatchOutcome> items;

  static constexpr std::string_view schema = "ReportedItems";
  static constexpr FieldList fields{required("items", &BatchOutcomes::items)};
};

struct RejectedEvent {
  std::uint64_t index = 0;
  std::string reason;

  static constexpr std::string_view schema = "RejectedEvent";
  static constexpr FieldList fields{required("index", &RejectedEvent::index, "0 for the first"),
                                    required("reason", &RejectedEvent::reason)};
};

struct EventsAnswer {
  std::uint64_t accepted = 0;
  std::vector<RejectedEvent> rejected;

  static constexpr std::string_view schema = "EventsTaken";
  static constexpr FieldList fields{required("accepted", &EventsAnswer::accepted),
                                    required("rejected", &EventsAnswer::rejected)};
};

// --- Results ------------------------------------------------------------------------------------

struct ResultAnswer : SlicedResult {
  std::uint64_t served = 0, sequence = 0;
  std::optional<PagesSoFar> pages;

  static constexpr std::string_view schema = "Result";
  static constexpr auto fields = joined(
      SlicedResult::fields,
      FieldList{required("served", &ResultAnswer::served, "pages of one arm and A/A duels too"),
                required("sequence", &ResultAnswer::sequence),
                optional("pages", &ResultAnswer::pages,
                         "in the mode `interleave`: provisional, and never evidence")});
};

struct VotingProgress {
  std::string experiment_id, name;
  ExperimentState state = ExperimentState::draft;
  Mode mode = Mode::duel;
  std::uint64_t answers = 0;
  bool certified = false;
  std::optional<double> share_of_evidence;
  std::optional<std::uint64_t> expected_duels_left;

  static constexpr std::string_view schema = "VotingProgress";
  static constexpr FieldList fields{
      required("experiment_id", &VotingProgress::experiment_id),
      required("name", &VotingProgress::name),
      required("state", &VotingProgress::state),
      required("mode", &VotingProgress::mode),
      required("answers", &VotingProgress::answers, "decisive ones"),
      required("certified", &VotingProgress::certified),
      required("share_of_evidence", &VotingProgress::share_of_evidence,
               "of what a certificate needs, 0 to 1, in steps of 0.05, so that it does not tell a "
               "voter what one vote was worth; null where the goal goes by scores"),
      required("expected_duels_left", &VotingProgress::expected_duels_left,
               "to one significant digit, for the same reason; null where nobody can tell")};
};

struct PolicyAnswer {
  std::string name, title, paper, setting, guarantee, status;
  bool needs_horizon = false;
  std::vector<OptionFact> options;

  static constexpr std::string_view schema = "Policy";
  static constexpr std::string_view list = "PolicyList";
  static constexpr FieldList fields{required("name", &PolicyAnswer::name),
                                    required("title", &PolicyAnswer::title),
                                    required("paper", &PolicyAnswer::paper),
                                    required("setting", &PolicyAnswer::setting),
                                    required("guarantee", &PolicyAnswer::guarantee),
                                    required("status", &PolicyAnswer::status),
                                    required("needs_horizon", &PolicyAnswer::needs_horizon),
                                    required("options", &PolicyAnswer::options)};
};

// --- Tokens and operations ----------------------------------------------------------------------

struct TokenAnswer {
  std::string token_id;
  TokenScope scope = TokenScope::read;
  std::string name;
  std::string experiment_id;
  std::optional<Timestamp> expires_at;
  LinkRule link;
  bool used = false;

  static constexpr std::string_view schema = "Token";
  static constexpr std::string_view list = "TokenList";
  static constexpr auto fields = joined(
      FieldList{required("token_id", &TokenAnswer::token_id),
                required("scope", &TokenAnswer::scope), optional("name", &TokenAnswer::name),
                optional("experiment_id", &TokenAnswer::experiment_id, "where it is for one only"),
                optional("expires_at", &TokenAnswer::expires_at)},
      joined(inlined(&TokenAnswer::link, Described<LinkRule>::fields),
             FieldList{optional("used", &TokenAnswer::used,
                                "of a link for one browser: it has been opened")}));
};

struct NewTokenAnswer {
  TokenAnswer token;
  std::string secret;

  static constexpr std::string_view schema = "NewToken";
  static constexpr auto fields =
      joined(inlined(&NewTokenAnswer::token, TokenAnswer::fields),
             FieldList{required("token", &NewTokenAnswer::secret, "shown only now")});
};

struct RevokedAnswer {
  bool revoked = true;

  static constexpr std::string_view schema = "Revoked";
  static constexpr FieldList fields{required("revoked", &RevokedAnswer::revoked)};
};

struct StatusAnswer {
  std::string status;

  static constexpr std::string_view schema = "Status";
  static constexpr FieldList fields{required("status", &StatusAnswer::status, "", OneOf("ok"))};
};

struct OutOfServiceAnswer {
  std::string experiment_id;
  std::string why;

  static constexpr std::string_view schema = "OutOfService";
  static constexpr FieldList fields{required("experiment_id", &OutOfServiceAnswer::experiment_id),
                                    required("why", &OutOfServiceAnswer::why)};
};

struct ReadyAnswer {
  std::string status = "ready";
  std::vector<OutOfServiceAnswer> out_of_service;

  static constexpr std::string_view schema = "Ready";
  static constexpr FieldList fields{
      required("status", &ReadyAnswer::status, "", OneOf("ready")),
      optional("out_of_service", &ReadyAnswer::out_of_service,
               "experiments that are answered 503 while all others are served")};
};

struct VersionAnswer {
  std::string version;
  std::uint64_t log_format = 0;

  static constexpr std::string_view schema = "Version";
  static constexpr FieldList fields{
      required("version", &VersionAnswer::version),
      required("log_format", &VersionAnswer::log_format, "of the logs that it writes")};
};

template <>
struct Described<FieldError> {
  static constexpr std::string_view schema = "ProblemError";
  static constexpr FieldList fields{
      required("pointer", &FieldError::pointer, "JSON pointer into the body"),
      required("message", &FieldError::message)};
};

// RFC 9457.
struct ProblemAnswer {
  std::string type = "about:blank";
  std::string title;
  std::uint64_t status = 0;
  std::string detail;
  bool retryable = false;
  std::vector<FieldError> errors;
  std::string reason;

  static constexpr std::string_view schema = "Problem";
  static constexpr FieldList fields{
      required("type", &ProblemAnswer::type),
      required("title", &ProblemAnswer::title),
      required("status", &ProblemAnswer::status),
      required("detail", &ProblemAnswer::detail, "what is wrong, where, and what is allowed"),
      required("retryable", &ProblemAnswer::retryable, "the same request may succeed later"),
      optional("errors", &ProblemAnswer::errors, "each wrong field"),
      optional("reason", &ProblemAnswer::reason,
               "why the experiment refused, as a word of a closed list")};
};

}  // namespace duel
