#include "duel/cli/gnuplot.h"

#include <utility>

#include "duel/core/numbers.h"
#include "duel/judging/child_process.h"
#include "duel/pages/report.h"

namespace duel::cli {
namespace {

// An SVG's title is what a browser shows of it in a tab and a screen reader reads out.
void name_picture(std::string& picture, const std::string& title) {
  constexpr std::string_view kUnnamed = "<title>Gnuplot</title>";
  const std::size_t at = title.empty() ? std::string::npos : picture.find(kUnnamed);
  if (at == std::string::npos || !picture.starts_with("<?xml")) return;
  picture.replace(at, kUnnamed.size(), fmt::format("<title>{}</title>", escaped_html(title)));
}

}  // namespace

Result<std::string> run_gnuplot(const std::string& script) {
  auto started = ChildProcess::start({"gnuplot"});
  if (!started.ok() && started.error().code == ErrorCode::io) return started.error();
  if (!started.ok()) {
    return Error::not_found("gnuplot is not installed; it draws the pictures")
        .with_hint("on Debian: apt-get install gnuplot-nox");
  }
  ChildProcess& gnuplot = *started;
  gnuplot.send(script);
  gnuplot.end_input();
  std::string picture;
  while (!gnuplot.ended()) {
    // Once its output is closed, it ends.
    gnuplot.wait(std::chrono::milliseconds(gnuplot.output_closed() ? 1 : 20));
    picture += std::exchange(gnuplot.output(), {});
  }
  if (gnuplot.exit_code() != 0 || picture.empty()) {
    const std::string_view reason = trimmed(gnuplot.complaint());
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
