#include "duel/ranking/learners/ranking_svm.h"

#include <linear.h>

#include <memory>

#include "duel/core/rng.h"
#include "duel/ranking/learners/learner_catalogue.h"

namespace duel {
namespace {

// Calls take(query, better, worse) for every pair of documents with different grades.
template <class Take>
void for_each_pair(const JudgedQueries& queries, Take take) {
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    const auto grades = queries.grades(q);
    for (Document i = 0; i < grades.size(); ++i) {
      for (Document j = 0; j < i; ++j) {
        if (grades[i] > grades[j]) take(q, i, j);
        if (grades[i] < grades[j]) take(q, j, i);
      }
    }
  }
}

struct FreeModel {
  void operator()(model* trained) const { free_and_destroy_model(&trained); }
};

}  // namespace

OptionTable<RankingSvmOptions> ranking_svm_options() {
  return OptionTable<RankingSvmOptions>()
      .number("c", &RankingSvmOptions::c, {.above = 0}, "weight of a pair's loss")
      .number("tolerance", &RankingSvmOptions::tolerance, {.above = 0, .below = 1},
              "relative size of the gradient at which the solver stops")
      .count("pairs", &RankingSvmOptions::pairs, 1, 100'000'000,
             "most pairs of documents to learn from; beyond that a random choice");
}

Result<TrainedSvm> train_ranking_svm(const JudgedQueries& queries, const RankingSvmOptions& options,
                                     std::uint64_t seed) {
  const std::size_t d = queries.num_features();
  std::uint64_t count = 0;
  for_each_pair(queries, [&](std::size_t, Document, Document) { ++count; });
  if (d == 0 || count == 0) {
    return Error::invalid_data(d == 0 ? "the documents have no features to learn from"
                                      : "no query has documents of different grades to learn from");
  }
  const double share = static_cast<double>(options.pairs) / static_cast<double>(count);
  RoundRng rng = Stream(seed, 0, Purpose::choice, "ranking-svm").at(1);

  // Every other pair is turned round, so that there are two classes and no bias towards one.
  std::vector<feature_node> nodes;
  std::vector<double> labels;
  for_each_pair(queries, [&](std::size_t q, Document better, Document worse) {
    if (share < 1 && !rng.bernoulli(share)) return;
    const double sign = labels.size() % 2 == 0 ? 1 : -1;
    const auto x = queries.features(q, better), y = queries.features(q, worse);
    for (std::size_t k = 0; k < d; ++k) {
      const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
      if (difference != 0) nodes.push_back({static_cast<int>(k + 1), sign * difference});
    }
    nodes.push_back({-1, 0});  // ends a row
    labels.push_back(sign);
  });
  std::vector<feature_node*> rows;
  bool row_begins = true;
  for (feature_node& node : nodes) {
    if (row_begins) rows.push_back(&node);
    row_begins = node.index == -1;
  }

  problem task{};
  task.l = static_cast<int>(labels.size());
  task.n = static_cast<int>(d);
  task.y = labels.data();
  task.x = rows.data();
  task.bias = -1;
  parameter settings{};
  settings.solver_type = L2R_L2LOSS_SVC;
  settings.eps = options.tolerance;
  settings.C = options.c;
  TrainedSvm trained;
  trained.weights.assign(d, 0.0);
  trained.pairs = labels.size();
  if (labels.empty()) return trained;  // a tiny share chose none
  set_print_string_function([](const char*) {});
  const std::unique_ptr<model, FreeModel> solved(train(&task, &settings));
  // LIBLINEAR's weights are for the first label it met, which is +1.
  for (std::size_t k = 0; k < d; ++k) trained.weights[k] = solved->w[k];
  return trained;
}

namespace {
// By itself: g++ 12 warns of members that are not initialised where it stands in the call.
LearnerFacts ranking_svm_facts() {
  return {.name = "ranking-svm",
          .title = "Ranking support vector machine, a baseline that sees the grades",
          .paper = "Herbrich, Graepel, Obermayer; 1999; Joachims; KDD 2002",
          .setting = "continuous: linear rankers learned from judged queries (duel learn)",
          .guarantee = "the minimum of its convex objective",
          .departs = "squared hinge loss; beyond a number of pairs a random choice of them",
          .status = "tested",
          .sees_grades = true};
}

// Listed with the learners it is compared with; it is trained, not configured.
const bool ranking_svm_is_registered = ranker_learner_catalogue().add(
    {ranking_svm_facts(), ranking_svm_options().facts(),
     [](const CallSpec&, const RankerLearnerSetting&) -> RankerLearnerKind::Made {
       return Error::invalid_argument("ranking-svm learns from grades, not from clicks");
     }});

}  // namespace
}  // namespace duel
