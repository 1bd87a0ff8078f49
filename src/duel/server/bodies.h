// What the requests say, and what is made of it. The tables below are what the parser reads by and
// what /openapi.json says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/record.h"
#include "duel/experiment/record_fields.h"

namespace duel {

// The same fields, none of them required.
template <class... Fields>
constexpr auto as_optional(std::tuple<Fields...> fields) {
  std::apply([](auto&... field) { ((field.required = false), ...); }, fields);
  return fields;
}

struct ArmBody {
  std::string arm_id;
  Json payload;
  bool is_default = false;

  friend bool operator==(const ArmBody&, const ArmBody&) = default;
};

struct StoppingBody {
  double alpha = 0.05;
  std::string arms = "fixed";
  std::uint64_t min_decisive_per_pair = 0;
  std::uint64_t max_duels = 0;
  OnCertified on_certified = OnCertified::notify;
  bool pairs_independent = false;

  friend bool operator==(const StoppingBody&, const StoppingBody&) = default;
};

struct FeedbackBody {
  FeedbackRule rule;
  std::string late = "record";

  friend bool operator==(const FeedbackBody&, const FeedbackBody&) = default;
};

struct PresentationBody {
  Placement order = Placement::random;

  friend bool operator==(const PresentationBody&, const PresentationBody&) = default;
};

struct GuardrailsBody {
  Guardrails rule;
  double aa_rate = 0;

  friend bool operator==(const GuardrailsBody&, const GuardrailsBody&) = default;
};

struct TaskBody {
  std::string task_id;
  Json payload;

  friend bool operator==(const TaskBody&, const TaskBody&) = default;
};

struct ExperimentBody {
  std::string name;
  Mode mode = Mode::duel;
  std::vector<ArmBody> arms;
  std::string policy = "auto";
  Goal goal = Goal::condorcet;
  StoppingBody stopping;
  FeedbackBody feedback;
  PresentationBody presentation;
  GuardrailsBody guardrails;
  InterleaveRule interleave;
  std::vector<TaskBody> tasks;
  std::optional<std::uint64_t> seed;
};

struct PatchBody {
  std::optional<std::string> name;
  std::optional<FeedbackBody> feedback;
  std::optional<GuardrailsBody> guardrails;
};

struct NewArmBody {
  Json payload;
};

struct DuelBody {
  std::string duel_id;
  std::string batch_id;
  std::uint64_t count = 1;
  std::string subject_id;
  std::vector<std::string> exclude;
  std::string task_id;
};

struct JudgementBody {
  std::string first;
  Answered result = Answered::skip;
  std::string winner;
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
};

struct ComparisonBody {
  std::string first;
  std::string second;
  Answered result = Answered::tie;
  std::string winner;
  Source source;
  std::string made_at;
};

struct InterleavingBody {
  std::vector<std::pair<std::string, Json>> lists;
  std::string user_query;  // not kept
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> limit;
};

template <>
struct Described<ArmBody> {
  static constexpr std::tuple fields{
      required("arm_id", &ArmBody::arm_id, "", IsIdOf{"an arm"}),
      optional("payload", &ArmBody::payload, "given with every duel of the arm; never changes"),
      optional("default", &ArmBody::is_default, "what a fallback shows")};
};

template <>
struct Described<StoppingBody> {
  static constexpr std::tuple fields{
      optional("alpha", &StoppingBody::alpha, "probability of a false certificate, at most"),
      optional("arms", &StoppingBody::arms, "`fixed`, or `open`: arms may join and leave"),
      optional("min_decisive_per_pair", &StoppingBody::min_decisive_per_pair,
               "no certificate before, whatever the evidence"),
      optional("max_duels", &StoppingBody::max_duels, "0 for no limit"),
      optional("on_certified", &StoppingBody::on_certified),
      optional("pairs_independent", &StoppingBody::pairs_independent,
               "true declares that no subject or task reaches several pairs: a lower threshold")};
};

template <>
struct Described<FeedbackBody> {
  static constexpr auto fields = std::tuple_cat(
      inlined(&FeedbackBody::rule, Described<FeedbackRule>::fields),
      std::tuple{optional("late", &FeedbackBody::late, "`record`: late answers are kept")});
};

template <>
struct Described<PresentationBody> {
  static constexpr std::tuple fields{
      optional("order", &PresentationBody::order, "how two arms are placed")};
};

template <>
struct Described<GuardrailsBody> {
  static constexpr auto fields =
      std::tuple_cat(inlined(&GuardrailsBody::rule, Described<Guardrails>::fields),
                     std::tuple{optional("aa_rate", &GuardrailsBody::aa_rate,
                                         "share of duels that show one arm twice")});
};

template <>
struct Described<TaskBody> {
  static constexpr std::tuple fields{required("task_id", &TaskBody::task_id, "", IsIdOf{"a task"}),
                                     optional("payload", &TaskBody::payload)};
};

template <>
struct Described<ExperimentBody> {
  static constexpr auto fields = std::tuple_cat(
      std::tuple{
          optional("name", &ExperimentBody::name), optional("mode", &ExperimentBody::mode),
          required("arms", &ExperimentBody::arms),
          optional("policy", &ExperimentBody::policy, "a policy string such as `rucb(alpha=0.6)`")},
      as_optional(inlined(&ExperimentBody::goal, Described<Goal>::fields)),
      std::tuple{optional("stopping", &ExperimentBody::stopping),
                 optional("feedback", &ExperimentBody::feedback),
                 optional("presentation", &ExperimentBody::presentation),
                 optional("guardrails", &ExperimentBody::guardrails),
                 optional("interleave", &ExperimentBody::interleave),
                 optional("tasks", &ExperimentBody::tasks,
                          "what the duels are about, drawn for each pair"),
                 optional("seed", &ExperimentBody::seed)});
};

template <>
struct Described<PatchBody> {
  static constexpr std::tuple fields{optional("name", &PatchBody::name),
                                     optional("feedback", &PatchBody::feedback),
                                     optional("guardrails", &PatchBody::guardrails)};
};

template <>
struct Described<NewArmBody> {
  static constexpr std::tuple fields{optional("payload", &NewArmBody::payload)};
};

template <>
struct Described<DuelBody> {
  static constexpr std::tuple fields{
      optional("duel_id", &DuelBody::duel_id, "the caller's id: a repeat gets the same duel"),
      optional("batch_id", &DuelBody::batch_id, "where `count` is more than 1"),
      optional("count", &DuelBody::count),
      optional("subject_id", &DuelBody::subject_id, "who will see it; only a keyed hash is kept"),
      optional("exclude", &DuelBody::exclude, "arms that cannot be shown now"),
      optional("task_id", &DuelBody::task_id)};
};

template <>
struct Described<JudgementBody> {
  static constexpr std::tuple fields{
      required("first", &JudgementBody::first, "the arm shown first"),
      required("result", &JudgementBody::result), optional("winner", &JudgementBody::winner)};
};

template <>
struct Described<OutcomeBody> {
  static constexpr std::tuple fields{
      optional("duel_id", &OutcomeBody::duel_id, "in a batch"),
      optional("result", &OutcomeBody::result,
               "`win`, `tie`, `both_bad`, `skip`, `invalid`, or `close` for a page of results"),
      optional("winner", &OutcomeBody::winner, "the arm, of a win only"),
      optional("place", &OutcomeBody::place, "1 or 2, for the win of an arm shown twice"),
      optional("source", &OutcomeBody::source),
      optional("response_ms", &OutcomeBody::response_ms),
      optional("judgements", &OutcomeBody::judgements, "two, where the order is `both`"),
      optional("report_token", &OutcomeBody::report_token, "in place of an API token"),
      optional("note", &OutcomeBody::note, "why it was skipped or is invalid; 200 bytes")};
};

template <>
struct Described<ComparisonBody> {
  static constexpr std::tuple fields{
      required("first", &ComparisonBody::first),   required("second", &ComparisonBody::second),
      required("result", &ComparisonBody::result), optional("winner", &ComparisonBody::winner),
      optional("source", &ComparisonBody::source), optional("made_at", &ComparisonBody::made_at)};
};

template <>
struct Described<InterleavingBody> {
  static constexpr std::tuple fields{
      required("lists", &InterleavingBody::lists, "ids of objects by arm, best first"),
      optional("user_query", &InterleavingBody::user_query, "not kept"),
      optional("offset", &InterleavingBody::offset), optional("limit", &InterleavingBody::limit)};
};

// The first record of an experiment that was asked for. An error names the field as a JSON pointer
// in `where`. `request` is the hash of the body.
Result<ExperimentRecord> experiment_of(const std::string& experiment_id, const ExperimentBody& body,
                                       const std::string& request, std::uint64_t random_seed);

}  // namespace duel
