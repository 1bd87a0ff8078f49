#include "duel/pictures/curve_style.h"

#include <fmt/format.h>

#include <array>

namespace duel {
namespace {

// Okabe and Ito (2008), which colour-blind readers can distinguish, without black (bounds); yellow
// comes last and darker, since theirs is faint on white. Then the same hues darker, and two greys.
constexpr std::size_t kHues = 7;
constexpr std::array<const char*, 16> kColors = {
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#B8A500", "#003F63",
    "#7A3500", "#00583F", "#7A3E62", "#8A5E00", "#2A6A93", "#655A00", "#888888", "#404040"};
constexpr std::array<const char*, kHues> kDashes = {
    "solid", "(18,5)", "(10,4,2,4)", "(5,4)", "(18,4,2,4,2,4)", "(12,3,5,3)", "(3,3)"};
// Another period than that of the hues, so that curves of one hue have different markers.
constexpr std::array<int, 9> kMarkers = {7, 5, 9, 13, 11, 6, 4, 8, 12};

}  // namespace

const char* curve_color(std::size_t style) { return kColors[style % kColors.size()]; }

std::string curve_line_style(std::size_t style) {
  // When a hue comes again, its dash is the next one.
  const std::size_t dash = (style % kHues + style / kHues) % kDashes.size();
  return fmt::format("lc rgb '{}' lw 1.8 dt {}", curve_color(style), kDashes[dash]);
}

int curve_marker(std::size_t style) { return kMarkers[style % kMarkers.size()]; }

}  // namespace duel
