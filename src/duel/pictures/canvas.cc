#include "duel/pictures/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace duel {

std::string color_at(std::span<const Color> scale, double position) {
  const double at = position * static_cast<double>(scale.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), scale.size() - 2);
  const double part = at - static_cast<double>(low);
  const auto mixed = [&](double from, double to) {
    return static_cast<int>(std::lround(from + part * (to - from)));
  };
  const Color& a = scale[low];
  const Color& b = scale[low + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(a.red, b.red), mixed(a.green, b.green),
                     mixed(a.blue, b.blue));
}

double characters(std::string_view text) {
  return static_cast<double>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void Canvas::cell(double left, double bottom, double width, double height,
                  const std::string& color) {
  commands_ += fmt::format(
      "set object rectangle from screen {:.5f},{:.5f} to screen {:.5f},{:.5f} fs solid noborder "
      "fc rgb '{}' behind\n",
      left / width_, bottom / height_, (left + width) / width_, (bottom + height) / height_, color);
}

void Canvas::text(double x, double y, std::string_view content, const std::string& style) {
  commands_ += fmt::format("set label {} at screen {:.5f},{:.5f} {}\n", gnuplot_text(content),
                           x / width_, y / height_, style);
}

void Canvas::line(double x0, double y0, double x1, double y1, const std::string& style) {
  commands_ +=
      fmt::format("set arrow from screen {:.5f},{:.5f} to screen {:.5f},{:.5f} nohead {}\n",
                  x0 / width_, y0 / height_, x1 / width_, y1 / height_, style);
}

std::string Canvas::script(PlotFormat format, std::string_view title,
                           std::string_view author) const {
  return fmt::format(
      "# Written by `{}`; gnuplot writes the picture to standard output.\n{}"
      "set encoding utf8\n{}unset border\nunset tics\nunset key\nset margins 0,0,0,0\n"
      "set xrange [0:1]\nset yrange [0:1]\n{}plot NaN notitle\n",
      author, title_line(title), gnuplot_terminal(format, width_, height_), commands_);
}

}  // namespace duel
