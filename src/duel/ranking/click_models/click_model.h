// A user who scans a result list from the top and clicks.
//
// Every model here is a finite chain, and says so: a user who still looks on is in some state s; at
// position k, on a document of grade g, the user clicks with a probability that depends on (s, k,
// g), then stops for good with a probability that depends on whether there was a click, or goes on
// to position k + 1 in a state fixed by (s, k) and the click. The sampler and everything exact
// (ranking/click_models/exact_clicks.h, the exact distribution of a credit) follow from that one
// description, and the tests hold the first to the second.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/rng.h"
#include "duel/ranking/document.h"

namespace duel {

// A state of a user who has not stopped. Every user begins in state 0.
using UserState = std::uint32_t;

// What a user in a given state does at a given position with a document of a given grade.
struct UserStep {
  double click = 0;             // probability of a click
  double stop_after_click = 0;  // probability of stopping for good, given a click
  double stop_after_skip = 0;   // the same, given none
  UserState after_click = 0;    // the state at the next position, unless stopped
  UserState after_skip = 0;
};

// Immutable; may be used from several threads at once.
class ClickModel {
 public:
  virtual ~ClickModel() = default;

  // Draws the clicks of one user on a list whose documents have these grades, and puts their
  // positions, ascending, in `clicks`, whose former content is dropped. Allocates only while the
  // capacity of `clicks` still grows. REQUIRES: every grade < num_grades().
  virtual void click(std::span<const Grade> grades, RoundRng& rng,
                     std::vector<Position>& clicks) const = 0;

  // The states that a user may be in on a list of `length` documents are 0 .. num_states - 1; at
  // least 1.
  virtual UserState num_states(std::size_t length) const = 0;

  // REQUIRES: grade < num_grades(), and `state` can be reached before `position`.
  virtual UserStep step(UserState state, Position position, Grade grade) const = 0;

  // The grades that the model knows are 0 .. num_grades() - 1.
  std::size_t num_grades() const { return num_grades_; }

  // `navigational(stop=always)`: configures the same user again.
  const std::string& canonical() const { return canonical_; }

 protected:
  ClickModel(std::string canonical, std::size_t num_grades)
      : canonical_(std::move(canonical)), num_grades_(num_grades) {
    DUEL_CHECK(num_grades >= 1 && num_grades <= 256);
  }
  ClickModel(const ClickModel&) = default;
  ClickModel& operator=(const ClickModel&) = default;

 private:
  std::string canonical_;
  std::size_t num_grades_;
};

}  // namespace duel
