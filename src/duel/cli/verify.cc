#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "duel/cli/commands.h"
#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/local_experiment.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/health.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostBytes = 64'000'000;  // of a certificate

struct VerifyArguments {
  std::string certificate;
  std::string log;
  bool json = false;
  bool replay = false;
};

// What does not fit, and where: exit 5.
int mismatch(const VerifyArguments& arguments, CommandContext& context, const std::string& what) {
  if (arguments.json) {
    Json json;
    json["verified"] = false;
    json["mismatch"] = what;
    context.print(json.dump_pretty());
  } else {
    const Paint paint(wants_color(STDOUT_FILENO));
    context.print(fmt::format("{} {}\n", paint.red("MISMATCH"), what));
  }
  return kExitMismatch;
}

std::string verified_text(const VerifyArguments& arguments, const CheckedLog& log) {
  const Paint paint(wants_color(STDOUT_FILENO));
  std::string text;
  if (!arguments.certificate.empty()) {
    text += fmt::format("{} {}\n", paint.green("VERIFIED"), arguments.certificate);
  }
  text += fmt::format("{}  {} records, an unbroken chain\n  head {}\n", arguments.log,
                      log.extent.records, log.extent.head);
  if (!log.ledger.certificate()) {
    text += "  certifies nothing yet\n";
  } else {
    text += fmt::format("  certifies at record {}: {}\n", log.ledger.certificate()->sequence,
                        certificate_statement(log.ledger));
  }
  for (const std::string& failure : failures(log.health)) {
    text += fmt::format("{} {}\n", paint.red("HEALTH CHECK FAILED"), failure);
  }
  return text;
}

Json verified_json(const CheckedLog& log) {
  Json json;
  json["verified"] = true;
  json["experiment_id"] = log.ledger.experiment().experiment_id;
  json["records"] = log.extent.records;
  json["head"] = log.extent.head;
  json["cut_bytes"] = log.extent.cut_bytes;
  json["health"] = described_json(log.health);
  json["certificate"] = described_json(log.certificate);
  return json;
}

Result<int> run_verify(const VerifyArguments& arguments, CommandContext& context) {
  std::string given;
  if (!arguments.certificate.empty()) {
    DUEL_ASSIGN(given, read_whole_file(arguments.certificate, kMostBytes));
  }
  const auto log = check_log(arguments.log);
  if (!log.ok()) {
    if (log.error().code != ErrorCode::invalid_data) return log.error();
    return mismatch(arguments, context, log.error().to_string());
  }
  if (log->extent.cut_bytes > 0) {
    context.warn(
        fmt::format("{}:{}: the last line has no end and does not count ({} bytes); the "
                    "writer was stopped in the middle of it",
                    arguments.log, log->extent.records + 1, log->extent.cut_bytes));
  }
  if (arguments.replay) {
    DUEL_ASSIGN(const std::optional<Error> divergence, replay_log(arguments.log));
    if (divergence) return mismatch(arguments, context, divergence->to_string());
  }
  if (!arguments.certificate.empty()) {
    if (!log->certificate) {
      return mismatch(arguments, context,
                      fmt::format("{}: the log certifies nothing", arguments.log));
    }
    if (const auto difference =
            certificate_difference(given, certificate_text(*log->certificate))) {
      return mismatch(arguments, context,
                      fmt::format("{}: {}", arguments.certificate, *difference));
    }
  }
  context.print(arguments.json ? verified_json(*log).dump_pretty()
                               : verified_text(arguments, *log));
  return overall(log->health) == HealthVerdict::failed ? kExitUnhealthy : kExitDone;
}

}  // namespace

void add_verify_command(Command& program) {
  Command& command = program.add_command(
      "verify",
      "Checks a certificate against the log it came from.\nReads the whole log, follows its chain "
      "of hashes, recomputes the certificate and compares it byte for byte. Without a certificate "
      "it checks the log and says what it certifies.\nExit codes: 0 everything matches, 4 "
      "everything matches but a health check failed, 5 something does not match; the message names "
      "the field or the line.");
  VerifyArguments& arguments = command.runs(run_verify);
  command.add("CERTIFICATE FILE", &arguments.certificate, "Certificate to check.");
  command.add_required("--log FILE", &arguments.log, "Log of the experiment.");
  command.add("--replay", &arguments.replay,
              "Also replay the policy: every duel must be the one it would have chosen.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n  duel verify prompts.certificate.json --log prompts.duel.jsonl\n"
      "  duel verify --log prompts.duel.jsonl";
}

}  // namespace duel::cli
