// Learning to rank with DBGD, as Yue and Joachims (ICML 2009, section 5.2) show it: Table 2, over
// exploration delta and exploitation gamma; Figure 3, over comparisons an update; and Table 3,
// against a ranking SVM that sees the grades.
#include "duel/core/check.h"
#include "duel/core/numbers.h"
#include "duel/jobs/ranks.h"
#include "duel/ranking/learners/learning_run.h"
#include "duel/ranking/learners/ranking_svm.h"
#include "duel/ranking/letor/folds.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/synthetic.h"
#include "duel/ranking/metrics/judged_measures.h"
#include "duel/reproduction/dbgd_ranking.h"

namespace duel {

Result<DbgdRankingData> dbgd_ranking_data(const ReproductionContext& context) {
  if (!context.data.empty()) {
    DUEL_ASSIGN(const JudgedQueries all, resolve_judged_queries(context.data[0]));
    if (all.num_queries() < 3 || all.num_features() == 0) {
      return Error::invalid_data("the data has fewer than three queries or no features",
                                 context.data[0],
                                 "it is split into training, validation and test queries");
    }
    const auto parts = split_queries(all.num_queries(), 3, context.seed);
    return DbgdRankingData{
        all.subset(parts[0]), all.subset(parts[1]), all.subset(parts[2]),
        fmt::format("{}: {} queries, {} features", context.data[0], all.num_queries(),
                    all.num_features()),
        fmt::format("Data: {}, its queries split into three random parts.", context.data[0])};
  }
  SyntheticOptions options =
      context.quick
          ? SyntheticOptions{.queries = 900, .documents = 20, .noise = 2, .factors = 30}
          : SyntheticOptions{.queries = 3000, .documents = 50, .noise = 5, .factors = 100};
  options.features = 367;
  options.seed = 1 + context.seed;
  const JudgedQueries all = make_synthetic(options);
  std::vector<std::vector<std::size_t>> parts(3);
  for (std::size_t q = 0; q < all.num_queries(); ++q) {
    parts[3 * q / all.num_queries()].push_back(q);
  }
  const std::string description =
      fmt::format("synthetic, {} queries a part, {} documents, {} features of {} factors",
                  options.queries / 3, options.documents, options.features, options.factors);
  return DbgdRankingData{
      all.subset(parts[0]), all.subset(parts[1]), all.subset(parts[2]), description,
      fmt::format(
          "The paper's data (1000 queries each to train, validate and test, about 50 documents a "
          "query, 367 features, 5 grades) are not public. Ours are {}: features depend on each "
          "other, as those of search engines do, and grades are cut from a hidden linear ranker "
          "plus noise of {} times its standard deviation. The number of factors and the noise were "
          "chosen after trial runs of nine settings (twelve of the quick form), so that learning "
          "takes about as long as the run: with 20 "
          "factors and noise 1 it is over long before 10^7 comparisons, the cells with delta up to "
          "1 and gamma 0.005 or 0.01 end within 0.002 of each other, and the best one is at the "
          "edge of the grid, (0.5, 0.01).{} --data FILE takes any LETOR file.",
          description, format_number(options.noise),
          context.quick ? " This quick form has fewer queries, documents, comparisons and factors, "
                          "and less noise (full: 1000, 50, 10^7, 100 and 5)."
                        : "")};
}

DbgdRankingRun DbgdRankingRun::of_batch(std::uint64_t batch, const DbgdRankingPlan& plan) {
  return {1, std::sqrt(10 * static_cast<double>(batch) / static_cast<double>(plan.comparisons)),
          batch};
}

DbgdRankingPlan dbgd_ranking_plan(const ReproductionContext& context) {
  return {context.size<std::uint64_t>(250'000, 10'000'000), context.size<std::uint64_t>(20, 50), 1};
}

Result<std::vector<DbgdRankingResult>> play_dbgd_rankings(const ReproductionContext& context,
                                                          const DbgdRankingData& data,
                                                          std::span<const DbgdRankingRun> runs,
                                                          const DbgdRankingPlan& plan) {
  std::vector<LearningSetting> settings;
  for (const DbgdRankingRun& run : runs) {
    const std::string text =
        fmt::format("dbgd(delta={},gamma={},batch={})", format_number(run.delta),
                    format_number(run.gamma), run.batch);
    DUEL_ASSIGN(const CallSpec call, parse_call(text));
    LearningSetting setting;
    setting.queries = &data.train;
    DUEL_ASSIGN(setting.learner,
                configure_ranker_learner(
                    call, {data.train.num_features(), kDbgdLength, "", plan.comparisons}));
    setting.answer = AnswerBasis::ndcg_logistic;
    setting.length = kDbgdLength;
    setting.seed = context.seed;
    setting.same_start = true;
    settings.push_back(std::move(setting));
  }
  std::vector<std::uint64_t> checkpoints;
  for (std::uint64_t i = 1; i <= plan.points; ++i) {
    checkpoints.push_back(i * (plan.comparisons / plan.points));
  }
  // Runs of one trial meet the same queries and are played side by side, in as many groups as keep
  // the threads busy. Results do not depend on the groups.
  const Ranks* ranks = current_ranks();
  const std::uint64_t all_threads =
      std::uint64_t{resolve_threads(context.threads)} * (ranks != nullptr ? ranks->size() : 1);
  const std::uint64_t groups = std::min<std::uint64_t>(runs.size(), 2 * all_threads);
  std::atomic<std::uint64_t> measured_points = 0;
  // What a group leaves: the curves of its runs by checkpoint, then their weights.
  DUEL_ASSIGN(const auto left,
              run_each<std::vector<double>>(
                  context, groups * plan.trials, "runs",
                  [&](std::uint64_t job, const std::atomic<bool>& stop, std::vector<double>& out) {
                    std::vector<std::unique_ptr<LearningTrial>> trials;
                    std::vector<LearningTrial*> together;
                    for (std::size_t r = job % groups; r < runs.size(); r += groups) {
                      trials.push_back(std::make_unique<LearningTrial>(
                          settings[r], static_cast<std::uint32_t>(job / groups)));
                      together.push_back(trials.back().get());
                    }
                    for (const std::uint64_t checkpoint : checkpoints) {
                      if (!play_together(together, checkpoint, stop)) return false;
                      for (const auto& trial : trials) {
                        out.push_back(mean_ndcg(data.train, trial->weights(), kDbgdLength));
                      }
                      measured_points += trials.size();
                    }
                    for (const auto& trial : trials) {
                      out.insert(out.end(), trial->weights().begin(), trial->weights().end());
                    }
                    return true;
                  },
                  [&] {
                    return static_cast<double>(measured_points.load()) /
                           static_cast<double>(runs.size() * plan.trials * plan.points);
                  }));
  std::vector<DbgdRankingResult> results(runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::size_t members = (runs.size() - r % groups + groups - 1) / groups;
    const std::size_t features = data.train.num_features();
    for (std::uint32_t trial = 0; trial < plan.trials; ++trial) {
      const std::vector<double>& values = left[trial * groups + r % groups];
      DUEL_CHECK(values.size() == members * (checkpoints.size() + features));
      std::vector<double>& curve = results[r].curve.emplace_back();
      for (std::size_t i = 0; i < checkpoints.size(); ++i) {
        curve.push_back(values[i * members + r / groups]);
      }
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(checkpoints.size() * members +
                                                                      r / groups * features);
      results[r].weights.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(features));
    }
  }
  return results;
}

namespace {

// --- settings and published numbers -------------------------------------------------------------

constexpr const char* kLearningNeeds =
    "--data FILE: judged queries, LETOR text, in place of synthetic ones";

// Table 2, delta by gamma: NDCG@10 on average over the run and at its end, 100 duels an update.
constexpr std::array<double, 4> kDelta = {0.5, 0.8, 1, 3};
constexpr std::array<double, 5> kGamma = {0.001, 0.005, 0.01, 0.05, 0.1};
constexpr double kPrintedNdcg[2][4][5] = {{{.524, .570, .580, .569, .557},
                                           {.533, .575, .582, .576, .566},
                                           {.537, .575, .584, .577, .568},
                                           {.529, .565, .573, .575, .571}},
                                          {{.559, .591, .592, .569, .565},
                                           {.564, .593, .593, .574, .559},
                                           {.568, .592, .595, .582, .570},
                                           {.557, .581, .582, .577, .576}}};
constexpr std::array<const char*, 2> kMeasures = {"average", "final"};

// Figure 3: comparisons an update.
constexpr std::array<std::uint64_t, 3> kFig3Batches = {1, 10, 100};

// Table 3: comparisons an update, NDCG@10, and queries that the SVM wins, ties and loses.
struct Table3Row {
  std::uint64_t batch;
  double ndcg;
  std::array<int, 3> queries;
};
constexpr std::array<Table3Row, 6> kTable3 = {{{1, .596, {490, 121, 389}},
                                               {5, .593, {489, 121, 390}},
                                               {10, .589, {504, 118, 378}},
                                               {25, .593, {489, 118, 393}},
                                               {50, .596, {472, 119, 409}},
                                               {100, .595, {490, 116, 394}}}};
constexpr double kSvmNdcg = .612;

// --- dbgd-table2 --------------------------------------------------------------------------------

Result<Reproduction> run_dbgd_table2(const ReproductionContext& context) {
  DUEL_ASSIGN(const DbgdRankingData data, dbgd_ranking_data(context));
  const DbgdRankingPlan plan = dbgd_ranking_plan(context);
  // The quick form has a 33rd of the paper's comparisons. With 100 an update there would be too few
  // updates for the lengths of the grid.
  const std::uint64_t batch = context.size<std::uint64_t>(10, 100);
  std::vector<DbgdRankingRun> runs;
  for (const double delta : kDelta) {
    for (const double gamma : kGamma) runs.push_back({delta, gamma, batch});
  }
  DUEL_ASSIGN(const auto results, play_dbgd_rankings(context, data, runs, plan));
  Reproduction out{context.seed};
  TidyTable& table = out.add_table("table2", "delta,gamma,measure", "printed");
  Chart chart{.title = data.description};
  for (const char* title : {"average over the run", "final"}) {
    chart.panels.push_back(
        panel_of(title, "gamma", "NDCG@10 on the training queries", Axes::log_x));
  }
  struct Peak {
    double value = -1;
    std::size_t delta = 0, gamma = 0;
  };
  std::array<Peak, 2> peaks;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::size_t i = r / kGamma.size(), j = r % kGamma.size();
    const std::string delta = format_number(kDelta[i]), gamma = format_number(kGamma[j]);
    std::array<std::vector<double>, 2> trials;
    for (const std::vector<double>& curve : results[r].curve) {
      trials[0].push_back(mean(curve));
      trials[1].push_back(curve.back());
    }
    std::array<Measured, 2> values;
    for (std::size_t m = 0; m < values.size(); ++m) {
      values[m] = measured(trials[m]);
      table.add({delta, gamma, kMeasures[m]}, values[m], {kPrintedNdcg[m][i][j]});
      plot(chart.panels[m], fmt::format("delta = {}", kDelta[i]), kGamma[j], values[m]);
      if (values[m].mean > peaks[m].value) peaks[m] = {values[m].mean, i, j};
    }
    out.findings
        .shown(fmt::format("delta = {}, gamma = {}: average, final", delta, gamma),
               fmt::format("{:.3f}, {:.3f}", kPrintedNdcg[0][i][j], kPrintedNdcg[1][i][j]),
               values[1])
        .ours = fmt::format("{}, {}", measured_text(values[0]), measured_text(values[1]));
  }
  for (std::size_t m = 0; m < peaks.size(); ++m) {
    const auto [value, i, j] = peaks[m];
    out.findings.that(fmt::format("best (delta, gamma), {}", kMeasures[m]), "(1, 0.01)",
                      fmt::format("({}, {})", kDelta[i], kGamma[j]), "inside the grid",
                      i > 0 && i + 1 < kDelta.size() && j > 0 && j + 1 < kGamma.size());
  }
  out.draw("table2", "NDCG@10 over the length of a step.", std::move(chart));
  out.remarks = {
      data.remark,
      fmt::format("The paper's grid; {} comparisons, {} an update, and {} run a cell (paper: 10^7, "
                  "100, one). Values of another data set stand beside the printed ones for their "
                  "shape alone. One run says nothing of its spread: cells that differ by a few "
                  "thousandths, as the best ones do in print too, may change places with another "
                  "--seed. The average of a short run favours long steps, and the end of a run in "
                  "which learning has ended short ones, so that on one data set the two need not "
                  "have their best cell inside the grid together.",
                  plan.comparisons, batch, plan.trials)};
  return out;
}

// --- dbgd-fig3 ----------------------------------------------------------------------------------

Result<Reproduction> run_dbgd_fig3(const ReproductionContext& context) {
  DUEL_ASSIGN(const DbgdRankingData data, dbgd_ranking_data(context));
  const DbgdRankingPlan plan = dbgd_ranking_plan(context);
  std::vector<DbgdRankingRun> runs;
  for (const std::uint64_t batch : kFig3Batches) {
    runs.push_back(DbgdRankingRun::of_batch(batch, plan));
  }
  DUEL_ASSIGN(const auto results, play_dbgd_rankings(context, data, runs, plan));
  Reproduction out{context.seed};
  TidyTable& table = out.add_table("fig3", "batch,comparisons");
  ChartPanel panel = panel_of(data.description, "comparisons", "NDCG@10 on the training queries");
  std::vector<double> finals;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Measured value;
    for (std::size_t i = 0; i < plan.points; ++i) {
      std::vector<double> values;
      for (const std::vector<double>& trial : results[r].curve) values.push_back(trial[i]);
      value = measured(values);
      const std::uint64_t at = (i + 1) * (plan.comparisons / plan.points);
      table.add({runs[r].batch, at}, value);
      plot(panel, fmt::format("{} an update", runs[r].batch), static_cast<double>(at), value);
    }
    finals.push_back(value.mean);
    out.findings.shown(
        fmt::format("{} an update, final (gamma = {:.4f})", runs[r].batch, runs[r].gamma),
        from_figure("about 0.59"), value);
  }
  const auto [low, high] = std::minmax_element(finals.begin(), finals.end());
  out.findings.that("1, 10 and 100 comparisons an update", from_figure("overlapping curves"),
                    fmt::format("{:.4f} apart at the end", *high - *low),
                    "within 0.01 of each other", *high - *low <= 0.01);
  out.draw("fig3", "Learning with 1, 10 and 100 duels an update.", std::move(panel));
  out.remarks = {
      data.remark,
      fmt::format("{} comparisons, {} run (paper: 10^7). The paper tunes delta and gamma for each "
                  "batch size n and does not print them, but for n = 100: delta = 1, gamma = 0.01. "
                  "Ours follow from that one and are not tuned on our data: delta = 1 and gamma = "
                  "sqrt(10 n/T), the law gamma ~ 1/sqrt(number of updates) of the analysis.",
                  plan.comparisons, plan.trials)};
  return out;
}

// --- dbgd-table3 --------------------------------------------------------------------------------

std::vector<double> query_ndcg(const JudgedQueries& queries, const std::vector<double>& weights) {
  std::vector<double> values, scores;
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    scores.resize(queries.num_documents(q));
    score_documents(QueryDocuments(queries, q), weights, scores);
    values.push_back(tie_averaged_ndcg(scores, queries.grades(q), kDbgdLength));
  }
  return values;
}

// Chosen on the validation queries, as in the paper.
Result<std::vector<double>> tuned_svm(const DbgdRankingData& data, std::uint64_t seed) {
  std::vector<double> best;
  double largest = -1;
  for (const double c : {0.001, 0.01, 0.1, 1.0}) {
    DUEL_ASSIGN(const TrainedSvm svm, train_ranking_svm(data.train, {.c = c}, seed));
    const double ndcg = mean_ndcg(data.validation, svm.weights, kDbgdLength);
    if (ndcg <= largest) continue;
    largest = ndcg;
    best = svm.weights;
  }
  return best;
}

Result<Reproduction> run_dbgd_table3(const ReproductionContext& context) {
  DUEL_ASSIGN(const DbgdRankingData data, dbgd_ranking_data(context));
  const DbgdRankingPlan plan = dbgd_ranking_plan(context);
  std::vector<DbgdRankingRun> runs;
  for (const Table3Row& row : kTable3) runs.push_back(DbgdRankingRun::of_batch(row.batch, plan));
  DUEL_ASSIGN(const auto results, play_dbgd_rankings(context, data, runs, plan));
  if (context.stopped()) return interrupted_reproduction();
  DUEL_ASSIGN(const std::vector<double> svm_weights, tuned_svm(data, context.seed));
  const std::vector<double> svm = query_ndcg(data.test, svm_weights);
  const double svm_mean = mean(svm);
  Reproduction out{context.seed};
  TidyTable& table = out.add_table("table3", "learner", "won,tied,lost,printed");
  table.add({"ranking-svm"}, exactly(svm_mean), {0, static_cast<double>(svm.size()), 0, kSvmNdcg});
  out.findings.shown("ranking SVM", fmt::format("{:.3f}", kSvmNdcg), exactly(svm_mean));
  std::vector<double> compared;  // the batch sizes of Figure 3
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& [batch, printed, queries] = kTable3[r];
    std::vector<double> ndcg;
    std::array<double, 3> counts{};  // per trial
    for (const std::vector<double>& weights : results[r].weights) {
      const std::vector<double> ours = query_ndcg(data.test, weights);
      ndcg.push_back(mean(ours));
      for (std::size_t q = 0; q < ours.size(); ++q) {
        const double gap = svm[q] - ours[q];
        counts[std::fabs(gap) < 1e-12 ? 1 : (gap > 0 ? 0 : 2)] += 1.0 / plan.trials;
      }
    }
    const Measured value = measured(ndcg);
    if (std::count(kFig3Batches.begin(), kFig3Batches.end(), batch) > 0) {
      compared.push_back(value.mean);
    }
    table.add({fmt::format("dbgd, batch {}", batch)}, value,
              {counts[0], counts[1], counts[2], printed});
    out.findings
        .within(fmt::format("DBGD, {} an update; queries the SVM wins/ties/loses", batch),
                fmt::format("{:.3f} ({}/{}/{})", printed, queries[0], queries[1], queries[2]),
                value, around(svm_mean, 0.03), "within 0.03 of the SVM")
        .ours += fmt::format(" ({:.0f}/{:.0f}/{:.0f})", counts[0], counts[1], counts[2]);
  }
  const auto [low, high] = std::minmax_element(compared.begin(), compared.end());
  out.findings.that("1, 10 and 100 an update", "0.596, 0.589, 0.595",
                    fmt::format("{:.4f} apart", *high - *low), "within 0.01 of each other",
                    *high - *low <= 0.01);
  out.remarks = {
      data.remark,
      fmt::format("{} comparisons, {} run (paper: 10^7, one). Steps are not tuned on our data: "
                  "delta = 1 and gamma = sqrt(10 n/T) for n comparisons an update and T in all, "
                  "which is the paper's best setting of n = 100, carried over to other n by the "
                  "law gamma ~ 1/sqrt(number of updates) of the analysis. The SVM has a squared "
                  "hinge loss, and its cost C is chosen on the validation queries.",
                  plan.comparisons, plan.trials)};
  return out;
}

const bool dbgd_learning_is_registered = register_paper(
    "Yue, Joachims (ICML 2009)",
    {{"dbgd-table2", "Table 2", "Learning to rank with DBGD over exploration and exploitation.",
      run_dbgd_table2, kLearningNeeds},
     {"dbgd-fig3", "Figure 3", "Learning to rank with DBGD, several comparisons an update.",
      run_dbgd_fig3, kLearningNeeds},
     {"dbgd-table3", "Table 3",
      "Rankers learned from duels against a ranking SVM that sees the grades.", run_dbgd_table3,
      kLearningNeeds}});

}  // namespace
}  // namespace duel
