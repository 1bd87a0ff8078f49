// What the records of a log look like: one table per record, with its fields in the order in which
// they are written. Writer, reader, their errors and the documents are made from it.
// How a table is written is explained in core/described.h.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

#include "duel/core/described.h"
#include "duel/core/digest.h"
#include "duel/core/result.h"
#include "duel/log/record.h"

namespace duel {

// --- Checks -------------------------------------------------------------------------------------

inline Status is_sha256(std::string_view text) {
  if (is_sha256_hex(text)) return Done{};
  return Error::invalid_data("the field 'sha256' is not 64 hexadecimal digits");
}

inline Status is_sha256_or_none(std::string_view text) {
  return text.empty() ? Status(Done{}) : is_sha256(text);
}

inline Status is_known_format(std::uint64_t format) {
  if (format >= 1 && format <= kLogFormat) return Done{};
  return Error::invalid_data(fmt::format("the log has format {}", format))
      .with_hint(fmt::format("this version reads formats 1 to {}", kLogFormat));
}

// --- Parts of records ---------------------------------------------------------------------------

template <>
struct Described<ArmEntry> {
  static constexpr FieldList fields{
      required("arm_id", &ArmEntry::id, "", IsIdOf{"an arm"}),
      optional("payload", &ArmEntry::payload, "what it is: a path, a name"),
      optional("sha256", &ArmEntry::sha256, "of its content", is_sha256),
      optional("content", &ArmEntry::content, "what callers get with the duel"),
      optional("features", &ArmEntry::features, "what policies are told of it, in numbers")};
};

template <>
struct Described<StoppingRule> {
  static constexpr FieldList fields{
      required("alpha", &StoppingRule::alpha),
      required("min_decisive_per_pair", &StoppingRule::min_decisive_per_pair),
      required("max_duels", &StoppingRule::max_duels, "0 for no limit"),
      required("arms_fixed", &StoppingRule::arms_fixed),
      optional("shared_causes", &StoppingRule::shared_causes,
               "whether a task or a person may reach several pairs")};
};

template <>
struct Described<TaskSet> {
  static constexpr FieldList fields{
      required("count", &TaskSet::count), required("sha256", &TaskSet::sha256, "", is_sha256),
      required("about", &TaskSet::about),
      optional("items", &TaskSet::items, "what callers get with the duel")};
};

template <>
struct Described<PanelRule> {
  static constexpr FieldList fields{
      optional("size", &PanelRule::size, "how many people it has"),
      optional(
          "members", &PanelRule::members,
          "or who they are, as keyed hashes; with `early` in ascending order, which is a drawn "
          "one"),
      optional("early", &PanelRule::early,
               "whether a verdict may come before counting is certain")};
};

template <>
struct Described<SpaceRule> {
  static constexpr FieldList fields{
      required("dimensions", &SpaceRule::dimensions,
               "by name: `low`, `high`, `default`, which is in use, `scale` and `step`"),
      optional("warmup", &SpaceRule::warmup,
               "duels before a point may be proved; 20 for every dimension where it is missing"),
      optional("prove_tasks", &SpaceRule::prove_tasks, "share of the tasks kept for proofs")};
};

template <>
struct Described<VotingRule> {
  static constexpr FieldList fields{
      optional("question", &VotingRule::question, "that voters are asked"),
      optional("instructions", &VotingRule::instructions, "shown with it"),
      optional("shows_result", &VotingRule::shows_result,
               "to a voter who has nothing left to answer")};
};

template <>
struct Described<JudgeEntry> {
  static constexpr FieldList fields{
      required("command", &JudgeEntry::command),
      required("sha256", &JudgeEntry::sha256, "of it and the files that it names", is_sha256)};
};

template <>
struct Described<AuditPrice> {
  static constexpr FieldList fields{optional("judge", &AuditPrice::judge, "of its answer"),
                                    optional("person", &AuditPrice::person)};
};

template <>
struct Described<AuditRule> {
  static constexpr FieldList fields{
      required("share", &AuditRule::share, "of the duels that people answer, too", Between{0, 1}),
      optional("least", &AuditRule::least, "the smallest share that the prices may lead to",
               Between{0, 1}),
      optional("price", &AuditRule::price),
      optional("give_up_after", &AuditRule::give_up_after,
               "offers that ended without an answer; 0 for never"),
      required("key_sha256", &AuditRule::key_sha256, "of the key that draws the duels", is_sha256),
      optional("from_seed", &AuditRule::from_seed, "true where the key is made from the seed"),
      optional("auditor", &AuditRule::auditor, "the program by which people are asked")};
};

template <>
struct Described<FeedbackRule> {
  static constexpr FieldList fields{
      optional("timeout_s", &FeedbackRule::timeout_s, "seconds that an answer is waited for"),
      optional("on_timeout", &FeedbackRule::on_timeout)};
};

template <>
struct Described<Guardrails> {
  static constexpr FieldList fields{
      optional("explore_floor", &Guardrails::explore_floor,
               "share of duels drawn uniformly over the pairs"),
      optional("max_duels_per_subject_per_day", &Guardrails::max_duels_per_subject_per_day,
               "0 for no limit"),
      optional("max_pending", &Guardrails::max_pending, "duels that may wait for an answer")};
};

template <>
struct Described<InterleaveRule> {
  static constexpr FieldList fields{
      optional("method", &InterleaveRule::method),
      optional("length", &InterleaveRule::length, "of a page"),
      optional("actions", &InterleaveRule::actions, "what each action is worth"),
      optional("per_item_cap", &InterleaveRule::per_item_cap, "actions that an item is paid for")};
};

template <>
struct Described<ServiceRule> {
  static constexpr FieldList fields{
      optional("name", &ServiceRule::name),
      optional("mode", &ServiceRule::mode),
      optional("starts", &ServiceRule::starts),
      optional("default_arm", &ServiceRule::default_arm, "what a fallback shows"),
      optional("on_certified", &ServiceRule::on_certified),
      optional("feedback", &ServiceRule::feedback),
      optional("guardrails", &ServiceRule::guardrails),
      optional("interleave", &ServiceRule::interleave),
      optional("request", &ServiceRule::request, "hash of the request that created it")};
};

template <>
struct Described<Answer> {
  static constexpr FieldList of_two_arms{
      required("result", &Answer::result),
      optional("winner", &Answer::winner, "the arm, of a win only")};
  static constexpr FieldList of_score{optional("score", &Answer::score,
                                               "of the arm shown first, where it was given: 0 to 1",
                                               Between{0, 1})};
  static constexpr auto fields =
      joined(joined(of_two_arms, FieldList{optional("place", &Answer::place,
                                                    "1 or 2, for the win of an arm shown twice")}),
             of_score);
};

template <>
struct Described<Source> {
  static constexpr FieldList fields{optional("type", &Source::type), optional("id", &Source::id)};
};

template <>
struct Described<Judgement> {
  static constexpr auto fields =
      joined(FieldList{required("first", &Judgement::first, "the arm shown first")},
             inlined(&Judgement::answer, Described<Answer>::fields),
             FieldList{optional("judge", &Judgement::judge, "of several that answer each duel")});
};

template <>
struct Described<Goal> {
  static constexpr FieldList fields{
      required("goal", &Goal::kind), optional("top", &Goal::top, "of the goals `set` and `order`"),
      optional("epsilon", &Goal::margin, "of the goal `epsilon`"),
      optional("assume", &Goal::assume, "what the certificate assumes")};
};

template <>
struct Described<NamedArm> {
  static constexpr FieldList fields{required("arm_id", &NamedArm::arm_id)};
};

// --- Records ------------------------------------------------------------------------------------

template <>
struct Described<ExperimentRecord> {
  static constexpr std::string_view name = "experiment";
  static constexpr std::string_view doc = "the first line: all that decides what follows";
  static constexpr auto fields = joined(
      FieldList{
          required("format", &ExperimentRecord::format, "4, or less in older logs",
                   is_known_format),
          required("experiment_id", &ExperimentRecord::experiment_id, "", IsIdOf{"an experiment"}),
          required("arms", &ExperimentRecord::arms),
          optional("space", &ExperimentRecord::space, "whose points are compared, without arms"),
          required("policy", &ExperimentRecord::policy)},
      inlined(&ExperimentRecord::goal, Described<Goal>::fields),
      FieldList{
          required("stopping", &ExperimentRecord::stopping),
          required("order", &ExperimentRecord::order, "how two arms are placed"),
          required("aa_rate", &ExperimentRecord::aa_rate, "share of duels that show one arm twice"),
          required("comparisons_count", &ExperimentRecord::comparisons_count,
                   "whether comparisons made elsewhere are evidence"),
          optional("one_look_after", &ExperimentRecord::one_look_after,
                   "where their order is unknown: how many are looked at, once"),
          optional("tasks", &ExperimentRecord::tasks),
          optional("about", &ExperimentRecord::about, "whose preferences are certified"),
          optional("panel", &ExperimentRecord::panel, "who `these_people` are"),
          optional("voting", &ExperimentRecord::voting, "what voters are told"),
          optional("slices", &ExperimentRecord::slices,
                   "what duels are told apart by, with the values that get statements"),
          optional("judge", &ExperimentRecord::judge),
          optional("audit", &ExperimentRecord::audit, "where people audit the judge"),
          optional("service", &ExperimentRecord::service, "what a server needs beside"),
          required("seed", &ExperimentRecord::seed)});
};

template <>
struct Described<ServeRecord> {
  static constexpr std::string_view name = "serve";
  static constexpr std::string_view doc = "a duel went out";
  static constexpr FieldList fields{
      required("duel_id", &ServeRecord::duel_id, "", IsIdOf{"a duel"}),
      required("ordinal", &ServeRecord::ordinal, "0, 1, 2, .. the order of serving"),
      required("round", &ServeRecord::round, "of the policy"),
      required("first", &ServeRecord::first, "the arm shown first"),
      required("second", &ServeRecord::second),
      required("serving", &ServeRecord::serving),
      optional("task", &ServeRecord::task, "what was asked about"),
      optional("evidence", &ServeRecord::evidence, "false where the answer will be no evidence"),
      optional("by", &ServeRecord::by, "who chose it"),
      optional("propensity", &ServeRecord::propensity,
               "that this pair was shown, given the past; see below"),
      optional("expires_at", &ServeRecord::expires_at),
      optional("subject", &ServeRecord::subject, "keyed hash of who is shown it"),
      optional("request", &ServeRecord::request, "keyed hash of the request that asked for it"),
      optional("slices", &ServeRecord::slices, "the values of the slices that are declared"),
      optional("audit", &ServeRecord::audit, "probability that a person is asked, too",
               Between{0, 1}),
      optional("first_point", &ServeRecord::first_point, "its numbers, of a space"),
      optional("second_point", &ServeRecord::second_point),
      optional("context", &ServeRecord::context,
               "features of the arms, by arm, in which the policy was asked")};
};

template <>
struct Described<OutcomeRecord> {
  static constexpr std::string_view name = "outcome";
  static constexpr std::string_view doc = "a duel was answered";
  static constexpr auto fields = joined(
      FieldList{required("duel_id", &OutcomeRecord::duel_id, "", IsIdOf{"a duel"})},
      inlined(&OutcomeRecord::answer, Described<Answer>::fields),
      FieldList{
          optional("source", &OutcomeRecord::source),
          optional("response_ms", &OutcomeRecord::response_ms),
          optional("judgements", &OutcomeRecord::judgements,
                   "two, where the order is `both`; of several judges each in each order"),
          optional("note", &OutcomeRecord::note, "why an answer is invalid"),
          optional("failed_tries", &OutcomeRecord::failed_tries, "before the answer came"),
          optional("reason", &OutcomeRecord::reason, "that the judge gave"),
          optional("cost", &OutcomeRecord::cost, "of the answer, as the judge says"),
          optional("tokens", &OutcomeRecord::tokens, "the same"),
          optional("cached", &OutcomeRecord::cached, "true where the judge was not asked again"),
          optional("features", &OutcomeRecord::features, "numbers for each place")});
};

template <>
struct Described<ExpiredRecord> {
  static constexpr std::string_view name = "expired";
  static constexpr std::string_view doc =
      "no answer came in time; an answer after this line is late and counts for nothing";
  static constexpr FieldList fields{
      required("duel_id", &ExpiredRecord::duel_id, "", IsIdOf{"a duel"}),
      optional("failed_tries", &ExpiredRecord::failed_tries),
      optional("note", &ExpiredRecord::note, "why there is no answer")};
};

template <>
struct Described<ArmAddedRecord> {
  static constexpr std::string_view name = "arm_added";
  static constexpr std::string_view doc = "an arm joins; only where `arms_fixed` is false";
  static constexpr auto fields = inlined(&ArmAddedRecord::arm, Described<ArmEntry>::fields);
};

template <>
struct Described<ArmRetiredRecord> {
  static constexpr std::string_view name = "arm_retired";
  static constexpr std::string_view doc = "an arm leaves; only where `arms_fixed` is false";
  static constexpr FieldList fields{required("arm_id", &ArmRetiredRecord::arm_id)};
};

template <>
struct Described<ComparisonRecord> {
  static constexpr std::string_view name = "comparison";
  static constexpr std::string_view doc = "a comparison made elsewhere";
  static constexpr auto fields = joined(
      FieldList{required("first", &ComparisonRecord::first),
                required("second", &ComparisonRecord::second)},
      inlined(&ComparisonRecord::answer,
              joined(Described<Answer>::of_two_arms, Described<Answer>::of_score)),
      FieldList{optional("source", &ComparisonRecord::source),
                optional("made_at", &ComparisonRecord::made_at, "as it was written there"),
                optional("extra", &ComparisonRecord::extra, "other columns"),
                optional("evidence", &ComparisonRecord::evidence, "false where it may not count"),
                optional("comparison_id", &ComparisonRecord::comparison_id,
                         "by which the server knows a repeat")});
};

template <>
struct Described<CertifiedRecord> {
  static constexpr std::string_view name = "certified";
  static constexpr std::string_view doc =
      "the records before this one certify it; a log that says so wrongly is refused";
  static constexpr FieldList fields{
      required("kind", &CertifiedRecord::kind),
      optional("winner", &CertifiedRecord::winner, "where one arm is named"),
      optional("arms", &CertifiedRecord::arms,
               "of a set, an order or a ranking, the best first where they have an order"),
      required("at", &CertifiedRecord::at, "`seq` of the record that gave the certificate")};
};

template <>
struct Described<CompletedRecord> {
  static constexpr std::string_view name = "completed";
  static constexpr std::string_view doc = "nothing is served any more";
  static constexpr FieldList fields{
      required("reason", &CompletedRecord::reason, "`certified`, `max_duels` or `stopped`"),
      optional("audit_key", &CompletedRecord::audit_key,
               "that drew duels for people, so that the draws can be checked", is_sha256_or_none)};
};

template <>
struct Described<AuditRecord> {
  static constexpr std::string_view name = "audit";
  static constexpr std::string_view doc =
      "whether a person is asked about a duel, too; after the program's answer";
  static constexpr FieldList fields{
      required("duel_id", &AuditRecord::duel_id, "", IsIdOf{"a duel"}),
      required("drawn", &AuditRecord::drawn)};
};

template <>
struct Described<OfferRecord> {
  static constexpr std::string_view name = "offer";
  static constexpr std::string_view doc = "a person is asked about a duel that was drawn";
  static constexpr FieldList fields{
      required("duel_id", &OfferRecord::duel_id, "", IsIdOf{"a duel"}),
      optional("subject", &OfferRecord::subject, "keyed hash of who is asked"),
      optional("expires_at", &OfferRecord::expires_at)};
};

template <>
struct Described<AuditLostRecord> {
  static constexpr std::string_view name = "audit_lost";
  static constexpr std::string_view doc =
      "nobody will answer a duel that was drawn; it counts as the worst for either arm";
  static constexpr FieldList fields{
      required("duel_id", &AuditLostRecord::duel_id, "", IsIdOf{"a duel"})};
};

template <>
struct Described<AuditKeyRecord> {
  static constexpr std::string_view name = "audit_key";
  static constexpr std::string_view doc =
      "the key that draws duels for people was lost; another one draws from here on";
  static constexpr FieldList fields{required("sha256", &AuditKeyRecord::sha256, "", is_sha256)};
};

template <>
struct Described<TasksAddedRecord> {
  static constexpr std::string_view name = "tasks_added";
  static constexpr std::string_view doc =
      "more tasks join; only where a certificate is about tasks like these";
  static constexpr FieldList fields{required("count", &TasksAddedRecord::count, "of all now"),
                                    required("sha256", &TasksAddedRecord::sha256, "", is_sha256)};
};

template <>
struct Described<PanelClosedRecord> {
  static constexpr std::string_view name = "panel_closed";
  static constexpr std::string_view doc =
      "the panel is those who have answered by now; only where the experiment is about these "
      "people";
  static constexpr FieldList fields{
      required("members", &PanelClosedRecord::members, "how many they are")};
};

template <>
struct Described<AbsentRecord> {
  static constexpr std::string_view name = "absent";
  static constexpr std::string_view doc = "a member of an early panel will not come";
  static constexpr FieldList fields{required("subject", &AbsentRecord::subject)};
};

template <>
struct Described<CandidateRecord> {
  static constexpr std::string_view name = "candidate";
  static constexpr std::string_view doc =
      "the best guess of a space's learner is frozen; its duels with the point in use are its "
      "proof";
  static constexpr FieldList fields{
      required("number", &CandidateRecord::number, "1, 2, .. against the same point in use"),
      required("generation", &CandidateRecord::generation, "of the points in use"),
      required("point_id", &CandidateRecord::point_id, "", IsIdOf{"a point"}),
      required("point", &CandidateRecord::point), required("level", &CandidateRecord::level)};
};

template <>
struct Described<GivenUpRecord> {
  static constexpr std::string_view name = "given_up";
  static constexpr std::string_view doc = "the candidate is no candidate any more";
  static constexpr FieldList fields{
      required("number", &GivenUpRecord::number),
      required("reason", &GivenUpRecord::reason, "`beaten` or `better_guess`")};
};

template <>
struct Described<RecommendedRecord> {
  static constexpr std::string_view name = "recommended";
  static constexpr std::string_view doc =
      "what a space's learner would recommend from here on; it proves nothing";
  static constexpr FieldList fields{
      required("point", &RecommendedRecord::point),
      optional("sureness", &RecommendedRecord::sureness,
               "that it beats the point in use, in standard deviations of the learner's belief")};
};

template <>
struct Described<StateRecord> {
  static constexpr std::string_view name = "state";
  static constexpr std::string_view doc = "the experiment was started, paused, resumed or archived";
  static constexpr FieldList fields{required("state", &StateRecord::state)};
};

template <>
struct Described<ConfiguredRecord> {
  static constexpr std::string_view name = "configured";
  static constexpr std::string_view doc = "what may change was changed; the whole of it";
  static constexpr FieldList fields{optional("name", &ConfiguredRecord::name),
                                    required("feedback", &ConfiguredRecord::feedback),
                                    required("guardrails", &ConfiguredRecord::guardrails)};
};

template <>
struct Described<PolicyRebuiltRecord> {
  static constexpr std::string_view name = "policy_rebuilt";
  static constexpr std::string_view doc =
      "the policy began anew with the answers so far: another version of Duel wrote the lines "
      "before";
  static constexpr FieldList fields{required("reason", &PolicyRebuiltRecord::reason)};
};

template <>
struct Described<RecoveredRecord> {
  static constexpr std::string_view name = "recovered";
  static constexpr std::string_view doc =
      "the machine lost power: no duel served after line `after` and before this one is evidence";
  static constexpr FieldList fields{required("after", &RecoveredRecord::after)};
};

template <>
struct Described<OtherRanking> {
  static constexpr FieldList fields{required("arm_id", &OtherRanking::arm_id, "", IsIdOf{"an arm"}),
                                    required("list", &OtherRanking::list, "objects, best first")};
};

template <>
struct Described<ShownItems> {
  static constexpr FieldList fields{
      required("from", &ShownItems::from, "the first, counted from 0 over all pages"),
      required("to", &ShownItems::to, "the one after the last")};
};

template <>
struct Described<InterleavedRecord> {
  static constexpr std::string_view name = "interleaved";
  static constexpr std::string_view doc = "the rankings that a page was drafted from";
  static constexpr FieldList fields{
      required("duel_id", &InterleavedRecord::duel_id, "", IsIdOf{"a duel"}),
      required("first", &InterleavedRecord::first, "objects, best first"),
      required("second", &InterleavedRecord::second),
      optional("others", &InterleavedRecord::others, "rankings of arms that are not of the duel"),
      optional("shown", &InterleavedRecord::shown,
               "items of the draft on the first page; all of them where it is missing")};
};

template <>
struct Described<PagedRecord> {
  static constexpr std::string_view name = "paged";
  static constexpr std::string_view doc = "more items of the draft were shown, on another page";
  static constexpr auto fields =
      joined(FieldList{required("duel_id", &PagedRecord::duel_id, "", IsIdOf{"a duel"})},
             inlined(&PagedRecord::items, Described<ShownItems>::fields));
};

template <>
struct Described<EventRecord> {
  static constexpr std::string_view name = "event";
  static constexpr std::string_view doc = "somebody did something with an item of a page";
  static constexpr FieldList fields{
      required("duel_id", &EventRecord::duel_id, "", IsIdOf{"a duel"}),
      required("event", &EventRecord::event, "hash that tells it from others"),
      required("action", &EventRecord::action),
      required("object", &EventRecord::object),
      optional(
          "place", &EventRecord::place,
          "the ranking that gets the credit: 1 and 2 are the duel's, 3 the first of the others"),
      optional("credit", &EventRecord::credit),
      optional("late", &EventRecord::late, "true where the duel was closed before")};
};

}  // namespace duel
