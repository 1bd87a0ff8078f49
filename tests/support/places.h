// Where the tests find what they look at. Functions of one source, so that the other test objects
// are the same in every checkout and a compiler cache can share them.
#pragma once

#include <string>

namespace duel {

std::string source_dir();   // of the project
std::string shared_dir();   // beside the project; may be absent
std::string duel_binary();  // the program under test; empty where it is not built

}  // namespace duel
