#include "duel/ranking/learners/difficult_queries.h"

#include <algorithm>
#include <cmath>

namespace duel {

void DifficultQueries::offer(Round round, const QueryDocuments& documents,
                             std::span<const Document> list, std::span<const Position> clicks) {
  if (most_ == 0) return;
  double gain = 0;
  for (const Position position : clicks) gain += 1 / (static_cast<double>(position) + 1);
  for (std::size_t i = queries_.size(); i-- > 0;) {
    if (round - queries_[i].round <= window_) continue;
    std::swap(queries_[i], queries_.back());
    spare_.push_back(std::move(queries_.back()));
    queries_.pop_back();
  }
  if (queries_.size() < most_) {
    if (spare_.empty()) spare_.emplace_back();
    queries_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  } else {
    const auto easiest =
        std::max_element(queries_.begin(), queries_.end(),
                         [](const Query& a, const Query& b) { return a.gain < b.gain; });
    if (easiest->gain <= gain) return;
    std::swap(*easiest, queries_.back());
  }
  Query& query = queries_.back();
  query.round = round;
  query.gain = gain;
  const float* first = documents.row(0).data();
  query.features.assign(first, first + documents.num_documents() * documents.num_features());
  query.clicked.clear();
  for (const Position position : clicks) query.clicked.push_back(list[position]);
}

double DifficultQueries::gain(std::span<const double> weights) {
  double sum = 0;
  for (const Query& query : queries_) {
    scores_.resize(query.features.size() / weights.size());
    score_documents(QueryDocuments(query.features.data(), scores_.size(), weights.size()), weights,
                    scores_);
    for (const Document clicked : query.clicked) {
      const double own = scores_[clicked];
      double above = 0, equal = 0;
      for (const double score : scores_) {
        above += score > own ? 1 : 0;
        equal += score == own ? 1 : 0;  // itself among them
      }
      sum += 1 / (above + (equal + 1) / 2);
    }
  }
  return sum;
}

bool DifficultQueries::fits(std::size_t num_features) const {
  return queries_.size() <= most_ &&
         std::all_of(queries_.begin(), queries_.end(), [&](const Query& query) {
           const std::size_t documents = query.features.size() / num_features;
           return documents > 0 && query.features.size() == documents * num_features &&
                  std::isfinite(query.gain) && !query.clicked.empty() &&
                  std::all_of(query.features.begin(), query.features.end(),
                              [](float x) { return std::isfinite(x); }) &&
                  std::all_of(query.clicked.begin(), query.clicked.end(),
                              [&](Document document) { return document < documents; });
         });
}

}  // namespace duel
