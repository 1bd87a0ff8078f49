// Merging rankings into the list to show, and crediting clicks on it.
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conversions.h"
#include "duel/core/options_json.h"
#include "duel/ranking/interleaving/impression.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/study/spec.h"
#include "ranking_arguments.h"

namespace duel::python {
namespace {

py::object interleave(const py::dict& fields, const std::vector<std::string>& names,
                      const std::vector<DocumentIds>& lists,
                      const std::optional<DocumentIds>& clicks) {
  const Request request(fields);
  ImpressionSpec spec;
  request.take("method", spec.method);
  request.take("id", spec.id);
  request.take("length", spec.length, 1, ImpressionSpec::kLength.most);
  request.take("offset", spec.offset, 0, ImpressionSpec::kOffset.most);
  request.take("seed", spec.seed, 0, kMaxSeed);
  spec.rankings = names;
  if (names.size() != lists.size()) reject("lists", "as many names as lists are needed");
  std::optional<Impression> shown;
  {
    py::gil_scoped_release unlocked;
    const ImpressionPlan plan = unwrap(ImpressionPlan::create(std::move(spec)));
    shown = unwrap(plan.show(lists, clicks));
  }
  return to_python(shown->to_json());
}

template <class Kinds>
void add_methods(const Kinds& kinds, bool multileaves, py::list& list) {
  for (const auto& kind : kinds) {
    list.append(py::dict("name"_a = kind.facts.name, "multileaves"_a = multileaves,
                         "doc"_a = kind.facts.doc, "paper"_a = kind.facts.paper,
                         "options"_a = to_python(described_json(kind.options))));
  }
}

py::list interleaving_methods() {
  py::list list;
  add_methods(interleaver_catalogue(), false, list);
  add_methods(multileaver_catalogue(), true, list);
  return list;
}

}  // namespace

void bind_interleaving(py::module_& module) {
  module.def("interleave", &interleave, "request"_a, "names"_a, "lists"_a, "clicks"_a);
  module.def("interleaving_methods", &interleaving_methods);
}

}  // namespace duel::python
