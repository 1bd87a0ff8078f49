#include "duel/cli/draw.h"

#include "duel/cli/gnuplot.h"

namespace duel::cli {

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
