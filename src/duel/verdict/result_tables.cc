#include "duel/verdict/result_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/numbers.h"

namespace duel {
namespace {

std::string share_text(const std::optional<double>& share, const Interval& interval) {
  if (!share) return "-";
  return fmt::format("{:.1f} [{:.1f}, {:.1f}]", 100 * *share, 100 * interval.lower,
                     100 * interval.upper);
}

std::string end_of(const CandidateStanding& tried) {
  if (tried.state == "certified") return "certified";
  if (tried.state == "better_guess") return "given up for a better guess";
  return "given up: it loses";
}

}  // namespace

Table dimensions_table(const SpaceStanding& space, const std::vector<std::string>& pictures) {
  DUEL_CHECK(pictures.empty() || pictures.size() == space.dimensions.size());
  Table table;
  table.column("dimension", Align::left).column("in use").column("best guess");
  table.column("asked about", Align::left);
  if (!pictures.empty()) table.column("low to high", Align::left);
  for (std::size_t k = 0; k < space.dimensions.size(); ++k) {
    const DimensionStanding& dimension = space.dimensions[k];
    std::vector<Cell> row = {
        dimension.name, coordinate_text(dimension.in_use), coordinate_text(dimension.recommended),
        dimension.spread_low ? fmt::format("{} .. {}", coordinate_text(*dimension.spread_low),
                                           coordinate_text(*dimension.spread_high))
                             : std::string()};
    if (!pictures.empty()) row.emplace_back(pictures[k]);
    table.row(std::move(row));
  }
  return table;
}

Table tried_points(const SpaceStanding& space) {
  Table table;
  table.column("candidate").column("point", Align::left).column("won").column("lost");
  table.column("", Align::left);
  for (const CandidateStanding& tried : space.tried) {
    table.row({tried.number, fmt::format("{} ({})", tried.point_id, point_text(tried.point)),
               tried.wins, tried.losses, end_of(tried)});
  }
  return table;
}

std::string judging_costs(const ResultJudging& judging) {
  std::vector<std::string> parts;
  if (judging.answers > 0) {
    const std::string tokens =
        judging.tokens > 0 ? fmt::format(" ({})", counted(judging.tokens, "token")) : "";
    parts.push_back(fmt::format("Judging cost {}{} for {}", price_text(judging.cost), tokens,
                                counted(judging.answers, "answer")));
    if (judging.cost_per_decision) {
      parts.back() +=
          fmt::format(", {} for each pair that is decided", price_text(*judging.cost_per_decision));
    }
  }
  if (judging.cached > 0) {
    parts.push_back(fmt::format("{} from the cache, which {} no evidence",
                                counted(judging.cached, "answer"),
                                judging.cached == 1 ? "is" : "are"));
  }
  return parts.empty() ? "" : fmt::format("{}.", fmt::join(parts, "; "));
}

Table judges_table(const ResultJudging& judging) {
  Table table;
  table.column("judge", Align::left).column("answers").column("for the first, %");
  table.column("flips, %");
  for (const ResultJudge& one : judging.judges) {
    table.row({one.judge, one.answers, share_text(one.first_share, one.first_share_interval),
               share_text(one.flip_rate, one.flip_interval)});
  }
  return table;
}

std::string agreement_sentence(const ResultAgreement& one) {
  return fmt::format("{} and {} name the same arm in {} % of {}.", one.judge, one.other,
                     share_text(one.agreement, one.interval),
                     counted(one.agree + one.differ, "duel"));
}

std::string price_text(double price) { return fmt::format("{:.10g}", price); }

}  // namespace duel
