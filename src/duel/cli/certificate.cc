#include <optional>
#include <string>
#include <string_view>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/core/whole_file.h"
#include "duel/pages/report.h"
#include "duel/verdict/certificate_file.h"
#include "duel/version_info.h"

namespace duel::cli {
namespace {

// A larger log is not put into a page: browsers and mail take no such files. The reader chooses the
// log's file then.
constexpr std::size_t kMostLogBytes = 24'000'000;

struct FoundCertificate {
  std::string experiment, text;
  std::optional<std::string> log;  // for a page; none where it is too large for one
};

// Without a last line that has no end, which is no part of the log.
std::string whole_lines(std::string log) {
  const std::size_t end = log.rfind('\n');
  log.resize(end == std::string::npos ? 0 : end + 1);
  return log;
}

Result<FoundCertificate> from_log(const std::string& file, bool with_log) {
  FoundCertificate found;
  DUEL_ASSIGN(const CheckedLog checked, check_log(file));
  if (!checked.certificate) return Error::unsupported("the log certifies nothing yet", file);
  found.experiment = checked.ledger.experiment().experiment_id;
  found.text = certificate_text(*checked.certificate);
  if (!with_log) return found;
  auto log = read_whole_file(file, kMostLogBytes);
  if (log.ok()) {
    found.log = whole_lines(std::move(*log));
  } else if (log.error().code != ErrorCode::invalid_data) {
    return log.error();
  }
  return found;
}

Result<FoundCertificate> from_experiment(const std::string& name, ApiClient& client,
                                         bool with_log) {
  FoundCertificate found{.experiment = name};
  DUEL_ASSIGN(
      const HttpResponse certificate,
      client.send(HttpMethod::get, experiment_target(name, "/certificate"), "", "", Repeat::safe));
  if (certificate.status >= 400) return client.content_of(certificate).error();
  // The bytes as they came: `duel verify` compares every one.
  found.text = certificate.body;
  if (!with_log) return found;
  std::string log;
  const auto take = [&](std::string_view piece) {
    if (log.size() <= kMostLogBytes) log += piece;  // the rest of a larger one is not kept
    return true;
  };
  DUEL_ASSIGN(const HttpResponse exported,
              client.stream(experiment_target(name, "/export?what=audit&format=jsonl"), take));
  if (exported.status >= 400) return client.content_of(exported).error();
  if (log.size() <= kMostLogBytes) found.log = whole_lines(std::move(log));
  return found;
}

Result<int> write_found(const FoundCertificate& found, const std::string& output,
                        CommandContext& context) {
  if (!names_report(output)) {
    DUEL_RETURN_IF_ERROR(context.write_output(output, found.text));
    return kExitDone;
  }
  Json data;
  data["made_by"] = "duel " + std::string(kVersion);
  data["name"] = found.experiment;
  data["certificate"] = found.text;
  data["log"] = found.log ? Json(*found.log) : Json();
  DUEL_ASSIGN(const std::string page, certificate_page("Certificate of " + found.experiment, data));
  DUEL_RETURN_IF_ERROR(context.write_output(output, page));
  if (!found.log) {
    context.note("the log is larger than {} MB: the page asks for its file",
                 kMostLogBytes / 1'000'000);
  }
  return kExitDone;
}

Result<int> write_certificate(const NamedLog& arguments, CommandContext& context) {
  DUEL_RETURN_IF_ERROR(check_output(arguments.output));
  const bool is_page = names_report(arguments.output);
  if (!arguments.client.name_experiment(arguments.name)) {
    DUEL_ASSIGN(const FoundCertificate found, from_log(arguments.name, is_page));
    return write_found(found, arguments.output, context);
  }
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    DUEL_ASSIGN(const FoundCertificate found, from_experiment(arguments.name, client, is_page));
    return write_found(found, arguments.output, context);
  });
}

}  // namespace

void add_certificate_command(Command& program) {
  Command& command = program.add_command(
      "certificate",
      "Writes the certificate of an experiment or a log.\nThe certificate says what was found, by "
      "which rule, from which log and up to which record. 'duel verify' checks it against the log, "
      "byte for byte. A file that ends with .html is a page for people: it holds the certificate, "
      "what it assumes, the log, and a verifier that checks it in the reader's browser. While "
      "nothing is certified, the command fails.");
  add_named_log(command, command.runs(write_certificate));
  command.footer =
      "Example:\n"
      "  duel certificate logo -o logo.certificate.json --server http://127.0.0.1:7557\n"
      "  duel export logo --what audit -o logo.duel.jsonl --server http://127.0.0.1:7557\n"
      "  duel verify logo.certificate.json --log logo.duel.jsonl\n"
      "  duel certificate prompts.duel.jsonl -o certificate.html";
}

}  // namespace duel::cli
