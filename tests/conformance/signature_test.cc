// The signature: a hash of every choice on a fixed run of each policy. It says nothing about what
// is right; it says that something changed, and on which policy. A commit that changes it on
// purpose states the new value; it is the same on every machine, or the decisions are not.
#include <gtest/gtest.h>

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

TEST(Signature, of_every_policy_is_as_recorded) {
  const std::map<std::string, std::uint64_t> recorded = {
#include "tests/conformance/signatures.inc"
  };
  for (const std::string& name : policy_names()) {
    const std::uint64_t now = signature(name);
    const auto known = recorded.find(name);
    if (known == recorded.end() || known->second != now) {
      char line[64];
      std::snprintf(line, sizeof line, "{\"%s\", 0x%016llxULL},", name.c_str(),
                    static_cast<unsigned long long>(now));
      ADD_FAILURE() << "signatures.inc should read\n" << line;
    }
  }
}

}  // namespace
}  // namespace duel
