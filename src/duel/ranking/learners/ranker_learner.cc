#include "duel/ranking/learners/ranker_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/archive.h"

namespace duel {

std::string WeightState::save() const {
  StateWriter writer;
  writer(identity, weights, step, memory);
  return writer.finish();
}

Status WeightState::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  WeightState read;
  reader(read.identity);
  if (read.identity != identity) {
    return Error::invalid_data(
        fmt::format("the saved state belongs to '{}', not to '{}'", read.identity, identity));
  }
  reader(read.weights, read.step, read.memory);
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  };
  if (!reader.complete() || read.weights.size() != weights.size() || !finite(read.weights) ||
      !(read.step >= 0) || read.memory.size() % weights.size() != 0 || !finite(read.memory)) {
    return Error::invalid_data("the saved state does not fit the learner");
  }
  *this = std::move(read);
  return Done{};
}

}  // namespace duel
