// Formats of pictures, and words of gnuplot's language that every script needs.
#pragma once

#include <string>
#include <string_view>

#include "duel/core/result.h"

namespace duel {

enum class PlotFormat { svg, pdf, png };

std::string to_string(PlotFormat format);
// By the ending of a file's name: regret.svg.
Result<PlotFormat> plot_format_of(std::string_view file_name);

// For scripts: 'text' as gnuplot quotes it (a line break, which would end the command, becomes a
// space), and the terminal of a format for a picture of so many pixels (a PDF: 96 an inch).
std::string gnuplot_text(std::string_view text);
std::string gnuplot_terminal(PlotFormat format, double width, double height);

}  // namespace duel
