#include "duel/inference/bradley_terry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/core/numbers.h"
#include "duel/inference/special_functions.h"

namespace duel {
namespace {

// 1/(1 + e^-x).
double logistic(double x) {
  const double e = exponential(-std::abs(x));
  return x >= 0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

double log_logistic(double x) {
  return std::min(x, 0.0) - natural_log(1.0 + exponential(-std::abs(x)));
}

// The log-likelihood of one pair as a function of d = u_i - u_j, with the effect of places
// d = u_i - u_j + g, and the tie parameter's logarithm t, with its gradient and minus its second
// derivatives.
struct PairTerm {
  double value = 0;
  double d = 0, t = 0;
  double dd = 0, dt = 0, tt = 0;
};

struct PairData {
  Arm i = 0;  // shown first, where places count
  Arm j = 0;
  double won = 0;
  double lost = 0;
  double tied = 0;
  double total() const { return won + lost + tied; }
};

PairTerm halves_term(const PairData& pair, double d) {
  const double won = pair.won + 0.5 * pair.tied, lost = pair.lost + 0.5 * pair.tied;
  const double p = logistic(d), q = logistic(-d);
  return {.value = won * log_logistic(d) + lost * log_logistic(-d),
          .d = won * q - lost * p,
          .dd = (won + lost) * p * q};
}

// Logits d/2, -d/2 and t = ln nu: an exponential family, so that minus the second derivatives are
// the covariances of (1/2, 0), (-1/2, 0), (0, 1).
PairTerm davidson_term(const PairData& pair, double d, double t) {
  const double largest = std::max(std::abs(0.5 * d), t);
  const double a = exponential(0.5 * d - largest), b = exponential(-0.5 * d - largest);
  const double c = exponential(t - largest);
  const double sum = a + b + c, n = pair.total();
  const double p = a / sum, q = b / sum, tie = c / sum;
  const double mean = 0.5 * (p - q);
  return {
      .value = 0.5 * d * (pair.won - pair.lost) + pair.tied * t - n * (largest + natural_log(sum)),
      .d = 0.5 * (pair.won - pair.lost) - n * mean,
      .t = pair.tied - n * tie,
      .dd = n * (0.25 * (p + q) - mean * mean),
      .dt = -n * mean * tie,
      .tt = n * tie * (1.0 - tie)};
}

// With t = ln theta > 0 the chances are L(d - t), L(-d - t) and (e^2t - 1) L(d - t) L(-d - t), L
// the logistic function: an ordered logit, concave (Pratt 1981).
PairTerm rao_kupper_term(const PairData& pair, double d, double t) {
  const double a = pair.won + pair.tied, b = pair.lost + pair.tied;
  const double x = logistic(d - t), y = logistic(-d - t);
  const double x1 = logistic(t - d), y1 = logistic(t + d);  // 1 - x, 1 - y
  const double e = exponential(-2.0 * t);
  const double rest = complement_of_exponential(2.0 * t);  // 1 - e
  return {.value = a * log_logistic(d - t) + b * log_logistic(-d - t) +
                   pair.tied * (2.0 * t + natural_log(rest)),
          .d = a * x1 - b * y1,
          .t = -a * x1 - b * y1 + 2.0 * pair.tied / rest,
          .dd = a * x * x1 + b * y * y1,
          .dt = b * y * y1 - a * x * x1,
          .tt = a * x * x1 + b * y * y1 + 4.0 * pair.tied * e / (rest * rest)};
}

// Lower Cholesky factor in place. False if the matrix is not positive definite.
bool cholesky(std::vector<double>& matrix, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
      if (i == j) {
        if (!(sum > 0)) return false;
        matrix[j * n + j] = std::sqrt(sum);
      } else {
        matrix[i * n + j] = sum / matrix[j * n + j];
      }
    }
  }
  return true;
}

void solve(const std::vector<double>& factor, std::size_t n, std::vector<double>& x) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= factor[i * n + k] * x[k];
    x[i] /= factor[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= factor[k * n + i] * x[k];
    x[i] /= factor[i * n + i];
  }
}

// Arms that `linked(from, to)` leads to from arm 0.
template <class Linked>
std::vector<bool> reachable(std::size_t num_arms, const Linked& linked) {
  std::vector<bool> seen(num_arms, false);
  std::vector<Arm> open = {0};
  seen[0] = true;
  while (!open.empty()) {
    const Arm from = open.back();
    open.pop_back();
    for (Arm to = 0; to < num_arms; ++to) {
      if (seen[to] || !linked(from, to)) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return seen;
}

// A win of `winner` over `loser`: 1 where the winner was shown first, -1 where second.
struct PlacedWin {
  Arm winner = 0;
  Arm loser = 0;
  int place = 0;
};

// Whether some cycle of wins has places whose sum has the sign of `sign`. Without one there are
// potentials v with v_loser <= v_winner - sign * place for all wins (Bellman and Ford), and along
// them the likelihood never falls.
bool has_cycle_of_sign(std::size_t num_arms, const std::vector<PlacedWin>& wins, int sign) {
  std::vector<std::int64_t> distance(num_arms, 0);
  for (std::size_t sweep = 0; sweep <= num_arms; ++sweep) {
    bool changed = false;
    for (const PlacedWin& win : wins) {
      const std::int64_t through = distance[win.winner] - sign * win.place;
      if (through >= distance[win.loser]) continue;
      distance[win.loser] = through;
      changed = true;
    }
    if (!changed) return false;
  }
  return true;
}

class Fitter {
 public:
  // `prior_weight` is shape - 1 of the Gamma prior, 0 without. `position`: with the effect of
  // places.
  Fitter(std::size_t num_arms, std::vector<PairData> pairs, TieModel ties, double prior_weight,
         bool position)
      : num_arms_(num_arms),
        pairs_(std::move(pairs)),
        ties_(ties),
        prior_weight_(prior_weight),
        position_(position) {}

  // The strengths' logarithms, the tie parameter's where there is one, the effect of places where
  // it is fitted.
  std::size_t num_parameters() const { return position_at() + (position_ ? 1 : 0); }
  std::size_t tie_at() const { return num_arms_; }
  std::size_t position_at() const { return num_arms_ + (ties_ == TieModel::halves ? 0 : 1); }

  // MM with ties as halves, pi_i <- (W_i + a - 1)/(sum_j n_ij/(pi_i + pi_j) + b): near enough for
  // Newton. b = a - 1 makes the mean strength 1, at which it is held anyway.
  std::vector<double> start() const {
    std::vector<double> pi(num_arms_, 1.0), wins(num_arms_, 0.0), next(num_arms_);
    double won = 0, tied = 0;
    for (const PairData& pair : pairs_) {
      wins[pair.i] += pair.won + 0.5 * pair.tied;
      wins[pair.j] += pair.lost + 0.5 * pair.tied;
      won += pair.won + pair.lost;
      tied += pair.tied;
    }
    constexpr int kSweeps = 10000;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      std::fill(next.begin(), next.end(), prior_weight_);
      for (const PairData& pair : pairs_) {
        const double share = pair.total() / (pi[pair.i] + pi[pair.j]);
        next[pair.i] += share;
        next[pair.j] += share;
      }
      double sum = 0, change = 0;
      for (std::size_t i = 0; i < num_arms_; ++i) {
        sum += next[i] = (wins[i] + prior_weight_) / next[i];
      }
      for (std::size_t i = 0; i < num_arms_; ++i) {
        next[i] *= static_cast<double>(num_arms_) / sum;
        change = std::max(change, std::abs(next[i] - pi[i]) / pi[i]);
      }
      pi.swap(next);
      if (change < 1e-3) break;
    }
    std::vector<double> parameters;
    for (const double strength : pi) parameters.push_back(natural_log(strength));
    // For equal strengths P(tie) = nu/(2 + nu) = (theta - 1)/(theta + 1).
    if (ties_ == TieModel::davidson) parameters.push_back(natural_log(2.0 * tied / won));
    if (ties_ == TieModel::rao_kupper) parameters.push_back(natural_log(1.0 + 2.0 * tied / won));
    if (position_) parameters.push_back(0);
    return parameters;
  }

  double log_likelihood(const std::vector<double>& parameters) const {
    double value = 0;
    for (const PairData& pair : pairs_) value += term(pair, parameters).value;
    return value;
  }

  // What is maximised: the log-likelihood and the logarithm of the prior, the scale of the
  // strengths already chosen. With S = sum pi and x = pi/S the prior is
  //     (a - 1) sum_i ln x_i + K (a - 1) ln S - b S,
  // whose largest value over S is (a - 1) sum_i ln x_i and a constant. The profile has the same
  // maximum and the same curvature along differences of u as the whole, and like the likelihood it
  // does not change along (1, .., 1).
  double objective(const std::vector<double>& parameters) const {
    double value = log_likelihood(parameters);
    if (prior_weight_ > 0) {
      for (const double x : shares(parameters)) value += prior_weight_ * natural_log(x);
    }
    return value;
  }

  // Minus the Hessian of `objective`, made definite along (1, .., 1, 0), which changes nothing; the
  // Cholesky factor.
  std::vector<double> factor(const std::vector<double>& parameters,
                             std::vector<double>* gradient) const {
    const std::size_t n = num_parameters();
    std::vector<double> matrix(n * n, 0.0);
    if (gradient) gradient->assign(n, 0.0);
    for (const PairData& pair : pairs_) {
      const PairTerm at = term(pair, parameters);
      // d = u_i - u_j, and g where places count.
      const std::array<std::pair<std::size_t, double>, 3> of_d = {
          {{pair.i, 1.0}, {pair.j, -1.0}, {position_at(), 1.0}}};
      const std::size_t terms = position_ ? 3 : 2;
      for (std::size_t k = 0; k < terms; ++k) {
        const auto [row, sign] = of_d[k];
        for (std::size_t l = 0; l < terms; ++l) {
          matrix[row * n + of_d[l].first] += sign * of_d[l].second * at.dd;
        }
        if (ties_ != TieModel::halves) {
          matrix[row * n + tie_at()] += sign * at.dt;
          matrix[tie_at() * n + row] += sign * at.dt;
        }
        if (gradient) (*gradient)[row] += sign * at.d;
      }
      if (ties_ == TieModel::halves) continue;
      matrix[tie_at() * n + tie_at()] += at.tt;
      if (gradient) (*gradient)[tie_at()] += at.t;
    }
    if (prior_weight_ > 0) add_prior(parameters, matrix, gradient);
    for (std::size_t i = 0; i < num_arms_; ++i) {
      for (std::size_t j = 0; j < num_arms_; ++j) {
        matrix[i * n + j] += 1.0 / static_cast<double>(num_arms_);
      }
    }
    if (!cholesky(matrix, n)) matrix.clear();
    return matrix;
  }

  // Newton's method with halved steps. False if it does not come to rest.
  bool maximise(std::vector<double>& parameters) const {
    std::vector<double> step;
    constexpr int kSteps = 200;
    double value = objective(parameters);
    for (int k = 0; k < kSteps; ++k) {
      const std::vector<double> root = factor(parameters, &step);
      if (root.empty()) return false;
      solve(root, num_parameters(), step);
      double size = 0;
      for (const double x : step) size = std::max(size, std::abs(x));
      double scale = std::min(1.0, 5.0 / size);
      std::vector<double> tried(parameters.size());
      for (;; scale *= 0.5) {
        for (std::size_t i = 0; i < tried.size(); ++i) tried[i] = parameters[i] + scale * step[i];
        const bool legal = ties_ != TieModel::rao_kupper || tried[tie_at()] > 0;
        // Near the maximum the value cannot be told apart from its rounding.
        const double slack = 1e-13 * (1.0 + std::abs(value));
        if (legal && objective(tried) >= value - slack) break;
        if (scale < 1e-12) return false;
      }
      parameters.swap(tried);
      value = objective(parameters);
      if (size < 1e-11) return true;
    }
    return false;
  }

  // The log-likelihood if every pair had its own free probabilities.
  double free_log_likelihood() const {
    const auto part = [](double count, double total) {
      return count > 0 ? count * natural_log(count / total) : 0.0;
    };
    double value = 0;
    for (const PairData& pair : pairs_) {
      if (ties_ == TieModel::halves) {
        value += part(pair.won + 0.5 * pair.tied, pair.total()) +
                 part(pair.lost + 0.5 * pair.tied, pair.total());
      } else {
        value += part(pair.won, pair.total()) + part(pair.lost, pair.total()) +
                 part(pair.tied, pair.total());
      }
    }
    return value;
  }

  std::uint64_t degrees() const {
    const std::size_t free = pairs_.size() * (ties_ == TieModel::halves ? 1 : 2);
    const std::size_t used = num_parameters() - 1;
    return free > used ? free - used : 0;
  }

 private:
  // pi_i/sum pi.
  std::vector<double> shares(const std::vector<double>& parameters) const {
    const auto end = parameters.begin() + static_cast<std::ptrdiff_t>(num_arms_);
    const double largest = *std::max_element(parameters.begin(), end);
    std::vector<double> x;
    double sum = 0;
    for (auto u = parameters.begin(); u != end; ++u)
      sum += x.emplace_back(exponential(*u - largest));
    for (double& one : x) one /= sum;
    return x;
  }

  // (a - 1) sum_i (u_i - ln sum_j e^u_j): gradient (a - 1)(1 - K x_i), minus the second derivatives
  // K (a - 1)(diag(x) - x x^T).
  void add_prior(const std::vector<double>& parameters, std::vector<double>& matrix,
                 std::vector<double>* gradient) const {
    const std::size_t n = num_parameters();
    const std::vector<double> x = shares(parameters);
    const double weight = prior_weight_ * static_cast<double>(num_arms_);
    for (std::size_t i = 0; i < num_arms_; ++i) {
      matrix[i * n + i] += weight * x[i];
      for (std::size_t j = 0; j < num_arms_; ++j) matrix[i * n + j] -= weight * x[i] * x[j];
      if (gradient) (*gradient)[i] += prior_weight_ - weight * x[i];
    }
  }

  PairTerm term(const PairData& pair, const std::vector<double>& parameters) const {
    const double effect = position_ ? parameters[position_at()] : 0;
    const double d = parameters[pair.i] - parameters[pair.j] + effect;
    if (ties_ == TieModel::davidson) return davidson_term(pair, d, parameters[tie_at()]);
    if (ties_ == TieModel::rao_kupper) return rao_kupper_term(pair, d, parameters[tie_at()]);
    return halves_term(pair, d);
  }

  std::size_t num_arms_;
  std::vector<PairData> pairs_;
  TieModel ties_;
  double prior_weight_;
  bool position_;
};

Status check_counts(const std::vector<PairData>& pairs) {
  for (const PairData& pair : pairs) {
    for (const double count : {pair.won, pair.lost, pair.tied}) {
      if (count >= 0 && count < 0x1p53) continue;
      return Error::invalid_data(fmt::format("{} is no count", count),
                                 fmt::format("arms {} and {}", pair.i, pair.j), "at least 0");
    }
  }
  return Done{};
}

Status check_options(std::size_t num_arms, const BradleyTerryOptions& options) {
  if (num_arms < 2) {
    return Error::invalid_data(fmt::format("{} cannot be compared", counted(num_arms, "arm")),
                               "arms", "at least two are needed");
  }
  if (!(options.added_wins > 0 && options.added_wins < 1e6)) {
    return Error::invalid_argument(fmt::format("{} is out of range", options.added_wins),
                                   "option added_wins", "above 0");
  }
  if (options.prior && !(options.prior->shape > 1 && options.prior->shape < 1e6)) {
    return Error::invalid_argument(fmt::format("{} is out of range", options.prior->shape),
                                   "option shape",
                                   "above 1, since the strengths have no mode above 0 otherwise");
  }
  if (options.prior && !(options.prior->rate > 0 && options.prior->rate < 1e300)) {
    return Error::invalid_argument(fmt::format("{} is out of range", options.prior->rate),
                                   "option rate", "above 0");
  }
  return Done{};
}

// Whether the duels determine the strengths: every arm is reached from every other by wins. Ties
// are wins both ways where they count as halves.
bool strengths_are_finite(std::size_t num_arms, const std::vector<PairData>& pairs, TieModel ties) {
  std::vector<bool> beat(num_arms * num_arms, false);
  for (const PairData& pair : pairs) {
    const bool halves = ties == TieModel::halves && pair.tied > 0;
    if (pair.won > 0 || halves) beat[pair.i * num_arms + pair.j] = true;
    if (pair.lost > 0 || halves) beat[pair.j * num_arms + pair.i] = true;
  }
  const auto forth = [&](Arm a, Arm b) { return beat[a * num_arms + b]; };
  const auto back = [&](Arm a, Arm b) { return beat[b * num_arms + a]; };
  return std::ranges::all_of(reachable(num_arms, forth), std::identity()) &&
         std::ranges::all_of(reachable(num_arms, back), std::identity());
}

// Whether they determine the effect of places, given that they determine the strengths.
bool position_is_finite(std::size_t num_arms, const std::vector<PairData>& pairs, TieModel ties,
                        bool prior) {
  std::vector<PlacedWin> wins;
  bool first = false, second = false;
  for (const PairData& pair : pairs) {
    const bool halves = ties == TieModel::halves && pair.tied > 0;
    if (pair.won > 0 || halves) wins.push_back({pair.i, pair.j, 1});
    if (pair.lost > 0 || halves) wins.push_back({pair.j, pair.i, -1});
    first = first || pair.won > 0 || halves;
    second = second || pair.lost > 0 || halves;
  }
  if (prior) return first && second;
  return has_cycle_of_sign(num_arms, wins, 1) && has_cycle_of_sign(num_arms, wins, -1);
}

}  // namespace

TieChances davidson_chances(double pi_i, double pi_j, double nu) {
  DUEL_CHECK(pi_i > 0 && pi_j > 0 && nu >= 0);
  const double tie = nu * std::sqrt(pi_i * pi_j);
  const double sum = pi_i + pi_j + tie;
  return {pi_i / sum, pi_j / sum, tie / sum};
}

TieChances rao_kupper_chances(double pi_i, double pi_j, double theta) {
  DUEL_CHECK(pi_i > 0 && pi_j > 0 && theta >= 1);
  const double a = pi_i + theta * pi_j, b = pi_j + theta * pi_i;
  return {pi_i / a, pi_j / b, (theta * theta - 1.0) * pi_i * pi_j / (a * b)};
}

double PositionEffect::first_wins_against_equal() const { return logistic(log_odds); }

Interval PositionEffect::interval(double delta) const {
  DUEL_CHECK(delta > 0 && delta < 1);
  const double radius = normal_quantile(1 - delta / 2) * standard_error;
  return {log_odds - radius, log_odds + radius};
}

double BradleyTerryFit::win_probability(Arm i, Arm j) const {
  return logistic(log_strength[i] - log_strength[j]);
}

double BradleyTerryFit::standard_error(Arm i, Arm j) const {
  const std::size_t k = log_strength.size();
  const double variance =
      covariance[i * k + i] + covariance[j * k + j] - 2.0 * covariance[i * k + j];
  return std::sqrt(std::max(variance, 0.0));
}

Interval BradleyTerryFit::difference_interval(Arm i, Arm j, double delta) const {
  DUEL_CHECK(delta > 0 && delta < 1);
  const double difference = log_strength[i] - log_strength[j];
  const double radius = normal_quantile(1 - delta / 2) * standard_error(i, j);
  return {difference - radius, difference + radius};
}

double BradleyTerryFit::elo(Arm i, double base) const {
  return 400.0 / natural_log(10.0) * log_strength[i] + base;
}

namespace {

// `pairs`: all of them, each in one order, or with `position` in both.
Result<BradleyTerryFit> fit_pairs(std::size_t num_arms, std::vector<PairData> pairs,
                                  const BradleyTerryOptions& options, bool position) {
  DUEL_RETURN_IF_ERROR(check_options(num_arms, options));
  DUEL_RETURN_IF_ERROR(check_counts(pairs));
  std::erase_if(pairs, [](const PairData& pair) { return pair.total() == 0; });
  double tied = 0, decisive = 0;
  std::vector<bool> met(num_arms * num_arms, false);
  for (const PairData& pair : pairs) {
    tied += pair.tied;
    decisive += pair.won + pair.lost;
    met[pair.i * num_arms + pair.j] = met[pair.j * num_arms + pair.i] = true;
  }
  const auto compared = reachable(num_arms, [&](Arm a, Arm b) { return met[a * num_arms + b]; });
  if (const auto apart = std::find(compared.begin(), compared.end(), false);
      !options.prior && apart != compared.end()) {
    const auto name = [&](std::size_t arm) {
      return options.names.empty() ? fmt::format("arm {}", arm)
                                   : fmt::format("'{}'", options.names.at(arm));
    };
    return Error::invalid_data(
        fmt::format("no chain of duels links {} and {}", name(0),
                    name(static_cast<std::size_t>(apart - compared.begin()))),
        "duels", "strengths can be compared only where duels link the arms");
  }

  // Without ties their parameter is at its end, nu = 0 or theta = 1, and the models agree.
  const TieModel ties = tied > 0 ? options.ties : TieModel::halves;
  const auto is_finite = [&] {
    // The prior bounds the strengths, and one decisive duel then bounds the ties.
    const bool strengths = options.prior ? ties == TieModel::halves || decisive > 0
                                         : strengths_are_finite(num_arms, pairs, ties);
    return strengths &&
           (!position || position_is_finite(num_arms, pairs, ties, options.prior.has_value()));
  };
  const bool finite = is_finite();

  BradleyTerryFit fit;
  fit.prior = options.prior;
  if (!finite) {
    fit.added_wins = options.added_wins;
    for (PairData& pair : pairs) {
      pair.won += options.added_wins;
      pair.lost += options.added_wins;
    }
    if (position && !position_is_finite(num_arms, pairs, ties, options.prior.has_value())) {
      return Error::invalid_data("the duels do not determine the effect of places", "position",
                                 "some pairs must be shown in both orders, ideally at random");
    }
  }
  const Fitter fitter(num_arms, std::move(pairs), ties,
                      options.prior ? options.prior->shape - 1 : 0, position);
  std::vector<double> parameters = fitter.start();
  if (!fitter.maximise(parameters)) {
    return Error::invalid_data("the likelihood's maximum was not found", "duels",
                               "counts of very different size; add wins");
  }

  if (options.ties == TieModel::rao_kupper) fit.tie_parameter = 1;
  if (ties != TieModel::halves) fit.tie_parameter = exponential(parameters[fitter.tie_at()]);
  fit.log_strength.assign(parameters.begin(),
                          parameters.begin() + static_cast<std::ptrdiff_t>(num_arms));
  const double mean = std::accumulate(fit.log_strength.begin(), fit.log_strength.end(), 0.0) /
                      static_cast<double>(num_arms);
  double sum = 0;
  for (double& u : fit.log_strength) {
    u -= mean;
    fit.strength.push_back(exponential(u));
    sum += fit.strength.back();
  }
  for (double& pi : fit.strength) pi /= sum;

  fit.log_likelihood = fitter.log_likelihood(parameters);
  if (finite && !options.prior && fitter.degrees() > 0) {
    LackOfFit lack;
    lack.statistic = std::max(0.0, 2.0 * (fitter.free_log_likelihood() - fit.log_likelihood));
    lack.degrees = fitter.degrees();
    lack.p_value = chi_square_tail(static_cast<double>(lack.degrees), lack.statistic);
    fit.lack_of_fit = lack;
  }

  const std::vector<double> root = fitter.factor(parameters, nullptr);
  DUEL_CHECK(!root.empty());
  const std::size_t n = fitter.num_parameters();
  fit.covariance.resize(num_arms * num_arms);
  std::vector<double> column;
  for (std::size_t j = 0; j < num_arms; ++j) {
    column.assign(n, 0.0);
    column[j] = 1.0;
    solve(root, n, column);
    // The part along (1, .., 1) was put in by hand.
    for (std::size_t i = 0; i < num_arms; ++i) {
      fit.covariance[i * num_arms + j] = column[i] - 1.0 / static_cast<double>(num_arms);
    }
  }
  if (position) {
    column.assign(n, 0.0);
    column[fitter.position_at()] = 1.0;
    solve(root, n, column);
    fit.position =
        PositionEffect{.log_odds = parameters[fitter.position_at()],
                       .standard_error = std::sqrt(std::max(0.0, column[fitter.position_at()]))};
  }
  return fit;
}

}  // namespace

Result<BradleyTerryFit> fit_bradley_terry(const DuelTable& table,
                                          const BradleyTerryOptions& options) {
  std::vector<PairData> pairs;
  for (Arm i = 0; i < table.num_arms; ++i) {
    for (Arm j = i + 1; j < table.num_arms; ++j) {
      pairs.push_back({i, j, table.won(i, j), table.won(j, i), table.tied(i, j)});
    }
  }
  return fit_pairs(table.num_arms, std::move(pairs), options, false);
}

Result<BradleyTerryFit> fit_bradley_terry_with_position(const ShownTable& table,
                                                        const BradleyTerryOptions& options) {
  std::vector<PairData> pairs;
  for (Arm i = 0; i < table.num_arms; ++i) {
    for (Arm j = 0; j < table.num_arms; ++j) {
      if (i == j) continue;
      const std::size_t at = i * table.num_arms + j;
      pairs.push_back({i, j, table.first_wins[at], table.second_wins[at], table.ties[at]});
    }
  }
  return fit_pairs(table.num_arms, std::move(pairs), options, true);
}

}  // namespace duel
