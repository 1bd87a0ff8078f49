#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/mcp/experiment_tools.h"
#include "duel/mcp/mcp_session.h"
#include "duel/mcp/study_tools.h"

namespace duel::cli {
namespace {

// A client waits for each answer, and may wait a little longer for a server that restarts.
constexpr auto kPatience = std::chrono::milliseconds(3'000);

constexpr std::string_view kInstructions =
    "Duel finds the best of several arms by comparing two at a time, and says when you can stop. "
    "Create an experiment, then ask for pairs and report which arm was better until the result "
    "names a certified winner. 'plan' says beforehand how many comparisons that will take.";

struct McpArguments {
  ClientOptions client;
};

// A message goes out whole and at once. Where the client is gone nothing more can be said to it; it
// has closed our input as well, which ends the session.
void write_whole(const std::string& line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

Result<int> run_mcp(const McpArguments& arguments, CommandContext& context) {
  const OpenClient open = [&](bool may_create) {
    return open_client(arguments.client, may_create ? StoreUse::created : StoreUse::existing,
                       kPatience);
  };
  std::vector<McpTool> tools = experiment_tools(open);
  std::vector<McpTool> studies = study_tools();
  tools.insert(tools.end(), std::make_move_iterator(studies.begin()),
               std::make_move_iterator(studies.end()));
  if (is_terminal(STDIN_FILENO)) {
    context.note("this speaks to a program, over standard input and output; see 'duel mcp --help'");
  }
  McpSession session(std::move(tools), std::string(kInstructions), write_whole);
  for (std::string line; std::getline(std::cin, line);) session.take(line);
  return kExitDone;
}

}  // namespace

void add_mcp_command(Command& program) {
  Command& command = program.add_command(
      "mcp",
      "Gives agents Duel's tools over the Model Context Protocol.\n"
      "The program that runs the agent starts this command and speaks to it over standard input "
      "and output. The tools create an experiment, give the next pair, take the answer, show "
      "result and certificate, simulate policies, and plan. Without --server they work on the "
      "store of this machine, which is open only during a call, so that other commands can use it "
      "as well.");
  McpArguments& arguments = command.runs(run_mcp);
  add_client_options(command, arguments.client);
  command.footer =
      "Example, in the configuration of the agent's program:\n"
      "  {\"mcpServers\": {\"duel\": {\"command\": \"duel\", \"args\": [\"mcp\"]}}}";
}

}  // namespace duel::cli
