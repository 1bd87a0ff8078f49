#include "duel/truth/feature_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/logistic.h"
#include "duel/core/options.h"
#include "duel/core/rng.h"
#include "duel/core/turns.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

constexpr const char* kLinear = "linear";
constexpr const char* kTable = "table";

enum class RowShape { sphere, cube, gauss };

struct LinearProblemOptions {
  std::uint64_t k = 32;
  std::uint64_t d = 5;
  std::uint64_t seed = 1;
  double scale = 1;
  RowShape features = RowShape::sphere;
  bool fresh = false;
};

OptionTable<LinearProblemOptions> linear_table() {
  OptionTable<LinearProblemOptions> table;
  table.count("k", &LinearProblemOptions::k, 2, 100'000, "number of arms", Shown::always);
  table.count("d", &LinearProblemOptions::d, 1, 1000, "number of features", Shown::always);
  table.count("seed", &LinearProblemOptions::seed, 0, (std::uint64_t{1} << 63) - 1,
              "seed of the random numbers", Shown::always);
  table.number("scale", &LinearProblemOptions::scale, {.above = 0, .most = 1000},
               "length of theta: how clear preferences are", Shown::always);
  table.choice(
      "features", &LinearProblemOptions::features,
      std::vector<std::pair<std::string, RowShape>>{
          {"sphere", RowShape::sphere}, {"cube", RowShape::cube}, {"gauss", RowShape::gauss}},
      "where the rows of features lie", Shown::always);
  table.flag("fresh", &LinearProblemOptions::fresh, "new rows in every round: contexts");
  return table;
}

struct TableProblemOptions {
  std::string features;
  std::string utilities;
};

OptionTable<TableProblemOptions> file_table() {
  OptionTable<TableProblemOptions> table;
  table.text("features", &TableProblemOptions::features, "a CSV file, a line for each arm",
             Shown::always);
  table.text("utilities", &TableProblemOptions::utilities,
             "a CSV file of one column, a line for each arm", Shown::always);
  return table;
}

std::vector<double> direction(std::size_t d, RoundRng rng) {
  std::vector<double> x(d);
  for (double& value : x) value = normal_by_turns(rng);
  scale(x, 1 / norm(x));
  return x;
}

// Draw number 0 is theta's, number i + 1 that of row i.
std::vector<double> row_of(const LinearProblemOptions& options, std::size_t i, RoundRng rng) {
  if (options.features == RowShape::sphere) return direction(options.d, rng);
  std::vector<double> x(options.d);
  for (std::size_t k = 0; k < options.d; ++k) {
    if (options.features == RowShape::gauss) {
      x[k] = normal_by_turns(rng) / std::sqrt(static_cast<double>(options.d));
    } else {
      x[k] = ((i >> k & 1) != 0 ? 1.0 : -1.0) - 0.1 * rng.uniform();
    }
  }
  return x;
}

Result<LinearProblemOptions> read_options(const CallSpec& call) {
  DUEL_ASSIGN(const LinearProblemOptions options, linear_table().parse(call, {}, "matrix"));
  const bool is_cube = options.features == RowShape::cube;
  if (is_cube && (options.d > 16 || options.k != std::uint64_t{1} << options.d)) {
    return Error::invalid_argument(
        fmt::format("a cube of {} dimensions has not {} corners", options.d, options.k), kLinear,
        "k = 2^d with d of at most 16, such as linear(k=32,d=5,features=cube)");
  }
  return options;
}

std::vector<double> theta_of(const LinearProblemOptions& options) {
  const bool is_cube = options.features == RowShape::cube;
  std::vector<double> theta = direction(is_cube ? std::min<std::size_t>(options.d, 2) : options.d,
                                        Stream(options.seed, 0, Purpose::generate, kLinear).at(0));
  theta.resize(options.d);
  scale(theta, options.scale);
  return theta;
}

Result<FeatureProblem> linear_problem(const CallSpec& call) {
  DUEL_ASSIGN(const LinearProblemOptions options, read_options(call));
  const Stream stream(options.seed, 0, Purpose::generate, kLinear);
  const std::vector<double> theta = theta_of(options);
  std::vector<double> values, utilities;
  for (std::size_t i = 0; i < options.k; ++i) {
    const std::vector<double> x = row_of(options, i, stream.at(i + 1));
    values.insert(values.end(), x.begin(), x.end());
    utilities.push_back(dot(theta, x));
  }
  FeatureProblem problem;
  DUEL_ASSIGN(problem.strengths,
              Strengths::of(linear_table().canonical(kLinear, options), std::move(utilities)));
  problem.features = std::make_shared<const FeatureRows>(options.d, std::move(values));
  return problem;
}

class FreshTrial final : public RoundTrial {
 public:
  FreshTrial(const LinearProblemOptions& options, const std::vector<double>& theta,
             std::uint64_t seed, std::uint32_t trial)
      : options_(options),
        theta_(theta),
        trial_(trial),
        answers_(seed, trial, Purpose::outcome, kLinear),
        gaps_(options.k),
        utility_gaps_(options.k) {}

  Scene begin(Round round) override {
    round_ = round;
    // Each trial has rounds of its own.
    const Stream stream(mix64(options_.seed ^ mix64(round)), trial_, Purpose::generate, kLinear);
    std::vector<double> values;
    values.reserve(options_.k * options_.d);
    utilities_.clear();
    for (std::size_t i = 0; i < options_.k; ++i) {
      const std::vector<double> x = row_of(options_, i, stream.at(i + 1));
      values.insert(values.end(), x.begin(), x.end());
      utilities_.push_back(dot(theta_, x));
    }
    rows_ = FeatureRows(options_.d, std::move(values));
    const auto best = static_cast<Arm>(std::max_element(utilities_.begin(), utilities_.end()) -
                                       utilities_.begin());
    for (std::size_t i = 0; i < options_.k; ++i) {
      utility_gaps_[i] = utilities_[best] - utilities_[i];
      gaps_[i] = logistic(utility_gaps_[i]) - 0.5;
    }
    return {&rows_, best, gaps_, utility_gaps_};
  }

  Answer answer(std::span<const Arm> shown) override {
    const Arm low = std::min(shown[0], shown[1]), high = std::max(shown[0], shown[1]);
    const bool low_wins =
        answers_.at(round_).bernoulli(logistic(utilities_[low] - utilities_[high]));
    return {.chosen = {},
            .pairs = {{low, high, low_wins ? Outcome::first_wins : Outcome::second_wins}}};
  }

 private:
  const LinearProblemOptions& options_;
  const std::vector<double>& theta_;
  std::uint32_t trial_;
  Stream answers_;
  Round round_ = 0;
  FeatureRows rows_;
  std::vector<double> utilities_;
  std::vector<double> gaps_;
  std::vector<double> utility_gaps_;
};

class FreshLinear final : public RoundProblem {
 public:
  explicit FreshLinear(const LinearProblemOptions& options)
      : RoundProblem(linear_table().canonical(kLinear, options), options.k, 2, true),
        options_(options),
        theta_(theta_of(options)) {}

  // The width is what a policy has to know.
  std::shared_ptr<const FeatureRows> features() const override {
    return std::make_shared<const FeatureRows>(options_.d,
                                               std::vector<double>(options_.k * options_.d));
  }
  std::unique_ptr<RoundTrial> trial(std::uint64_t seed, std::uint32_t trial) const override {
    return std::make_unique<FreshTrial>(options_, theta_, seed, trial);
  }

 private:
  LinearProblemOptions options_;
  std::vector<double> theta_;
};

Result<FeatureProblem> table_problem(const CallSpec& call) {
  const auto table = file_table();
  DUEL_ASSIGN(const TableProblemOptions options, table.parse(call, {}, "matrix"));
  if (options.features.empty() || options.utilities.empty()) {
    return Error::invalid_argument("'table' needs features and utilities", "",
                                   "write table(features=arms.csv,utilities=utilities.csv)");
  }
  DUEL_ASSIGN(FeatureRows rows, FeatureRows::read(options.features));
  DUEL_ASSIGN(const FeatureRows utilities, FeatureRows::read(options.utilities));
  if (utilities.width() != 1 || utilities.size() != rows.size()) {
    return Error::invalid_data(fmt::format("there are features of {} arms, and {} x {} utilities",
                                           rows.size(), utilities.size(), utilities.width()),
                               options.utilities, "one number a line, a line for each arm");
  }
  FeatureProblem problem;
  DUEL_ASSIGN(problem.strengths,
              Strengths::of(table.canonical(kTable, options), utilities.values()));
  problem.features = std::make_shared<const FeatureRows>(std::move(rows));
  return problem;
}

}  // namespace

bool is_feature_problem(std::string_view name) { return name == kLinear || name == kTable; }

bool has_fresh_rows(const CallSpec& call) {
  return call.name == kLinear &&
         std::any_of(call.arguments.begin(), call.arguments.end(), [](const auto& argument) {
           return argument.first == "fresh" && argument.second == "true";
         });
}

Result<RoundProblemPtr> fresh_linear_problem(const CallSpec& call) {
  DUEL_ASSIGN(const LinearProblemOptions options, read_options(call));
  return RoundProblemPtr(std::make_shared<FreshLinear>(options));
}

Result<FeatureProblem> feature_problem(const CallSpec& call) {
  return call.name == kTable ? table_problem(call) : linear_problem(call);
}

}  // namespace duel
