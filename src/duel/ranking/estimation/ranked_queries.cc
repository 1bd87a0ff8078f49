#include "duel/ranking/estimation/ranked_queries.h"

#include <fmt/format.h>

#include <algorithm>

#include "duel/core/rng.h"
#include "duel/ranking/letor/document_order.h"
#include "duel/ranking/metrics/judged_measures.h"

namespace duel {

Result<RankedQueries> RankedQueries::create(const JudgedQueries& queries, const Rankers& rankers,
                                            std::size_t length, unsigned threads,
                                            const JobHooks& hooks) {
  RankedQueries ranked;
  ranked.length_ = length;
  ranked.num_grades_ = queries.num_grades();
  for (const auto& ranker : rankers) ranked.names_.push_back(ranker->name());
  ranked.top_offsets_.push_back(0);
  ranked.grade_offsets_.push_back(0);
  for (std::size_t query = 0; query < queries.num_queries(); ++query) {
    const auto grades = queries.grades(query);
    ranked.grades_.insert(ranked.grades_.end(), grades.begin(), grades.end());
    ranked.grade_offsets_.push_back(ranked.grades_.size());
    ranked.top_offsets_.push_back(ranked.top_offsets_.back() + std::min(length, grades.size()));
  }
  ranked.top_.resize(ranked.top_offsets_.back() * rankers.size());

  DUEL_ASSIGN(
      const JobsRun jobs,
      run_jobs(
          queries.num_queries(), threads, hooks,
          [&](std::uint64_t number, const std::atomic<bool>&) {
            const auto query = static_cast<std::size_t>(number);
            thread_local DocumentOrder order;
            thread_local std::vector<double> scores;
            scores.resize(queries.num_documents(query));
            for (std::size_t r = 0; r < rankers.size(); ++r) {
              rankers[r]->score(queries, query, scores);
              const auto best = order.top(scores, length, mix64(queries.qid(query)));
              const std::size_t size = ranked.top_offsets_[query + 1] - ranked.top_offsets_[query];
              const std::size_t begin = ranked.top_offsets_[query] * rankers.size() + r * size;
              std::copy(best.begin(), best.end(),
                        ranked.top_.begin() + static_cast<std::ptrdiff_t>(begin));
            }
            return true;
          },
          [&](std::uint64_t query) { return fmt::format("query {}", queries.qid(query)); }));
  if (jobs.finished < queries.num_queries()) {
    return Error::interrupted("interrupted while the queries were ranked");
  }
  return ranked;
}

double RankedQueries::mean_ndcg(std::size_t ranker) const {
  double sum = 0;
  std::vector<Grade> shown;
  for (std::size_t query = 0; query < num_queries(); ++query) {
    const auto judged = grades(query);
    shown.clear();
    for (const Document document : top(ranker, query)) shown.push_back(judged[document]);
    sum += ndcg(shown, judged, length_);
  }
  return num_queries() == 0 ? 0 : sum / static_cast<double>(num_queries());
}

}  // namespace duel
