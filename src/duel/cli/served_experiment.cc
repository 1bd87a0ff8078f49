#include "duel/cli/served_experiment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "duel/cli/result_report.h"
#include "duel/core/described_json.h"
#include "duel/core/numbers.h"

namespace duel::cli {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;

ShownArm arm_of(const Json& arm) {
  ShownArm shown;
  shown.arm_id = arm.at("arm_id").get<std::string>();
  const Json* payload = arm.find("payload");
  shown.payload = payload != nullptr && !payload->is_null() ? *payload : Json(shown.arm_id);
  return shown;
}

// What an outcome says of the arms as they were shown.
void put_answer(Json& body, Outcome outcome, const Question& question) {
  switch (outcome) {
    case Outcome::first_wins:
      body["result"] = "win";
      body["winner"] = question.first.arm_id;
      return;
    case Outcome::second_wins:
      body["result"] = "win";
      body["winner"] = question.second.arm_id;
      return;
    case Outcome::tie:
      body["result"] = "tie";
      return;
    case Outcome::both_bad:
      body["result"] = "both_bad";
      return;
    case Outcome::skip:
    case Outcome::none:
      body["result"] = "skip";
  }
}

}  // namespace

std::string_view to_word(ServedEnding ending) {
  constexpr std::array<std::string_view, 4> kWords = {"certified", "undecided", "interrupted",
                                                      "out_of_reach"};
  return kWords[static_cast<std::size_t>(ending)];
}

bool ServedOptions::asked_for() const {
  return client.server_option->on_command_line() || experiment_option->given();
}

Result<std::string> ServedOptions::experiment_id(const std::vector<std::string>& arguments) const {
  const bool named = !experiment.empty();
  if (named != arguments.empty() || arguments.size() > 1) {
    return Error::invalid_argument("one experiment is needed", "--server",
                                   "name it by --experiment or as the one argument");
  }
  return named ? experiment : arguments[0];
}

void add_served_options(Command& command, ServedOptions& options) {
  options.experiment_option =
      &command.add("--experiment ID", not_empty(&options.experiment),
                   "Answer the duels of this experiment of the server (or of the store on this "
                   "machine), which chooses the pairs. Several runs can share an experiment. With "
                   "--server, you can also give the id as the only argument.");
  add_client_options(command, options.client);
  command.add_configurable(
      "--patience SECONDS",
      number(
          &options.patience, [](double value) { return value >= 0 && value <= 1e6; },
          ">= 0 and <= 1000000, in seconds"),
      "How long to retry when the server is unreachable (default 60).");
}

Status check_served_options(const Command& command, const std::vector<std::string>& allowed) {
  for (const Option& option : command.options) {
    if (option.is_argument() || !option.on_command_line()) continue;
    if (std::find(allowed.begin(), allowed.end(), option.key()) != allowed.end()) continue;
    return Error::invalid_argument("the experiment has its own", option.name(),
                                   "'duel experiment new' sets it");
  }
  return Done{};
}

std::optional<ServedQuestion> question_of(const Json& duel) {
  const auto arms = duel.at("arms").items();
  if (arms.size() != 2) return std::nullopt;
  ServedQuestion asked;
  asked.question.duel_id = duel.at("duel_id").get<std::string>();
  asked.question.first = arm_of(arms[0]);
  asked.question.second = arm_of(arms[1]);
  if (const Json* task = duel.find("task")) {
    const Json* payload = task->find("payload");
    asked.question.task =
        payload != nullptr && !payload->is_null() ? *payload : task->at("task_id");
    asked.has_task = true;
  }
  if (const Json* token = duel.find("report_token")) {
    asked.report_token = token->get<std::string>();
  }
  return asked;
}

ServedExperiment::ServedExperiment(PatientClient& client, std::string experiment_id)
    : client_(client), experiment_id_(std::move(experiment_id)) {}

std::string ServedExperiment::outcome_target(const std::string& duel_id) const {
  return target(fmt::format("/duels/{}/outcome", percent_encoded(duel_id)));
}

Status ServedExperiment::open(const std::function<bool()>& stop) {
  const auto shown = client_.keep_trying(HttpMethod::get, target(""), Json(), stop);
  if (!shown.ok()) {
    // Whoever may only ask and report does without.
    if (client_.status() == kForbidden || client_.status() == kUnauthorized) return Done{};
    return shown.error();
  }
  if (!*shown) return Done{};
  readable_ = true;
  const Json& experiment = **shown;
  if (experiment.at("mode").get<std::string>() == "interleave") {
    return Error::unsupported("clicks on pages of results decide this experiment", experiment_id_,
                              "there is nobody to ask");
  }
  both_orders_ = experiment.at("presentation").at("order").get<std::string>() == "both";
  return Done{};
}

Json ServedExperiment::outcome_body(const ServedQuestion& asked,
                                    const std::vector<Outcome>& outcomes,
                                    const std::string& source_type, const std::string& source_id,
                                    double response_ms) const {
  Json body;
  if (outcomes.size() == 1) {
    put_answer(body, outcomes[0], asked.question);
  } else {
    Json judgements = Json::array();
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
      Question seen = asked.question;
      if (k == 1) std::swap(seen.first, seen.second);
      Json one;
      one["first"] = seen.first.arm_id;
      put_answer(one, outcomes[k], seen);
      judgements.push_back(std::move(one));
    }
    body["judgements"] = std::move(judgements);
  }
  if (!source_id.empty()) body["source"] = {{"type", source_type}, {"id", source_id}};
  body["response_ms"] = static_cast<std::uint64_t>(std::llround(std::max(0.0, response_ms)));
  // Should the server have lost the serve to a failure of power, this proves it.
  if (!asked.report_token.empty()) body["report_token"] = asked.report_token;
  return body;
}

Result<std::optional<bool>> ServedExperiment::certified(const std::function<bool()>& stop) {
  using Known = std::optional<bool>;
  if (!readable_) return Known();
  const auto certificate =
      client_.keep_trying(HttpMethod::get, target("/certificate"), Json(), stop);
  if (certificate.ok()) return certificate->has_value() ? Known(true) : Known();
  if (client_.status() == kNotFound) return Known(false);
  return certificate.error();
}

Result<bool> ServedExperiment::may_ask_later(const std::function<bool()>& stop) {
  if (!readable_) return false;
  DUEL_ASSIGN(const std::optional<Json> shown,
              client_.keep_trying(HttpMethod::get, target(""), Json(), stop));
  if (!shown || shown->at("state").get<std::string>() != "running") return false;
  const auto most = shown->at("stopping").at("max_duels").get<std::uint64_t>();
  if (most > 0 && shown->at("served").get<std::uint64_t>() >= most) return false;
  return shown->at("pending").get<std::uint64_t>() > 0;
}

Result<int> report_served(ServedEnding ending, const ServedCounts& counts,
                          ServedExperiment& experiment, bool json, int interrupted_code,
                          CommandContext& context) {
  std::optional<Json> given;
  std::optional<ExperimentResult> result;
  if (ending != ServedEnding::out_of_reach) {
    auto told = experiment.client().try_now(HttpMethod::get, experiment.target("/result"));
    if (told.ok()) given = std::move(*told);
  }
  if (given) {
    if (auto read = described_from<ExperimentResult>(*given); read.ok()) result = *std::move(read);
  }
  // Another may have brought the certificate.
  if (ending == ServedEnding::undecided && result && result->certificate) {
    ending = ServedEnding::certified;
  }
  const std::string here = fmt::format(
      "{} answered here{}", counted(counts.answered, "duel"),
      counts.failed > 0 ? fmt::format(", {} without an answer", counts.failed) : std::string());
  if (json) {
    Json out;
    out["experiment_id"] = experiment.id();
    out["ending"] = std::string(to_word(ending));
    out["answered"] = counts.answered;
    out["failed"] = counts.failed;
    out["undelivered"] = counts.undelivered;
    out["result"] = given ? *given : Json();
    context.print(out.dump_pretty());
  } else if (result) {
    context.print(fmt::format("{}\n\n{}\n{}\n",
                              Paint(wants_color(STDOUT_FILENO)).bold(result->verdict),
                              duel_counts(result->duels), here));
  } else {
    context.print(counts.verdict.empty() ? here + "\n"
                                         : fmt::format("{}\n\n{}\n", counts.verdict, here));
  }
  if (result && !json) {
    for (const std::string& failure : failures(result->health)) {
      context.warn("health check failed: " + failure);
    }
  }
  if (counts.undelivered > 0) {
    context.warn(
        fmt::format("{} could not be delivered; the server will treat the duels as unanswered, "
                    "which counts against no arm",
                    counted(counts.undelivered, "answer")));
  }
  switch (ending) {
    case ServedEnding::certified:
      return result && !failures(result->health).empty() ? kExitUnhealthy : kExitDone;
    case ServedEnding::undecided:
      context.note(counts.stopped ? "stopped; the server has every answer"
                                  : "undecided: the server has nothing more to ask");
      return kExitUndecided;
    case ServedEnding::interrupted:
      return interrupted_code;
    case ServedEnding::out_of_reach:
      break;
  }
  print_error(Error::io("the server stayed out of reach", experiment.client().place(),
                        "the same command continues where this one stopped"));
  return kExitTemporary;
}

}  // namespace duel::cli
