// Maps drawn cell by cell: rectangles and texts at pixels, as commands of gnuplot.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "duel/pictures/picture.h"

namespace duel {

struct Color {
  double red;
  double green;
  double blue;
};

// The colour at `position` in 0 .. 1 of a scale given at equal distances, as #rrggbb.
std::string color_at(std::span<const Color> scale, double position);

// Columns of text, roughly: names may be UTF-8.
double characters(std::string_view text);

// The origin is at the lower left.
class Canvas {
 public:
  Canvas(double width, double height) : width_(width), height_(height) {}

  void cell(double left, double bottom, double width, double height, const std::string& color);
  // `style` is gnuplot's: left, right, center, rotate by .., font, textcolor.
  void text(double x, double y, std::string_view content, const std::string& style);
  // `style` is gnuplot's: lc, lw, dt.
  void line(double x0, double y0, double x1, double y1, const std::string& style);

  // A script that draws it all and nothing else. `title` says what is shown, for those who cannot
  // see it; `author` is the command that wrote the script.
  std::string script(PlotFormat format, std::string_view title, std::string_view author) const;
  // What is drawn so far, for a script with more to it.
  const std::string& commands() const { return commands_; }

 private:
  double width_;
  double height_;
  std::string commands_;
};

}  // namespace duel
