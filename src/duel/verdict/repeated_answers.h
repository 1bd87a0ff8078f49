// Whether the answers to a pair look like draws that have nothing to do with each other, which is
// what a certificate takes for granted where duels are about no tasks and nobody is told apart.
//
// Two judges do not give such answers. One says the same about a pair each time, so that it has
// said it once. The other goes through a few questions in a circle, so that its hundred answers are
// those few again. A judge that draws from a few questions cannot be told from one that meets a new
// question each time: no look at its answers helps, only giving the questions as tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/text_map.h"
#include "duel/log/record.h"
#include "duel/verdict/health.h"

namespace duel {

class RepeatedAnswers {
 public:
  // Records in the order of the log, from the first on.
  void take(const LogEntry& entry);

  // `fresh_answers`. Failed: the answers go in a circle. Unknown: they are all the same, or there
  // is nothing to see and nobody has said what they are about.
  HealthCheck check() const;
  // How many answers repeat an earlier one where all that could do so do; 0 where some differ, they
  // are too few to tell, or duels are about tasks or of people.
  std::uint64_t exact_repeats() const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // as shown
  // What was said of a pair as it was shown: what kind of answer it is, and the score of a graded
  // one. Two that differ by a hair are two answers.
  using Saying = std::pair<int, double>;
  struct Reply {
    Pair pair;
    std::uint64_t turn = 0;     // its place among all duels served
    std::uint64_t meeting = 0;  // its place among those of its pair, in either order
    Saying said;
  };
  struct Open {
    Pair pair;
    std::uint64_t turn = 0, meeting = 0;
  };

  std::uint32_t number_of(const std::string& arm);
  // The length of a circle in which the answers go, or 0. `place` numbers an answer.
  template <class Place>
  std::uint64_t circle(const Place& place) const;

  std::uint64_t tasks_ = 0;
  bool subjects_ = false;
  TextMap<std::uint32_t> arms_;
  TextMap<Open> open_;
  std::map<Pair, std::uint64_t> meetings_;
  std::uint64_t served_ = 0;
  std::vector<Reply> answers_;  // the first of them, which is enough to see a circle
};

}  // namespace duel
