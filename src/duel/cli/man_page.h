// Manual pages, from the same declarations as the help pages.
#pragma once

#include <filesystem>
#include <string>

#include "duel/cli/options.h"
#include "duel/core/result.h"

namespace duel::cli {

// The page in roff of `duel`, or of one of its commands with all that is below it.
std::string man_page(const Command& command);

// `duel.1` and a page for each command, `duel-serve.1`, in the directory.
Status write_man_pages(const Command& program, const std::filesystem::path& directory);

}  // namespace duel::cli
