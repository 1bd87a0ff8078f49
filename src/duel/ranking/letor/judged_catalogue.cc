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
  DUEL_ASSIGN(JudgedQueries queries, read_letor_file(std::string(text), limits));
  if (queries.num_queries() == 0) {
    return Error::invalid_data("there is no query in it", std::string(text));
  }
  return queries;
}

Result<std::size_t> num_grades_of(const JudgedQueries& queries, std::uint64_t asked) {
  if (asked == 0) return queries.num_grades();
  if (asked < queries.num_grades()) {
    return Error::invalid_argument(fmt::format("the data has {} grades, 0 .. {}",
                                               queries.num_grades(), queries.num_grades() - 1))
        .with_hint("at least as many");
  }
  return static_cast<std::size_t>(asked);
}

}  // namespace duel
