// The native part of the package `duel`: thin over the library, one source per noun. What needs no
// speed and no library (plots, HTML, the client, executors) is Python, in python/duel.
#include "conversions.h"
#include "duel/version_info.h"

PYBIND11_MODULE(_native, module) {
  using namespace duel::python;
  module.doc() = "The native part of duel. Use the package `duel`.";
  module.attr("version") = duel::kVersion;
  bind_errors(module);
  bind_policies(module);
  bind_matrix(module);
  bind_simulation(module);
  bind_study(module);
  bind_experiment(module);
  bind_inference(module);
  bind_interleaving(module);
  bind_clicks(module);
  bind_metrics(module);
  bind_letor(module);
  bind_estimation(module);
  bind_learning(module);
}
