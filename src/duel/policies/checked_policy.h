// A policy that refuses arms it does not have. Policies index their counts by what they are told,
// so that an arm out of range would be a write to somebody else's memory; the simulator cannot make
// that mistake and plays them unchecked.
#pragma once

#include <cstddef>
#include <memory>

#include "duel/policies/registry.h"

namespace duel {

// The same configuration, whose instances throw std::out_of_range where they are told of an arm
// that is not below `num_arms`. REQUIRES: it was configured for that many.
std::shared_ptr<const ConfiguredPolicy> checked(std::shared_ptr<const ConfiguredPolicy> policy,
                                                std::size_t num_arms);

}  // namespace duel
