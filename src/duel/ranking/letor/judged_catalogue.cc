#include "duel/ranking/letor/judged_catalogue.h"

#include <fmt/format.h>

#include <string>

#include "duel/core/catalogue.h"
#include "duel/core/numbers.h"
#include "duel/core/options.h"
#include "duel/core/spelling.h"
#include "duel/ranking/letor/synthetic.h"

namespace duel {

namespace {

struct LetorCall {
  std::string file;
  bool zero_based = false;
};

Result<JudgedQueries> read_queries(const std::string& path, const LetorLimits& limits) {
  DUEL_ASSIGN(JudgedQueries queries, read_letor_file(path, limits));
  if (queries.num_queries() == 0) return Error::invalid_data("there is no query in it", path);
  return queries;
}

// letor(file=train.txt,zero-based=true)
Result<JudgedQueries> read_letor_call(const CallSpec& call, const LetorLimits& limits) {
  static const auto table =
      OptionTable<LetorCall>()
          .text("file", &LetorCall::file, "the file")
          .flag("zero-based", &LetorCall::zero_based, "features are numbered from 0");
  DUEL_ASSIGN(const LetorCall letor, table.parse(call, {}, "data set"));
  if (letor.file.empty()) {
    return Error::invalid_argument("data set 'letor' has no file")
        .with_hint("write letor(file=FILE,zero-based=true)");
  }
  LetorLimits counting = limits;
  counting.zero_based = letor.zero_based;
  return read_queries(letor.file, counting);
}

}  // namespace

Result<JudgedQueries> resolve_judged_queries(std::string_view text, const LetorLimits& limits) {
  const std::string_view name = trimmed(text.substr(0, text.find('(')));
  const bool called = text.find('(') != std::string_view::npos;
  // The name `letor` alone is a file.
  if (name == "synthetic" || (name == "letor" && called)) {
    DUEL_ASSIGN(const CallSpec call, parse_call(text));
    return name == "letor" ? read_letor_call(call, limits) : make_synthetic(call);
  }
  if (!means_file(text, name)) {
    const std::string known[] = {"synthetic", "letor"};
    return Error::not_found(fmt::format("there is no file named '{}'", text))
        .with_hint("a LETOR file, or synthetic(queries=100); " + spelling_hint(name, known));
  }
  return read_queries(std::string(text), limits);
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
