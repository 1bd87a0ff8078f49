// Every reproduction runs in its quick form without data, gives tables and figures that can be
// drawn, and passes or says what it skipped.
#include <gtest/gtest.h>

#include "duel/reproduction/reproduction.h"

namespace duel {
namespace {

class QuickReproduction : public testing::TestWithParam<std::string> {};

TEST_P(QuickReproduction, gives_findings_tables_and_figures) {
  ReproductionContext context;
  context.quick = true;
  double last = 0;
  context.progress = [&](double share, std::string_view) {
    EXPECT_GE(share, last - 1e-9);
    EXPECT_LE(share, 1 + 1e-9);
    last = share;
  };
  const auto ran = reproduction_catalogue().find(GetParam()).value()->run(context);
  ASSERT_TRUE(ran.ok()) << ran.error().to_string();
  EXPECT_FALSE(ran->findings.empty());
  EXPECT_FALSE(ran->tables.empty());
  for (const TidyTable& table : ran->tables) EXPECT_GT(table.num_rows(), 0U) << table.name();
  for (const Figure& figure : ran->figures) {
    const auto script = chart_script(figure.chart, PlotFormat::svg);
    EXPECT_TRUE(script.ok()) << figure.name << ": " << script.error().to_string();
  }
  for (const Finding& finding : ran->findings) {
    EXPECT_TRUE(finding.verdict != FindingVerdict::skipped || !finding.note.empty())
        << finding.claim;
    const bool is_our_own = finding.published.empty() || finding.published == "-";
    EXPECT_EQ(finding.source.empty(), is_our_own) << finding.claim;
  }
}

// Those whose quick form must pass: their tolerances hold at the quick sizes.
TEST(QuickReproductions, panels_without_data_pass) {
  ReproductionContext context;
  context.quick = true;
  for (const char* name : {"if-walk", "if-matches", "if-error", "if-scaling", "rmed-arxiv",
                           "rmed-cyclic", "rmed-arithmetic", "dts-fig1"}) {
    const auto ran = reproduction_catalogue().find(name).value()->run(context);
    ASSERT_TRUE(ran.ok()) << name;
    for (const Finding& finding : ran->findings) {
      EXPECT_NE(finding.verdict, FindingVerdict::fail)
          << name << ": " << finding.claim << ": " << finding.ours;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, QuickReproduction,
                         testing::ValuesIn(reproduction_catalogue().names()),
                         [](const testing::TestParamInfo<std::string>& tested) {
                           std::string name = tested.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace duel
