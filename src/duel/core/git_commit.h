// The commit that the program was built from. CMake writes a source of its own for it, so that a
// new commit compiles that source alone.
#pragma once

#include <string_view>

namespace duel {

// Abbreviated hash; empty where the program was built outside a git checkout.
std::string_view git_commit();

}  // namespace duel
