// Help as sentences with an example, and wrong usage explained with the nearest known spelling.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace duel::cli {

// Gives `app` and every command added to it later the layout of our help pages.
void set_help_layout(CLI::App& app);

// The innermost command that the command line named.
const CLI::App* chosen_command(const CLI::App& app);
// `duel matrix show`: the command with those above it.
std::string command_path(const CLI::App* command);

// What was wrong with the command line, for people: one line, and the help page to look at.
std::string explain_usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace duel::cli
