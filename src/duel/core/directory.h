// What a directory holds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// All entries, sorted by name: the order of a directory is not the same everywhere.
Result<std::vector<std::filesystem::path>> directory_entries(const std::string& directory);

}  // namespace duel
