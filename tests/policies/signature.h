// The signature of a policy: a hash of every choice on a fixed run. It says nothing about what is
// right; it says that something changed, and on which policy. A commit that changes it on purpose
// states the new value; it is the same on every machine, or the decisions are not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "duel/core/check.h"

namespace duel {

inline std::map<std::string, std::uint64_t>& recorded_signatures() {
  static std::map<std::string, std::uint64_t> recorded;
  return recorded;
}

// Stands beside the tests of the policy:
//   const RecordedSignature rucb_signature("rucb", 0x4d5db104d2d7e5a7);
struct RecordedSignature {
  RecordedSignature(std::string policy, std::uint64_t signature) {
    DUEL_CHECK(recorded_signatures().emplace(std::move(policy), signature).second);
  }
};

}  // namespace duel
