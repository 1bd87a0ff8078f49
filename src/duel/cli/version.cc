#include "duel/cli/commands.h"
#include "duel/core/json.h"
#include "duel/version_info.h"

namespace duel::cli {

void add_version_command(Command& program) {
  Command& command = program.add_command(
      "version", "Prints the version, the commit, the compiler and the platform.");
  bool& json = command.keep<bool>();
  command.add("--json", &json, "Print JSON.");
  command.footer = "Example:\n  duel version --json";
  command.action = [&json](CommandContext& context) -> Result<int> {
    if (json) {
      Json facts;
      facts["version"] = kVersion;
      facts["commit"] = kGitCommit.empty() ? Json() : kGitCommit;
      facts["compiler"] = kCompiler;
      facts["build_type"] = kBuildType;
      facts["platform"] = kPlatform;
      return context.done(facts.dump_pretty());
    }
    return context.done("duel {}\ncommit    {}\ncompiler  {}, {}\nplatform  {}\n", kVersion,
                        kGitCommit.empty() ? "unknown" : kGitCommit, kCompiler, kBuildType,
                        kPlatform);
  };
}

}  // namespace duel::cli
