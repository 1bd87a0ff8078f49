#include "duel/verdict/judge_view.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

#include "duel/core/text_map.h"
#include "duel/inference/bradley_terry.h"
#include "duel/inference/judge_reliability.h"
#include "duel/log/experiment_log.h"

namespace duel {
namespace {

constexpr double kDelta = 0.05;

void add(std::vector<JudgedPair>& pairs, const std::string& judge, const std::string& first,
         const std::string& second, const Answer& answer) {
  if (judge.empty() || first == second || answer.result == Answered::skip) return;
  const auto share = score_of(answer, first, second);
  if (share) pairs.push_back({judge, first, second, *share});
}

std::size_t number_of(TextMap<std::size_t>& numbers, std::vector<std::string>& names,
                      const std::string& name) {
  const auto [at, is_new] = numbers.emplace(name, names.size());
  if (is_new) names.push_back(name);
  return at->second;
}

}  // namespace

std::vector<JudgedPair> judged_pairs_of(const ComparisonTable& table) {
  std::vector<JudgedPair> pairs;
  for (const ComparisonRecord& row : table.rows) {
    add(pairs, row.source.id, row.first, row.second, row.answer);
  }
  return pairs;
}

Result<std::vector<JudgedPair>> judged_pairs_in_log(const std::string& file) {
  std::vector<JudgedPair> pairs;
  TextMap<std::pair<std::string, std::string>> shown;  // by duel, while it is open
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
      shown[serve->duel_id] = {serve->first, serve->second};
    } else if (const auto* row = std::get_if<ComparisonRecord>(&entry.record)) {
      add(pairs, row->source.id, row->first, row->second, row->answer);
    } else if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) {
      shown.erase(expired->duel_id);
    }
    const auto* outcome = std::get_if<OutcomeRecord>(&entry.record);
    if (outcome == nullptr) return Done{};
    const auto duel = shown.find(outcome->duel_id);
    if (duel == shown.end()) return Done{};
    const auto [first, second] = duel->second;
    shown.erase(duel);  // the first answer counts
    const bool by_jury = std::ranges::any_of(
        outcome->judgements, [](const Judgement& one) { return !one.judge.empty(); });
    if (!by_jury) {
      add(pairs, outcome->source.id, first, second, outcome->answer);
      return Done{};
    }
    for (const Judgement& one : outcome->judgements) {
      add(pairs, one.judge, one.first, one.first == first ? second : first, one.answer);
    }
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(read_log(file, sink));
  return pairs;
}

Result<JudgeView> judge_view_of(const std::vector<JudgedPair>& pairs) {
  TextMap<std::size_t> arm_numbers, judge_numbers;
  std::vector<std::string> arms, judges;
  for (const JudgedPair& one : pairs) {
    number_of(arm_numbers, arms, one.first);
    number_of(arm_numbers, arms, one.second);
    number_of(judge_numbers, judges, one.judge);
  }
  if (judges.size() < 2) {
    return Error::invalid_argument("the answers do not name two judges, voters or models", "",
                                   "a table names them in the column judge");
  }
  std::vector<DuelTable> by_judge(judges.size(), DuelTable(arms.size()));
  DuelTable all(arms.size());
  JudgeView view;
  for (const std::string& judge : judges) view.judges.push_back({.judge = judge, .interval = {}});
  for (const JudgedPair& one : pairs) {
    const auto first = static_cast<Arm>(arm_numbers.find(one.first)->second);
    const auto second = static_cast<Arm>(arm_numbers.find(one.second)->second);
    const std::size_t judge = judge_numbers.find(one.judge)->second;
    ++view.judges[judge].answers;
    for (DuelTable* table : {&by_judge[judge], &all}) {
      table->add_wins(first, second, one.share);
      table->add_wins(second, first, 1 - one.share);
    }
  }
  DUEL_ASSIGN(const JudgeReliability fit, fit_judge_reliability(by_judge));
  // Two copies of one table: where all judges are alike, the fit is Bradley and Terry's.
  DUEL_ASSIGN(const BradleyTerryFit plain,
              fit_bradley_terry(all, {.prior = GammaPrior{.shape = 1.1}}));
  for (std::size_t k = 0; k < judges.size(); ++k) {
    WeighedJudge& one = view.judges[k];
    one.gamma = fit.gamma[k];
    one.interval = fit.interval(k, kDelta);
    one.leaning = one.interval.upper < 0    ? JudgeLeaning::against_others
                  : one.interval.lower <= 0 ? JudgeLeaning::unclear
                                            : JudgeLeaning::with_others;
  }
  for (Arm arm = 0; arm < arms.size(); ++arm) {
    view.strengths.push_back(
        {.arm_id = arms[arm], .plain = plain.log_strength[arm], .weighed = fit.strength[arm]});
  }
  std::ranges::stable_sort(view.judges, std::greater<>(), &WeighedJudge::gamma);
  std::ranges::stable_sort(view.strengths, std::greater<>(), &WeighedStrength::weighed);
  return view;
}

}  // namespace duel
