#include "duel/cli/matrix_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/spelling.h"
#include "duel/core/table.h"

namespace duel::cli {
namespace {

constexpr std::size_t kMostArmsInFull = 20;
constexpr std::size_t kBestArmsShown = 10;
constexpr std::size_t kNameColumns = 24;

// 0.55 - 0.5 is 0.05000000000000004 in doubles; a reader wants the 0.05.
double tidy(double value) { return std::round(value * 1e15) / 1e15; }

Json tidy(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(tidy(value));
  return list;
}

Json or_null(std::optional<double> value) { return value ? Json(tidy(*value)) : Json(); }

std::vector<std::string> names_of(const PreferenceMatrix& matrix, const std::vector<Arm>& arms) {
  std::vector<std::string> names;
  for (const Arm arm : arms) names.push_back(matrix.arm_name(arm));
  return names;
}

// "a, b, c" or "a, b, c and 17 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  if (names.size() <= kShown + 1) return fmt::format("{}", fmt::join(names, ", "));
  const std::vector<std::string> first(names.begin(), names.begin() + kShown);
  return fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - kShown);
}

// "a 0.6", "b 0.4", the heaviest first; the name alone where it has all the weight.
std::vector<std::string> lottery(const PreferenceMatrix& matrix,
                                 const std::vector<double>& weights) {
  std::vector<Arm> support;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (weights[i] > 0) support.push_back(i);
  }
  if (support.size() == 1) return names_of(matrix, support);
  std::sort(support.begin(), support.end(),
            [&](Arm a, Arm b) { return std::tie(weights[b], a) < std::tie(weights[a], b); });
  std::vector<std::string> parts;
  for (const Arm i : support) {
    parts.push_back(fmt::format("{} {:.4g}", matrix.arm_name(i), weights[i]));
  }
  return parts;
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// 2 .. 6, then doubling, and all arms.
std::vector<std::size_t> subset_sizes(std::size_t num_arms) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 2; size < num_arms; size = size < 6 ? size + 1 : 2 * size) {
    sizes.push_back(size);
  }
  if (num_arms > 1) sizes.push_back(num_arms);
  return sizes;
}

// Conditions on chains ---------------------------------------------------------------------------

struct ChainCondition {
  const char* key;    // in JSON and on the command line
  const char* label;  // for people
  ChainCheck ChainChecks::* check;
  std::string (*failure)(const Chain&);
};

const std::vector<ChainCondition>& chain_conditions() {
  static const std::vector<ChainCondition> conditions{
      {"wst", "weak transitivity (WST)", &ChainChecks::weak,
       [](const Chain& chain) { return fmt::format("e_ik = {:.4g} < 0", tidy(chain.gap_ik)); }},
      {"sst", "strong transitivity (SST)", &ChainChecks::strong,
       [](const Chain& chain) {
         return fmt::format("e_ik = {:.4g} < max({:.4g}, {:.4g})", tidy(chain.gap_ik),
                            tidy(chain.gap_ij), tidy(chain.gap_jk));
       }},
      {"sti", "triangle inequality (STI)", &ChainChecks::triangle,
       [](const Chain& chain) {
         return fmt::format("e_ik = {:.4g} > {:.4g} + {:.4g}", tidy(chain.gap_ik),
                            tidy(chain.gap_ij), tidy(chain.gap_jk));
       }},
  };
  return conditions;
}

std::string describe(const PreferenceMatrix& matrix, const ChainCondition& condition,
                     const Chain& chain) {
  return fmt::format("{} > {} > {}: {}", matrix.arm_name(chain.i), matrix.arm_name(chain.j),
                     matrix.arm_name(chain.k), condition.failure(chain));
}

std::string describe(const PreferenceMatrix& matrix, const OrderWitness& witness) {
  return fmt::format("{} does not beat {}: p = {:.4g}", matrix.arm_name(witness.better),
                     matrix.arm_name(witness.worse), witness.p);
}

Json to_json(const PreferenceMatrix& matrix, const ChainCheck& check,
             std::optional<double> share_from_winner) {
  Json json;
  json["holds"] = check.holds();
  json["violations"] = check.violations;
  json["examined"] = check.examined;
  json["share"] = or_null(check.share());
  json["share_from_winner"] = or_null(share_from_winner);
  json["witness"] = nullptr;
  if (check.worst) {
    const Chain& chain = *check.worst;
    json["witness"] = {{"arms", names_of(matrix, {chain.i, chain.j, chain.k})},
                       {"gap_ij", tidy(chain.gap_ij)},
                       {"gap_jk", tidy(chain.gap_jk)},
                       {"gap_ik", tidy(chain.gap_ik)},
                       {"excess", tidy(chain.excess)}};
  }
  return json;
}

Json to_json(const PreferenceMatrix& matrix, const TotalOrderCheck& check) {
  Json json;
  json["holds"] = check.holds();
  json["violations"] = check.violations;
  json["examined"] = check.examined;
  json["witness"] = nullptr;
  if (check.worst) {
    json["witness"] = {{"arms", names_of(matrix, {check.worst->better, check.worst->worse})},
                       {"p", check.worst->p}};
  }
  return json;
}

std::optional<double> share_from_winner(const Assumptions& assumptions,
                                        ChainCheck ChainChecks::* check) {
  if (!assumptions.winner_chains) return std::nullopt;
  return ((*assumptions.winner_chains).*check).share();
}

RequirementVerdict condorcet_verdict(const PreferenceMatrix& matrix) {
  const auto winner = condorcet_winner(matrix);
  const Json name = winner ? Json(matrix.arm_name(*winner)) : Json();
  return {"condorcet", winner.has_value(),
          winner ? matrix.arm_name(*winner) : "nobody beats every other arm",
          Json{{"require", "condorcet"}, {"holds", winner.has_value()}, {"winner", name}}};
}

RequirementVerdict total_order_verdict(const PreferenceMatrix& matrix) {
  const TotalOrderCheck check = check_total_order(matrix);
  RequirementVerdict verdict{"total-order", check.holds(), "", Json{{"require", "total-order"}}};
  verdict.json.update(to_json(matrix, check));
  if (check.worst) {
    verdict.detail = fmt::format("{} ({} of {} pairs)", describe(matrix, *check.worst),
                                 check.violations, check.examined);
  }
  return verdict;
}

RequirementVerdict chain_verdict(const PreferenceMatrix& matrix, const ChainCondition& condition,
                                 const Assumptions& assumptions) {
  const ChainCheck& check = assumptions.chains.*condition.check;
  RequirementVerdict verdict{condition.key, check.holds(), "", Json{{"require", condition.key}}};
  verdict.json.update(to_json(matrix, check, share_from_winner(assumptions, condition.check)));
  if (check.worst) {
    verdict.detail = fmt::format("{} ({} of {} chains)", describe(matrix, condition, *check.worst),
                                 check.violations, check.examined);
  }
  return verdict;
}

}  // namespace

MatrixReport::MatrixReport(const PreferenceMatrix& matrix)
    : matrix_(matrix),
      winner_(condorcet_winner(matrix)),
      copeland_(copeland_scores(matrix)),
      borda_(borda_scores(matrix)),
      smith_(smith_set(matrix)),
      von_neumann_(von_neumann_winner(matrix)),
      gaps_(matrix_gaps(matrix)),
      merit_(merit_ranks(matrix)),
      assumptions_(check_assumptions(matrix)),
      subset_shares_(subset_condorcet_shares(matrix)) {
  if (winner_) bound_ = regret_lower_bound(matrix).value();
}

Json MatrixReport::to_json() const {
  Json json;
  json["name"] = matrix_.name();
  json["num_arms"] = matrix_.num_arms();
  json["arms"] = matrix_.arm_names();
  json["condorcet_winner"] = winner_ ? Json(matrix_.arm_name(*winner_)) : Json();
  Json ties = Json::array();
  for (const auto& [i, j] : copeland_.ties) ties.push_back(names_of(matrix_, {i, j}));
  json["copeland"] = {
      {"scores", copeland_.wins}, {"set", names_of(matrix_, copeland_.winners)}, {"ties", ties}};
  json["borda"] = {{"scores", tidy(borda_.scores)},
                   {"winner", matrix_.arm_name(borda_.winners.front())},
                   {"set", names_of(matrix_, borda_.winners)}};
  json["von_neumann"] = nullptr;
  if (von_neumann_.ok()) {
    json["von_neumann"] = {{"weights", tidy(von_neumann_->weights)},
                           {"guarantee", tidy(von_neumann_->guarantee)}};
  }
  json["smith_set"] = names_of(matrix_, smith_);
  json["gaps"] = {{"winner", or_null(gaps_.winner)},
                  {"any", or_null(gaps_.any)},
                  {"per_arm", winner_ ? tidy(gaps_to_winner(matrix_, *winner_)) : Json()}};
  Json& assumptions = json["assumptions"];
  assumptions["total_order"] = cli::to_json(matrix_, assumptions_.total_order);
  for (const ChainCondition& condition : chain_conditions()) {
    assumptions[condition.key] = cli::to_json(matrix_, assumptions_.chains.*condition.check,
                                              share_from_winner(assumptions_, condition.check));
  }
  assumptions["relaxed_sst_gamma"] = or_null(assumptions_.relaxed_sst_gamma);
  assumptions["relaxed_sti_factor"] = tidy(assumptions_.chains.triangle_factor);
  json["lower_bound"] = bound_ ? Json(bound_->value) : Json();
  json["lower_bound_condorcet_target"] = bound_ ? Json(bound_->condorcet_target) : Json();
  json["lower_bound_terms"] = bound_ ? Json(bound_->terms) : Json();
  json["best_opponents"] = nullptr;
  if (bound_) {
    json["best_opponents"] = Json::array();
    for (Arm i = 0; i < matrix_.num_arms(); ++i) {
      const bool is_winner = i == *winner_;
      json["best_opponents"].push_back(
          is_winner ? Json() : Json(matrix_.arm_name(bound_->best_opponents[i])));
    }
  }
  json["subset_condorcet_share"] = subset_shares_;
  return json;
}

std::string MatrixReport::to_text(const Paint& paint) const {
  std::string text = fmt::format("{}  {}\n\n", paint.bold(matrix_.name()),
                                 counted(matrix_.num_arms(), "arm", "arms"));
  if (matrix_.num_arms() <= kMostArmsInFull) text += cells() + "\n";
  return text + winners(paint) + "\n" + arms(paint) + "\n" + assumptions(paint) + "\n" +
         bounds(paint);
}

// Columns are headed by the arms' names where those are short, otherwise by their numbers.
std::string MatrixReport::cells() const {
  const auto& names = matrix_.arm_names();
  const bool numbered = std::any_of(
      names.begin(), names.end(), [](const std::string& name) { return display_width(name) > 7; });
  Table table;
  if (numbered) table.column("");
  table.column("", Align::left);
  for (std::size_t j = 0; j < names.size(); ++j) {
    table.column(numbered ? fmt::format("{}", j + 1) : names[j]);
  }
  for (Arm i = 0; i < names.size(); ++i) {
    std::vector<std::string> row;
    if (numbered) row.push_back(fmt::format("{}", i + 1));
    row.push_back(shortened(names[i], kNameColumns));
    for (const double p : matrix_.row(i)) row.push_back(fmt::format("{:.3f}", p));
    table.row(std::move(row));
  }
  return table.to_string();
}

std::string MatrixReport::winners(const Paint& paint) const {
  std::string text;
  const auto line = [&](const char* label, const std::string& value) {
    text += fmt::format("{} {}\n", paint.dim(fmt::format("{:<17}", label)), value);
  };
  line("Condorcet winner", winner_ ? matrix_.arm_name(*winner_) : "none");
  line("Copeland winner",
       fmt::format("{}, {} of {} victories", listed(names_of(matrix_, copeland_.winners)),
                   copeland_.wins[copeland_.winners.front()], matrix_.num_arms() - 1));
  line("Borda winner",
       fmt::format("{}, {:.4g}", listed(names_of(matrix_, borda_.winners)), borda_.best()));
  if (von_neumann_.ok()) {
    const bool approximate = von_neumann_->guarantee < 0.5 - kProgrammedShortfall;
    line("von Neumann",
         listed(lottery(matrix_, von_neumann_->weights)) +
             (approximate ? fmt::format(" (approximate: no arm beats it by more than {:.1g})",
                                        0.5 - von_neumann_->guarantee)
                          : ""));
  } else {
    line("von Neumann", von_neumann_.error().message);
  }
  line("Smith set", fmt::format("{}: {}", counted(smith_.size(), "arm", "arms"),
                                listed(names_of(matrix_, smith_))));
  if (gaps_.winner) line("winner's gap", fmt::format("{:.4g}", tidy(*gaps_.winner)));
  if (gaps_.any) line("smallest gap", fmt::format("{:.4g}", tidy(*gaps_.any)));
  if (!copeland_.ties.empty()) {
    std::vector<std::string> pairs;
    for (const auto& [i, j] : copeland_.ties) {
      pairs.push_back(fmt::format("{} - {}", matrix_.arm_name(i), matrix_.arm_name(j)));
    }
    line("pairs at 1/2", fmt::format("{}: {}", pairs.size(), listed(pairs)));
  }
  return text;
}

// Best first; all of them, or the best few of many.
std::string MatrixReport::arms(const Paint& paint) const {
  const std::size_t num_arms = matrix_.num_arms();
  const std::size_t shown = num_arms <= kMostArmsInFull ? num_arms : kBestArmsShown;
  std::vector<Arm> order(num_arms);
  for (Arm i = 0; i < num_arms; ++i) order[merit_[i]] = i;
  Table table;
  table.column(shown == num_arms ? "arm, best first" : fmt::format("best {} arms", shown),
               Align::left);
  table.column("victories").column("Borda");
  if (bound_) table.column("gap").column("bound term").column("cheapest opponent", Align::left);
  for (std::size_t rank = 0; rank < shown; ++rank) {
    const Arm i = order[rank];
    std::vector<std::string> row{shortened(matrix_.arm_name(i), kNameColumns),
                                 fmt::format("{}", copeland_.wins[i]),
                                 fmt::format("{:.4f}", borda_.scores[i])};
    if (bound_ && i != *winner_) {
      row.push_back(fmt::format("{:.4f}", matrix_.gap(*winner_, i)));
      row.push_back(fmt::format("{:.4f}", bound_->terms[i]));
      row.push_back(shortened(matrix_.arm_name(bound_->best_opponents[i]), kNameColumns));
    }
    table.row(std::move(row));
  }
  std::string text = table.to_string();
  if (shown < num_arms) {
    text +=
        paint.dim(fmt::format("{} more arms; all of them with --json", num_arms - shown)) + "\n";
  }
  return text;
}

std::string MatrixReport::assumptions(const Paint& paint) const {
  Table table;
  table.column("assumption", Align::left).column("holds", Align::left).column("violations");
  table.column("worst case, e = p - 1/2", Align::left);
  const auto verdict = [&](bool holds) { return holds ? paint.green("yes") : paint.red("no"); };
  const auto share = [](std::uint64_t violations, std::uint64_t examined) {
    return fmt::format("{} of {}", violations, examined);
  };
  const auto& order = assumptions_.total_order;
  table.row({"total order", verdict(order.holds()), share(order.violations, order.examined),
             order.worst ? describe(matrix_, *order.worst) : ""});
  for (const ChainCondition& condition : chain_conditions()) {
    const ChainCheck& check = assumptions_.chains.*condition.check;
    table.row({condition.label, verdict(check.holds()), share(check.violations, check.examined),
               check.worst ? describe(matrix_, condition, *check.worst) : ""});
  }
  std::string text = table.to_string();
  if (assumptions_.relaxed_sst_gamma) {
    text += fmt::format("relaxed SST holds from the winner with gamma = {:.4g}\n",
                        *assumptions_.relaxed_sst_gamma);
  }
  if (!assumptions_.chains.triangle.holds()) {
    text +=
        fmt::format("relaxed STI holds with factor {:.4g}\n", assumptions_.chains.triangle_factor);
  }
  return text;
}

std::string MatrixReport::bounds(const Paint& paint) const {
  std::string text;
  if (bound_) {
    text += fmt::format("{} {} ln T, average regret\n", paint.dim("lower bound"),
                        paint.bold(fmt::format("{:.4f}", bound_->value)));
    if (bound_->condorcet_target != bound_->value) {
      text += fmt::format("{} {:.4f} ln T\n", paint.dim("with the winner as only opponent"),
                          bound_->condorcet_target);
    }
  } else {
    text += "no lower bound: it needs a Condorcet winner\n";
  }
  std::vector<std::string> parts;
  for (const std::size_t size : subset_sizes(matrix_.num_arms())) {
    parts.push_back(fmt::format("k={} {:.3g} %", size, 100 * subset_shares_[size - 1]));
  }
  if (!parts.empty()) {
    text += fmt::format("{} {}\n", paint.dim("subsets of k arms with a Condorcet winner:"),
                        fmt::join(parts, ", "));
  }
  return text;
}

std::vector<std::string> requirement_names() {
  std::vector<std::string> names{"condorcet", "total-order"};
  for (const ChainCondition& condition : chain_conditions()) names.emplace_back(condition.key);
  return names;
}

Result<std::vector<RequirementVerdict>> check_requirements(
    const PreferenceMatrix& matrix, const std::vector<std::string>& requirements) {
  const auto known = requirement_names();
  for (const std::string& name : requirements) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Error::invalid_argument(fmt::format("unknown requirement '{}'", name), "--require",
                                     spelling_hint(name, known));
    }
  }
  std::optional<Assumptions> assumptions;  // only where chains are asked for: O(K^3)
  std::vector<RequirementVerdict> verdicts;
  for (const std::string& name : requirements) {
    if (name == "condorcet") verdicts.push_back(condorcet_verdict(matrix));
    if (name == "total-order") verdicts.push_back(total_order_verdict(matrix));
    for (const ChainCondition& condition : chain_conditions()) {
      if (name != condition.key) continue;
      if (!assumptions) assumptions = check_assumptions(matrix);
      verdicts.push_back(chain_verdict(matrix, condition, *assumptions));
    }
  }
  return verdicts;
}

}  // namespace duel::cli
