#include "duel/ranking/estimation/estimate.h"

#include <gtest/gtest.h>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/ranker_catalogue.h"

namespace duel {
namespace {

EstimateSpec small_spec() {
  EstimateSpec spec;
  spec.data = "synthetic(queries=8,documents=6,features=3,grades=3,seed=2)";
  spec.comparisons = 200;
  spec.seed = 5;
  spec.threads = 1;
  return spec;
}

TEST(Estimate, json_and_table_hold_what_the_parts_give) {
  const EstimateSpec spec = small_spec();
  const Estimate estimate = run_estimate(prepare_estimate(spec).value()).value();
  const JudgedQueries data = resolve_judged_queries(spec.data).value();
  const RankedQueries queries =
      RankedQueries::create(data, resolve_rankers("features", data).value(), 10, 1).value();
  const MatrixEstimate parts = estimate_matrix(queries,
                                               {configure_interleaver("probabilistic").value(),
                                                configure_click_model("navigational", 3).value()},
                                               {.comparisons = 200, .seed = 5, .threads = 1})
                                   .value();
  const Json json = estimate.to_json();
  EXPECT_EQ(json["interleave"].get<std::string>(),
            configure_interleaver("probabilistic").value()->canonical());
  EXPECT_EQ(json["seed"], Json(5));
  EXPECT_EQ(json["rankers"].items()[2]["ndcg"], Json(queries.mean_ndcg(2)));
  for (Arm i = 0; i < 3; ++i) EXPECT_EQ(json["matrix"].items()[i], Json(parts.matrix.row(i)));
  ASSERT_EQ(json["pairs"].size(), 3U);
  EXPECT_EQ(json["pairs"].items()[1]["second"], Json("f3"));
  EXPECT_EQ(json["pairs"].items()[1]["no_feedback"], Json(parts.pairs[1].outcomes.no_feedback));
  const std::string csv = estimate.pairs_table().to_csv();
  EXPECT_TRUE(csv.starts_with(
      "first,second,comparisons,first_wins,second_wins,ties,no_feedback,no_contest,probability,"
      "standard_error\nf1,f2,200,"))
      << csv;
}

TEST(Estimate, an_exact_one_has_neither_seed_nor_comparisons) {
  EstimateSpec spec = small_spec();
  spec.exact = true;
  spec.interleave = "team-draft";
  const Json json = run_estimate(prepare_estimate(spec).value()).value().to_json();
  EXPECT_TRUE(json["seed"].is_null());
  EXPECT_TRUE(json["comparisons"].is_null());
  EXPECT_EQ(json["pairs"].items()[0]["standard_error"], Json(0.0));
}

TEST(Estimate, errors_name_the_field) {
  const auto field_of = [](auto change) {
    EstimateSpec spec = small_spec();
    change(spec);
    const auto setup = prepare_estimate(spec);
    if (!setup.ok()) return setup.error().field;
    const auto estimate = run_estimate(*setup);
    return estimate.ok() ? "" : estimate.error().field;
  };
  EXPECT_EQ(field_of([](EstimateSpec&) {}), "");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.data = "absent.txt"; }), "data");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.rankers = "bm26(tf=1)"; }), "rankers");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.rankers = "feature(index=1)"; }), "rankers");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.interleave = "balancd"; }), "interleave");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.clicks = "perfct"; }), "clicks");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.normalise = "minmax"; }), "normalise");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.ties = "both"; }), "ties");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.comparisons = 0; }), "comparisons");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.length = 1001; }), "length");
  EXPECT_EQ(field_of([](EstimateSpec& spec) { spec.grades = 2; }), "grades");
  EXPECT_EQ(field_of([](EstimateSpec& spec) {
              spec.data = "synthetic(documents=30,features=2)";
              spec.exact = true;
            }),
            "exact");
}

}  // namespace
}  // namespace duel
