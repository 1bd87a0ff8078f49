// An environment in which each duel is what production makes of it: a query, the merged lists of
// two rankers, a user who clicks. The arms are the rankers.
//
//   clicks(data=train.txt,rankers=features,interleave=team-draft,user=navigational)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/result.h"
#include "duel/core/trial_arena.h"
#include "duel/ranking/estimation/click_comparison.h"
#include "duel/ranking/estimation/ranked_queries.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// Immutable once made, and shared between threads.
class ClickEnvironment {
 public:
  static constexpr std::string_view kName = "clicks";
  // Pairs of rankers times queries up to which `truth=auto` looks for the exact matrix.
  static constexpr std::size_t kMostAutomaticWork = 200'000;

  static Result<std::shared_ptr<ClickEnvironment>> create(const CallSpec& call, unsigned threads);

  // `clicks(data=..,..)` with what was given and what differs from the defaults.
  const std::string& canonical() const { return canonical_; }
  const RankedQueries& queries() const { return queries_; }

  // What regret is counted against, the matrix of the duels that are answered (TieShare); none
  // where it is not known.
  const std::optional<PreferenceMatrix>& truth() const { return truth_; }
  // If there is no truth: the rankers with the highest NDCG at the shown length, the best by
  // judgements.
  std::vector<Arm> best_by_judgement() const;

  // Everything that decides the outcomes, for telling two environments apart.
  std::uint64_t fingerprint() const;

  // The outcomes of one trial. A list that nobody clicked on, or that could not tell its rankers
  // apart, is no tie: the round has passed, and the policy is told `none`. Only two rankers that
  // show the same for every query tie: a policy that waits for an answer would wait for ever.
  static std::unique_ptr<OutcomeSource> outcomes(std::shared_ptr<ClickEnvironment> environment,
                                                 std::uint64_t seed, std::uint32_t trial);

 private:
  ClickEnvironment(std::string canonical, RankedQueries queries, ClickSetting setting)
      : canonical_(std::move(canonical)),
        queries_(std::move(queries)),
        setting_(std::move(setting)),
        lists_(queries_, setting_, 0) {}

  std::string canonical_;
  RankedQueries queries_;
  ClickSetting setting_;
  std::optional<PreferenceMatrix> truth_;
  PreparedLists lists_;

  friend class ClickOutcomes;
};

}  // namespace duel
