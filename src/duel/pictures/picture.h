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

// A comment line for the script that says what the picture shows. The program that runs gnuplot
// takes an SVG's title from it: gnuplot itself would call every one "Gnuplot".
std::string title_line(std::string_view title);
// The title in a script, "" if it has none.
std::string title_of_script(std::string_view script);

}  // namespace duel
