// The pair that stands between the leading arm, or the arms in front, and a certificate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "duel/core/duel.h"
#include "duel/inference/certificate.h"
#include "duel/inference/order_certificate.h"

namespace duel {

struct Contest {
  Arm leader = 0;
  Arm rival = 0;
};

// The leader is the active arm that is ahead in the most of its pairs (half a pair where the counts
// are equal), then the one with the most evidence against its closest rival, then the lowest. The
// rival is the active arm that still has to be beaten: the one with the fewest duels outstanding
// against the leader, then the least evidence, then the lowest. Nothing where fewer than two arms
// are active. O(K^2).
std::optional<Contest> closest_contest(
    const Certifier& certifier, const std::function<std::uint64_t(Arm, Arm)>& outstanding = {});

// The arms as they stand, the best first: by the pairs that each is ahead in (half a pair where the
// counts are equal), then by the share of decisive duels won, then by index. O(K^2).
std::vector<Arm> order_so_far(const Certifier& certifier);

// Chooses among the pairs that the arms in front need for their certificate as a set or an order:
// one whose evidence has not reached the threshold, with the fewest duels outstanding, then the
// least evidence, then the first. O(K^2).
std::optional<Contest> closest_contest(
    const Certifier& certifier, const OrderCertifier& orders,
    const std::function<std::uint64_t(Arm, Arm)>& outstanding = {});

}  // namespace duel
