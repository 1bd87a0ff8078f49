#include "duel/ranking/estimation/ranking_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "duel/ranking/estimation/ranked_queries.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/normalisation.h"
#include "duel/ranking/letor/ranker_catalogue.h"
#include "duel/ranking/metrics/judged_measures.h"

namespace duel {
namespace {

// A ranking, and what its measures need to know.
struct JudgedRanking {
  std::span<const Grade> shown, judged;
  std::size_t k;
  Gain gain;
  DiscountBase discount;
  Grade relevant, highest;
};

struct Measure {
  std::string_view name;
  bool of_first_k;  // `name@k`
  double (*value)(const JudgedRanking&);
};
constexpr std::array<Measure, 5> kMeasures = {{
    {"NDCG", true,
     [](const JudgedRanking& r) { return ndcg(r.shown, r.judged, r.k, r.gain, r.discount); }},
    {"MAP", false,
     [](const JudgedRanking& r) { return average_precision(r.shown, r.judged, r.relevant); }},
    {"MRR", false, [](const JudgedRanking& r) { return reciprocal_rank(r.shown, r.relevant); }},
    {"ERR", true,
     [](const JudgedRanking& r) { return expected_reciprocal_rank(r.shown, r.k, r.highest); }},
    {"P", true, [](const JudgedRanking& r) { return precision(r.shown, r.k, r.relevant); }},
}};

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
  DUEL_ASSIGN(const Gain gain, gain_named(spec.gain));
  DUEL_ASSIGN(const DiscountBase discount, discount_named(spec.discount));
  DUEL_ASSIGN(const NoRelevant no_relevant, no_relevant_named(spec.no_relevant));
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
  for (const Measure& measure : kMeasures) {
    result.measures.push_back(measure.of_first_k ? fmt::format("{}@{}", measure.name, spec.k)
                                                 : std::string(measure.name));
  }
  const auto k = static_cast<std::size_t>(spec.k);
  const auto relevant = static_cast<Grade>(spec.relevant);
  const auto highest = static_cast<Grade>(grades - 1);
  std::vector<Sum> sums(ranked.num_rankers() * kMeasures.size());
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
      const JudgedRanking ranking{shown, judged, k, gain, discount, relevant, highest};
      for (std::size_t m = 0; m < kMeasures.size(); ++m) {
        sums[ranker * kMeasures.size() + m].add(kMeasures[m].value(ranking));
      }
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
      row[measures[m]] = {{"mean", estimate.mean}, {"standard_error", estimate.standard_error}};
    }
    json["rankers"].push_back(std::move(row));
  }
  return json;
}

}  // namespace duel
