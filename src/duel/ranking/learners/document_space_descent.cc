#include "duel/ranking/learners/document_space_descent.h"

#include <algorithm>

#include "duel/continuous/vectors.h"

namespace duel {

OptionTable<DocumentSpaceOptions> document_space_options() {
  using Options = DocumentSpaceOptions;
  OptionTable<Options> table;
  table.count("candidates", &Options::candidates, 1, 1000, "directions tried at a time");
  table.number("delta", &Options::delta, {.above = 0}, "distance of the candidates");
  table.number("eta", &Options::eta, {.least = 0}, "length of a step");
  table.number("decay", &Options::decay, {.above = 0, .most = 1},
               "factor on eta after every impression");
  table.count("beyond", &Options::beyond, 0, 1000,
              "places below the last click that count as looked at");
  table.count("recall", &Options::recall, 0, 1000, "documents of earlier impressions in the span");
  return table;
}

void OrthonormalBasis::add(std::span<const double> vector) {
  constexpr double kDependent = 1e-10;
  const std::size_t d = vector.size();
  const double length = norm(vector);
  if (length == 0) return;
  const std::size_t begin = vectors_.size();
  vectors_.insert(vectors_.end(), vector.begin(), vector.end());
  const std::span<double> rest(vectors_.data() + begin, d);
  scale(rest, 1 / length);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < begin; k += d) {
      const std::span<const double> q(vectors_.data() + k, d);
      add_scaled(rest, -dot(rest, q), q, rest);
    }
    const double left = norm(rest);
    if (left < kDependent) {
      vectors_.resize(begin);
      return;
    }
    scale(rest, 1 / left);
  }
}

void OrthonormalBasis::project(std::span<double> vector) const {
  const std::size_t d = vector.size();
  const std::vector<double> original(vector.begin(), vector.end());
  std::fill(vector.begin(), vector.end(), 0.0);
  for (std::size_t k = 0; k < vectors_.size(); k += d) {
    const std::span<const double> q(vectors_.data() + k, d);
    add_scaled(vector, dot(original, q), q, vector);
  }
}

bool DocumentSpaceDescent::shape_step(std::span<const Position> clicks, std::span<double> step) {
  const std::size_t d = step.size();
  const std::size_t examined =
      std::min<std::size_t>(list().size(), clicks.back() + options_.beyond + 1);
  basis_.clear();
  examined_.clear();
  for (std::size_t i = 0; i < examined; ++i) {
    const auto row = documents().row(list()[i]);
    examined_.insert(examined_.end(), row.begin(), row.end());
    basis_.add(std::span(examined_).subspan(i * d, d));
  }
  std::vector<double>& memory = state().memory;
  for (std::size_t begin = 0; begin < memory.size(); begin += d) {
    basis_.add(std::span(memory).subspan(begin, d));
  }
  memory.insert(memory.end(), examined_.begin(), examined_.end());
  const std::size_t most = options_.recall * d;
  if (memory.size() > most) {
    memory.erase(memory.begin(), memory.end() - static_cast<std::ptrdiff_t>(most));
  }
  basis_.project(step);
  const double length = norm(step);
  if (length == 0) return false;
  scale(step, 1 / length);
  return true;
}

}  // namespace duel
