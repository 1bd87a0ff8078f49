#include <string>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/verdict/certificate_file.h"

namespace duel::cli {
namespace {

Result<int> write_certificate(const NamedLog& arguments, CommandContext& context) {
  DUEL_RETURN_IF_ERROR(check_output(arguments.output));
  if (!arguments.client.name_experiment(arguments.name)) {
    DUEL_ASSIGN(const std::string text, certificate_of_log(arguments.name));
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, text));
    return kExitDone;
  }
  return with_client(arguments.client, StoreUse::existing, [&](ApiClient& client) -> Result<int> {
    DUEL_ASSIGN(const HttpResponse response,
                client.send(HttpMethod::get, experiment_target(arguments.name, "/certificate"), "",
                            "", Repeat::safe));
    if (response.status >= 400) return client.content_of(response).error();
    // The bytes as they came: `duel verify` compares every one.
    DUEL_RETURN_IF_ERROR(context.write_output(arguments.output, response.body));
    return kExitDone;
  });
}

}  // namespace

void add_certificate_command(Command& program) {
  Command& command = program.add_command(
      "certificate",
      "Writes the certificate of an experiment or a log.\nThe certificate says what was found, by "
      "which rule, from which log and up to which record. 'duel verify' checks it against the log, "
      "byte for byte. While nothing is certified, the command fails.");
  add_named_log(command, command.runs(write_certificate));
  command.footer =
      "Example:\n"
      "  duel certificate logo -o logo.certificate.json --server http://127.0.0.1:7557\n"
      "  duel export logo --what audit -o logo.duel.jsonl --server http://127.0.0.1:7557\n"
      "  duel verify logo.certificate.json --log logo.duel.jsonl";
}

}  // namespace duel::cli
