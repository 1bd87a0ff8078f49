#include "duel/policies/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "duel/core/beta.h"
#include "duel/core/logarithm.h"
#include "duel/inference/error_budget.h"
#include "duel/inference/order_threshold.h"
#include "duel/policies/certify_order.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/parts/evidence_grid.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

// Losses in a sampled tournament; then, of equal ones, the cost of winning all pairs.
using Standing = std::pair<std::uint32_t, std::int64_t>;
constexpr Standing kWorst{std::numeric_limits<std::uint32_t>::max(),
                          std::numeric_limits<std::int64_t>::max()};

ErrorBudget budget_of(const CertifyOptions& options, std::size_t num_arms) {
  return {options.certificate_alpha,
          num_arms,
          true,
          options.shared_causes,
          options.epsilon,
          options.assume == Assumption::order && num_arms > 1};
}

}  // namespace

Certify::Certify(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : CertifyingPolicy(options, num_arms),
      evidence_(options.epsilon),
      log_threshold_(natural_log(budget_of(options, num_arms).threshold(0, 0))),
      // One arm alone has no pair to declare.
      log_edge_threshold_(num_arms < 2
                              ? log_threshold_
                              : natural_log(budget_of(options, num_arms).edge_threshold(0, 1))),
      beaten_(num_arms * num_arms),
      beliefs_(num_arms),
      row_cost_(num_arms),
      worst_(num_arms),
      room_(num_arms) {
  for (Arm i = 0; i < num_arms; ++i) refresh_row(i);
}

Arm Certify::likeliest_winner(RoundRng& rng) const {
  LeastArms<std::int64_t> least(room_);
  for (Arm i = 0; i < counts_.num_arms(); ++i) least.offer(i, row_cost_[i]);
  return least.pick(options_.deterministic_ties, rng);
}

Arm Certify::leader(RoundRng& rng) const {
  const std::uint64_t way = rng.below(4);
  if (way < 2) return likeliest_winner(rng);
  const SampledTournament tournament(beliefs_, rng, nullptr);
  const std::uint8_t level = way == 2 ? *std::min_element(worst_.begin(), worst_.end()) : 2;
  LeastArms<Standing> least(room_, kWorst);
  for (Arm i = 0; i < counts_.num_arms(); ++i) {
    if (worst_[i] > level) continue;
    const std::uint32_t losses = tournament.losses(i, least.value().first);
    least.offer(i, {losses, row_cost_[i]});
  }
  return least.pick(options_.deterministic_ties, rng);
}

Arm Certify::rival_of(Arm leader, RoundRng& rng) const {
  const auto num_arms = static_cast<Arm>(counts_.num_arms());
  const std::uint8_t* beaten = &beaten_[std::size_t{leader} * num_arms];
  bool all_beaten = true;
  for (Arm j = 0; j < num_arms; ++j) all_beaten = all_beaten && (j == leader || beaten[j] > 0);
  const bool draws = !rng.coin();
  LeastArms<double> least(room_);
  for (Arm j = 0; j < num_arms; ++j) {
    if (j == leader || (!all_beaten && beaten[j] > 0)) continue;
    const double pending = pending_.empty() ? 0.0 : pending_.count(leader, j);
    const double wins = counts_.wins(leader, j) + pending;
    const double losses = counts_.wins(j, leader);
    if (draws) {
      least.offer(j, -draw_beta(losses + 1, wins + 1, rng));
    } else {
      least.offer(j, pending > 0 ? beta_above_half(wins, losses) : beliefs_.above_half(leader, j));
    }
  }
  return least.pick(options_.deterministic_ties, rng);
}

Duel Certify::select(Round round, RoundRng rng) const {
  if (counts_.num_arms() == 1) return {0, 0, round};
  const Arm first = leader(rng);
  return {first, rival_of(first, rng), round};
}

void Certify::refresh_row(Arm i) {
  row_cost_[i] = 0;
  for (Arm j = 0; j < counts_.num_arms(); ++j) {
    if (j != i) row_cost_[i] += to_grid(beliefs_.cost(i, j));
  }
}

void Certify::refresh_pair(Arm i, Arm j) {
  beliefs_.refresh(i, j, counts_);
  refresh_row(i);
  refresh_row(j);
  const std::size_t num_arms = counts_.num_arms();
  const auto raise = [&](Arm winner, Arm loser) {
    std::uint8_t& level = beaten_[winner * num_arms + loser];
    const std::uint32_t won = wins(winner, loser), lost = wins(loser, winner);
    // An arm that is good enough may lose more often than it wins.
    if (level < 2 && (won > lost || options_.epsilon > 0)) {
      const double evidence = evidence_.log_evidence(won, lost);
      const std::uint8_t reached = evidence >= log_edge_threshold_ ? 2
                                   : evidence >= log_threshold_    ? 1
                                                                   : 0;
      level = std::max(level, reached);
    }
    if (options_.epsilon == 0) worst_[loser] = std::max(worst_[loser], level);
  };
  raise(i, j);
  raise(j, i);
}

bool Certify::restored() {
  const std::size_t num_arms = counts_.num_arms();
  if (!consistent() || beaten_.size() != num_arms * num_arms ||
      std::any_of(beaten_.begin(), beaten_.end(), [](std::uint8_t level) { return level > 2; })) {
    return false;
  }
  beliefs_ = Beliefs(num_arms);
  for (Arm i = 0; i < num_arms; ++i) refresh_row(i);
  std::fill(worst_.begin(), worst_.end(), 0);
  counts_.for_each_met_pair([&](Arm i, Arm j) { refresh_pair(i, j); });
  return true;
}

void CertifyOptions::set_defaults(const PolicySetting& setting) {
  certificate_alpha = setting.alpha;
  shared_causes = setting.shared_causes;
  if (setting.goal.is_score()) return;  // unknown to it: it goes for a Condorcet winner
  goal = setting.goal.kind;
  k = setting.goal.top;
  epsilon = setting.goal.margin;
  assume = setting.goal.assume;
}

namespace {

PolicyKind::Made make_certify(const DescribedPolicy<CertifyOptions>& described,
                              const CertifyOptions& options, std::size_t num_arms) {
  const Goal goal = options.in_view();
  if (const Status fits = check_goal(goal, num_arms); !fits.ok()) {
    Error error = fits.error();
    error.where = fmt::format("option '{}' of policy 'certify'",
                              error.field == "top" ? std::string("k") : error.field);
    error.field.clear();
    return error;
  }
  return goal.is_order() ? described.configured<CertifyOrder>(options, num_arms)
                         : described.configured<Certify>(options, num_arms);
}

const bool certify_is_registered = register_policy(
    {.name = "certify",
     .title = "The likely winner against arms that it has not beaten yet; or a set, or an order",
     .paper = "ours; after top-two Thompson sampling: Russo, Simple Bayesian algorithms for best "
              "arm identification. COLT 2016",
     .setting = "any; made for the fewest duels to a certificate",
     .guarantee = "none proved; never exploits, so that regret grows linearly",
     .departs = "not a published algorithm",
     .status = "experimental"},
    OptionTable<CertifyOptions>()
        .number(
            "alpha", &CertifyOptions::certificate_alpha, {.above = 0, .below = 1},
            "error level of the certificate in view: an arm beaten at this level is met no more",
            Shown::always)
        .flag("shared_causes", &CertifyOptions::shared_causes,
              "whether that certificate allows for causes that pairs share, such as tasks")
        .choice<Goal::Kind>("goal", &CertifyOptions::goal,
                            {{"condorcet", Goal::condorcet},
                             {"set", Goal::set},
                             {"order", Goal::order},
                             {"ranking", Goal::ranking},
                             {"epsilon", Goal::epsilon}},
                            "what that certificate is about; a run says which it needs")
        .count("k", &CertifyOptions::k, 0, 1'000'000,
               "how many arms the goals set and order name; 0 for the other goals")
        .number("epsilon", &CertifyOptions::epsilon, {.below = 0.5, .least = 0},
                "by how much the arm of the goal epsilon may lose; 0 for the other goals")
        .choice<Assumption>("assume", &CertifyOptions::assume,
                            {{"none", Assumption::none}, {"order", Assumption::order}},
                            "what that certificate assumes"),
    make_certify);

}  // namespace
}  // namespace duel
