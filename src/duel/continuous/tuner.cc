#include "duel/continuous/tuner.h"

namespace duel {

Catalogue<TunerKind>& tuner_catalogue() {
  static Catalogue<TunerKind> all("tuner", "learner of a space");
  return all;
}

TunerKind::Made configure_tuner(std::string_view text, std::size_t dimension,
                                std::uint64_t horizon) {
  // Measured: beyond 8 dimensions no kernel was ahead of dbgd (reproduction tune-field).
  constexpr std::size_t kMostForKernel = 8;
  const std::string_view chosen = text != "auto"                ? text
                                  : dimension <= kMostForKernel ? "kernel-ts"
                                                                : "dbgd";
  DUEL_ASSIGN(const CallSpec call, parse_call(chosen));
  return tuner_catalogue().configure(call, horizon);
}

}  // namespace duel
