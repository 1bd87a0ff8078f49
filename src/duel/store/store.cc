#include "duel/store/store.h"

namespace duel {

Status Store::append_to(std::string_view experiment, const Head& at, std::span<const Line> lines) {
  const Group group{experiment, at, lines};
  DUEL_ASSIGN(const std::vector<Status> results, append(std::span(&group, 1)));
  return results.front();
}

}  // namespace duel
