#include "tests/support/places.h"

namespace duel {

std::string source_dir() { return DUEL_SOURCE_DIR; }
std::string shared_dir() { return DUEL_SHARED_DIR; }
std::string duel_binary() { return DUEL_BINARY_PATH; }

}  // namespace duel
