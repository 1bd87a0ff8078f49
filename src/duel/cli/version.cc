#include "duel/cli/version.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

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
      nlohmann::ordered_json facts;
      facts["version"] = kVersion;
      facts["commit"] = kGitCommit.empty() ? nlohmann::ordered_json() : kGitCommit;
      facts["compiler"] = kCompiler;
      facts["build_type"] = kBuildType;
      facts["platform"] = kPlatform;
      context.print(facts.dump(2) + "\n");
      return kExitDone;
    }
    context.print(fmt::format("duel {}\ncommit    {}\ncompiler  {}, {}\nplatform  {}\n", kVersion,
                              kGitCommit.empty() ? "unknown" : kGitCommit, kCompiler, kBuildType,
                              kPlatform));
    return kExitDone;
  });
}

}  // namespace duel::cli
