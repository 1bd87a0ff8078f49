// What a list says of an experiment at a glance: the verdict in a sentence, and what to look at
// before it is believed. It is kept with the state, so that a list of many experiments needs none
// of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/described.h"
#include "duel/experiment/ledger.h"
#include "duel/verdict/health.h"

namespace duel {

struct Glance {
  std::string verdict;
  std::vector<std::string> failed_checks;
  std::uint64_t sequence = 0;

  static constexpr std::string_view schema = "Glance";
  static constexpr FieldList fields{
      required("verdict", &Glance::verdict, "a sentence"),
      required("failed_checks", &Glance::failed_checks, "names of the health checks that failed"),
      required("verdict_at", &Glance::sequence,
               "of the last record that they know; more may have come since")};
};

Glance glance_of(const Ledger& ledger);
// For a caller that has worked out both.
Glance glance_of(std::string verdict, const std::vector<HealthCheck>& health,
                 std::uint64_t sequence);

}  // namespace duel
