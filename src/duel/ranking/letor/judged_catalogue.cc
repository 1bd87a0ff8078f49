#include "duel/ranking/letor/judged_catalogue.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "duel/core/catalogue.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/ranking/letor/synthetic.h"

namespace duel {

Result<JudgedQueries> resolve_judged_queries(std::string_view text, const LetorLimits& limits) {
  const std::string_view name = trimmed(text.substr(0, text.find('(')));
  if (name == "synthetic") {
    DUEL_ASSIGN(const CallSpec call, parse_call(text));
    return make_synthetic(call);
  }
  if (!means_file(text, name)) {
    return Error::not_found(fmt::format("there is no file named '{}'", text))
        .with_hint("a LETOR file, or synthetic(queries=100); " +
                   spelling_hint(name, std::vector<std::string>{"synthetic"}));
  }
  return read_letor_file(std::string(text), limits);
}

}  // namespace duel
