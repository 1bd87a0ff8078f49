// Which parts an experiment is made of. `parts_of` reads it from the first record, once: a part is
// told what it does when it is made, and nothing else in the fold asks for the mode, for the scope
// of the tasks or for the kind of set. An experiment of another kind is then a line here and a part
// of its own, not a condition in all the others.
#pragma once

#include "duel/log/record.h"

namespace duel {

struct Parts {
  bool fixed_set = false;   // ArmField: arms change in a draft only; otherwise they come and go
  bool tasks_once = false;  // Statement: a task is evidence about a pair once, however it came
  bool tasks_end = false;   // Statement: their number is known, so that a pair can run out of them
  bool one_look = false;    // Statement: comparisons made elsewhere, looked at once; no duel counts
  bool panel = false;       // Statement: about the people who are asked; Chooser: by who asks
  bool comparisons_count = false;  // Statement: comparisons made elsewhere are evidence
  bool silence_ties = false;       // Tally: where silence is taken for a tie, it is counted as one
  bool audited = false;  // Statement: about people who audit a program; Duels: two answers to one
  bool space = false;    // Field, Statement, Chooser: points of a space are compared, not arms
  bool pages = false;  // Chooser: every round is somebody's visit; clicks on pages are the answers
};

inline Parts parts_of(const ExperimentRecord& experiment) {
  return {.fixed_set = experiment.stopping.arms_fixed,
          // Logs of earlier formats counted a task that the caller named each time that it came.
          .tasks_once = experiment.tasks.like_these() ||
                        (experiment.tasks.count == 0 && experiment.format > 3),
          // Tasks can be added only where there are some, so that this stays true.
          .tasks_end = experiment.tasks.like_these(),
          .one_look = experiment.one_look_after > 0,
          .panel = experiment.about == Audience::these_people,
          .comparisons_count = experiment.comparisons_count,
          .silence_ties = experiment.format > 3,
          .audited = experiment.audit.on(),
          .space = !experiment.space.dimensions.is_null(),
          .pages = experiment.service.mode == Mode::interleave};
}

}  // namespace duel
