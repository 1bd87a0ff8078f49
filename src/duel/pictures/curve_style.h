// How curves look. Up to 16 no two look alike: where a hue repeats, shade, dash and marker differ.
#pragma once

#include <cstddef>
#include <string>

namespace duel {

// For curve number `style`: its colour, `#rrggbb`; colour, width and dash as gnuplot writes them;
// the number of its marker.
const char* curve_color(std::size_t style);
std::string curve_line_style(std::size_t style);
int curve_marker(std::size_t style);

}  // namespace duel
