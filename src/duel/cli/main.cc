// The program `duel`: reads the command line, runs one subcommand, translates how it ended.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>

#include "duel/cli/command.h"
#include "duel/cli/completion.h"
#include "duel/cli/configuration.h"
#include "duel/cli/demo.h"
#include "duel/cli/estimate.h"
#include "duel/cli/export.h"
#include "duel/cli/help.h"
#include "duel/cli/import.h"
#include "duel/cli/interleave.h"
#include "duel/cli/league.h"
#include "duel/cli/learn.h"
#include "duel/cli/matrix.h"
#include "duel/cli/plan.h"
#include "duel/cli/plot.h"
#include "duel/cli/policies.h"
#include "duel/cli/reproduce.h"
#include "duel/cli/result.h"
#include "duel/cli/run.h"
#include "duel/cli/simulate.h"
#include "duel/cli/verify.h"
#include "duel/cli/version.h"
#include "duel/cli/vote.h"
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

void add_quiet_flag(CLI::App& app, CommandContext& context) {
  if (app.get_option_no_throw("--quiet") == nullptr) {
    app.add_flag("-q,--quiet", context.quiet, "Print no progress and no notes.");
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_quiet_flag(*command, context);
  }
}

int run_program(int argc, const char* const* argv) {
  CommandContext context;
  CLI::App app(
      "Duel compares dueling-bandit policies: algorithms that find the best of several arms when "
      "all they see is which of two won.",
      "duel");
  set_help_layout(app);
  app.set_help_flag("-h,--help", "Print this help and exit.");
  app.set_version_flag("-V,--version", fmt::format("duel {}", kVersion),
                       "Print the version and exit.");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  duel demo\n"
      "  duel simulate --policy rucb,rmed1 --matrix arxiv --rounds 1e6 --trials 100\n"
      "\nEvery command explains itself: duel simulate --help");

  add_demo_command(app, context);
  add_run_command(app, context);
  add_vote_command(app, context);
  add_result_command(app, context);
  add_verify_command(app, context);
  add_import_command(app, context);
  add_export_command(app, context);
  add_simulate_command(app, context);
  add_plan_command(app, context);
  add_plot_command(app, context);
  add_policies_command(app, context);
  add_matrix_command(app, context);
  add_league_command(app, context);
  add_estimate_command(app, context);
  add_interleave_command(app, context);
  add_learn_command(app, context);
  add_reproduce_command(app, context);
  add_version_command(app, context);
  add_completion_command(app, context);
  add_quiet_flag(app, context);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    context.print(chosen_command(app)->help());
    return context.finish(kExitDone);
  } catch (const CLI::CallForVersion&) {
    context.print(fmt::format("duel {}\n", kVersion));
    return context.finish(kExitDone);
  } catch (const CLI::ParseError& error) {
    print_error(explain_usage_error(app, error));
    return kExitUsage;
  }
  if (const Status status = apply_configuration(app, context); !status.ok()) {
    print_error(status.error());
    return exit_code_of(status.error());
  }
  return context.run();
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
