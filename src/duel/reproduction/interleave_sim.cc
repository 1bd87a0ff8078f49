// Radlinski, Kurup, Joachims, How does clickthrough data reflect retrieval quality? (CIKM 2008),
// with simulated users: two triplets of rankers whose order is known, ORIG > FLAT > RAND and ORIG >
// SWAP2 > SWAP4. Interleaving finds every order with a thousand queries; absolute click metrics do
// not.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/rng.h"
#include "duel/jobs/jobs.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/estimation/click_comparison.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/letor/degraded_ranker.h"
#include "duel/ranking/letor/synthetic.h"
#include "duel/ranking/metrics/click_metrics.h"
#include "duel/reproduction/registry.h"

namespace duel {
namespace {

enum RankerIndex : std::size_t { kOrig, kFlat, kRand, kSwap2, kSwap4, kNumRankers };
constexpr std::array<const char*, kNumRankers> kNames = {"ORIG", "FLAT", "RAND", "SWAP2", "SWAP4"};

// A cell of the paper's table by queries: how often either ranker won, in per cent, among n.
struct Published {
  double better_wins, worse_wins;
  std::uint32_t n;
};
struct Pair {
  RankerIndex better, worse;
  std::array<Published, 2> published;  // by method
};
constexpr std::array<const char*, 2> kMethods = {"balanced", "team-draft"};
constexpr std::array<Pair, 6> kPairs = {{
    {kOrig, kFlat, {{{30.6, 21.9, 857}, {47.7, 37.3, 1272}}}},
    {kFlat, kRand, {{{28.0, 22.9, 907}, {46.7, 39.7, 1376}}}},
    {kOrig, kRand, {{{40.9, 30.1, 930}, {55.6, 29.8, 1095}}}},
    {kOrig, kSwap2, {{{18.1, 14.6, 1035}, {44.4, 40.3, 1170}}}},
    {kSwap2, kSwap4, {{{33.6, 27.5, 1061}, {44.2, 40.3, 1202}}}},
    {kOrig, kSwap4, {{{32.1, 24.5, 1173}, {47.7, 37.8, 1332}}}},
}};
// Of each triplet: the two small steps, then the large one that spans both.
constexpr std::array<std::array<std::size_t, 3>, 2> kTriplets = {{{0, 1, 2}, {3, 4, 5}}};

// Metrics that a single query without times can tell.
constexpr std::array<ClickMetric, 6> kMetrics = {
    ClickMetric::abandonment_rate,    ClickMetric::clicks_per_query,
    ClickMetric::clicks_at_1,         ClickMetric::pskip,
    ClickMetric::max_reciprocal_rank, ClickMetric::mean_reciprocal_rank};
// Of each ranker: the two together have as many queries as the largest comparison of the paper.
constexpr std::uint32_t kMetricQueries = 688;

// A study is looked at after so many queries, besides the paper's own numbers.
constexpr std::array<std::uint32_t, 5> kLooks = {30, 100, 300, 1000, 3000};
constexpr std::uint32_t kStudyQueries = kLooks.back();
constexpr std::size_t kShown = 10;
constexpr double kReliable = 0.95;
constexpr const char* kUser = "informational";

std::string pair_name(const Pair& pair) {
  return fmt::format("{} > {}", kNames[pair.better], kNames[pair.worse]);
}
const ClickMetricFact& fact_of(ClickMetric metric) {
  return click_metric_facts()[static_cast<std::size_t>(metric)];
}

SyntheticOptions data_set(std::uint64_t seed) {
  SyntheticOptions options;
  options.queries = 2000;
  options.documents = 50;
  options.features = 20;
  options.grades = 5;
  options.noise = 1;
  options.seed = seed;
  return options;
}

// ORIG is what the hidden ranker of the data would do, FLAT gives every feature the same weight but
// for its sign, as the paper's ignored the fields of a document.
Rankers make_rankers(const SyntheticOptions& options) {
  std::vector<LinearRanker::Term> weighted, flat;
  const std::vector<double> weights = synthetic_weights(options);
  for (std::uint32_t f = 0; f < weights.size(); ++f) {
    weighted.push_back({f, weights[f]});
    flat.push_back({f, weights[f] < 0 ? -1.0 : 1.0});
  }
  const auto base = [&](RankerIndex index, std::vector<LinearRanker::Term> terms) {
    return std::make_unique<LinearRanker>(kNames[index], std::move(terms));
  };
  const std::shared_ptr<const Ranker> orig = base(kOrig, weighted), plain = base(kFlat, flat);
  Rankers rankers;
  rankers.push_back(base(kOrig, weighted));
  rankers.push_back(base(kFlat, flat));
  rankers.push_back(std::make_unique<ShuffledRanker>(kNames[kRand], plain, options.seed));
  rankers.push_back(std::make_unique<SwappedRanker>(kNames[kSwap2], orig, options.seed, 2));
  rankers.push_back(std::make_unique<SwappedRanker>(kNames[kSwap4], orig, options.seed, 4));
  return rankers;
}

// --- studies ------------------------------------------------------------------------------------

// Outcomes of one pair under one method, in every study, at every look.
struct Comparisons {
  std::vector<std::uint32_t> looks;
  std::vector<std::vector<OutcomeShares>> counts;  // [look][study]

  const std::vector<OutcomeShares>& at(std::uint32_t look) const {
    const auto found = std::find(looks.begin(), looks.end(), look);
    DUEL_CHECK(found != looks.end());
    return counts[static_cast<std::size_t>(found - looks.begin())];
  }
};

// The values of the metrics of one ranker, in every study, at every look.
struct MetricValues {
  std::vector<std::uint32_t> looks;
  std::vector<std::vector<std::array<double, kMetrics.size()>>> values;  // [look][study]
};

std::vector<std::uint32_t> looks_with(std::uint32_t more) {
  std::vector<std::uint32_t> looks(kLooks.begin(), kLooks.end());
  looks.push_back(more);
  std::sort(looks.begin(), looks.end());
  return looks;
}

struct Studies {
  std::uint32_t count = 0;
  std::array<std::array<Comparisons, kPairs.size()>, kMethods.size()> comparisons;
  std::array<MetricValues, kNumRankers> metrics;
};

void compare(const RankedQueries& queries, const ClickSetting& setting, const Pair& pair,
             const Stream& draws, std::uint32_t study, Comparisons& out) {
  PreparedLists lists(queries, setting, 0);
  ClickComparison comparison(queries, setting, lists);
  OutcomeShares counts;
  std::size_t look = 0;
  for (std::uint32_t n = 1; n <= kStudyQueries; ++n) {
    RoundRng rng = draws.at((Round{study} << 32) + n);
    counts.add(comparison.draw(pair.better, pair.worse, rng), 1);
    if (n == out.looks[look]) out.counts[look++][study] = counts;
  }
}

void observe(const RankedQueries& queries, const ClickModel& user, std::size_t ranker,
             const Stream& draws, std::uint32_t study, MetricValues& out) {
  std::vector<Grade> grades;
  std::vector<Position> positions;
  std::vector<LoggedClick> clicks;
  ClickSums sums{};
  std::size_t look = 0;
  for (std::uint32_t n = 1; n <= kStudyQueries; ++n) {
    RoundRng rng = draws.at((Round{study} << 32) + n);
    const auto query = static_cast<std::size_t>(rng.below(queries.num_queries()));
    grades.clear();
    for (const Document d : queries.top(ranker, query)) grades.push_back(queries.grades(query)[d]);
    user.click(grades, rng, positions);
    clicks.clear();
    for (const Position position : positions) clicks.push_back({position + 1, std::nullopt});
    const ClickSums query_sums = click_sums_of(clicks);
    for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += query_sums[m];
    if (n != out.looks[look]) continue;
    for (std::size_t m = 0; m < kMetrics.size(); ++m) {
      const Ratio& ratio = sums[static_cast<std::size_t>(kMetrics[m])];
      out.values[look][study][m] = ratio.numerator / ratio.denominator;
    }
    ++look;
  }
}

Result<Studies> run_studies(const ReproductionContext& context, const SyntheticOptions& options,
                            std::uint32_t count) {
  const JudgedQueries data = make_synthetic(options);
  JobHooks hooks;
  hooks.stop = context.stop;
  DUEL_ASSIGN(const RankedQueries queries,
              RankedQueries::create(data, make_rankers(options), kShown, context.threads, hooks));
  std::array<ClickSetting, kMethods.size()> settings;
  for (std::size_t m = 0; m < kMethods.size(); ++m) {
    DUEL_ASSIGN(settings[m].method, configure_interleaver(kMethods[m]));
    DUEL_ASSIGN(settings[m].user, configure_click_model(kUser, options.grades));
  }
  Studies studies;
  studies.count = count;
  for (std::size_t m = 0; m < kMethods.size(); ++m) {
    for (std::size_t p = 0; p < kPairs.size(); ++p) {
      Comparisons& cell = studies.comparisons[m][p];
      cell.looks = looks_with(kPairs[p].published[m].n);
      cell.counts.assign(cell.looks.size(), std::vector<OutcomeShares>(count));
    }
  }
  for (MetricValues& metric : studies.metrics) {
    metric.looks = looks_with(kMetricQueries);
    metric.values.assign(metric.looks.size(),
                         std::vector<std::array<double, kMetrics.size()>>(count));
  }
  // One job is one study of one pair and method, or of one ranker by its clicks alone.
  constexpr std::uint64_t kCells = kMethods.size() * kPairs.size() + kNumRankers;
  const std::uint64_t total = kCells * count;
  hooks.on_progress = [&](std::uint64_t finished) {
    context.report(static_cast<double>(finished) / static_cast<double>(total), "studies");
  };
  // What one job leaves at every look, as bytes.
  const auto for_looks = [&](std::uint64_t number, const auto& visit) {
    const auto cell = static_cast<std::size_t>(number / count);
    const std::size_t study = number % count;
    if (cell < kNumRankers) {
      for (auto& at : studies.metrics[cell].values) visit(&at[study], sizeof at[study]);
      return;
    }
    Comparisons& pair = studies.comparisons[(cell - kNumRankers) / kPairs.size()]
                                           [(cell - kNumRankers) % kPairs.size()];
    for (auto& at : pair.counts) visit(&at[study], sizeof at[study]);
  };
  static_assert(std::is_trivially_copyable_v<OutcomeShares>);
  const JobTransfer transfer{[&](std::uint64_t number) {
                               std::string bytes;
                               for_looks(number, [&](const void* value, std::size_t size) {
                                 bytes.append(static_cast<const char*>(value), size);
                               });
                               return bytes;
                             },
                             [&](std::uint64_t number, std::string_view bytes) {
                               for_looks(number, [&](void* value, std::size_t size) {
                                 DUEL_CHECK(bytes.size() >= size);
                                 std::memcpy(value, bytes.data(), size);
                                 bytes.remove_prefix(size);
                               });
                             }};
  DUEL_ASSIGN(const JobsRun jobs,
              run_jobs(
                  total, context.threads, hooks,
                  [&](std::uint64_t number, const std::atomic<bool>&) {
                    const auto cell = static_cast<std::size_t>(number / count);
                    const auto study = static_cast<std::uint32_t>(number % count);
                    const Stream draws(context.seed, static_cast<std::uint32_t>(cell),
                                       Purpose::impression, "interleave-sim");
                    if (cell < kNumRankers) {
                      observe(queries, *settings[0].user, cell, draws, study,
                              studies.metrics[cell]);
                    } else {
                      const std::size_t method = (cell - kNumRankers) / kPairs.size();
                      const std::size_t pair = (cell - kNumRankers) % kPairs.size();
                      compare(queries, settings[method], kPairs[pair], draws, study,
                              studies.comparisons[method][pair]);
                    }
                    return true;
                  },
                  [](std::uint64_t number) { return fmt::format("study {}", number); }, &transfer));
  if (jobs.finished < total) return interrupted_reproduction();
  return studies;
}

// --- what they say ------------------------------------------------------------------------------

// The share of studies in which the better ranker won more queries than it lost.
Measured right_share(const std::vector<OutcomeShares>& studies) {
  const auto right = std::count_if(studies.begin(), studies.end(), [](const OutcomeShares& s) {
    return s.first_wins > s.second_wins;
  });
  return measured_share(static_cast<std::uint64_t>(right), studies.size());
}

// Wins less losses of the better ranker, as a share of the queries.
Measured advantage(const std::vector<OutcomeShares>& studies) {
  std::vector<double> values;
  for (const OutcomeShares& s : studies) {
    values.push_back((s.first_wins - s.second_wins) / s.total());
  }
  return measured(values);
}

// The share of studies in which a metric says of the pair what is true.
Measured right_share(const Studies& studies, const Pair& pair, std::size_t metric,
                     std::uint32_t look) {
  const MetricValues& better = studies.metrics[pair.better];
  const MetricValues& worse = studies.metrics[pair.worse];
  const auto at = static_cast<std::size_t>(
      std::find(better.looks.begin(), better.looks.end(), look) - better.looks.begin());
  const bool rises = fact_of(kMetrics[metric]).rises;
  std::uint64_t right = 0;
  for (std::uint32_t s = 0; s < studies.count; ++s) {
    const double change = worse.values[at][s][metric] - better.values[at][s][metric];
    right += (rises ? change > 0 : change < 0) ? 1 : 0;
  }
  return measured_share(right, studies.count);
}

void add_interleaving(const Studies& studies, Reproduction& out, TidyTable& table) {
  for (std::size_t m = 0; m < kMethods.size(); ++m) {
    for (std::size_t p = 0; p < kPairs.size(); ++p) {
      const Published& published = kPairs[p].published[m];
      const Comparisons& cell = studies.comparisons[m][p];
      OutcomeShares sum;
      for (const OutcomeShares& study : cell.at(published.n)) sum += study;
      sum = sum.scaled(100 / sum.total());
      const Measured right = right_share(cell.at(published.n));
      Finding finding = finding_within(
          fmt::format("{} orders {} with {} queries", kMethods[m], pair_name(kPairs[p]),
                      published.n),
          fmt::format("{:.1f} % : {:.1f} %", published.better_wins, published.worse_wins), right,
          {kReliable, 1}, "right in 95 % of studies");
      finding.ours = fmt::format("{:.1f} % : {:.1f} %, right in {:.1f} %", sum.first_wins,
                                 sum.second_wins, 100 * right.mean);
      out.findings.push_back(std::move(finding));
      for (std::size_t look = 0; look < cell.looks.size(); ++look) {
        const auto& counts = cell.counts[look];
        table.add({kMethods[m], pair_name(kPairs[p]), fmt::format("{}", cell.looks[look])},
                  right_share(counts), {advantage(counts).mean, advantage(counts).se});
      }
    }
    for (const auto& triplet : kTriplets) {
      std::array<Measured, 3> steps;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t p = triplet[k];
        steps[k] = advantage(studies.comparisons[m][p].at(kPairs[p].published[m].n));
      }
      out.findings.push_back(finding_that(
          fmt::format("{}: the advantage in {} is above those in {} and {}", kMethods[m],
                      pair_name(kPairs[triplet[2]]), pair_name(kPairs[triplet[0]]),
                      pair_name(kPairs[triplet[1]])),
          "so", fmt::format("{:.3f} > {:.3f}, {:.3f}", steps[2].mean, steps[0].mean, steps[1].mean),
          "above both", steps[2].mean > std::max(steps[0].mean, steps[1].mean)));
    }
  }
}

void add_metrics(const Studies& studies, Reproduction& out, TidyTable& table) {
  std::size_t unreliable = 0;
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    const std::string name(fact_of(kMetrics[m]).name);
    std::size_t ordered = 0;
    Measured worst;
    std::string worst_pair;
    for (const Pair& pair : kPairs) {
      for (const std::uint32_t look : studies.metrics[0].looks) {
        table.add({name, pair_name(pair), fmt::format("{}", look)},
                  right_share(studies, pair, m, look), {kUndefined, kUndefined});
      }
      const Measured right = right_share(studies, pair, m, kMetricQueries);
      ordered += right.mean >= kReliable ? 1 : 0;
      if (worst_pair.empty() || right.mean < worst.mean) {
        worst = right;
        worst_pair = pair_name(pair);
      }
    }
    unreliable += ordered < kPairs.size() ? 1 : 0;
    Finding finding =
        finding_shown(fmt::format("{} with {} queries of each ranker", name, kMetricQueries),
                      "does not order all six", worst);
    finding.ours = fmt::format("orders {} of 6 in 95 % of studies; {} in {:.1f} %", ordered,
                               worst_pair, 100 * worst.mean);
    out.findings.push_back(std::move(finding));
  }
  out.findings.push_back(
      finding_that("absolute metrics fail to order a pair reliably", "every metric does",
                   fmt::format("{} of {} metrics do", unreliable, kMetrics.size()),
                   "one metric at least", unreliable > 0));
}

Chart chart_of(const Studies& studies) {
  Chart chart{
      .title = "Share of studies that order two rankers correctly", .panels = {}, .columns = 3};
  for (std::size_t p = 0; p < kPairs.size(); ++p) {
    ChartPanel panel{.title = pair_name(kPairs[p]),
                     .x_label = "queries",
                     .y_label = "share ordered correctly",
                     .log_x = true,
                     .y_range = ChartRange{0, 1.02}};
    for (std::size_t m = 0; m < kMethods.size(); ++m) {
      ChartCurve curve{.label = kMethods[m]};
      for (const std::uint32_t look : kLooks) {
        curve.points.push_back(
            {static_cast<double>(look), right_share(studies.comparisons[m][p].at(look)).mean});
      }
      panel.curves.push_back(std::move(curve));
    }
    for (std::size_t m = 0; m < kMetrics.size(); ++m) {
      ChartCurve curve{.label = std::string(fact_of(kMetrics[m]).name)};
      for (const std::uint32_t look : kLooks) {
        curve.points.push_back({2.0 * look, right_share(studies, kPairs[p], m, look).mean});
      }
      panel.curves.push_back(std::move(curve));
    }
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

Result<Reproduction> run_interleave_sim(const ReproductionContext& context) {
  const SyntheticOptions options = data_set(context.seed + 1);
  const std::uint32_t count = context.size(200U, 1000U);
  DUEL_ASSIGN(const Studies studies, run_studies(context, options, count));
  Reproduction out;
  TidyTable table("studies", {"method", "pair", "queries"}, context.seed,
                  {"advantage", "advantage_se"});
  add_interleaving(studies, out, table);
  add_metrics(studies, out, table);
  out.tables.push_back(std::move(table));
  out.figures.push_back(
      figure_of("studies",
                "How many of the simulated studies order two rankers rightly, by the queries they "
                "have in all: with a merged list, or for a metric one half with each ranker.",
                chart_of(studies)));
  out.remarks.push_back(fmt::format(
      "The paper's table comes from users of a search engine and cannot be repeated; its figures "
      "stand beside ours. Ours are {} studies with {} dependent-click users and lists of {} on {}. "
      "ORIG ranks by the hidden ranker's weights, FLAT by their signs; RAND shuffles the first "
      "eleven of FLAT; SWAP2 and SWAP4 exchange two or four of ORIG's first five with ranks 7 to "
      "11. A study is right where the better ranker wins more queries than it loses, or where a "
      "metric's difference has the sign it should have.",
      count, kUser, kShown, synthetic_options().canonical("synthetic", options)));
  out.remarks.emplace_back(
      "A metric is asked with as many queries in all as the largest comparison of the paper, one "
      "half "
      "for each of the two rankers. The paper's finding that no metric can be relied on comes out "
      "in "
      "part: abandonment and clicks per query mislead on every pair, but metrics of the first rank "
      "and of reciprocal ranks do well. That was so with navigational users too, and with twice "
      "the "
      "queries; asked whether every metric fails, all these settings say no. It may be because "
      "simulated users are all alike and their queries are drawn from one pool for all rankers. "
      "Metrics of sessions and of times are not simulated.");
  return out;
}

const bool interleave_sim_is_registered = register_reproduction(
    {.name = "interleave-sim",
     .paper = "Radlinski, Kurup, Joachims (CIKM 2008), in the CS 159 slides",
     .what = "interleaving against absolute metrics",
     .description = "Which of five rankers is better: by interleaving, and by absolute metrics."},
    run_interleave_sim);

}  // namespace
}  // namespace duel
