#include "duel/ranking/learners/learning_run.h"

#include <algorithm>
#include <cmath>

#include "duel/continuous/link.h"
#include "duel/core/archive.h"
#include "duel/core/check.h"
#include "duel/ranking/metrics/judged_measures.h"

namespace duel {
namespace {

// Yue and Joachims: values are 10 NDCG@10.
constexpr double kNdcgScale = 10;

}  // namespace

double mean_ndcg(const JudgedQueries& queries, std::span<const double> weights, std::size_t k) {
  DUEL_CHECK(queries.num_queries() > 0 && weights.size() == queries.num_features());
  double sum = 0;
  std::vector<double> scores;
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    scores.resize(queries.num_documents(q));
    score_documents(QueryDocuments(queries, q), weights, scores);
    sum += tie_averaged_ndcg(scores, queries.grades(q), k);
  }
  return sum / static_cast<double>(queries.num_queries());
}

LearningTrial::LearningTrial(const LearningSetting& setting, std::uint32_t trial)
    : setting_(setting),
      learner_(
          setting.learner->make(Stream(setting.seed, trial, Purpose::choice,
                                       setting.same_start ? "start" : setting.learner->canonical())
                                    .at(0))),
      streams_(setting.seed, trial, setting.learner->canonical()),
      users_(setting.seed, trial, Purpose::impression),
      duel_{users_.at(0)} {
  const JudgedQueries& queries = *setting_.queries;
  DUEL_CHECK(queries.num_queries() > 0);
  if (setting_.answer == AnswerBasis::clicks) {
    DUEL_CHECK(setting_.user && setting_.user->num_grades() >= queries.num_grades());
  } else {
    DUEL_CHECK(learner_->points() != nullptr);
    for (std::size_t q = 0; q < queries.num_queries(); ++q) {
      first_row_.push_back(standing_scores_.size());
      standing_scores_.resize(standing_scores_.size() + queries.num_documents(q));
    }
    scored_at_.resize(queries.num_queries());
  }
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    ideal_.push_back(ideal_dcg(queries.grades(q), setting_.length));
  }
}

double LearningTrial::shown_ndcg(std::size_t query, std::span<const Document> documents) {
  const auto judged = setting_.queries->grades(query);
  grades_.clear();
  for (const Document document : documents) grades_.push_back(judged[document]);
  return ideal_[query] > 0 ? dcg(grades_, setting_.length) / ideal_[query] : 0;
}

void LearningTrial::click_impression(std::uint64_t impression) {
  RoundRng rng = users_.at(impression);
  const auto query = static_cast<std::size_t>(rng.below(setting_.queries->num_queries()));
  const QueryDocuments documents(*setting_.queries, query);
  const auto list = learner_->show(documents, impression, streams_);
  const double ndcg = shown_ndcg(query, list);  // leaves the list's grades in grades_
  setting_.user->click(grades_, rng, clicks_);
  learner_->observe(clicks_);
  sum_ += ndcg;
  discounted_ += factor_ * ndcg;
}

void LearningTrial::begin_duel(std::uint64_t impression, Scoring& scoring) {
  duel_.rng = users_.at(impression);
  duel_.query = static_cast<std::size_t>(duel_.rng.below(setting_.queries->num_queries()));
  PointLearner& points = *learner_->points();
  const PointDuel duel = points.select(impression, streams_.choice.at(impression));
  duel_.ticket = duel.ticket;
  if (scored_at_[duel_.query] != points.moves() + 1) {
    scored_at_[duel_.query] = points.moves() + 1;
    scoring.weights.push_back(duel.first.data());
    scoring.scores.push_back(standing_scores_.data() + first_row_[duel_.query]);
  }
  second_scores_.resize(setting_.queries->num_documents(duel_.query));
  scoring.weights.push_back(duel.second.data());
  scoring.scores.push_back(second_scores_.data());
}

void LearningTrial::end_duel() {
  const std::uint64_t ties = duel_.rng.bits();
  const std::span<const double> first_scores(standing_scores_.data() + first_row_[duel_.query],
                                             second_scores_.size());
  const double first = shown_ndcg(duel_.query, order_.top(first_scores, setting_.length, ties));
  const double second = shown_ndcg(duel_.query, order_.top(second_scores_, setting_.length, ties));
  const double probability = win_probability(Link::logistic, kNdcgScale * (first - second));
  learner_->points()->observe(
      duel_.ticket,
      {duel_.rng.bernoulli(probability) ? Outcome::first_wins : Outcome::second_wins});
  sum_ += 0.5 * (first + second);
  discounted_ += factor_ * 0.5 * (first + second);
}

bool play_together(std::span<LearningTrial* const> trials, std::uint64_t last,
                   const std::atomic<bool>& stop) {
  if (trials.empty()) return true;
  const LearningTrial& one = *trials[0];
  for (const LearningTrial* trial : trials) {
    DUEL_CHECK(trial->setting_.answer == AnswerBasis::ndcg_logistic &&
               trial->setting_.queries == one.setting_.queries &&
               trial->impressions_ == one.impressions_);
  }
  LearningTrial::Scoring scoring;
  while (one.impressions_ < last) {
    if (one.impressions_ % 256 == 0 && stop.load(std::memory_order_relaxed)) return false;
    scoring.weights.clear();
    scoring.scores.clear();
    for (LearningTrial* trial : trials) trial->begin_duel(trial->impressions_ + 1, scoring);
    for (const LearningTrial* trial : trials) DUEL_CHECK(trial->duel_.query == one.duel_.query);
    score_documents(QueryDocuments(*one.setting_.queries, one.duel_.query), scoring.weights,
                    scoring.scores);
    for (LearningTrial* trial : trials) {
      trial->end_duel();
      ++trial->impressions_;
      trial->factor_ *= trial->setting_.discount;
    }
  }
  return true;
}

bool LearningTrial::play(std::uint64_t last, const std::atomic<bool>& stop) {
  if (setting_.answer == AnswerBasis::ndcg_logistic) {
    LearningTrial* const alone[] = {this};
    return play_together(alone, last, stop);
  }
  while (impressions_ < last) {
    if (impressions_ % 256 == 0 && stop.load(std::memory_order_relaxed)) return false;
    click_impression(impressions_ + 1);
    ++impressions_;
    factor_ *= setting_.discount;
  }
  return true;
}

std::string LearningTrial::save() const {
  StateWriter writer;
  writer(impressions_, discounted_, sum_, factor_, learner_->save());
  return writer.finish();
}

Status LearningTrial::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  std::uint64_t impressions = 0;
  double discounted = 0, sum = 0, factor = 0;
  std::string learner;
  reader(impressions, discounted, sum, factor, learner);
  if (!reader.complete() || !std::isfinite(discounted) || !std::isfinite(sum)) {
    return Error::invalid_data("the saved state does not fit a learning run");
  }
  DUEL_RETURN_IF_ERROR(learner_->restore(learner));
  std::fill(scored_at_.begin(), scored_at_.end(), 0);  // of the learner as it was
  impressions_ = impressions;
  discounted_ = discounted;
  sum_ = sum;
  factor_ = factor;
  return Done{};
}

}  // namespace duel
