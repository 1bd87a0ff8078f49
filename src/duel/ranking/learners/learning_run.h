// Learning a ranker from simulated users: impressions in trials, and how good the lists and the
// ranker are. Each impression draws a query, shows the learner's list, lets the user click, and
// tells the learner. Results depend on (seed, trial, learner) alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/jobs/jobs.h"
#include "duel/ranking/click_models/click_model.h"
#include "duel/ranking/learners/learner_catalogue.h"
#include "duel/ranking/letor/document_order.h"
#include "duel/ranking/letor/judged_queries.h"

namespace duel {

// How an impression answers a learner of duels.
enum class AnswerBasis {
  clicks,         // a user clicks on the interleaved list
  ndcg_logistic,  // drawn with P(w beats w') = sigma(10 (NDCG@k of w - NDCG@k of w')), k the
                  // length: the protocol of Yue and Joachims (ICML 2009, section 5.2)
};

struct LearningSetting {
  const JudgedQueries* queries = nullptr;  // must outlive the run
  std::shared_ptr<const ConfiguredRankerLearner> learner;
  std::shared_ptr<const ClickModel> user;  // null for ndcg_logistic
  AnswerBasis answer = AnswerBasis::clicks;
  std::size_t length = 10;   // documents shown; also the k of NDCG@k
  double discount = 0.9995;  // of the online sum, per impression (Hofmann, Whiteson, de Rijke 2013)
  std::uint64_t seed = 0;
  // Learners that differ in their options alone start a trial at the same ranker, where they start
  // at a random one: what they end with is then easier to compare.
  bool same_start = false;
};

// The mean over queries of NDCG@k of the ranking by `weights`, equal scores averaged exactly;
// queries without a relevant document count 0. REQUIRES: as many weights as features, all finite.
double mean_ndcg(const JudgedQueries& queries, std::span<const double> weights, std::size_t k);

// One trial, played in pieces.
class LearningTrial {
 public:
  // REQUIRES: at least one query; a user for `clicks` who knows all grades; a learner of duels for
  // `ndcg_logistic`.
  LearningTrial(const LearningSetting& setting, std::uint32_t trial);

  // Plays up to impression `last`. False if it was stopped before.
  bool play(std::uint64_t last, const std::atomic<bool>& stop);

  std::uint64_t impressions() const { return impressions_; }
  // sum of discount^(t - 1) NDCG@k of the list shown in impression t; of the mean of both rankings
  // under ndcg_logistic.
  double discounted_ndcg() const { return discounted_; }
  // The same without discount, and divided by the impressions.
  double online_sum() const { return sum_; }
  double mean_online_ndcg() const {
    return impressions_ == 0 ? 0 : sum_ / static_cast<double>(impressions_);
  }
  std::span<const double> weights() const { return learner_->weights(); }

  // Between any two impressions; what follows is the same as without the interruption.
  std::string save() const;
  Status restore(std::string_view saved);

 private:
  friend bool play_together(std::span<LearningTrial* const> trials, std::uint64_t last,
                            const std::atomic<bool>& stop);

  // What must be scored for a duel: the documents of a query under each of the weights.
  struct Scoring {
    std::vector<const double*> weights;
    std::vector<double*> scores;
  };

  void click_impression(std::uint64_t impression);
  // A duel in two halves: `begin_duel` draws the query and the rankers and says what to score,
  // `end_duel` ranks by the scores and lets the learner see who won.
  void begin_duel(std::uint64_t impression, Scoring& scoring);
  void end_duel();
  double shown_ndcg(std::size_t query, std::span<const Document> documents);

  LearningSetting setting_;
  std::unique_ptr<RankerLearner> learner_;
  LearnerStreams streams_;
  Stream users_;
  std::vector<double> ideal_;  // DCG@k of every query
  std::uint64_t impressions_ = 0;
  double discounted_ = 0, sum_ = 0, factor_ = 1;
  std::vector<Grade> grades_;
  std::vector<Position> clicks_;
  DocumentOrder order_;

  // The duel under way.
  struct Duel {
    RoundRng rng;
    std::size_t query = 0;
    std::uint64_t ticket = 0;
  };
  Duel duel_;
  std::vector<double> second_scores_;
  // Scores of the ranker that stands, of all documents. Those of a query hold while the learner has
  // not moved: `scored_at_` is one more than its moves when they were computed, 0 where they were
  // not.
  std::vector<double> standing_scores_;
  std::vector<std::uint64_t> scored_at_;
  std::vector<std::size_t> first_row_;  // of every query
};

// Plays trials of duels up to impression `last` side by side: all meet the same query, whose
// features are then read and converted once. Each ends as if it had been played alone, bit for bit.
// False if they were stopped before. REQUIRES: all under `ndcg_logistic`, with the same queries,
// seed, number of the trial and impressions so far.
bool play_together(std::span<LearningTrial* const> trials, std::uint64_t last,
                   const std::atomic<bool>& stop);

}  // namespace duel
