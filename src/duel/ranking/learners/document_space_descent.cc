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
