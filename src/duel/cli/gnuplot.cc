#include "duel/cli/gnuplot.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include "duel/core/numbers.h"
#include "duel/pages/report.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it

namespace duel::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// Unnamed files instead of pipes: neither side can wait for the other, and nothing is left behind.
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

Result<TemporaryFile> temporary_file() {
  TemporaryFile file(std::tmpfile());
  if (!file) {
    return Error::io(fmt::format("cannot create a temporary file: {}", std::strerror(errno)));
  }
  return file;
}

std::string content_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 65536> buffer{};
  std::size_t count = 0;
  while ((count = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) {
    text.append(buffer.data(), count);
  }
  return text;
}

// An SVG's title is what a browser shows of it in a tab and a screen reader reads out.
void name_picture(std::string& picture, const std::string& title) {
  constexpr std::string_view kUnnamed = "<title>Gnuplot</title>";
  const std::size_t at = title.empty() ? std::string::npos : picture.find(kUnnamed);
  if (at == std::string::npos || !picture.starts_with("<?xml")) return;
  picture.replace(at, kUnnamed.size(), fmt::format("<title>{}</title>", escaped_html(title)));
}

}  // namespace

Result<std::string> run_gnuplot(const std::string& script) {
  DUEL_ASSIGN(const TemporaryFile in, temporary_file());
  DUEL_ASSIGN(const TemporaryFile out, temporary_file());
  DUEL_ASSIGN(const TemporaryFile err, temporary_file());
  if (std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() ||
      std::fflush(in.get()) != 0) {
    return Error::io(fmt::format("cannot write the script: {}", std::strerror(errno)), "gnuplot");
  }
  std::rewind(in.get());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(err.get()), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string name = "gnuplot";
  std::array<char*, 2> arguments = {name.data(), nullptr};
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, "gnuplot", &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed == ENOENT || failed == EACCES) {
    return Error::not_found("gnuplot is not installed; it draws the pictures")
        .with_hint("on Debian: apt-get install gnuplot-nox");
  }
  if (failed != 0) {
    return Error::io(fmt::format("cannot start gnuplot: {}", std::strerror(failed)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return Error::io(fmt::format("lost gnuplot: {}", std::strerror(errno)));
    }
  }
  const std::string complaint = content_of(err.get());
  std::string picture = content_of(out.get());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || picture.empty()) {
    const std::string_view reason = trimmed(complaint);
    return Error::io(fmt::format("gnuplot failed{}{}", reason.empty() ? "" : ": ", reason));
  }
  name_picture(picture, title_of_script(script));
  return picture;
}

Result<int> draw(const StudyResults& results, const PlotOptions& options, const std::string& output,
                 CommandContext& context) {
  DUEL_ASSIGN(const std::string script, gnuplot_script(results, options));
  const InterruptGuard guard;
  const auto picture = run_gnuplot(script);
  if (guard.interrupted()) return guard.exit_code();
  if (!picture.ok()) return picture.error();
  DUEL_RETURN_IF_ERROR(context.write_output(output, *picture));
  return kExitDone;
}

}  // namespace duel::cli
