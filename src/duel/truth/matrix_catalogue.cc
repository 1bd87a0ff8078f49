#include "duel/truth/matrix_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/core/rng.h"
#include "duel/core/spelling.h"
#include "duel/truth/matrix_changes.h"
#include "duel/truth/matrix_reader.h"
#include "duel/truth/strengths.h"

namespace duel {
namespace {

constexpr std::uint64_t kMostArms = 2000;
constexpr std::uint64_t kMostSeed = (std::uint64_t{1} << 63) - 1;

// Matrices are listed in the order of this file.
int next_place() {
  static int last = 0;
  return last++;
}

std::vector<std::string> numbered_names(const std::string& prefix, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

// The whole matrix from p_ij of i < j.
template <class UpperTriangle>
std::vector<double> complete(std::size_t k, UpperTriangle p) {
  std::vector<double> values(k * k, 0.5);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = i + 1; j < k; ++j) {
      values[i * k + j] = p(i, j);
      values[j * k + i] = 1 - values[i * k + j];
    }
  }
  return values;
}

// Matrices printed in papers -----------------------------------------------------------------

bool add_fixed(NamedMatrixFacts facts, std::vector<std::string> arms, std::vector<double> values) {
  facts.example = facts.name;
  return matrix_catalogue().add(
      std::move(facts), OptionTable<NoOptions>(),
      [arms = std::move(arms), values = std::move(values)](const NoOptions&, std::string name) {
        return PreferenceMatrix::create(std::move(name), arms, values);
      },
      next_place());
}

// Six retrieval functions interleaved on arXiv.org (Yue and Joachims, ICML 2011, table 1).
const bool arxiv = add_fixed({"arxiv", "six retrieval functions interleaved on arXiv.org",
                              "Yue and Joachims, Beat the Mean Bandit, ICML 2011"},
                             numbered_names("r", 6), {0.50, 0.55, 0.55, 0.54, 0.61, 0.61,  //
                                                      0.45, 0.50, 0.55, 0.55, 0.58, 0.60,  //
                                                      0.45, 0.45, 0.50, 0.54, 0.51, 0.56,  //
                                                      0.46, 0.45, 0.46, 0.50, 0.54, 0.50,  //
                                                      0.39, 0.42, 0.49, 0.46, 0.50, 0.51,  //
                                                      0.39, 0.40, 0.44, 0.50, 0.49, 0.50});

// Given there as differences from 1/2.
const bool slides =
    add_fixed({"slides", "six arms with a total order, SST and STI",
               "lecture slides on dueling bandits, CS 159, Caltech, 2016"},
              {"A", "B", "C", "D", "E", "F"}, {0.50, 0.53, 0.54, 0.56, 0.60, 0.61,  //
                                               0.47, 0.50, 0.53, 0.55, 0.58, 0.61,  //
                                               0.46, 0.47, 0.50, 0.54, 0.57, 0.59,  //
                                               0.44, 0.45, 0.46, 0.50, 0.55, 0.57,  //
                                               0.40, 0.42, 0.43, 0.45, 0.50, 0.53,  //
                                               0.39, 0.39, 0.41, 0.43, 0.47, 0.50});

const bool mslr_slide =
    add_fixed({"mslr-slide", "six rankers of MSLR-WEB: a Condorcet winner, no total order",
               "slides on RMED by Komiyama, Honda, Kashima and Nakagawa, 2015"},
              numbered_names("r", 6), {0.50, 0.36, 0.36, 0.34, 0.36, 0.36,  //
                                       0.64, 0.50, 0.49, 0.46, 0.48, 0.47,  //
                                       0.64, 0.51, 0.50, 0.48, 0.49, 0.51,  //
                                       0.66, 0.54, 0.52, 0.50, 0.53, 0.52,  //
                                       0.64, 0.52, 0.51, 0.47, 0.50, 0.49,  //
                                       0.64, 0.53, 0.49, 0.48, 0.51, 0.50});

const bool cyclic =
    add_fixed({"cyclic", "a winner over three arms that beat each other in a circle",
               "Komiyama, Honda, Kashima and Nakagawa, COLT 2015"},
              numbered_names("a", 4),
              {0.5, 0.6, 0.6, 0.6,  //
               0.4, 0.5, 0.9, 0.1,  //
               0.4, 0.1, 0.5, 0.9,  //
               0.4, 0.9, 0.1, 0.5});

// Generators ---------------------------------------------------------------------------------

template <class Options>
bool add_generator(NamedMatrixFacts facts, OptionTable<Options> table,
                   std::vector<double> (*values)(const Options&)) {
  facts.example = table.canonical(facts.name, Options{});
  return matrix_catalogue().add(
      std::move(facts), std::move(table),
      [values](const Options& options, std::string name) {
        return PreferenceMatrix::create(std::move(name), numbered_names("a", options.k),
                                        values(options));
      },
      next_place());
}

template <class Options>
OptionTable<Options> table_with_arms(std::uint64_t least = 1) {
  OptionTable<Options> table;
  table.count("k", &Options::k, least, kMostArms, "number of arms", Shown::always);
  return table;
}

// p_ij = 1/2 + step (j - i), clipped to [0, 1].
struct ArithmeticOptions {
  std::uint64_t k = 8;
  double step = 0.05;
};

std::vector<double> arithmetic_values(const ArithmeticOptions& options) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < options.k; ++i) {
    for (std::uint64_t j = 0; j < options.k; ++j) {
      const double steps = static_cast<double>(j) - static_cast<double>(i);
      // To 15 decimals, so that seven steps of 0.05 end at the double that 0.85 is.
      const double p = std::round((0.5 + options.step * steps) * 1e15) / 1e15;
      values.push_back(std::clamp(p, 0.0, 1.0));
    }
  }
  return values;
}

const bool arithmetic =
    add_generator({"arithmetic", "equal steps: total order, SST and STI hold",
                   "Komiyama, Honda, Kashima and Nakagawa, COLT 2015"},
                  table_with_arms<ArithmeticOptions>().number(
                      "step", &ArithmeticOptions::step, {.above = 0, .most = 0.5},
                      "p_ij = 1/2 + step (j - i), at most 1", Shown::always),
                  arithmetic_values);

// What the other generators are told; the table of each has the options that it knows.
struct ModelOptions {
  std::uint64_t k = 10;
  std::uint64_t seed = 1;
  double spread = 1;  // of the utilities u_i, which are standard normal times it
  double gap = 0.05;
  double phi = 0.7;
};

OptionTable<ModelOptions> seeded_table(std::uint64_t least = 1) {
  return table_with_arms<ModelOptions>(least).count("seed", &ModelOptions::seed, 0, kMostSeed,
                                                    "seed of the random numbers", Shown::always);
}

OptionTable<ModelOptions> utility_table(std::string doc) {
  return seeded_table().number("spread", &ModelOptions::spread, {.above = 0, .most = 1000},
                               std::move(doc), Shown::always);
}

std::vector<double> utilities(const ModelOptions& options, std::string_view owner) {
  return normal_utilities(options.k, options.seed, options.spread, owner);
}

// p_ij = 1/(1 + exp(u_j - u_i)).
std::vector<double> logistic_values(const std::vector<double>& u) {
  return complete(u.size(),
                  [&](std::size_t i, std::size_t j) { return 1 / (1 + std::exp(u[j] - u[i])); });
}

const bool bradley_terry = add_generator(
    {"bradley-terry", "logistic model with random strengths: SST and STI hold",
     "p_ij = 1/(1 + exp(u_j - u_i)), u_i normal with deviation spread"},
    utility_table("standard deviation of the log-strengths u_i"), +[](const ModelOptions& options) {
      return logistic_values(utilities(options, "bradley-terry"));
    });

// X_i ~ N(mu_i, 1): p_ij = Phi((mu_i - mu_j)/sqrt(2)) = erfc((mu_j - mu_i)/2)/2.
std::vector<double> thurstone_values(const ModelOptions& options) {
  const auto mu = utilities(options, "thurstone");
  return complete(mu.size(),
                  [&](std::size_t i, std::size_t j) { return std::erfc((mu[j] - mu[i]) / 2) / 2; });
}

const bool thurstone =
    add_generator({"thurstone", "Gaussian model (Thurstone, case V): SST and STI hold",
                   "p_ij = Phi((m_i - m_j)/sqrt(2)), m_i normal with deviation spread"},
                  utility_table("standard deviation of the means m_i"), thurstone_values);

// A uniformly chosen winner w with p_wj uniform on (1/2 + gap, 1); all else uniform on (0, 1).
// Round 0 draws the winner, round 1 + i the part of row i right of the diagonal.
std::vector<double> random_condorcet_values(const ModelOptions& options) {
  const Stream stream(options.seed, 0, Purpose::generate, "random-condorcet");
  const std::uint64_t winner = stream.at(0).below(options.k);
  const auto winning = [&](double u) {
    const double floor = 0.5 + options.gap;
    return std::max(std::nextafter(floor, 1.0), floor + (0.5 - options.gap) * u);
  };
  std::vector<RoundRng> row;
  for (std::uint64_t i = 0; i < options.k; ++i) row.push_back(stream.at(1 + i));
  return complete(options.k, [&](std::size_t i, std::size_t j) {
    const double u = row[i].uniform_open();
    if (i == winner) return winning(u);
    return j == winner ? 1 - winning(u) : u;
  });
}

const bool random_condorcet = add_generator(
    {"random-condorcet", "uniform preferences around a random Condorcet winner",
     "p_wj uniform on (1/2 + gap, 1), all else uniform on (0, 1)"},
    seeded_table().number("gap", &ModelOptions::gap, {.below = 0.5, .least = 0},
                          "the winner beats every arm with more than 1/2 + gap", Shown::always),
    random_condorcet_values);

bool has_condorcet_winner(const std::vector<double>& values, std::size_t k) {
  for (std::size_t i = 0; i < k; ++i) {
    std::size_t wins = 0;
    for (std::size_t j = 0; j < k; ++j) wins += values[i * k + j] > 0.5 ? 1 : 0;
    if (wins + 1 == k) return true;
  }
  return false;
}

// Redrawn, each attempt on a stream of its own, until nobody beats everyone (for k = 3 after four
// attempts in the mean, soon after the first for larger k).
std::vector<double> no_condorcet_values(const ModelOptions& options) {
  for (std::uint32_t attempt = 0;; ++attempt) {
    const Stream stream(options.seed, attempt, Purpose::generate, "no-condorcet");
    std::vector<RoundRng> row;
    for (std::uint64_t i = 0; i < options.k; ++i) row.push_back(stream.at(i));
    auto values =
        complete(options.k, [&](std::size_t i, std::size_t) { return row[i].uniform_open(); });
    if (!has_condorcet_winner(values, options.k)) return values;
  }
}

const bool no_condorcet =
    add_generator({"no-condorcet", "uniform preferences without a Condorcet winner",
                   "p_ij uniform on (0, 1), redrawn until there is no winner"},
                  seeded_table(3), no_condorcet_values);

// Rankings with probability proportional to phi^(number of inversions) around a1, a2, .., ak. Of
// arms at distance m = j - i > 0, i stands first with probability
//   h(m + 1) - h(m), h(m) = m/(1 - phi^m)        (Busa-Fekete et al., ICML 2014)
//   = (1 + 2 phi + .. + m phi^(m-1)) / (S_m S_(m+1)), S_m = 1 + phi + .. + phi^(m-1),
// and the second form has no cancellation as phi nears 1, where both become 1/2.
std::vector<double> mallows_values(const ModelOptions& options) {
  std::vector<double> by_distance{0.5};
  double power = 1;     // phi^(m-1)
  double sum = 0;       // S_m
  double weighted = 0;  // 1 + 2 phi + .. + m phi^(m-1)
  for (std::uint64_t m = 1; m < options.k; ++m) {
    sum += power;
    weighted += static_cast<double>(m) * power;
    power *= options.phi;
    by_distance.push_back(std::min(1.0, weighted / (sum * (sum + power))));
  }
  return complete(options.k, [&](std::size_t i, std::size_t j) { return by_distance[j - i]; });
}

const bool mallows =
    add_generator({"mallows", "pairwise marginals of the Mallows ranking model around a1, a2, ..",
                   "p_ij = h(m + 1) - h(m), m = j - i, h(m) = m/(1 - phi^m)"},
                  table_with_arms<ModelOptions>().number(
                      "phi", &ModelOptions::phi, {.above = 0, .most = 1},
                      "dispersion: near 0 all agree, 1 is pure chance", Shown::always),
                  mallows_values);

// The chance that i stands before j in a Plackett-Luce ranking is w_i/(w_i + w_j).
const bool plackett_luce = add_generator(
    {"plackett-luce", "pairwise marginals of a random Plackett-Luce ranking model",
     "p_ij = w_i/(w_i + w_j), ln w_i normal with deviation spread"},
    utility_table("standard deviation of the log-weights ln w_i"),
    +[](const ModelOptions& options) {
      return logistic_values(utilities(options, "plackett-luce"));
    });

}  // namespace

Catalogue<MatrixKind>& matrix_catalogue() {
  static Catalogue<MatrixKind> all("matrix", "matrix named");
  return all;
}

Result<PreferenceMatrix> generate_matrix(const CallSpec& call) {
  return matrix_catalogue().configure(call);
}

Result<PreferenceMatrix> resolve_matrix(std::string_view text) {
  const std::string_view name = trimmed(text.substr(0, text.find('(')));
  if (matrix_catalogue().knows(name)) {
    DUEL_ASSIGN(const CallSpec call, parse_call(text));
    return generate_matrix(call);
  }
  if (!means_file(text, name)) {
    return Error::invalid_argument(fmt::format("there is no matrix and no file named '{}'", text))
        .with_hint(spelling_hint(name, matrix_catalogue().names()));
  }
  return read_matrix_file(std::string(text));
}

Result<MatrixSchedule> resolve_schedule(std::string_view text) {
  const auto wrong = [](std::string message, std::string where = "changing") {
    return Error::invalid_argument(std::move(message), std::move(where),
                                   "write changing(1=arxiv,10000=random-condorcet(k=6,seed=3))");
  };
  MatrixSchedule schedule;
  const std::string_view kind = trimmed(text.substr(0, text.find('(')));
  if (kind == kSwitching || kind == kDrifting) {
    DUEL_ASSIGN(const CallSpec call, parse_call(text));
    return changing_matrix(call);
  }
  if (kind != "changing") {
    DUEL_ASSIGN(PreferenceMatrix matrix, resolve_matrix(text));
    schedule.name = matrix.name();
    schedule.segments.push_back({1, std::move(matrix)});
    return schedule;
  }
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  if (call.arguments.empty()) return wrong("'changing' names no matrix", "");
  CallSpec canonical{call.name, {}};
  for (const auto& [key, value] : call.arguments) {
    const auto from = parse_count(key);
    if (!from.ok() || *from < 1) {
      return wrong(fmt::format("'{}' is not a round from which a matrix is in force", key));
    }
    if (schedule.segments.empty() && *from != 1) {
      return wrong(fmt::format("the first matrix is in force from round 1, not {}", *from));
    }
    if (!schedule.segments.empty() && *from <= schedule.segments.back().from) {
      return wrong(fmt::format("round {} does not come after round {}", *from,
                               schedule.segments.back().from));
    }
    auto matrix = resolve_matrix(value);
    if (!matrix.ok()) {
      Error error = matrix.error();
      error.where = fmt::format("changing, round {}{}{}", *from, error.where.empty() ? "" : ", ",
                                error.where);
      return error;
    }
    if (!schedule.segments.empty()) {
      const PreferenceMatrix& first = schedule.segments.front().matrix;
      if (matrix->num_arms() != first.num_arms()) {
        return wrong(fmt::format("matrix '{}' has {} arms, and '{}' has {}", matrix->name(),
                                 matrix->num_arms(), first.name(), first.num_arms()),
                     fmt::format("changing, round {}", *from));
      }
    }
    canonical.arguments.emplace_back(fmt::format("{}", *from), matrix->name());
    schedule.segments.push_back({*from, *std::move(matrix)});
  }
  schedule.name = to_string(canonical);
  return schedule;
}

}  // namespace duel
