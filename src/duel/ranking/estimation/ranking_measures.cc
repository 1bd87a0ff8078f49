#include "duel/ranking/estimation/ranking_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/core/spelling.h"
#include "duel/ranking/estimation/ranked_queries.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/normalisation.h"
#include "duel/ranking/letor/ranker_catalogue.h"
#include "duel/ranking/metrics/judged_measures.h"

namespace duel {
namespace {

template <class Choice>
Result<Choice> choice_of(const char* field, const std::string& word,
                         const std::vector<std::pair<std::string, Choice>>& known) {
  std::vector<std::string> words;
  for (const auto& [name, value] : known) {
    if (name == word) return value;
    words.push_back(name);
  }
  return Error::invalid_argument(fmt::format("'{}' is not known", word))
      .with_hint(spelling_hint(word, words))
      .in_field(field);
}

// Mean and its standard error.
class Sum {
 public:
  void add(double value) {
    sum_ += value;
    squares_ += value * value;
    ++count_;
  }
  MeasureEstimate estimate() const {
    const auto n = static_cast<double>(count_);
    if (count_ == 0) return {};
    MeasureEstimate estimate{sum_ / n, std::nullopt};
    if (count_ < 2) return estimate;
    const double variance = std::max(0.0, squares_ - sum_ * estimate.mean) / (n - 1);
    estimate.standard_error = std::sqrt(variance / n);
    return estimate;
  }

 private:
  double sum_ = 0, squares_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace

Result<RankingMeasures> measure_rankings(const RankingMeasuresSpec& spec, const JobHooks& hooks) {
  DUEL_RETURN_IF_ERROR(RankingMeasuresSpec::kDepth.check("k", spec.k));
  DUEL_RETURN_IF_ERROR(RankingMeasuresSpec::kRelevant.check("relevant", spec.relevant));
  DUEL_ASSIGN(const Gain gain,
              choice_of<Gain>("gain", spec.gain,
                              {{"exponential", Gain::exponential}, {"linear", Gain::linear}}));
  DUEL_ASSIGN(
      const DiscountBase discount,
      choice_of<DiscountBase>("discount", spec.discount,
                              {{"log2", DiscountBase::two}, {"letor", DiscountBase::letor}}));
  DUEL_ASSIGN(const NoRelevant no_relevant,
              choice_of<NoRelevant>("no_relevant", spec.no_relevant,
                                    {{"zero", NoRelevant::zero}, {"skip", NoRelevant::skip}}));
  DUEL_ASSIGN(JudgedQueries data, in_field("data", resolve_judged_queries(spec.data)));
  DUEL_ASSIGN(const std::size_t grades, in_field("grades", num_grades_of(data, spec.grades)));
  DUEL_RETURN_IF_ERROR(in_field("normalise", normalise(data, spec.normalise)));
  DUEL_ASSIGN(const Rankers rankers, in_field("rankers", resolve_rankers(spec.rankers, data)));
  std::size_t longest = 1;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    longest = std::max(longest, data.num_documents(q));
  }
  DUEL_ASSIGN(
      const RankedQueries ranked,
      RankedQueries::create(data, rankers, longest, static_cast<unsigned>(spec.threads), hooks));

  RankingMeasures result;
  result.spec = spec;
  result.rankers = ranked.names();
  result.measures = {fmt::format("NDCG@{}", spec.k), "MAP", "MRR", fmt::format("ERR@{}", spec.k),
                     fmt::format("P@{}", spec.k)};
  const auto k = static_cast<std::size_t>(spec.k);
  const auto relevant = static_cast<Grade>(spec.relevant);
  const auto highest = static_cast<Grade>(grades - 1);
  std::vector<Sum> sums(ranked.num_rankers() * result.measures.size());
  std::vector<Grade> shown;
  for (std::size_t query = 0; query < ranked.num_queries(); ++query) {
    const auto judged = ranked.grades(query);
    if (no_relevant == NoRelevant::skip && !has_relevant(judged, relevant)) {
      ++result.skipped;
      continue;
    }
    ++result.queries;
    for (std::size_t ranker = 0; ranker < ranked.num_rankers(); ++ranker) {
      shown.clear();
      for (const Document document : ranked.top(ranker, query)) shown.push_back(judged[document]);
      Sum* sum = &sums[ranker * result.measures.size()];
      (sum++)->add(ndcg(shown, judged, k, gain, discount));
      (sum++)->add(average_precision(shown, judged, relevant));
      (sum++)->add(reciprocal_rank(shown, relevant));
      (sum++)->add(expected_reciprocal_rank(shown, k, highest));
      (sum++)->add(precision(shown, k, relevant));
    }
  }
  for (const Sum& sum : sums) result.estimates.push_back(sum.estimate());
  return result;
}

Json RankingMeasures::to_json() const {
  Json json;
  json["data"] = spec.data;
  json["queries"] = queries;
  json["skipped"] = skipped;
  json["k"] = spec.k;
  json["gain"] = spec.gain;
  json["discount"] = spec.discount;
  json["relevant"] = spec.relevant;
  json["rankers"] = Json::array();
  for (std::size_t r = 0; r < rankers.size(); ++r) {
    Json row{{"name", rankers[r]}};
    for (std::size_t m = 0; m < measures.size(); ++m) {
      const MeasureEstimate& estimate = at(r, m);
      row[measures[m]] = {
          {"mean", estimate.mean},
          {"standard_error", estimate.standard_error ? Json(*estimate.standard_error) : Json()}};
    }
    json["rankers"].push_back(std::move(row));
  }
  return json;
}

}  // namespace duel
