#include "duel/ranking/learners/learning_run.h"

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
      learner_(setting.learner->make(
          Stream(setting.seed, trial, Purpose::choice, setting.learner->canonical()).at(0))),
      streams_(setting.seed, trial, setting.learner->canonical()),
      users_(setting.seed, trial, Purpose::impression) {
  const JudgedQueries& queries = *setting_.queries;
  DUEL_CHECK(queries.num_queries() > 0);
  if (setting_.answer == DuelAnswer::clicks) {
    DUEL_CHECK(setting_.user && setting_.user->num_grades() >= queries.num_grades());
  } else {
    DUEL_CHECK(learner_->points() != nullptr);
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

void LearningTrial::duel_impression(std::uint64_t impression) {
  RoundRng rng = users_.at(impression);
  const auto query = static_cast<std::size_t>(rng.below(setting_.queries->num_queries()));
  const QueryDocuments documents(*setting_.queries, query);
  PointLearner& points = *learner_->points();
  const PointDuel duel = points.select(impression, streams_.choice.at(impression));
  first_scores_.resize(documents.num_documents());
  second_scores_.resize(documents.num_documents());
  score_documents(documents, duel.first, duel.second, first_scores_, second_scores_);
  const std::uint64_t ties = rng.bits();
  const double first = shown_ndcg(query, order_.top(first_scores_, setting_.length, ties));
  const double second = shown_ndcg(query, order_.top(second_scores_, setting_.length, ties));
  const double probability = win_probability(Link::logistic, kNdcgScale * (first - second));
  points.observe(duel.ticket,
                 {rng.bernoulli(probability) ? Outcome::first_wins : Outcome::second_wins});
  sum_ += 0.5 * (first + second);
  discounted_ += factor_ * 0.5 * (first + second);
}

bool LearningTrial::play(std::uint64_t last, const std::atomic<bool>& stop) {
  while (impressions_ < last) {
    if (impressions_ % 256 == 0 && stop.load(std::memory_order_relaxed)) return false;
    const std::uint64_t impression = impressions_ + 1;
    if (setting_.answer == DuelAnswer::clicks) {
      click_impression(impression);
    } else {
      duel_impression(impression);
    }
    impressions_ = impression;
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
    return Error{ErrorCode::invalid_data, "the saved state does not fit a learning run", "", ""};
  }
  DUEL_RETURN_IF_ERROR(learner_->restore(learner));
  impressions_ = impressions;
  discounted_ = discounted;
  sum_ = sum;
  factor_ = factor;
  return Done{};
}

}  // namespace duel
