#include "duel/truth/matrix_schedule.h"

#include <fmt/format.h>

#include <utility>

#include "duel/core/call_spec.h"
#include "duel/core/numbers.h"
#include "duel/core/text_lines.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

constexpr std::string_view kName = "changing";
constexpr const char* kExample = "write changing(1=arxiv,10000=random-condorcet(k=6,seed=3))";

Error wrong(std::string message, std::string where = "") {
  return Error::invalid_argument(std::move(message), std::move(where), kExample);
}

}  // namespace

Result<MatrixSchedule> resolve_schedule(std::string_view text) {
  MatrixSchedule schedule;
  if (trimmed(text.substr(0, text.find('('))) != kName) {
    DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(text));
    schedule.name = matrix.name();
    schedule.segments.push_back({1, std::move(matrix)});
    return schedule;
  }
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  if (call.arguments.empty()) return wrong("'changing' names no matrix");
  CallSpec canonical{call.name, {}};
  for (const auto& [key, value] : call.arguments) {
    const auto from = parse_count(key);
    if (!from.ok() || *from < 1) {
      return wrong(fmt::format("'{}' is not a round from which a matrix is in force", key),
                   "changing");
    }
    if (schedule.segments.empty() && *from != 1) {
      return wrong(fmt::format("the first matrix is in force from round 1, not {}", *from),
                   "changing");
    }
    if (!schedule.segments.empty() && *from <= schedule.segments.back().from) {
      return wrong(fmt::format("round {} does not come after round {}", *from,
                               schedule.segments.back().from),
                   "changing");
    }
    auto matrix = resolve_matrix(value);
    if (!matrix.ok()) {
      Error error = matrix.error();
      error.where = fmt::format("changing, round {}{}{}", *from, error.where.empty() ? "" : ", ",
                                error.where);
      return error;
    }
    if (!schedule.segments.empty()) {
      const PreferenceMatrix& first = schedule.segments.front().matrix;
      if (matrix->num_arms() != first.num_arms()) {
        return wrong(fmt::format("matrix '{}' has {} arms, and '{}' has {}", matrix->name(),
                                 matrix->num_arms(), first.name(), first.num_arms()),
                     fmt::format("changing, round {}", *from));
      }
    }
    canonical.arguments.emplace_back(fmt::format("{}", *from), matrix->name());
    schedule.segments.push_back({*from, *std::move(matrix)});
  }
  schedule.name = to_string(canonical);
  return schedule;
}

}  // namespace duel
