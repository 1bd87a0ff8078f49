#include "duel/verdict/experiment_result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "duel/experiment/tasks_left.h"
#include "duel/inference/confidence_sequence.h"
#include "duel/inference/position_bias.h"
#include "duel/log/experiment_log.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/regret_estimate.h"
#include "duel/verdict/verdict.h"

namespace duel {
namespace {

std::optional<std::string> id_of(const Ledger& ledger, const std::optional<Arm>& arm) {
  return arm ? std::optional(ledger.id_of(*arm)) : std::nullopt;
}

ResultArm arm_of(const Ledger& ledger, const Standing& standing, const BoardArm& on_board) {
  ResultArm arm{on_board, ledger.id_of(on_board.arm), ledger.name_of(on_board.arm)};
  const ArmStanding& place = standing.arms[arm.arm];
  if (place.beaten) {
    arm.log_evidence = ledger.certifier().log_evidence(*standing.leader, arm.arm);
    arm.log_threshold = ledger.certifier().log_threshold(*standing.leader);
    arm.duels_left.emplace(place.duels_left);
  }
  arm.score = place.score;
  return arm;
}

ResultPosition position_of(const PositionEffect& effect) {
  const Interval interval = effect.interval(Board::kDelta);
  return {.log_odds = effect.log_odds,
          .elo = elo_points(effect.log_odds),
          .first_wins_against_equal = effect.first_wins_against_equal(),
          .interval = interval,
          .elo_interval = Interval{elo_points(interval.lower), elo_points(interval.upper)}};
}

ResultStrengths strengths_of(const Board& board) {
  ResultStrengths shown;
  shown.ties = board.tie_model == TieModel::davidson ? "davidson" : "halves";
  if (!board.strengths) {
    shown.error = board.no_strengths;
    return shown;
  }
  const BradleyTerryFit& fit = *board.strengths;
  shown.added_wins = fit.added_wins;
  shown.prior_shape.emplace(fit.prior ? std::optional(fit.prior->shape) : std::nullopt);
  shown.tie_parameter = fit.tie_parameter;
  if (fit.position) {
    shown.position = position_of(*fit.position);
  } else if (!board.no_position.empty()) {
    shown.position.emplace().error = board.no_position;
  }
  shown.lack_of_fit = fit.lack_of_fit;
  return shown;
}

constexpr double kJudgesDelta = 0.05;

std::optional<double> part_of_two(std::uint64_t part, std::uint64_t rest) {
  if (part + rest == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(part + rest);
}

ResultJudge judge_of(const std::string& name, const JudgeCounts& counts) {
  const std::uint64_t steady = counts.both_orders - counts.flips;
  return {
      .judge = name,
      .answers = counts.answers,
      .first_share = part_of_two(counts.first, counts.second),
      .flip_rate = part_of_two(counts.flips, steady),
      .first_share_interval =
          estimate_position_bias(counts.first, counts.second, kJudgesDelta).interval,
      .flip_interval = beta_binomial_sequence(counts.flips, steady, kJudgesDelta),
      .both_orders = counts.both_orders,
      .flips = counts.flips,
  };
}

// Pairs of which one arm has been shown to beat the other.
std::uint64_t decided_pairs(const Ledger& ledger) {
  if (ledger.parts().space || ledger.parts().panel) return ledger.certificate() ? 1 : 0;
  std::uint64_t decided = 0;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) decided += is_open(ledger, i, j) ? 0 : 1;
  }
  return decided;
}

}  // namespace

std::optional<ResultJudging> judging_of(const Ledger& ledger) {
  const AnswerCosts& costs = ledger.costs();
  // The first record names the judges of all logs that were begun by several on purpose.
  const bool several =
      ledger.judge_counts().size() > 1 && !ledger.experiment().judge.command.empty();
  if (costs.answers == 0 && costs.cached == 0 && !several) return std::nullopt;
  ResultJudging judging{
      .answers = costs.answers, .tokens = costs.tokens, .cached = costs.cached, .cost = costs.cost};
  if (const std::uint64_t decided = decided_pairs(ledger); decided > 0) {
    judging.cost_per_decision = costs.cost / static_cast<double>(decided);
  }
  if (!several) return judging;
  for (const auto& [name, counts] : ledger.judge_counts()) {
    judging.judges.push_back(judge_of(name, counts));
  }
  for (const auto& [names, said] : ledger.agreements()) {
    const auto [agree, differ] = said;
    judging.agreements.push_back({names.first, names.second, agree, differ,
                                  part_of_two(agree, differ).value_or(0),
                                  beta_binomial_sequence(agree, differ, kJudgesDelta)});
  }
  return judging;
}

ResultOrder order_of(const Ledger& ledger, const OrderStanding& order) {
  ResultOrder shown{.arms = ids_of(ledger, order.arms),
                    .named = order.named,
                    .certain = order.certain,
                    .pairs_needed = order.needed.size(),
                    .pairs_shown = order.shown()};
  for (const NeededPair& pair : order.needed) {
    if (pair.shown) continue;
    shown.open.push_back({ledger.id_of(pair.first), ledger.id_of(pair.second),
                          ledger.certifier().log_evidence(pair.first, pair.second),
                          ledger.orders()->log_threshold(), pair.duels_left});
  }
  return shown;
}

Result<ReadAnswers> read_answers(const std::string& file, double alpha, const Goal& goal,
                                 const VoteColumns* columns, std::vector<std::string>* notes) {
  if (looks_like_log(file)) {
    DUEL_ASSIGN(CheckedLog log, check_log(file));
    return ReadAnswers{std::move(log.ledger), std::move(log.if_wrong)};
  }
  DUEL_ASSIGN(ComparisonTable table, read_comparisons(file, columns));
  if (notes != nullptr) *notes = notes_of(table);
  const bool in_order = sort_by_time(table);
  return answers_of(table, id_from(std::filesystem::path(file).stem().string()), alpha, in_order,
                    goal);
}

Result<ReadAnswers> answers_of(const ComparisonTable& table, const std::string& experiment_id,
                               double alpha, bool in_order, const Goal& goal) {
  DUEL_ASSIGN(Ledger ledger,
              Ledger::make(experiment_of(table, experiment_id, alpha, in_order, goal)));
  const Replay rows = [&](const RecordSink& sink) -> Status {
    LogEntry entry{.sequence = 1, .time_ms = 0, .record = {}, .hash = ""};
    for (const ComparisonRecord& row : table.rows) {
      ++entry.sequence;
      entry.record = row;
      DUEL_RETURN_IF_ERROR(sink(entry));
    }
    return Done{};
  };
  const Status folded = rows([&](const LogEntry& entry) -> Status {
    DUEL_RETURN_IF_ERROR(ledger.apply(entry));
    return Done{};
  });
  if (!folded.ok()) return folded.error();
  DUEL_ASSIGN(IfWrong now, if_wrong_now(ledger, rows));
  return ReadAnswers{std::move(ledger), std::move(now)};
}

ExperimentResult result_of(const Ledger& ledger, const Board& board, const IfWrong& if_wrong) {
  const Standing& standing = board.standing;
  const auto& given = ledger.certificate();
  const bool too_little = standing.too_little && !given;
  ExperimentResult result;
  result.experiment_id = ledger.experiment().experiment_id;
  result.verdict = verdict_of(ledger, standing);
  result.state = given ? "certified" : too_little ? "not_enough_data" : "undecided";
  result.goal = describe(ledger.experiment().goal);
  if (!too_little) result.leader = id_of(ledger, standing.leader);
  result.tied = ids_of(ledger, standing.places.tied);
  result.not_ruled_out = ids_of(ledger, board.not_ruled_out);
  if (standing.order) result.order = order_of(ledger, *standing.order);
  result.panel = standing.panel;
  result.space = standing.space;
  if (ledger.parts().audited) result.audit = audit_standing(ledger);
  result.expected_duels_left = standing.duels_left;
  result.forecast = forecast_of(ledger, standing);
  if (const auto regret = estimated_regret(ledger, standing)) {
    result.regret = {ledger.id_of(regret->against), regret->regret, regret->lower_bound};
  }
  result.excluded_share = ledger.excluded_share();
  result.one_look = ledger.experiment().one_look_after > 0;
  result.duels = ledger.total();
  for (const BoardArm& arm : board.arms) result.arms.push_back(arm_of(ledger, standing, arm));
  for (const BoardPair& pair : board.pairs) {
    result.pairs.push_back({ledger.id_of(pair.first), ledger.id_of(pair.second), pair.counts,
                            pair.rate, pair.interval});
    if (standing.panel) result.pairs.back().panel = panel_facts(ledger, pair.first, pair.second);
  }
  result.bradley_terry = strengths_of(board);
  result.probability_no_winner = standing.places.probability_no_winner;
  result.judging = judging_of(ledger);
  if (given) {
    result.certificate = {.kind = given->kind,
                          .winner = id_of(ledger, given->winner),
                          .sequence = given->sequence,
                          .named = ids_of(ledger, given->arms)};
    if (given->kind == CertificateKind::no_winner) {
      result.certificate->cycle = ids_of(ledger, certified_cycle(ledger));
    }
  }
  result.if_wrong = if_wrong;
  result.why_not_yet = why_not_yet(ledger, standing, board.health);
  result.health = board.health;
  return result;
}

}  // namespace duel
