#include "duel/cli/commands.h"
#include "duel/core/numbers.h"
#include "duel/verdict/health.h"
#include "duel/verdict/verification.h"

namespace duel::cli {
namespace {

struct VerifyArguments {
  std::string certificate;
  std::string log;
  bool json = false;
  bool replay = false;
};

// Whether the audits are those of the key.
std::string draws_text(const CheckedDraws& draws) {
  std::string text = fmt::format("  {} for people: {} by the key that the log tells",
                                 counted(draws.checked + draws.unchecked, "draw"), draws.checked);
  if (draws.unchecked > 0) {
    text += fmt::format(", {} by one that it does not tell (yet)", draws.unchecked);
  }
  return text + "\n";
}

std::string text_of(const VerifyArguments& arguments, const Verification& found) {
  const Paint paint = stdout_paint();
  if (found.mismatch) return fmt::format("{} {}\n", paint.red("MISMATCH"), *found.mismatch);
  std::string text;
  if (!arguments.certificate.empty()) {
    text += fmt::format("{} {}\n", paint.green("VERIFIED"), arguments.certificate);
  }
  text += fmt::format("{}  {} records, an unbroken chain\n  head {}\n", arguments.log,
                      found.log.records, found.log.head);
  if (const auto& certificate = found.log.certificate) {
    text += fmt::format("  certifies at record {}: {}\n", certificate->log.sequence,
                        certificate->statement);
  } else {
    text += "  certifies nothing yet\n";
  }
  if (found.log.draws) text += draws_text(*found.log.draws);
  for (const std::string& failure : failures(found.log.health)) {
    text += fmt::format("{} {}\n", paint.red("HEALTH CHECK FAILED"), failure);
  }
  return text;
}

Result<int> run_verify(const VerifyArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const Verification found,
              verify_log(arguments.log, arguments.certificate, arguments.replay));
  if (found.log.cut_bytes > 0) {
    context.warn(
        "{}:{}: the last line has no end and does not count ({} bytes); the "
        "writer was stopped in the middle of it",
        arguments.log, found.log.records + 1, found.log.cut_bytes);
  }
  context.print(arguments.json ? found.to_json().dump_pretty() : text_of(arguments, found));
  if (found.mismatch) return kExitMismatch;
  return overall(found.log.health) == HealthVerdict::failed ? kExitUnhealthy : kExitDone;
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
