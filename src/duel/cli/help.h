// What the commands declare, as pages: help and manual.
#pragma once

#include <filesystem>
#include <string>

#include "duel/cli/options.h"

namespace duel::cli {

// The help page of a command: sentences with an example.
std::string help_page(const Command& command);

// Parts of it, for other kinds of pages.
// `duel matrix show MATRIX [OPTIONS]`
std::string usage_line(const Command& command);
// `-o, --output DIR`, `    --matrix, --environment MATRIX-LIST`
std::string spelled_option(const Option& option);
// Up to the first full stop or line break.
std::string first_sentence(const std::string& text);

// Manual pages in roff in the directory: `duel.1`, and one for each command with all that is below
// it, `duel-serve.1`.
Status write_man_pages(const Command& program, const std::filesystem::path& directory);

}  // namespace duel::cli
