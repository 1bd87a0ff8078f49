#include "duel/inference/contest.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace duel {
namespace {

struct Lead {
  std::uint64_t points = 0;  // twice the pairs it is ahead in
  double lead = 0;           // over all others
  std::uint64_t decisive = 0;
  double least_evidence = std::numeric_limits<double>::infinity();
};

Lead lead_of(const Certifier& certifier, Arm i) {
  Lead lead;
  for (Arm j = 0; j < certifier.num_arms(); ++j) {
    if (j == i || !certifier.active(j)) continue;
    const double ahead = certifier.lead(i, j);
    lead.points += ahead > 0 ? 2 : ahead == 0 ? 1 : 0;
    lead.lead += ahead;
    lead.decisive += certifier.decisive(i, j);
    lead.least_evidence = std::min(lead.least_evidence, certifier.log_evidence(i, j));
  }
  return lead;
}

}  // namespace

std::optional<Contest> closest_contest(const Certifier& certifier,
                                       const std::function<std::uint64_t(Arm, Arm)>& outstanding) {
  std::optional<Arm> leader;
  Lead best;
  for (Arm i = 0; i < certifier.num_arms(); ++i) {
    if (!certifier.active(i)) continue;
    const Lead lead = lead_of(certifier, i);
    if (!leader ||
        std::tie(lead.points, lead.least_evidence) > std::tie(best.points, best.least_evidence)) {
      leader = i;
      best = lead;
    }
  }
  if (!leader) return std::nullopt;

  std::optional<Contest> contest;
  std::tuple<bool, std::uint64_t, double> least;
  for (Arm j = 0; j < certifier.num_arms(); ++j) {
    if (j == *leader || !certifier.active(j)) continue;
    const double evidence = certifier.log_evidence(*leader, j);
    const bool beaten = evidence >= certifier.log_threshold(*leader);
    const std::tuple need{beaten, outstanding ? outstanding(*leader, j) : 0, evidence};
    if (!contest || need < least) {
      contest = Contest{.leader = *leader, .rival = j};
      least = need;
    }
  }
  return contest;
}

std::vector<Arm> order_so_far(const Certifier& certifier) {
  const auto num_arms = static_cast<Arm>(certifier.num_arms());
  std::vector<Arm> order;
  std::vector<double> rates(num_arms, 0.5);
  std::vector<std::uint64_t> points(num_arms);
  for (Arm i = 0; i < num_arms; ++i) {
    if (!certifier.active(i)) continue;
    order.push_back(i);
    const Lead lead = lead_of(certifier, i);
    points[i] = lead.points;
    // The share of decisive duels won, where all answers are whole.
    if (lead.decisive > 0) rates[i] = 0.5 + 0.5 * lead.lead / static_cast<double>(lead.decisive);
  }
  std::sort(order.begin(), order.end(), [&](Arm a, Arm b) {
    return std::tie(points[b], rates[b], a) < std::tie(points[a], rates[a], b);
  });
  return order;
}

std::optional<Contest> closest_contest(const Certifier& certifier, const OrderCertifier& orders,
                                       const std::function<std::uint64_t(Arm, Arm)>& outstanding) {
  std::vector<Arm> named = order_so_far(certifier);
  named.resize(static_cast<std::size_t>(orders.goal().arms_named(certifier.num_arms())));
  std::optional<Contest> contest;
  std::tuple<bool, std::uint64_t, double> least;
  for (const Duel& pair : needed_pairs(orders.goal(), named, certifier.num_arms())) {
    const std::tuple need{orders.reached(pair.first, pair.second),
                          outstanding ? outstanding(pair.first, pair.second) : 0,
                          certifier.log_evidence(pair.first, pair.second)};
    if (contest && !(need < least)) continue;
    contest = Contest{.leader = pair.first, .rival = pair.second};
    least = need;
  }
  return contest;
}

}  // namespace duel
