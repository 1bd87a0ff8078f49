#include "duel/cli/commands.h"
#include "duel/core/git_commit.h"
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
      facts["commit"] = git_commit().empty() ? Json() : git_commit();
      facts["compiler"] = kCompiler;
      facts["build_type"] = kBuildType;
      facts["platform"] = kPlatform;
      return context.done(facts.dump_pretty());
    }
    return context.done("duel {}\ncommit    {}\ncompiler  {}, {}\nplatform  {}\n", kVersion,
                        git_commit().empty() ? "unknown" : git_commit(), kCompiler, kBuildType,
                        kPlatform);
  };
}

}  // namespace duel::cli
