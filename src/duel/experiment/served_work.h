// What a server takes on. An experiment that learns in many numbers works for each answer on
// matrices of their square, on the thread that serves other experiments as well. A log that was
// written without a server, or by an older version, may say more; so the fold of a log does not
// ask.
#pragma once

#include <cstddef>
#include <cstdint>

#include "duel/core/result.h"
#include "duel/log/record.h"

namespace duel {

// Of an arm, for a policy that learns a utility of features. It holds three matrices of the square.
inline constexpr std::size_t kMostServedFeatures = 256;
// Of a utility of points (continuous/kernel_belief.h), which holds one.
inline constexpr std::uint64_t kMostServedPointFeatures = 512;

// Whether a server takes the experiment on with so many arms. An error names the field: `arms` or
// `policy`. REQUIRES: a policy that can be configured.
Status check_served_work(const ExperimentRecord& experiment, std::size_t num_arms);

}  // namespace duel
