#include "duel/ranking/letor/judged_catalogue.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "duel/core/call_spec.h"
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
  const std::string path(text);
  std::error_code ignored;
  const bool looks_like_path = text == "-" || name.find_first_of("/.") != std::string_view::npos;
  if (!looks_like_path && !std::filesystem::exists(path, ignored)) {
    const std::vector<std::string> known{"synthetic"};
    return Error::not_found(fmt::format("there is no file named '{}'", text))
        .with_hint("a LETOR file, or synthetic(queries=100); " + spelling_hint(name, known));
  }
  return read_letor_file(path, limits);
}

}  // namespace duel
