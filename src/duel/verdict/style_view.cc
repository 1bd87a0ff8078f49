#include "duel/verdict/style_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/core/text_map.h"
#include "duel/inference/covariate_fit.h"

namespace duel {
namespace {

constexpr double kDelta = 0.05;

std::optional<double> number_in(const ComparisonRecord& row, const std::string& column) {
  const std::string text = extra_of(row, column);
  if (text.empty()) return std::nullopt;
  const Result<double> number = parse_number(text);
  if (!number.ok() || !std::isfinite(*number)) return std::nullopt;
  return *number;
}

// First minus second.
std::optional<double> difference_of(const ComparisonRecord& row, const std::string& name) {
  const std::array<std::pair<std::string, std::string>, 3> columns{
      {{"first_" + name, "second_" + name},
       {name + "_first", name + "_second"},
       {name + "_a", name + "_b"}}};
  for (const auto& [first, second] : columns) {
    const auto one = number_in(row, first), other = number_in(row, second);
    if (one && other) return *one - *other;
  }
  return std::nullopt;
}

std::string task_of(const ComparisonRecord& row) {
  for (const char* column : {"task", "task_id", "question_id"}) {
    std::string task = extra_of(row, column);
    if (!task.empty()) return task;
  }
  return "";
}

// Who may depend on whom: answers to one task, or else of one source where there are several.
std::string cluster_kind(const ComparisonTable& table) {
  bool tasks = !table.rows.empty(), sources = tasks, several = false;
  for (const ComparisonRecord& row : table.rows) {
    if (task_of(row).empty()) tasks = false;
    if (row.source.id.empty()) sources = false;
    if (row.source.id != table.rows.front().source.id) several = true;
  }
  return tasks ? "task" : sources && several ? "source" : "answer";
}

}  // namespace

Result<StyleView> style_view_of(const ComparisonTable& table,
                                const std::vector<std::string>& names) {
  StyleView view;
  view.clustered_by = cluster_kind(table);
  TextMap<Arm> arms;
  for (const ArmEntry& arm : table.arms) arms.emplace(arm.id, static_cast<Arm>(arms.size()));
  std::map<std::string, std::size_t> clusters;
  std::vector<CovariateAnswer> plain, styled;
  for (const ComparisonRecord& row : table.rows) {
    if (row.answer.result == Answered::skip || row.first == row.second) continue;
    const auto share = score_of(row.answer, row.first, row.second);
    if (!share) continue;
    CovariateAnswer answer{.first = arms.find(row.first)->second,
                           .second = arms.find(row.second)->second,
                           .share = *share};
    bool complete = true;
    for (const std::string& name : names) {
      const auto difference = difference_of(row, name);
      complete = complete && difference;
      answer.differences.push_back(difference.value_or(0));
    }
    if (!complete) {
      ++view.left_out;
      continue;
    }
    const std::string cluster = view.clustered_by == "task"     ? task_of(row)
                                : view.clustered_by == "source" ? row.source.id
                                                                : std::to_string(styled.size());
    answer.cluster = clusters.emplace(cluster, clusters.size()).first->second;
    plain.push_back(answer);
    plain.back().differences.clear();
    styled.push_back(std::move(answer));
  }
  view.answers = styled.size();
  if (styled.empty()) {
    return Error::invalid_argument(
        fmt::format("no answer has numbers for '{}'", fmt::join(names, "', '")), "",
        fmt::format("a judge sends them as features, a table has columns first_{0} and second_{0}",
                    names.front()));
  }
  DUEL_ASSIGN(const CovariateFit without, fit_with_covariates(table.arms.size(), {}, plain));
  DUEL_ASSIGN(const CovariateFit with, fit_with_covariates(table.arms.size(), names, styled));
  view.clusters = with.clusters;
  for (std::size_t k = 0; k < names.size(); ++k) {
    view.effects.push_back({.name = names[k],
                            .typical = with.scale[k],
                            .effect = with.effect[k],
                            .interval = with.effect_interval(k, kDelta)});
  }
  for (Arm arm = 0; arm < table.arms.size(); ++arm) {
    view.strengths.push_back({.arm_id = table.arms[arm].id,
                              .plain = without.strength[arm],
                              .styled = with.strength[arm]});
  }
  for (Arm i = 0; i < table.arms.size(); ++i) {
    for (Arm j = 0; j < table.arms.size(); ++j) {
      if (i == j) continue;
      const Interval before = without.difference_interval(i, j, kDelta);
      const Interval after = with.difference_interval(i, j, kDelta);
      if (before.lower <= 0 || after.lower > 0) continue;
      view.changes.push_back({.arm_id = table.arms[i].id,
                              .other = table.arms[j].id,
                              .plain = before,
                              .styled = after,
                              .reversed = after.upper < 0});
    }
  }
  std::ranges::stable_sort(view.strengths, std::greater<>(), &StyleStrength::styled);
  return view;
}

}  // namespace duel
