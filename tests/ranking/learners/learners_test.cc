// The learners of rankers one by one: their steps by hand and the laws of their lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "duel/core/vectors.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/learners/document_space_descent.h"
#include "duel/ranking/learners/learner_catalogue.h"
#include "duel/ranking/learners/multileave_descent.h"
#include "duel/ranking/learners/pairwise_dbgd.h"
#include "duel/ranking/learners/pdgd.h"
#include "tests/ranking/learners/scripted_multileaver.h"

namespace duel {
namespace {

using Vector = std::vector<double>;
using List = std::vector<Document>;

Vector copy(std::span<const double> values) { return {values.begin(), values.end()}; }
List copy(std::span<const Document> values) { return {values.begin(), values.end()}; }

// Documents on the axes and between, three features.
const std::vector<float> kFeatures = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5F, 0.5F, 0, 0, 0, 0};
const QueryDocuments kDocuments(kFeatures.data(), 5, 3);
const LearnerStreams kStreams(3, 0, "learners_test");

std::unique_ptr<RankerLearner> learner_of(const char* text, std::string interleave = "") {
  const auto configured =
      configure_ranker_learner(parse_call(text).value(), {3, 4, std::move(interleave), 100});
  return configured.value()->make(RoundRng(1, 0, 0));
}

TEST(PairwiseDbgd, moves_where_the_proposal_gets_the_clicks) {
  const auto method = configure_interleaver("team-draft").value();
  int decided = 0;
  for (Round round = 1; round <= 50; ++round) {
    const auto learner = learner_of("dbgd(delta=1,gamma=0.5)");
    const List list = copy(learner->show(kDocuments, round, kStreams));
    EXPECT_EQ(list.size(), 4U);  // the length
    // The same duel, list and credit once more, by hand.
    const PointDuel duel = learner->points()->select(round, kStreams.choice.at(round));
    const Vector w = copy(duel.first), tried = copy(duel.second);
    Vector first(5), second(5);
    score_documents(kDocuments, w, first);
    score_documents(kDocuments, tried, second);
    RoundRng rng = kStreams.list.at(round);
    DocumentOrder order;
    const std::uint64_t ties = rng.bits();
    const List a = copy(order.top(first, 4, ties)), b = copy(order.top(second, 4, ties));
    Interleaving shown;
    method->interleave(a, b, 4, rng, shown);
    EXPECT_EQ(list, shown.documents);
    const std::vector<Position> clicks = {0, 3};
    learner->observe(clicks);
    const ClickOutcome outcome = method->credit(shown, clicks).outcome;
    if (outcome == ClickOutcome::second_wins) {
      EXPECT_NE(copy(learner->weights()), w);
      EXPECT_NEAR(norm(learner->weights()), 1, 1e-14);
      ++decided;
    } else {
      EXPECT_EQ(copy(learner->weights()), w);
    }
  }
  EXPECT_GT(decided, 3);
}

TEST(MultileaveDescent, steps_along_the_mean_of_the_winners) {
  MultileaveDescentOptions options;
  options.candidates = 3;
  options.eta = 0.25;
  options.decay = 0.5;
  const auto verdict = std::make_shared<ScriptedMultileaver>(std::vector<bool>{true, false, true});
  MultileaveDescent learner("mgd", options, verdict, 3, 4);
  const std::vector<Position> clicks = {1};
  Vector expected(3, 0.0);
  for (const double step : {0.25, 0.125}) {
    EXPECT_EQ(learner.show(kDocuments, 1, kStreams).size(), 4U);
    learner.observe(clicks);
    for (std::size_t k = 0; k < 3; ++k) {
      expected[k] += step / 2 * learner.direction(0)[k];
      expected[k] += step / 2 * learner.direction(2)[k];
    }
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(learner.weights()[k], expected[k], 1e-16);
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(norm(learner.direction(k)), 1, 1e-14);
}

TEST(MultileaveDescent, gives_all_to_one_winner_where_asked) {
  MultileaveDescentOptions options;
  options.candidates = 3;
  options.eta = 0.25;
  options.winners = Winners::one;
  const auto verdict = std::make_shared<ScriptedMultileaver>(std::vector<bool>{true, false, true});
  std::map<std::size_t, int> taken;
  const std::vector<Position> clicks = {1};
  for (Round round = 1; round <= 200; ++round) {
    MultileaveDescent learner("mgd", options, verdict, 3, 4);
    learner.show(kDocuments, round, kStreams);
    learner.observe(clicks);
    for (const std::size_t k : {0, 1, 2}) {
      bool along = true;
      for (std::size_t i = 0; i < 3; ++i) {
        along = along && learner.weights()[i] == 0.25 * learner.direction(k)[i];
      }
      taken[k] += along ? 1 : 0;
    }
  }
  EXPECT_EQ(taken[0] + taken[2], 200);
  EXPECT_NEAR(taken[0], 100, 5 * std::sqrt(50.0));  // se sqrt(200)/2
}

TEST(MultileaveDescent, stays_without_clicks_or_winners) {
  MultileaveDescentOptions options;
  options.candidates = 2;
  const auto verdict = std::make_shared<ScriptedMultileaver>(std::vector<bool>{false, false});
  MultileaveDescent learner("mgd", options, verdict, 3, 4);
  learner.show(kDocuments, 1, kStreams);
  learner.observe({});
  EXPECT_EQ(copy(learner.weights()), Vector(3, 0.0));
  learner.show(kDocuments, 2, kStreams);
  learner.observe(std::vector<Position>{0});
  EXPECT_EQ(copy(learner.weights()), Vector(3, 0.0));
}

// Documents that span less than the space: steps lie in their span and have the full length.
TEST(DocumentSpaceDescent, steps_within_the_span_of_what_was_examined) {
  const std::vector<float> flat = {1, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0};  // e1, 0, 0, 3 e1
  const std::vector<float> other = {0, 1, 0, 0, 1, 0};                   // e2, e2
  DocumentSpaceOptions options;
  options.candidates = 1;
  options.eta = 0.5;
  options.decay = 1;
  const auto verdict = std::make_shared<ScriptedMultileaver>(std::vector<bool>{true});
  DocumentSpaceDescent learner("dsp", options, verdict, 3, 4);
  learner.show(QueryDocuments(flat.data(), 4, 3), 1, kStreams);
  learner.observe(std::vector<Position>{0});  // examines places 0 .. 3
  const double sign = learner.direction(0)[0] < 0 ? -1 : 1;
  EXPECT_NEAR(learner.weights()[0], 0.5 * sign, 1e-15);
  EXPECT_EQ(learner.weights()[1], 0);
  EXPECT_EQ(learner.weights()[2], 0);

  // The next query adds e2 to what is remembered of the first; e3 stays out.
  const Vector before = copy(learner.weights());
  const std::string saved = learner.save();
  learner.show(QueryDocuments(other.data(), 2, 3), 2, kStreams);
  learner.observe(std::vector<Position>{1});
  const auto u = learner.direction(0);
  const double length = std::hypot(u[0], u[1]);
  EXPECT_NEAR(learner.weights()[0], before[0] + 0.5 * u[0] / length, 1e-15);
  EXPECT_NEAR(learner.weights()[1], 0.5 * u[1] / length, 1e-15);
  EXPECT_EQ(learner.weights()[2], 0);

  // What is remembered is part of the state.
  DocumentSpaceDescent again("dsp", options, verdict, 3, 4);
  ASSERT_TRUE(again.restore(saved).ok());
  again.show(QueryDocuments(other.data(), 2, 3), 2, kStreams);
  again.observe(std::vector<Position>{1});
  EXPECT_EQ(copy(again.weights()), copy(learner.weights()));

  // Documents without features leave nothing to step along.
  const std::vector<float> zeros(6, 0.0F);
  DocumentSpaceDescent blind("dsp", options, verdict, 3, 4);
  blind.show(QueryDocuments(zeros.data(), 2, 3), 1, kStreams);
  blind.observe(std::vector<Position>{0});
  EXPECT_EQ(copy(blind.weights()), Vector(3, 0.0));
}

// P(R) of the Plackett-Luce model, literally.
double list_probability(const Vector& shown, double rest) {
  double probability = 1;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    double remaining = rest;
    for (std::size_t j = i; j < shown.size(); ++j) remaining += std::exp(shown[j]);
    probability *= std::exp(shown[i]) / remaining;
  }
  return probability;
}

TEST(Pdgd, weighs_pairs_as_the_formula_says) {
  RoundRng rng(5, 0, 0);
  for (int round = 0; round < 50; ++round) {
    Vector shown(6);
    for (double& x : shown) x = 4 * rng.uniform() - 2;
    const double rest = 3 * rng.uniform();  // sum of exp(score) of what is not shown
    const double largest = *std::max_element(shown.begin(), shown.end());
    for (Position k = 0; k < 6; ++k) {
      for (Position l = 0; l < 6; ++l) {
        if (k == l) continue;
        Vector swapped = shown;
        std::swap(swapped[k], swapped[l]);
        const double p = list_probability(shown, rest), q = list_probability(swapped, rest);
        const double a = std::exp(shown[k]), b = std::exp(shown[l]);
        EXPECT_NEAR(pdgd_weight(shown, rest / std::exp(largest), largest, k, l),
                    q / (p + q) * a * b / ((a + b) * (a + b)), 1e-14);
      }
    }
  }
}

TEST(Pdgd, weighs_equal_scores_alike_and_ignores_a_constant) {
  const Vector equal(5, 2.0);
  EXPECT_NEAR(pdgd_weight(equal, 3, 2, 4, 1), 0.5 * 0.25, 1e-16);
  const Vector scores = {0.3, -1, 2, 0.5}, shifted = {1000.3, 999, 1002, 1000.5};
  EXPECT_NEAR(pdgd_weight(scores, 0.7, 2, 3, 0), pdgd_weight(shifted, 0.7, 1002, 3, 0), 1e-13);
  const Vector apart = {0, -5000, -4000};  // far below the largest: finite
  EXPECT_TRUE(std::isfinite(pdgd_weight(apart, 0, 0, 2, 1)));
}

TEST(Pdgd, draws_lists_from_the_plackett_luce_model) {
  // Weights ln 1, ln 2, ln 4 on the axes: scores of the three documents.
  const std::vector<float> axes = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const QueryDocuments documents(axes.data(), 3, 3);
  Pdgd learner("pdgd", {}, 3, 2);
  WeightState state{"pdgd", {0, std::log(2.0), std::log(4.0)}, 0.1, {}};
  ASSERT_TRUE(learner.restore(state.save()).ok());
  std::map<List, int> counts;
  constexpr int kLists = 60'000;
  for (Round round = 1; round <= kLists; ++round) {
    ++counts[copy(learner.show(documents, round, kStreams))];
  }
  EXPECT_EQ(counts.size(), 6U);
  const double worth[3] = {1, 2, 4};
  for (const auto& [list, count] : counts) {
    ASSERT_EQ(list.size(), 2U);
    const double p = worth[list[0]] / 7 * worth[list[1]] / (7 - worth[list[0]]);
    EXPECT_NEAR(static_cast<double>(count) / kLists, p, 5 * std::sqrt(p * (1 - p) / kLists));
  }
}

TEST(Pdgd, moves_clicked_documents_up_against_unclicked_ones) {
  Pdgd learner("pdgd", {0.1, 0.5}, 3, 4);
  const List list = copy(learner.show(kDocuments, 1, kStreams));
  learner.observe(std::vector<Position>{1});  // includes places 0, 1 and 2
  // All scores are 0: every pair weighs 1/8; the clicked document gains against two.
  Vector expected(3, 0.0);
  for (std::size_t k = 0; k < 3; ++k) {
    expected[k] = 0.1 / 8 *
                  (2 * kDocuments.row(list[1])[k] -
                   static_cast<double>(kDocuments.row(list[0])[k]) - kDocuments.row(list[2])[k]);
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(learner.weights()[k], expected[k], 1e-15);

  const Vector before = copy(learner.weights());
  learner.show(kDocuments, 2, kStreams);
  learner.observe(std::vector<Position>{0, 1, 2, 3});  // all that is included was clicked
  EXPECT_EQ(copy(learner.weights()), before);
  learner.show(kDocuments, 3, kStreams);
  learner.observe({});
  EXPECT_EQ(copy(learner.weights()), before);
}

TEST(RankerLearner, shows_each_document_once_whatever_the_query) {
  const std::vector<float> one = {1, 2, 3}, equal(3 * 20, 1.0F);
  const QueryDocuments single(one.data(), 1, 3), alike(equal.data(), 20, 3);
  for (const char* name : {"dbgd(delta=1,gamma=0.1)", "mgd(candidates=4)", "dsp", "nsgd", "pdgd"}) {
    const auto learner = learner_of(name);
    const List only = copy(learner->show(single, 1, kStreams));
    EXPECT_EQ(only, List{0}) << name;
    learner->observe(std::vector<Position>{0});
    for (const double weight : learner->weights()) EXPECT_TRUE(std::isfinite(weight));
    std::map<Document, int> first;
    for (Round round = 2; round < 2002; ++round) {
      List list = copy(learner->show(alike, round, kStreams));
      ++first[list[0]];
      learner->observe({});
      std::sort(list.begin(), list.end());
      ASSERT_EQ(std::unique(list.begin(), list.end()), list.end()) << name;
      ASSERT_EQ(list.size(), 4U);
    }
    // Equal scores show no preference: 100 first places each, se sqrt(100) = 10.
    for (const auto& [document, count] : first) EXPECT_NEAR(count, 100, 60) << name << document;
    EXPECT_EQ(first.size(), 20U) << name;
  }
}

TEST(LearnerCatalogue, says_what_is_wrong) {
  const auto message = [](const char* text, RankerLearnerSetting setting) {
    const auto result = configure_ranker_learner(parse_call(text).value(), setting);
    return result.ok() ? std::string() : result.error().to_string();
  };
  const RankerLearnerSetting plain{3, 10, "", 100};
  EXPECT_TRUE(message("pdgb", plain)
                  .starts_with("there is no learner of rankers 'pdgb' (did you mean 'pdgd'?"));
  EXPECT_NE(message("pdgd(batch=3)", plain), "");
  EXPECT_NE(message("mgd(eta=-1)", plain), "");
  EXPECT_EQ(message("pdgd", {3, 10, "team-draft", 100}),
            "interleave: pdgd merges no rankings (leave interleave out)");
  EXPECT_NE(message("dbgd(delta=1,gamma=1)", {3, 10, "team-draft-multileave", 100}), "");
  EXPECT_NE(message("mgd", {3, 10, "balanced", 100}), "");
  EXPECT_EQ(
      message("nsgd(candidates=9,sampled=5)", plain),
      "learner 'nsgd': sampled is 5, but there are 9 candidates (allowed: at least as many, or 0 "
      "for 2 (candidates + 1))");
  EXPECT_EQ(message("pdgd", {0, 10, "", 100}), "the documents have no features to learn from");
}

}  // namespace
}  // namespace duel
