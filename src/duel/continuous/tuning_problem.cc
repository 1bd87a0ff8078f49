#include "duel/continuous/tuning_problem.h"

#include <algorithm>
#include <cmath>

#include "duel/continuous/link.h"
#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/core/rng.h"
#include "duel/core/turns.h"
#include "duel/core/vectors.h"

namespace duel {
namespace {

constexpr std::size_t kBumps = 5;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double square = 0;
  for (std::size_t k = 0; k < a.size(); ++k) square += (a[k] - b[k]) * (a[k] - b[k]);
  return square;
}

}  // namespace

TuningProblem::TuningProblem(Landscape landscape, std::size_t dimension, std::uint64_t instance,
                             double best_wins)
    : landscape_(landscape), dimension_(dimension) {
  DUEL_CHECK(best_wins > 0.5 && best_wins < 1);
  RoundRng rng =
      Stream(instance, 0, Purpose::generate, "tuning/" + std::string(to_word(landscape))).at(1);
  const double root = std::sqrt(static_cast<double>(dimension));
  const std::vector<double> centre(dimension, 0.5);
  const auto uniform = [&] {
    std::vector<double> point(dimension);
    for (double& x : point) x = rng.uniform();
    return point;
  };
  const auto apart = [&](double distance) {
    std::vector<double> point = uniform();
    while (squared_distance(point, centre) < distance * distance) point = uniform();
    return point;
  };
  switch (landscape) {
    case Landscape::flat:
      return;
    case Landscape::at_best:
      centres_ = {centre};
      // As steep as a bowl of which a corner would be the best.
      scale_ = natural_log(best_wins / (1 - best_wins)) / (0.25 * static_cast<double>(dimension));
      return;
    case Landscape::bowl:
      centres_ = {apart(0.15 * root)};
      break;
    case Landscape::ridge:
      centres_ = {apart(0.15 * root)};
      for (std::size_t k = 0; k < dimension; ++k) direction_.push_back(normal_by_turns(rng));
      scale(direction_, 1 / norm(direction_));
      break;
    case Landscape::peaks:
      width_ = 0.15 * root;
      centres_ = {apart(0.25 * root)};
      while (centres_.size() < kBumps) centres_.push_back(uniform());
      break;
    case Landscape::plateau:
      width_ = 0.1 * root;
      centres_ = {apart(0.25 * root)};
      break;
  }
  in_use_height_ = height(centre);
  scale_ = natural_log(best_wins / (1 - best_wins)) / (height(centres_.front()) - in_use_height_);
}

double TuningProblem::height(std::span<const double> point) const {
  switch (landscape_) {
    case Landscape::flat:
      return 0;
    case Landscape::at_best:
    case Landscape::bowl:
      return -squared_distance(point, centres_.front());
    case Landscape::ridge: {
      double along = 0;
      for (std::size_t k = 0; k < dimension_; ++k) {
        along += direction_[k] * (point[k] - centres_.front()[k]);
      }
      return -0.1 * squared_distance(point, centres_.front()) - 0.9 * along * along;
    }
    case Landscape::peaks:
    case Landscape::plateau:
      break;
  }
  double highest = 0;
  for (std::size_t k = 0; k < centres_.size(); ++k) {
    const double height = 1 - 0.2 * static_cast<double>(k);
    highest = std::max(highest, height * exponential(-squared_distance(point, centres_[k]) /
                                                     (2 * width_ * width_)));
  }
  return highest;
}

double TuningProblem::utility(std::span<const double> point) const {
  return scale_ * (height(point) - in_use_height_);
}

double TuningProblem::win_probability(std::span<const double> first,
                                      std::span<const double> second) const {
  return duel::win_probability(Link::logistic, utility(first) - utility(second));
}

double TuningProblem::beats_in_use(std::span<const double> point) const {
  return duel::win_probability(Link::logistic, utility(point));
}

}  // namespace duel
