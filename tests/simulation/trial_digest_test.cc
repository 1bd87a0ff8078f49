#include "duel/simulation/trial_digest.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <vector>

#include "duel/truth/matrix_catalogue.h"
#include "tests/support/thread_ranks.h"

namespace duel {
namespace {

const PreferenceMatrix& arxiv() {
  static const PreferenceMatrix matrix = resolve_matrix("arxiv").value();
  return matrix;
}

Simulation simulation_of(std::uint32_t trials, unsigned threads = 2) {
  SimulationPlan plan;
  plan.matrix = &arxiv();
  plan.policies = parse_call_list("rucb").value();
  plan.checkpoints = {10, 300};
  plan.trials = trials;
  plan.seed = 4;
  plan.regrets = {RegretNotion::average, RegretNotion::weak};
  plan.threads = threads;
  return Simulation::create(plan).value();
}

TrialDigest empty_digest(std::uint32_t trials) { return {trials, 2, 2}; }

std::vector<std::uint64_t> bits_of(const TrialDigest& digest) {
  std::vector<std::uint64_t> bits = {digest.num_finished()};
  for (const TrialDigest::Checkpoint& checkpoint : digest.checkpoints()) {
    bits.push_back(checkpoint.correct);
    bits.push_back(std::bit_cast<std::uint64_t>(checkpoint.informative.value().high));
    for (const ValueDigest& regret : checkpoint.regrets) {
      const Summary summary = regret.summary();
      for (const auto member : {&Summary::mean, &Summary::se, &Summary::median, &Summary::q10,
                                &Summary::q90, &Summary::min, &Summary::max}) {
        bits.push_back(std::bit_cast<std::uint64_t>(summary.*member));
      }
    }
  }
  return bits;
}

// Every number of a table, for comparison bit for bit.
std::string bytes_of_table(const TrialTable& table) {
  std::string bytes;
  for (std::uint32_t trial = 0; trial < table.num_trials(); ++trial) {
    if (table.finished(trial)) bytes += table.pack(trial);
  }
  return bytes;
}

TEST(TrialDigest, is_the_digest_of_the_kept_trials) {
  const Simulation simulation = simulation_of(200);
  const TrialDigest kept = digest_of(simulation.run(0).value()).trials;
  const DigestRecord ran = run_digest(simulation, 0, {}, empty_digest(200)).value();
  EXPECT_FALSE(ran.interrupted);
  EXPECT_EQ(ran.trials.num_finished(), 200u);
  EXPECT_EQ(bits_of(ran.trials), bits_of(kept));
}

TEST(TrialDigest, does_not_run_what_is_known_and_tells_the_rest) {
  const Simulation simulation = simulation_of(50);
  const PolicyRecord whole = simulation.run(0).value();
  TrialDigest known = empty_digest(50);
  TrialTable row(1, 2, 2);
  for (std::uint32_t trial = 0; trial < 50; trial += 3) {
    row.unpack(0, whole.trials.pack(trial));
    known.add(trial, row);
    known.add(trial, row);  // passed over
  }
  std::set<std::uint32_t> told;
  RunHooks hooks;
  hooks.on_trial = [&](const TrialTable& one, std::uint32_t place, std::uint32_t trial) {
    EXPECT_EQ(place, 0U);
    EXPECT_EQ(one.pack(0), whole.trials.pack(trial));
    told.insert(trial);
  };
  const DigestRecord ran = run_digest(simulation, 0, hooks, std::move(known)).value();
  EXPECT_EQ(told.size(), 50u - 17u);
  EXPECT_EQ(told.count(0) + told.count(3), 0u);
  EXPECT_EQ(bits_of(ran.trials), bits_of(digest_of(whole).trials));
}

TEST(TrialDigest, has_the_same_bits_on_ranks) {
  const DigestRecord alone = run_digest(simulation_of(120), 0, {}, empty_digest(120)).value();
  for (const unsigned size : {2u, 3u}) {
    std::set<std::uint32_t> told;
    on_ranks(size, [&](Ranks& ranks) {
      RunHooks hooks;
      hooks.on_trial = [&](const TrialTable&, std::uint32_t, std::uint32_t trial) {
        EXPECT_TRUE(ranks.is_first());
        told.insert(trial);
      };
      const auto ran = run_digest(simulation_of(120, 1), 0, hooks, empty_digest(120));
      EXPECT_TRUE(ran.ok());
      EXPECT_FALSE(ran->interrupted);
      if (ranks.is_first()) {
        EXPECT_EQ(bits_of(ran->trials), bits_of(alone.trials));
      }
      return 0;
    });
    EXPECT_EQ(told.size(), 120u);
  }
}

TEST(SimulationOnRanks, gives_every_rank_the_bits_of_one_thread) {
  const PolicyRecord alone = simulation_of(40, 1).run(0).value();
  on_ranks(3, [&](Ranks&) {
    const PolicyRecord record = simulation_of(40, 1).run(0).value();
    EXPECT_FALSE(record.interrupted);
    EXPECT_EQ(bytes_of_table(record.trials), bytes_of_table(alone.trials));
    return 0;
  });
}

TEST(SimulationOnRanks, runs_what_rank_zero_does_not_know) {
  const PolicyRecord alone = simulation_of(20, 1).run(0).value();
  on_ranks(2, [&](Ranks& ranks) {
    const Simulation simulation = simulation_of(20, 1);
    TrialTable known = simulation.empty_table();
    for (std::uint32_t trial = 0; trial < 20 && ranks.is_first(); trial += 2) {
      known.unpack(trial, alone.trials.pack(trial));
    }
    const PolicyRecord record = simulation.run(0, {}, std::move(known)).value();
    EXPECT_EQ(record.trials_run, 10u);
    if (ranks.is_first()) {
      EXPECT_EQ(bytes_of_table(record.trials), bytes_of_table(alone.trials));
    }
    return 0;
  });
}

}  // namespace
}  // namespace duel
