#include "duel/cli/served_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "duel/cli/result_report.h"
#include "duel/core/described_json.h"
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"

namespace duel::cli {

using std::chrono::milliseconds;

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

namespace {

// What an experiment of a server has none of.
constexpr std::array<std::string_view, 6> kOfTheRunAlone = {"jury",  "votes", "budget",
                                                            "cache", "log",   "certificate"};

}  // namespace

Status check_served_options(const Command& command, const std::vector<std::string>& allowed) {
  for (const Option& option : command.options) {
    if (option.is_argument() || !option.on_command_line()) continue;
    if (std::ranges::find(allowed, option.key()) != allowed.end()) continue;
    if (std::ranges::find(kOfTheRunAlone, option.key()) != kOfTheRunAlone.end()) {
      return Error::invalid_argument("it is for a log of this machine", option.name(),
                                     "leave out --server");
    }
    return Error::invalid_argument("the experiment has its own", option.name(),
                                   "'duel experiment new' sets it");
  }
  return Done{};
}

ServedSession::ServedSession(std::unique_ptr<ApiClient> connection, const ServedOptions& options,
                             const std::string& experiment_id, const std::string& subject,
                             const InterruptGuard& guard, CommandContext& context)
    : connection_(std::move(connection)),
      client_(*connection_, milliseconds(static_cast<std::int64_t>(1000 * options.patience)),
              [&context](const std::string& text) { context.warn(text); }),
      experiment_id_(experiment_id),
      questions_(client_, experiment_id, subject),
      guard_(guard),
      context_(context) {}

Result<std::unique_ptr<ServedSession>> ServedSession::open(const ServedOptions& options,
                                                           const std::string& experiment_id,
                                                           const std::string& subject,
                                                           const InterruptGuard& guard,
                                                           CommandContext& context) {
  DUEL_ASSIGN(std::unique_ptr<ApiClient> connection,
              open_client(options.client, StoreUse::existing, milliseconds(0)));
  std::unique_ptr<ServedSession> session(
      new ServedSession(std::move(connection), options, experiment_id, subject, guard, context));
  DUEL_RETURN_IF_ERROR(session->questions_.open([&] { return guard.interrupted(); }));
  return session;
}

std::uint64_t ServedSession::failed(const JudgeLoop& loop) const {
  return loop.failed() + questions_.progress().refused;
}

Result<int> ServedSession::report(RunEnding ending, const JudgeLoop& loop, bool json,
                                  bool stopped) {
  const QuestionsProgress progress = questions_.progress();
  const std::uint64_t answered = loop.answered() - progress.refused;
  const std::uint64_t failed = this->failed(loop);
  const std::uint64_t undelivered = questions_.unsent();
  std::optional<Json> given;
  std::optional<ExperimentResult> result;
  if (ending != RunEnding::out_of_reach) {
    auto told = client_.try_now(HttpMethod::get, experiment_target(experiment_id_, "/result"));
    if (told.ok()) given = std::move(*told);
  }
  if (given) {
    if (auto read = described_from<ExperimentResult>(*given); read.ok()) result = *std::move(read);
  }
  // Another may have brought the certificate.
  if ((ending == RunEnding::undecided || ending == RunEnding::asked_all) && result &&
      result->certificate) {
    ending = RunEnding::certified;
  }
  const std::string here =
      fmt::format("{} answered here{}", counted(answered, "duel"),
                  failed > 0 ? fmt::format(", {} without an answer", failed) : std::string());
  if (json) {
    Json out;
    out["experiment_id"] = experiment_id_;
    out["ending"] = std::string(to_word(ending));
    out["answered"] = answered;
    out["failed"] = failed;
    out["undelivered"] = undelivered;
    out["result"] = given ? *given : Json();
    context_.print(out.dump_pretty());
  } else if (result) {
    const std::size_t width = report_width();
    context_.print("{}\n\n{}\n{}\n", stdout_paint().bold(wrapped(result->verdict, width)),
                   wrapped(duel_counts(result->duels), width), here);
  } else {
    context_.print(
        progress.verdict.empty()
            ? here + "\n"
            : fmt::format("{}\n\n{}\n", wrapped(progress.verdict, report_width()), here));
  }
  if (result && !json) {
    for (const std::string& failure : failures(result->health)) {
      context_.warn("health check failed: " + failure);
    }
  }
  if (undelivered > 0) {
    context_.warn(
        "{} could not be delivered; the server will treat the duels as unanswered, "
        "which counts against no arm",
        counted(undelivered, "answer"));
  }
  switch (ending) {
    case RunEnding::certified:
      return result && !failures(result->health).empty() ? kExitUnhealthy : kExitDone;
    case RunEnding::undecided:
    case RunEnding::tasks_used_up:
      context_.note(
          stopped ? "stopped; the server has every answer"
          : ending == RunEnding::tasks_used_up
              ? "undecided: an open pair has used every task; to go on, start an experiment with "
                "more tasks"
              : "undecided: the server has nothing more to ask");
      return kExitUndecided;
    case RunEnding::asked_all:
      context_.note("thank you: you have answered everything that can matter");
      return kExitUndecided;
    case RunEnding::interrupted:
      return guard_.exit_code();
    case RunEnding::out_of_reach:
      break;
  }
  print_error(Error::io("the server stayed out of reach", client_.place(),
                        "the same command continues where this one stopped"));
  return kExitTemporary;
}

}  // namespace duel::cli
