#include "duel/truth/matrix_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/spelling.h"

namespace duel {
namespace {

// 0.55 - 0.5 is 0.05000000000000004 in doubles; a reader wants the 0.05.
double tidy(double value) { return std::round(value * 1e15) / 1e15; }

std::optional<double> tidy(std::optional<double> value) {
  return value ? std::optional(tidy(*value)) : std::nullopt;
}

Json tidy(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(tidy(value));
  return list;
}

struct ChainCondition {
  const char* name;
  ChainCheck ChainChecks::* check;
  std::string (*failure)(const Chain&);
};

const std::vector<ChainCondition>& chain_conditions() {
  static const std::vector<ChainCondition> conditions{
      {"wst", &ChainChecks::weak,
       [](const Chain& chain) { return fmt::format("e_ik = {:.4g} < 0", tidy(chain.gap_ik)); }},
      {"sst", &ChainChecks::strong,
       [](const Chain& chain) {
         return fmt::format("e_ik = {:.4g} < max({:.4g}, {:.4g})", tidy(chain.gap_ik),
                            tidy(chain.gap_ij), tidy(chain.gap_jk));
       }},
      {"sti", &ChainChecks::triangle,
       [](const Chain& chain) {
         return fmt::format("e_ik = {:.4g} > {:.4g} + {:.4g}", tidy(chain.gap_ik),
                            tidy(chain.gap_ij), tidy(chain.gap_jk));
       }},
  };
  return conditions;
}

AssumptionVerdict condorcet_verdict(const PreferenceMatrix& matrix) {
  const auto winner = condorcet_winner(matrix);
  AssumptionVerdict verdict{.name = "condorcet", .holds = winner.has_value()};
  verdict.detail = winner ? matrix.arm_name(*winner) : "nobody beats every other arm";
  verdict.json = {{"holds", verdict.holds}, {"winner", winner ? Json(verdict.detail) : Json()}};
  return verdict;
}

template <class Check>
AssumptionVerdict verdict_of(const char* name, const char* examines, const Check& check) {
  return {.name = name,
          .holds = check.holds(),
          .examines = examines,
          .violations = check.violations,
          .examined = check.examined,
          .json = {{"holds", check.holds()},
                   {"violations", check.violations},
                   {"examined", check.examined}}};
}

AssumptionVerdict total_order_verdict(const PreferenceMatrix& matrix,
                                      const TotalOrderCheck& check) {
  AssumptionVerdict verdict = verdict_of("total-order", "pairs", check);
  verdict.json["witness"] = nullptr;
  if (check.worst) {
    const auto& [better, worse, p] = *check.worst;
    verdict.detail = fmt::format("{} does not beat {}: p = {:.4g}", matrix.arm_name(better),
                                 matrix.arm_name(worse), p);
    verdict.json["witness"] = {{"arms", names_of(matrix, {better, worse})}, {"p", p}};
  }
  return verdict;
}

AssumptionVerdict chain_verdict(const PreferenceMatrix& matrix, const ChainCondition& condition,
                                const Assumptions& assumptions) {
  const ChainCheck& check = assumptions.chains.*condition.check;
  AssumptionVerdict verdict = verdict_of(condition.name, "chains", check);
  verdict.json["share"] = tidy(check.share());
  verdict.json["share_from_winner"] =
      assumptions.winner_chains
          ? Json(tidy(((*assumptions.winner_chains).*condition.check).share()))
          : Json();
  verdict.json["witness"] = nullptr;
  if (check.worst) {
    const Chain& chain = *check.worst;
    const std::vector<std::string> names = names_of(matrix, {chain.i, chain.j, chain.k});
    verdict.detail =
        fmt::format("{} > {} > {}: {}", names[0], names[1], names[2], condition.failure(chain));
    verdict.json["witness"] = {{"arms", names},
                               {"gap_ij", tidy(chain.gap_ij)},
                               {"gap_jk", tidy(chain.gap_jk)},
                               {"gap_ik", tidy(chain.gap_ik)},
                               {"excess", tidy(chain.excess)}};
  }
  return verdict;
}

}  // namespace

MatrixDescription::MatrixDescription(const PreferenceMatrix& about)
    : matrix(about),
      winner(condorcet_winner(about)),
      copeland(copeland_scores(about)),
      borda(borda_scores(about)),
      smith(smith_set(about)),
      von_neumann(von_neumann_winner(about)),
      gaps(matrix_gaps(about)),
      merit(merit_ranks(about)),
      assumptions(check_assumptions(about)),
      subset_shares(subset_condorcet_shares(about)) {
  gaps = {tidy(gaps.winner), tidy(gaps.any)};
  if (winner) bound = regret_lower_bound(about).value();
}

std::vector<AssumptionVerdict> MatrixDescription::verdicts() const {
  std::vector<AssumptionVerdict> verdicts{total_order_verdict(matrix, assumptions.total_order)};
  for (const ChainCondition& condition : chain_conditions()) {
    verdicts.push_back(chain_verdict(matrix, condition, assumptions));
  }
  return verdicts;
}

Json MatrixDescription::to_json() const {
  Json json;
  json["name"] = matrix.name();
  json["num_arms"] = matrix.num_arms();
  json["arms"] = matrix.arm_names();
  json["condorcet_winner"] = winner ? Json(matrix.arm_name(*winner)) : Json();
  Json ties = Json::array();
  for (const auto& [i, j] : copeland.ties) ties.push_back(names_of(matrix, {i, j}));
  json["copeland"] = {
      {"scores", copeland.wins}, {"set", names_of(matrix, copeland.winners)}, {"ties", ties}};
  json["borda"] = {{"scores", tidy(borda.scores)},
                   {"winner", matrix.arm_name(borda.winners.front())},
                   {"set", names_of(matrix, borda.winners)}};
  json["von_neumann"] = nullptr;
  if (von_neumann.ok()) {
    json["von_neumann"] = {{"weights", tidy(von_neumann->weights)},
                           {"guarantee", tidy(von_neumann->guarantee)}};
  }
  json["smith_set"] = names_of(matrix, smith);
  json["gaps"] = {{"winner", tidy(gaps.winner)},
                  {"any", tidy(gaps.any)},
                  {"per_arm", winner ? tidy(gaps_to_winner(matrix, *winner)) : Json()}};
  Json& assumed = json["assumptions"];
  for (AssumptionVerdict& verdict : verdicts()) {
    std::replace(verdict.name.begin(), verdict.name.end(), '-', '_');
    assumed[verdict.name] = std::move(verdict.json);
  }
  assumed["relaxed_sst_gamma"] = tidy(assumptions.relaxed_sst_gamma);
  assumed["relaxed_sti_factor"] = tidy(assumptions.chains.triangle_factor);
  json["lower_bound"] = bound ? Json(bound->value) : Json();
  json["lower_bound_condorcet_target"] = bound ? Json(bound->condorcet_target) : Json();
  json["lower_bound_terms"] = bound ? Json(bound->terms) : Json();
  json["best_opponents"] = nullptr;
  if (bound) {
    json["best_opponents"] = Json::array();
    for (Arm i = 0; i < matrix.num_arms(); ++i) {
      json["best_opponents"].push_back(
          i == *winner ? Json() : Json(matrix.arm_name(bound->best_opponents[i])));
    }
  }
  json["subset_condorcet_share"] = subset_shares;
  return json;
}

std::vector<std::string> names_of(const PreferenceMatrix& matrix, const std::vector<Arm>& arms) {
  std::vector<std::string> names;
  for (const Arm arm : arms) names.push_back(matrix.arm_name(arm));
  return names;
}

std::vector<std::string> requirement_names() {
  std::vector<std::string> names{"condorcet", "total-order"};
  for (const ChainCondition& condition : chain_conditions()) names.emplace_back(condition.name);
  return names;
}

Result<std::vector<AssumptionVerdict>> check_requirements(const PreferenceMatrix& matrix,
                                                          const std::vector<std::string>& require) {
  const auto known = requirement_names();
  for (const std::string& name : require) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Error::invalid_argument(fmt::format("unknown requirement '{}'", name))
          .with_hint(spelling_hint(name, known))
          .in_field("require");
    }
  }
  std::optional<Assumptions> assumptions;  // only where chains are asked for: O(K^3)
  std::vector<AssumptionVerdict> verdicts;
  for (const std::string& name : require) {
    if (name == "condorcet") verdicts.push_back(condorcet_verdict(matrix));
    if (name == "total-order") {
      verdicts.push_back(total_order_verdict(matrix, check_total_order(matrix)));
    }
    for (const ChainCondition& condition : chain_conditions()) {
      if (name != condition.name) continue;
      if (!assumptions) assumptions = check_assumptions(matrix);
      verdicts.push_back(chain_verdict(matrix, condition, *assumptions));
    }
  }
  return verdicts;
}

bool all_hold(const std::vector<AssumptionVerdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const AssumptionVerdict& verdict) { return verdict.holds; });
}

Json to_json(const PreferenceMatrix& matrix, const std::vector<AssumptionVerdict>& verdicts) {
  Json json{{"name", matrix.name()},
            {"num_arms", matrix.num_arms()},
            {"holds", all_hold(verdicts)},
            {"checks", Json::array()}};
  for (const AssumptionVerdict& verdict : verdicts) {
    Json check{{"require", verdict.name}};
    check.update(verdict.json);
    json["checks"].push_back(std::move(check));
  }
  return json;
}

}  // namespace duel
