// A space as people write it: a TOML file with a table for each dimension.
#pragma once

#include <string>

#include "duel/core/json.h"
#include "duel/core/result.h"

namespace duel::cli {

// The dimensions in the order of the file, as Space::from_json takes them. An error names the file
// and the line, or the dimension and its field.
Result<Json> read_space_file(const std::string& file);

}  // namespace duel::cli
