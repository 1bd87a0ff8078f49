// What judges say beside their answers, recorded with the outcome and never used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duel/core/json.h"
#include "duel/experiment/questions.h"

namespace duel {

// A reason as an outcome takes it: at most 2000 bytes, cut between characters.
std::string reason_within_bounds(std::string reason);

struct Remarks {
  std::string reason{};
  double cost = 0;
  std::uint64_t tokens = 0;
  bool cached = false;
  Json features{};
};

// Of all that was said about one duel.
Remarks remarks_of(const std::vector<Said>& judgements);

}  // namespace duel
