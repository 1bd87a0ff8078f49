#include "duel/ranking/letor/degraded_ranker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "duel/core/rng.h"
#include "duel/ranking/letor/document_order.h"

namespace duel {
namespace {

// The base's ranking of all documents, with equal scores in the order in which its lists are shown.
std::vector<Document> ranking_of(const Ranker& base, const JudgedQueries& queries,
                                 std::size_t query) {
  std::vector<double> scores(queries.num_documents(query));
  base.score(queries, query, scores);
  DocumentOrder order;
  const auto top = order.top(scores, scores.size(), mix64(queries.qid(query)));
  return {top.begin(), top.end()};
}

// Scores that give this ranking.
void put_in_order(std::span<const Document> ranking, std::span<double> scores) {
  for (std::size_t k = 0; k < ranking.size(); ++k) {
    scores[ranking[k]] = static_cast<double>(ranking.size() - k);
  }
}

// `count` numbers of [begin, end), drawn without replacement.
std::vector<std::size_t> draw_places(std::size_t begin, std::size_t end, std::size_t count,
                                     RoundRng& rng) {
  std::vector<std::size_t> places;
  for (std::size_t k = begin; k < end; ++k) places.push_back(k);
  for (std::size_t k = 0; k < count; ++k) {
    std::swap(places[k], places[k + rng.below(places.size() - k)]);
  }
  places.resize(count);
  return places;
}

}  // namespace

void ShuffledRanker::score(const JudgedQueries& queries, std::size_t query,
                           std::span<double> scores) const {
  std::vector<Document> ranking = ranking_of(*base_, queries, query);
  RoundRng rng = Stream(seed_, 0, Purpose::generate, "shuffled ranker").at(queries.qid(query));
  const std::size_t depth = std::min(depth_, ranking.size());
  for (std::size_t k = 0; k + 1 < depth; ++k) {
    std::swap(ranking[k], ranking[k + rng.below(depth - k)]);
  }
  put_in_order(ranking, scores);
}

void SwappedRanker::score(const JudgedQueries& queries, std::size_t query,
                          std::span<double> scores) const {
  std::vector<Document> ranking = ranking_of(*base_, queries, query);
  RoundRng rng = Stream(seed_, 0, Purpose::generate, "swapped ranker").at(queries.qid(query));
  const std::size_t lower_end = std::min(kLowerEnd, ranking.size());
  const std::size_t lower = lower_end > kLowerBegin ? lower_end - kLowerBegin : 0;
  const std::size_t count = std::min({swaps_, kUpperEnd, lower});
  if (count > 0) {
    const auto up = draw_places(0, kUpperEnd, count, rng);
    const auto down = draw_places(kLowerBegin, lower_end, count, rng);
    for (std::size_t k = 0; k < count; ++k) std::swap(ranking[up[k]], ranking[down[k]]);
  }
  put_in_order(ranking, scores);
}

}  // namespace duel
