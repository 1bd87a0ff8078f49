// What an experiment that is a gate needs of the bindings of gates (gate.cc).
#pragma once

#include "conversions.h"
#include "duel/inference/gate.h"
#include "duel/verdict/gate_result.h"

namespace duel::python {

// {"alpha", "margin", "claim", "fail"}, as of `duel gate`. What is wrong is raised.
GateRule gate_rule_of(const py::dict& request);

// "certified", "max_duels", "tasks_used_up", .., as a run of duel/_experiment.py ends.
GateStop gate_stop_of(const std::string& ended);

}  // namespace duel::python
