// Text on a terminal is as wide as what the terminal shows of it: `±` and `é` take one column and
// colours none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace duel {

// Columns a terminal uses for UTF-8 text: escape sequences none, combining marks none, East Asian
// wide characters two, other characters one. A broken byte counts one.
std::size_t display_width(std::string_view text);

// `text` cut to at most `width` columns, the last of which is then `…`.
std::string shortened(std::string_view text, std::size_t width);

// The same with the `…` in the middle, for names that begin alike and differ at their ends.
std::string shortened_inside(std::string_view text, std::size_t width);

// `text` as a terminal can show it in a line: controls and bytes that are not UTF-8 become `?`.
std::string printable_line(std::string_view text);

// Words filled into lines of at most `width` columns, each but the first after `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace duel
