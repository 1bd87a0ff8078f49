#include "duel/judging/log_mismatch.h"

namespace duel {

Error other_experiment(const std::string& log, std::string_view field, const std::string& message,
                       const std::string& hint) {
  return Error::invalid_argument("this log belongs to another experiment: " + message, log,
                                 hint.empty() ? "give another `log` to start over" : hint)
      .in_field(field);
}

}  // namespace duel
