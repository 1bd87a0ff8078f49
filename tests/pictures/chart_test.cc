#include "duel/pictures/chart.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "duel/pictures/curve_style.h"

namespace duel {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ChartPanel panel() {
  ChartPanel panel;
  panel.title = "one";
  panel.log_x = panel.log_y = true;
  panel.curves = {
      {.label = "a", .points = {{10, 1, 0.5, 2}, {1000, 0}, {10000, 4, 3, 5}}},
      {.label = "b", .points = {{10, 2}, {10000, 3}}, .line = ChartLine::plain},
      {.label = "bound", .points = {}, .line = ChartLine::bound, .formula = "2 * log(x)"}};
  return panel;
}

TEST(Chart, leaves_out_points_that_have_no_place_on_a_logarithmic_axis) {
  const std::string script =
      chart_script({.title = "", .panels = {panel()}}, PlotFormat::svg).value();
  EXPECT_TRUE(has(script, "$curve_0_0 << END\n10 1 0.5 2\n10000 4 3 5\nEND"));
  EXPECT_TRUE(has(script, "(2 * log(x)) with lines lc rgb '#000000'"));
  EXPECT_TRUE(has(script, "set xrange [10:10000]"));
}

TEST(Chart, the_same_label_looks_the_same_in_every_panel) {
  ChartPanel second = panel();
  std::swap(second.curves[0], second.curves[1]);
  const std::string script =
      chart_script({.title = "", .panels = {panel(), second}}, PlotFormat::svg).value();
  EXPECT_TRUE(has(script, "$curve_0_0 using 1:2 with linespoints lc rgb '#0072B2'"));
  EXPECT_TRUE(has(script, "$curve_1_1 using 1:2 with linespoints lc rgb '#0072B2'"));
  EXPECT_TRUE(has(script, "$curve_1_0 using 1:2 with lines lc rgb '#D55E00'"));
}

TEST(Chart, draws_extremes_as_two_dotted_lines) {
  ChartPanel extremes = panel();
  extremes.curves[0].band = ChartBand::dotted;
  const std::string script =
      chart_script({.title = "", .panels = {extremes}}, PlotFormat::svg).value();
  EXPECT_FALSE(has(script, "filledcurves"));
  EXPECT_TRUE(has(script, "$curve_0_0 using 1:3 with lines"));
  EXPECT_TRUE(has(script, "$curve_0_0 using 1:4 with lines"));
}

TEST(Chart, writes_numbers_on_a_logarithmic_axis_of_less_than_two_decades) {
  ChartPanel narrow = panel();
  narrow.x_range = {8, 64};
  const std::string script =
      chart_script({.title = "", .panels = {narrow}}, PlotFormat::svg).value();
  EXPECT_TRUE(has(script, "set xtics (10,20,50)")) << script;
}

TEST(Chart, no_two_of_sixteen_curves_look_alike) {
  std::set<std::string> lines;
  for (std::size_t style = 0; style < 16; ++style) {
    lines.insert(curve_line_style(style));
    for (std::size_t other = 0; other < style; ++other) {
      // Where the hue repeats, dash and marker tell the two apart as well.
      if (style % 7 != other % 7) continue;
      const auto dash = [](std::size_t k) {
        const std::string line = curve_line_style(k);
        return line.substr(line.find(" dt "));
      };
      EXPECT_NE(dash(style), dash(other)) << style << " and " << other;
      EXPECT_NE(curve_marker(style), curve_marker(other)) << style << " and " << other;
    }
  }
  EXPECT_EQ(lines.size(), 16U);
}

TEST(Chart, its_script_says_what_is_shown) {
  const std::string script =
      chart_script({.title = "It is\nthis", .panels = {panel()}}, PlotFormat::svg).value();
  EXPECT_EQ(title_of_script(script), "It is this");
  const std::string untitled =
      chart_script({.title = "", .panels = {panel()}}, PlotFormat::svg).value();
  EXPECT_EQ(title_of_script(untitled), "one");
  EXPECT_EQ(title_of_script("plot x\n"), "");
}

TEST(Chart, says_so_where_there_is_nothing_to_draw) {
  EXPECT_FALSE(chart_script({.title = "", .panels = {}}, PlotFormat::svg).ok());
  ChartPanel zeros;
  zeros.log_y = true;
  zeros.curves = {{.label = "a", .points = {{1, 0}, {2, 0}}}};
  const auto script = chart_script({.title = "", .panels = {zeros}}, PlotFormat::svg);
  ASSERT_FALSE(script.ok());
  EXPECT_TRUE(has(script.error().to_string(), "nothing to draw"));
}

}  // namespace
}  // namespace duel
