// What an impression of online learning to rank costs: query, scores, list, clicks, update, NDCG.
// `scripts/bench learn` runs it; bench/performance.md quotes it.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <string>
#include <vector>

#include "bench/workloads.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/learners/learning_run.h"
#include "duel/ranking/letor/synthetic.h"

namespace duel {
namespace {

// CPU time of this thread, whatever else the machine does.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Learned {
  double microseconds;  // per impression, the median of 5 stretches
  double ndcg;
};

Learned learn(const JudgedQueries& data, const std::string& learner, const std::string& interleave,
              AnswerBasis answer, std::uint64_t impressions) {
  LearningSetting setting;
  setting.queries = &data;
  setting.learner = configure_ranker_learner(parse_call(learner).value(),
                                             {data.num_features(), 10, interleave, impressions})
                        .value();
  setting.user = configure_click_model("perfect", data.num_grades()).value();
  setting.answer = answer;
  LearningTrial trial(setting, 0);
  const std::atomic<bool> stop{false};
  std::vector<double> runs;
  for (std::uint64_t run = 1; run <= 5; ++run) {
    const double start = thread_seconds();
    trial.play(run * impressions / 5, stop);
    runs.push_back((thread_seconds() - start) / (static_cast<double>(impressions) / 5));
  }
  std::sort(runs.begin(), runs.end());
  return {1e6 * runs[2], mean_ndcg(data, trial.weights(), 10)};
}

JudgedQueries synthetic(std::uint64_t queries, std::uint64_t documents, std::uint64_t features) {
  return make_synthetic(
      SyntheticOptions{.queries = queries, .documents = documents, .features = features});
}

void print_row(const std::string& first, const Learned& learned) {
  fmt::print("| {} | {:.2f} | {:.0f} | {:.3f} |\n", first, learned.microseconds,
             1e3 / learned.microseconds, learned.ndcg);
}

}  // namespace

void learn_workload() {
  constexpr const char* kColumns =
      "us per impression | thousand impressions/s | NDCG@10 after |\n|---|---|---|---|\n";
  const JudgedQueries data = synthetic(500, 40, 136);
  fmt::print("\n## 136 features, 40 documents a query, 10 shown, perfect clicks\n\n| learner | {}",
             kColumns);
  const std::string dbgd = "dbgd(delta=1,gamma=0.01)";
  print_row(dbgd + ", team-draft", learn(data, dbgd, "team-draft", AnswerBasis::clicks, 100'000));
  print_row(dbgd + ", probabilistic",
            learn(data, dbgd, "probabilistic", AnswerBasis::clicks, 50'000));
  print_row(dbgd + ", NDCG through the logistic link",
            learn(data, dbgd, "", AnswerBasis::ndcg_logistic, 100'000));
  print_row("dbgd(delta=1,gamma=0.01,batch=100), team-draft",
            learn(data, "dbgd(delta=1,gamma=0.01,batch=100)", "team-draft", AnswerBasis::clicks,
                  100'000));
  print_row("mgd(candidates=9), team-draft",
            learn(data, "mgd(candidates=9)", "team-draft", AnswerBasis::clicks, 10'000));
  print_row("mgd(candidates=49), probabilistic",
            learn(data, "mgd(candidates=49)", "probabilistic", AnswerBasis::clicks, 2'000));
  print_row("nsgd, team-draft", learn(data, "nsgd", "team-draft", AnswerBasis::clicks, 5'000));
  print_row("pdgd", learn(data, "pdgd", "", AnswerBasis::clicks, 50'000));

  fmt::print("\n## Growth, {}, team-draft\n\n| features x documents | {}", dbgd, kColumns);
  for (const auto& [features, documents] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {10, 40}, {46, 40}, {136, 10}, {136, 40}, {136, 160}, {700, 40}}) {
    const JudgedQueries grown = synthetic(100, documents, features);
    print_row(fmt::format("{} x {}", features, documents),
              learn(grown, dbgd, "team-draft", AnswerBasis::clicks, 50'000));
  }
}

}  // namespace duel
