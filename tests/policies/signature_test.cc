#include "tests/policies/signature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "duel/policies/registry.h"
#include "duel/truth/arena.h"
#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/winners.h"

namespace duel {
namespace {

std::uint64_t signature(const std::string& name) {
  std::uint64_t hash = 0;
  for (const std::string matrix_name : {"arxiv", "cyclic", "slides"}) {
    const PreferenceMatrix matrix = resolve_matrix(matrix_name).value();
    const auto ranks = merit_ranks(matrix);
    const TrialStreams streams(7, 0, name);
    MatrixArena arena(matrix, ranks, OutcomeStream(7, 0));
    const auto policy = configure_policy({name, {}}, {matrix.num_arms(), 20000})
                            .value()
                            ->make(streams.choice.at(0));
    for (Round t = 1; t <= 20000; ++t) {
      const Duel duel = policy->select(t, streams.choice.at(t));
      policy->issued(duel, streams.choice.at(t));
      const Outcome outcome = duel.is_self() ? Outcome::first_wins : arena.meet(duel);
      policy->observe(duel, outcome, streams.answer.at(t));
      hash = mix64(hash ^ (std::uint64_t{duel.first} << 32 | duel.second));
    }
  }
  return hash;
}

// `const RecordedSignature rucb_seed_signature("rucb-seed", 0xace091626756d6cd);`
std::string line_to_record(const std::string& policy, std::uint64_t signature) {
  std::string variable = policy;
  std::replace(variable.begin(), variable.end(), '-', '_');
  char value[32];
  std::snprintf(value, sizeof value, "0x%016llx", static_cast<unsigned long long>(signature));
  return "const RecordedSignature " + variable + "_signature(\"" + policy + "\", " + value + ");";
}

TEST(Signature, of_every_policy_is_as_recorded) {
  std::map<std::string, std::uint64_t> recorded = recorded_signatures();
  for (const std::string& name : policy_names()) {
    const std::uint64_t now = signature(name);
    const auto known = recorded.find(name);
    if (known == recorded.end()) {
      ADD_FAILURE() << "policy '" << name << "' has no signature; in its test include "
                    << "\"tests/policies/signature.h\" and write\n"
                    << line_to_record(name, now);
      continue;
    }
    EXPECT_EQ(known->second, now) << "policy '" << name << "' chooses differently; if it is meant "
                                  << "to, its test should read\n"
                                  << line_to_record(name, now);
    recorded.erase(known);
  }
  for (const auto& [name, signature] : recorded) {
    ADD_FAILURE() << "a signature is recorded for '" << name << "', which is no policy";
  }
}

}  // namespace
}  // namespace duel
