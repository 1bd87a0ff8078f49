#include "duel/cli/version.h"

#include <fmt/format.h>

#include <memory>

#include "duel/core/json.h"
#include "duel/version_info.h"

namespace duel::cli {

void add_version_command(CLI::App& app, CommandContext& context) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "version", "Prints the version, the commit, the compiler and the platform.");
  command->add_flag("--json", *json, "Print JSON.");
  command->footer("Example:\n  duel version --json");
  context.on(command, [json, &context]() -> Result<int> {
    if (*json) {
      Json facts;
      facts["version"] = kVersion;
      facts["commit"] = kGitCommit.empty() ? Json() : kGitCommit;
      facts["compiler"] = kCompiler;
      facts["build_type"] = kBuildType;
      facts["platform"] = kPlatform;
      context.print(facts.dump_pretty());
      return kExitDone;
    }
    context.print(fmt::format("duel {}\ncommit    {}\ncompiler  {}, {}\nplatform  {}\n", kVersion,
                              kGitCommit.empty() ? "unknown" : kGitCommit, kCompiler, kBuildType,
                              kPlatform));
    return kExitDone;
  });
}

}  // namespace duel::cli
