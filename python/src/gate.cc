// Gates: what is made of the experiments of a baseline and its candidates.
#include "gate.h"

#include <pybind11/stl.h>

#include <string>
#include <vector>

namespace duel::python {
namespace {

GateReport report_of(const py::dict& rule, const std::vector<GateResult>& candidates) {
  return {.rule = gate_rule_of(rule), .candidates = candidates};
}

}  // namespace

GateRule gate_rule_of(const py::dict& request) {
  GateRule rule{.alpha = number_of(request["alpha"], "alpha"),
                .margin = number_of(request["margin"], "margin")};
  const auto claim_of = [&](const char* field, GateClaim one, GateClaim other) {
    const std::string word = text_of(request[field], field);
    for (const GateClaim claim : {one, other}) {
      if (word == to_word(claim)) return claim;
    }
    reject(field, "'" + word + "' is not known",
           std::string(to_word(one)) + " or " + std::string(to_word(other)));
  };
  rule.claim = claim_of("claim", GateClaim::not_worse, GateClaim::better);
  rule.fail = claim_of("fail", GateClaim::worse, GateClaim::beyond_margin);
  unwrap(check_gate(rule));
  return rule;
}

GateStop gate_stop_of(const std::string& ended) {
  if (ended == "tasks_used_up") return GateStop::tasks_used_up;
  if (ended == "max_cost") return GateStop::budget;
  return ended == "interrupted" ? GateStop::interrupted : GateStop::max_duels;
}

void bind_gate(py::module_& module) {
  py::class_<GateResult> result(module, "GateResult");
  refuse_pickling(result);
  module.def("gate_report", [](const py::dict& rule, const std::vector<GateResult>& candidates) {
    const GateReport report = report_of(rule, candidates);
    return py::dict("json"_a = to_python(report.json()), "text"_a = report.text(),
                    "markdown"_a = report.markdown(), "junit"_a = report.junit());
  });
  module.def("check_gate", [](const py::dict& rule) { gate_rule_of(rule); });
}

}  // namespace duel::python
