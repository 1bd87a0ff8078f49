#include "duel/pictures/picture.h"

#include <fmt/format.h>

#include <array>

namespace duel {

std::string to_string(PlotFormat format) {
  constexpr std::array<const char*, 3> kWords = {"svg", "pdf", "png"};
  return kWords[static_cast<std::size_t>(format)];
}

Result<PlotFormat> plot_format_of(std::string_view file_name) {
  const auto dot = file_name.rfind('.');
  const std::string ending(dot == std::string_view::npos ? "" : file_name.substr(dot + 1));
  if (ending == "svg" || ending == "SVG") return PlotFormat::svg;
  if (ending == "pdf" || ending == "PDF") return PlotFormat::pdf;
  if (ending == "png" || ending == "PNG") return PlotFormat::png;
  return Error::invalid_argument(
             fmt::format("'{}' does not end in a known picture format", file_name))
      .with_hint("known: .svg, .pdf, .png");
}

std::string gnuplot_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
    } else {
      out += c == '\'' ? std::string("''") : std::string(1, c);
    }
  }
  return out + "'";
}

namespace {

constexpr std::string_view kTitle = "# Title: ";

}  // namespace

std::string title_line(std::string_view title) {
  if (title.empty()) return "";
  std::string line(kTitle);
  for (const char c : title) line += c == '\n' || c == '\r' ? ' ' : c;
  return line + "\n";
}

std::string title_of_script(std::string_view script) {
  std::size_t at = script.starts_with(kTitle) ? 0 : script.find(fmt::format("\n{}", kTitle));
  if (at == std::string_view::npos) return "";
  at = script.find(kTitle, at) + kTitle.size();
  return std::string(script.substr(at, script.find('\n', at) - at));
}

std::string gnuplot_terminal(PlotFormat format, double width, double height) {
  switch (format) {
    case PlotFormat::svg:
      return fmt::format(
          "set terminal svg size {:.0f},{:.0f} enhanced font 'DejaVu Sans,Helvetica,Arial,"
          "sans-serif,12' background '#ffffff' butt\n",
          width, height);
    case PlotFormat::pdf:
      return fmt::format(
          "set terminal pdfcairo size {:.3f}in,{:.3f}in enhanced font 'DejaVu Sans,9' "
          "background '#ffffff' butt\n",
          width / 96, height / 96);
    case PlotFormat::png:  // at twice the size, for screens with small pixels
      return fmt::format(
          "set terminal pngcairo size {:.0f},{:.0f} enhanced font 'DejaVu Sans,12' fontscale 1.5 "
          "linewidth 2 pointscale 2 background '#ffffff' butt\n",
          2 * width, 2 * height);
  }
  return "";
}

}  // namespace duel
