#include "duel/ranking/estimation/estimate.h"

#include <utility>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/estimation/multileave_estimate.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/normalisation.h"
#include "duel/ranking/letor/ranker_catalogue.h"

namespace duel {
namespace {

Json pair_json(const PairEstimate& pair, const std::vector<std::string>& names) {
  return {{"first", names[pair.first]},
          {"second", names[pair.second]},
          {"first_wins", pair.outcomes.first_wins},
          {"second_wins", pair.outcomes.second_wins},
          {"ties", pair.outcomes.ties},
          {"no_feedback", pair.outcomes.no_feedback},
          {"no_contest", pair.outcomes.no_contest},
          {"probability", pair.probability},
          {"standard_error", pair.standard_error}};
}

}  // namespace

Result<std::shared_ptr<const EstimateSetup>> prepare_estimate(EstimateSpec spec,
                                                              const JobHooks& hooks) {
  DUEL_RETURN_IF_ERROR(EstimateSpec::kComparisons.check("comparisons", spec.comparisons));
  DUEL_RETURN_IF_ERROR(EstimateSpec::kLength.check("length", spec.length));
  DUEL_ASSIGN(const TieShare ties, in_field("ties", tie_share_of(spec.ties)));
  DUEL_ASSIGN(JudgedQueries data, in_field("data", resolve_judged_queries(spec.data)));
  DUEL_ASSIGN(const std::size_t grades, in_field("grades", num_grades_of(data, spec.grades)));
  ClickSetting setting;
  std::shared_ptr<const Multileaver> multileaver;
  DUEL_ASSIGN(const CallSpec method, in_field("interleave", parse_call(spec.interleave)));
  if (multileaver_catalogue().knows(method.name)) {
    DUEL_ASSIGN(multileaver, in_field("interleave", configure_multileaver(method)));
  } else {
    DUEL_ASSIGN(setting.method, in_field("interleave", configure_interleaver(method)));
  }
  DUEL_ASSIGN(setting.user, in_field("clicks", configure_click_model(spec.clicks, grades)));
  // Rankers of raw features (bm25) are refused by their own maker where they cannot be.
  DUEL_RETURN_IF_ERROR(in_field("normalise", normalise(data, spec.normalise)));
  DUEL_ASSIGN(const Rankers rankers, in_field("rankers", resolve_rankers(spec.rankers, data)));
  if (rankers.size() < 2) {
    return Error::invalid_argument("there is only one ranker")
        .with_hint("a comparison needs two")
        .in_field("rankers");
  }
  DUEL_ASSIGN(RankedQueries queries,
              RankedQueries::create(data, rankers, static_cast<std::size_t>(spec.length),
                                    static_cast<unsigned>(spec.threads), hooks));
  return std::make_shared<const EstimateSetup>(EstimateSetup{
      std::move(spec), ties, std::move(queries), std::move(setting), std::move(multileaver)});
}

std::uint64_t EstimateSetup::num_jobs() const {
  if (!multileaver) return std::uint64_t{queries.num_rankers()} * (queries.num_rankers() - 1) / 2;
  if (spec.exact) return queries.num_queries();
  return (spec.comparisons + kImpressionsPerBlock - 1) / kImpressionsPerBlock;
}

std::string EstimateSetup::jobs_word() const {
  return !multileaver ? "pairs" : spec.exact ? "queries" : "blocks of impressions";
}

Result<Estimate> run_estimate(std::shared_ptr<const EstimateSetup> setup, const JobHooks& hooks) {
  const EstimateSpec& spec = setup->spec;
  const EstimatePlan plan{.comparisons = spec.comparisons,
                          .ties = setup->ties,
                          .seed = spec.seed,
                          .threads = static_cast<unsigned>(spec.threads),
                          .name = spec.name};
  const auto estimate_by = [&]() -> Result<MatrixEstimate> {
    if (setup->multileaver) {
      const MultileaveSetting all{setup->multileaver, setup->setting.user};
      return spec.exact ? exact_multileave_matrix(setup->queries, all, plan, hooks)
                        : multileave_matrix(setup->queries, all, plan, hooks);
    }
    return spec.exact ? exact_matrix(setup->queries, setup->setting, plan, hooks)
                      : estimate_matrix(setup->queries, setup->setting, plan, hooks);
  };
  auto estimated = estimate_by();
  if (!estimated.ok() && spec.exact && estimated.error().code == ErrorCode::unsupported) {
    Error error = estimated.error();
    if (error.hint.empty()) error.hint = "a smaller length, another method, or leave exact out";
    return std::move(error).in_field("exact");
  }
  DUEL_ASSIGN(MatrixEstimate estimate, std::move(estimated));
  return Estimate{std::move(setup), std::move(estimate.matrix), std::move(estimate.pairs)};
}

Json Estimate::to_json() const {
  const EstimateSpec& spec = setup->spec;
  const RankedQueries& queries = setup->queries;
  const ClickSetting& setting = setup->setting;
  Json json;
  json["data"] = spec.data;
  json["queries"] = queries.num_queries();
  json["interleave"] = setup->method();
  json["clicks"] = setting.user->canonical();
  json["length"] = queries.length();
  json["exact"] = spec.exact;
  json["comparisons"] = spec.exact ? Json() : Json(spec.comparisons);
  json["ties"] = spec.ties;
  json["seed"] = spec.exact ? Json() : Json(spec.seed);
  json["rankers"] = Json::array();
  for (std::size_t r = 0; r < queries.num_rankers(); ++r) {
    json["rankers"].push_back({{"name", queries.names()[r]}, {"ndcg", queries.mean_ndcg(r)}});
  }
  json["matrix"] = Json::array();
  for (Arm i = 0; i < matrix.num_arms(); ++i) json["matrix"].push_back(matrix.row(i));
  json["pairs"] = Json::array();
  for (const PairEstimate& pair : pairs) json["pairs"].push_back(pair_json(pair, queries.names()));
  return json;
}

Table Estimate::pairs_table() const {
  Table table(
      "first,second,comparisons,first_wins,second_wins,ties,no_feedback,no_contest,probability,"
      "standard_error");
  for (const PairEstimate& pair : pairs) {
    const Json cells = pair_json(pair, setup->queries.names());
    const Json size{{"comparisons", pair.comparisons}};
    table.row_of({&cells, &size});
  }
  return table;
}

}  // namespace duel
