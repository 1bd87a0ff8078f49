// The program `duel`: reads the command line, runs one subcommand, translates how it ended.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>

#include "duel/cli/command_line.h"
#include "duel/cli/commands.h"
#include "duel/cli/help.h"
#include "duel/cli/rank_session.h"
#include "duel/jobs/ranks.h"
#include "duel/version_info.h"

namespace duel::cli {

namespace {

// A standard stream that was closed before the start would lend its number to the next file opened,
// and messages would go into that file. This makes it a stream that cannot be used instead.
void occupy_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    const int opened = ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) ::close(opened);
  }
}

void declare(Command& program) {
  program.add("-V,--version", {}, "Print the version and exit.");
  program.needs_command = true;
  program.footer =
      "Examples:\n"
      "  duel demo\n"
      "  duel run --arms 'prompts/*.txt' --judge ./judge.sh\n"
      "  duel result votes.csv\n"
      "  duel simulate --policy rucb,rmed1 --matrix arxiv --rounds 1e6 --trials 100\n"
      "\nEvery command explains itself: duel simulate --help, or duel help simulate";
  for (const auto add : {add_demo_command,       add_run_command,         add_vote_command,
                         add_tune_command,       add_gate_command,        add_judge_command,
                         add_result_command,     add_certificate_command, add_verify_command,
                         add_import_command,     add_export_command,      add_serve_command,
                         add_experiment_command, add_next_command,        add_report_command,
                         add_token_command,      add_mcp_command,         add_store_command,
                         add_simulate_command,   add_merge_command,       add_plan_command,
                         add_plot_command,       add_policies_command,    add_matrix_command,
                         add_league_command,     add_estimate_command,    add_interleave_command,
                         add_credit_command,     add_metrics_command,     add_learn_command,
                         add_reproduce_command,  add_version_command,     add_completion_command}) {
    add(program);
  }
}

void add_quiet_flag(Command& command, bool* quiet) {
  command.add("-q,--quiet", quiet, "Print no progress and no notes.");
  for (Command& below : command.commands) add_quiet_flag(below, quiet);
}

int run_program(int argc, const char* const* argv) {
  RankSession session(argc > 1 ? argv[1] : "");
  if (session.is_idle()) return kExitDone;
  CommandContext context;
  if (!session.warning().empty()) context.warn(session.warning());
  Command program("duel",
                  "Duel finds the best of several arms when all you can see is which of two won, "
                  "and tells you when you can stop. A program, people or the users of your product "
                  "answer (run, vote, serve). If you already have answers, result gives you the "
                  "verdict. Duel also simulates and compares dueling-bandit policies (simulate, "
                  "league), and interleaves and credits search results (interleave, credit).");
  declare(program);
  add_quiet_flag(program, &context.quiet);
  if (argc > 1 && std::string_view(argv[1]) == "__complete") {
    context.print(completions(program, {argv + 2, argv + argc}));
    return context.finish(kExitDone);
  }
  // For the build, which installs the pages.
  if (argc == 3 && std::string_view(argv[1]) == "__man") {
    return context.run([&](CommandContext&) -> Result<int> {
      DUEL_RETURN_IF_ERROR(write_man_pages(program, argv[2]));
      return kExitDone;
    });
  }
  // `duel` alone and `duel help COMMAND` ask for a help page; an unknown command is an error.
  std::vector<const char*> words(argv, argv + argc);
  const bool asks = argc > 1 && std::string_view(argv[1]) == "help";
  if (asks) words.erase(words.begin() + 1);
  const std::vector<std::string> names = program.command_names();
  const bool known = words.size() == 1 || std::ranges::count(names, words[1]) > 0;
  if (argc == 1 || (asks && known)) words.push_back("--help");
  CommandLine line(program);
  const auto wish = line.read(static_cast<int>(words.size()), words.data());
  if (!wish.ok()) return end_with_error(wish.error().to_string(), kExitUsage);
  if (*wish != CommandLine::Wish::work) {
    context.print(*wish == CommandLine::Wish::help ? help_page(line.chosen())
                                                   : fmt::format("duel {}\n", kVersion));
    return context.finish(kExitDone);
  }
  if (const Status status = apply_configuration(program, line); !status.ok()) {
    return end_with_error(status.error().to_string(), exit_code_of(status.error()));
  }
  if (!is_first_rank()) context.quiet = true;  // progress is rank 0's to show
  return context.run([&](CommandContext& running) -> Result<int> {
    const Result<int> ended = line.chosen().action(running);
    if (ended.ok()) return ended;
    return as_option(line.chosen(), ended.error());
  });
}

}  // namespace
}  // namespace duel::cli

int main(int argc, char** argv) {
  duel::cli::occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write that meets it,
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file that may not grow
  try {
    return duel::cli::run_program(argc, argv);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "duel: error: %s\n", exception.what());
    return duel::cli::kExitFailure;
  }
}
