#include "duel/cli/view_tables.h"

#include <fmt/format.h>

#include <cmath>

#include "duel/cli/command.h"
#include "duel/core/display_width.h"
#include "duel/core/table.h"

namespace duel::cli {
namespace {

constexpr std::uint64_t kFewClusters = 20;

std::string signed_number(double value) { return fmt::format("{:+.2f}", value); }

std::string range_of(const Interval& interval) {
  return fmt::format("{:+.2f} to {:+.2f}", interval.lower, interval.upper);
}

}  // namespace

std::string style_text(const StyleView& view) {
  std::string text = "Style: a view, on which nothing rests\n";
  Table effects;
  effects.column("covariate", Align::left).column("typical").column("effect").column("95 %");
  for (const StyleEffect& one : view.effects) {
    effects.row({one.name, fmt::format("{:.3g}", one.typical), signed_number(one.effect),
                 range_of(one.interval)});
  }
  text += effects.to_string() + "\n";
  Table strengths;
  strengths.column("arm", Align::left).column("strength").column("at equal style");
  for (const StyleStrength& one : view.strengths) {
    strengths.row({one.arm_id, signed_number(one.plain), signed_number(one.styled)});
  }
  text += strengths.to_string() + "\n";
  std::string said = fmt::format(
      "Effects and strengths are log-odds; an effect is that of a typical difference between the "
      "two. {} answers{}, with standard errors by {}{}.",
      view.answers,
      view.left_out == 0 ? "" : fmt::format(" ({} without these numbers left out)", view.left_out),
      view.clustered_by,
      view.clustered_by == "answer" ? "" : fmt::format(" ({} of them)", view.clusters));
  // The errors rest on how much clusters differ, which a few of them hardly tell.
  if (view.clusters < kFewClusters) said += " These are few, so that the intervals are rough.";
  if (view.changes.empty()) said += " Nothing that is said of a pair would change.";
  text += wrapped(said, report_width()) + "\n";
  for (const StyleChange& one : view.changes) {
    text += wrapped(fmt::format("{} is ahead of {} ({}), and at equal style {} ({}).", one.arm_id,
                                one.other, range_of(one.plain),
                                one.reversed ? "behind" : "not clearly", range_of(one.styled)),
                    report_width()) +
            "\n";
  }
  return text + "\n";
}

std::string judges_text(const JudgeView& view) {
  std::string text = "Judges: a view, on which nothing rests\n";
  Table judges;
  judges.column("judge", Align::left).column("answers").column("gamma").column("95 %");
  for (const WeighedJudge& one : view.judges) {
    judges.row(
        {one.judge, std::to_string(one.answers), signed_number(one.gamma), range_of(one.interval)});
  }
  text += judges.to_string() + "\n";
  Table strengths;
  strengths.column("arm", Align::left).column("all alike").column("weighed");
  for (const WeighedStrength& one : view.strengths) {
    strengths.row({one.arm_id, signed_number(one.plain), signed_number(one.weighed)});
  }
  text += strengths.to_string() + "\n";
  text += wrapped(
              "A judge of gamma 1 is as sharp as the others, one of 0 answers as a coin does. "
              "Strengths are log-odds.",
              report_width()) +
          "\n";
  for (const WeighedJudge& one : view.judges) {
    if (one.leaning == JudgeLeaning::with_others) continue;
    text +=
        wrapped(one.leaning == JudgeLeaning::against_others
                    ? fmt::format("'{}' answers against the others.", one.judge)
                    : fmt::format("Whether '{}' sees what the others see is not clear.", one.judge),
                report_width()) +
        "\n";
  }
  return text + "\n";
}

}  // namespace duel::cli
