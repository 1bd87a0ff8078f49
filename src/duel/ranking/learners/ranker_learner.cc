#include "duel/ranking/learners/ranker_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/archive.h"

namespace duel {

std::string WeightState::save() const {
  StateWriter writer;
  writer(identity, weights, step);
  return writer.finish();
}

Status WeightState::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  WeightState read;
  reader(read.identity);
  if (read.identity != identity) {
    return Error{
        ErrorCode::invalid_data,
        fmt::format("the saved state belongs to '{}', not to '{}'", read.identity, identity), "",
        ""};
  }
  reader(read.weights, read.step);
  const bool finite = std::all_of(read.weights.begin(), read.weights.end(),
                                  [](double x) { return std::isfinite(x); });
  if (!reader.complete() || read.weights.size() != weights.size() || !finite ||
      !(read.step >= 0)) {
    return Error{ErrorCode::invalid_data, "the saved state does not fit the learner", "", ""};
  }
  *this = std::move(read);
  return Done{};
}

}  // namespace duel
