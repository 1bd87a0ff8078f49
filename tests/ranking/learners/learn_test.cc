#include "duel/ranking/learners/learn.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "duel/core/whole_file.h"

namespace duel {
namespace {

LearnSpec small_spec() {
  LearnSpec spec;
  spec.data = "synthetic(queries=20,features=6,seed=1)";
  spec.impressions = 300;
  spec.trials = 2;
  spec.threads = 1;
  return spec;
}

Result<LearnRun> make(const LearnSpec& spec) {
  DUEL_ASSIGN(const auto data, read_learn_data(spec));
  return LearnRun::create(spec, data);
}

// A directory that is gone afterwards.
class Learn : public ::testing::Test {
 protected:
  ~Learn() override { std::filesystem::remove_all(files_.directory); }
  const LearnFiles files_{std::filesystem::temp_directory_path() /
                          ("duel-learn-" + std::to_string(::getpid()))};
};

TEST_F(Learn, a_run_in_pieces_is_the_run_in_one) {
  LearnSpec spec = small_spec();
  LearnRun first = make(spec).value();
  EXPECT_EQ(first.play().value(), 2U);
  ASSERT_TRUE(first.write(files_, first.results()).ok());

  LearnSpec longer;
  longer.impressions = 700;
  longer = resumed_spec(files_, longer).value();
  EXPECT_EQ(longer.data, spec.data);
  EXPECT_EQ(longer.trials, 2U);
  LearnRun second = make(longer).value();
  ASSERT_TRUE(second.restore(files_).ok());
  EXPECT_EQ(second.play().value(), 2U);

  spec.impressions = 700;
  LearnRun whole = make(spec).value();
  EXPECT_EQ(whole.play().value(), 2U);
  EXPECT_EQ(second.results().to_json().dump(), whole.results().to_json().dump());
  EXPECT_EQ(second.results().curve_table().to_csv(), whole.results().curve_table().to_csv());
}

TEST_F(Learn, a_saved_run_goes_on_only_as_itself) {
  LearnRun run = make(small_spec()).value();
  EXPECT_EQ(run.play().value(), 2U);
  ASSERT_TRUE(run.write(files_, run.results()).ok());
  LearnSpec shorter = small_spec();
  shorter.impressions = 200;
  EXPECT_EQ(make(shorter).value().restore(files_).error().field, "impressions");
  LearnSpec other = small_spec();
  other.seed = 4;
  EXPECT_EQ(make(other).value().restore(files_).error().code, ErrorCode::invalid_data);
  ASSERT_TRUE(write_whole_file(files_.summary(), R"({"settings":{"data":3}})").ok());
  EXPECT_EQ(resumed_spec(files_, {}).error().code, ErrorCode::invalid_data);
}

TEST_F(Learn, names_are_those_that_parts_give_themselves) {
  LearnSpec spec = small_spec();
  spec.learner = "dbgd";
  spec.batch = 3;
  const LearnRun run = make(spec).value();
  EXPECT_NE(run.spec().learner.find("batch=3"), std::string::npos) << run.spec().learner;
  EXPECT_EQ(run.spec().interleave, "team-draft");
  EXPECT_EQ(run.results().to_json()["settings"]["interleave"], Json("team-draft"));
  EXPECT_TRUE(run.results().to_json()["settings"]["heldout"].is_null());
}

TEST_F(Learn, a_ranking_svm_learns_from_grades) {
  LearnSpec spec = small_spec();
  EXPECT_FALSE(learns_from_grades(spec));
  spec.learner = "ranking-svm(c=0.1)";
  ASSERT_TRUE(learns_from_grades(spec));
  const auto data = read_learn_data(spec).value();
  const LearnedFromGrades learned = learn_from_grades(spec, *data).value();
  ASSERT_TRUE(learned.write(files_).ok());
  EXPECT_EQ(learned.to_json()["learner"], Json("ranking-svm(c=0.1)"));
  EXPECT_EQ(Json::parse(read_whole_file(files_.model(), 1 << 20).value()), learned.to_json());
  EXPECT_EQ(learned.offline_ndcg, mean_ndcg(data->training, learned.weights, 10));
  spec.batch = 2;
  EXPECT_EQ(learn_from_grades(spec, *data).error().field, "learner");
}

TEST_F(Learn, errors_name_the_field) {
  const auto field_of = [](auto change) {
    LearnSpec spec = small_spec();
    change(spec);
    const auto run = make(spec);
    return run.ok() ? "" : run.error().field;
  };
  EXPECT_EQ(field_of([](LearnSpec&) {}), "");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.data = ""; }), "data");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.data = "absent.txt"; }), "data");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.heldout = "synthetic(features=9)"; }), "heldout");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.normalise = "minmax"; }), "normalise");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.learner = "pdgb"; }), "learner");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.learner = "("; }), "learner");
  EXPECT_EQ(field_of([](LearnSpec& spec) {
              spec.learner = "pdgd";
              spec.interleave = "balanced";
            }),
            "interleave");
  EXPECT_EQ(field_of([](LearnSpec& spec) {
              spec.learner = "mgd";
              spec.compare = "ndcg-logistic";
            }),
            "compare");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.compare = "coins"; }), "compare");
  EXPECT_EQ(field_of([](LearnSpec& spec) {
              spec.learner = "dbgd(batch=2)";
              spec.batch = 3;
            }),
            "batch");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.discount = 1.5; }), "discount");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.grades = 2; }), "grades");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.clicks = "perfct"; }), "clicks");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.trials = 0; }), "trials");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.impressions = 0; }), "impressions");
  EXPECT_EQ(field_of([](LearnSpec& spec) { spec.length = 0; }), "length");
}

}  // namespace
}  // namespace duel
