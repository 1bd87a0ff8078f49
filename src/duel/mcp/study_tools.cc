#include "duel/mcp/study_tools.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "duel/study/plan.h"
#include "duel/study/results.h"
#include "duel/study/spec.h"
#include "duel/study/study.h"
#include "duel/wire/plan_question.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

// An argument of `simulate` is a key of a study file.
struct StudyArgument {
  std::string_view name;
  std::string_view type;
  std::string_view doc;
};
constexpr std::array<StudyArgument, 9> kStudyArguments = {{
    {"policies", "array", "such as \"rucb\", \"rmed1\", \"rucb(alpha=0.6)\""},
    {"matrices", "array",
     "built-in ones such as \"arxiv\" or \"bradley-terry(k=16,seed=7,spread=1)\", or files"},
    {"rounds", "integer", "of every trial; 100000 if absent"},
    {"trials", "integer", "of every policy on every matrix; 100 if absent"},
    {"seed", "integer", "of all randomness; 0 if absent"},
    {"checkpoints", "array", "rounds at which regret is told; the last alone if absent"},
    {"regrets", "array", "average, strong, weak, copeland, borda, von-neumann; average if absent"},
    {"batch", "integer", "duels asked before their answers are heard; 1 if absent"},
    {"delay", "integer", "rounds by which answers come later than that; 0 if absent"},
}};

Json simulate_schema() {
  Json schema;
  schema["type"] = "object";
  for (const auto& [name, type, doc] : kStudyArguments) {
    Json one = described_schema(type, doc);
    if (type == "array") one["items"]["type"] = name == "checkpoints" ? "integer" : "string";
    if (type == "integer") one["minimum"] = std::uint64_t{0};
    schema["properties"][name] = std::move(one);
  }
  schema["required"] = Json(Json::Array{"policies", "matrices"});
  schema["additionalProperties"] = false;
  return schema;
}

// As an option of the command line gives it: items with commas between.
std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& item : value.items()) text += (text.empty() ? "" : ",") + text_of(item);
  return text;
}

Result<StudySpec> spec_of(const Json& arguments) {
  StudyDraft draft;
  for (const auto& [name, value] : arguments.members()) {
    if (!value.is_null()) DUEL_RETURN_IF_ERROR(in_field(name, draft.set(name, text_of(value))));
  }
  DUEL_ASSIGN(StudySpec spec, complete(draft));
  if (draft.checkpoints) return spec;
  spec.checkpoints = {spec.rounds};
  return checked(std::move(spec));
}

Result<Json> simulate(const ToolCall& call) {
  DUEL_ASSIGN(const StudySpec spec, spec_of(call.arguments));
  StudyOptions options;
  options.stop = &call.stop;
  options.progress = [&](const StudyProgress& now) {
    call.progress(now.trials_done, now.trials_total);
  };
  DUEL_ASSIGN(const StudyOutcome outcome, run_study(spec, options));
  return to_json(outcome.results);
}

Result<Json> plan(const ToolCall& call) {
  DescribedReader reader(UnknownFields::refused);
  PlanBody body;
  reader.read(call.arguments, "", body);
  if (!reader.errors().empty()) {
    const FieldError& first = reader.errors().front();
    return Error::invalid_argument(first.pointer + " " + first.message);
  }
  DUEL_ASSIGN(const PlanSpec spec, plan_spec(plan_question_of(body)));
  PlanHooks hooks;
  hooks.stop = &call.stop;
  hooks.progress = call.progress;
  DUEL_ASSIGN(const PlanResults results, run_plan(spec, hooks));
  return described_json(results);
}

}  // namespace

std::vector<McpTool> study_tools() {
  std::vector<McpTool> tools;
  tools.push_back(
      {.name = "simulate",
       .title = "Simulate policies",
       .description =
           "Plays policies against known preference matrices, many trials each, and compares their "
           "regret (mean and standard error) and how often they name the right arm. The numbers "
           "depend on the seed alone. A million rounds of 100 trials take seconds.",
       .schema = simulate_schema(),
       .only_reads = true,
       .call = simulate});
  tools.push_back(
      {.name = "plan",
       .title = "Plan an experiment",
       .description =
           "How many duels it will take to find the best arm, by simulation: quantiles of the "
           "duels until the certificate, and how often it is wrong or none comes, for each policy "
           "and for asking all pairs in turn. 'gap' is how far the best arm's win probability lies "
           "above 1/2.",
       .schema = schema_of_arguments<PlanBody>(),
       .only_reads = true,
       .call = plan});
  return tools;
}

}  // namespace duel
