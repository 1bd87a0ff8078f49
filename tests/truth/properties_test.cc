// Winners, assumptions and lower bounds of thirty published matrices, against the values that were
// computed for them elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "duel/truth/assumptions.h"
#include "duel/truth/lower_bound.h"
#include "duel/truth/matrix_reader.h"
#include "duel/truth/winners.h"
#include "tests/truth/matrices.h"

namespace duel {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const auto end = line.find(separator, begin);
    parts.push_back(line.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + separator.size();
  }
}

std::vector<Row> read_properties(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto columns = split(line, ",");
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const auto fields = split(line, ",");
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = fields.at(i);
    rows.push_back(std::move(row));
  }
  return rows;
}

// Equal as far as the digits printed there go.
void expect_printed(const std::string& printed, std::optional<double> value) {
  ASSERT_EQ(printed.empty(), !value.has_value());
  if (printed.empty()) return;
  const auto point = printed.find('.');
  const auto end = printed.find_first_of("eE");
  const std::size_t decimals =
      point == std::string::npos ? 0 : std::min(end, printed.size()) - point - 1;
  double unit = std::pow(10, -static_cast<double>(decimals));
  if (end != std::string::npos) unit *= std::pow(10, std::stod(printed.substr(end + 1)));
  const double expected = std::stod(printed);
  EXPECT_NEAR(*value, expected, std::max(0.5000001 * unit, 5.1e-7 * std::abs(expected)));
}

class PublishedMatrix : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = data_folder();
    if (!folder) GTEST_SKIP() << "NOT CHECKED: the folder of published matrices is absent";
    for (const Row& row : read_properties(*folder + "/properties.csv")) {
      auto matrix = read_matrix_file(*folder + "/" + row.at("set") + ".csv");
      ASSERT_TRUE(matrix.ok()) << matrix.error().to_string();
      problems_.emplace_back(row, std::move(matrix).value());
    }
    ASSERT_GE(problems_.size(), 30u);
  }

  std::vector<std::pair<Row, PreferenceMatrix>> problems_;
};

std::vector<std::string> names_of(const PreferenceMatrix& matrix, const std::vector<Arm>& arms) {
  std::vector<std::string> names;
  for (const Arm arm : arms) names.push_back(matrix.arm_name(arm));
  return names;
}

TEST_F(PublishedMatrix, has_its_winners) {
  for (const auto& [row, matrix] : problems_) {
    SCOPED_TRACE(row.at("set"));
    EXPECT_EQ(std::to_string(matrix.num_arms()), row.at("K"));
    const auto winner = condorcet_winner(matrix);
    EXPECT_EQ(winner ? matrix.arm_name(*winner) : "", row.at("condorcet"));
    const auto copeland = copeland_scores(matrix);
    EXPECT_EQ(std::to_string(copeland.ties.size()), row.at("ties"));
    auto set = names_of(matrix, copeland.winners);
    auto expected_set = split(row.at("copeland_set"), "; ");
    std::ranges::sort(set);
    std::ranges::sort(expected_set);
    EXPECT_EQ(set, expected_set);
    EXPECT_EQ(std::to_string(copeland.wins[copeland.winners.front()]), row.at("copeland_wins"));
    EXPECT_EQ(names_of(matrix, borda_scores(matrix).winners),
              std::vector<std::string>{row.at("borda")});
    EXPECT_EQ(std::to_string(smith_set(matrix).size()), row.at("smith"));
    const auto von_neumann = von_neumann_winner(matrix);
    ASSERT_TRUE(von_neumann.ok());
    EXPECT_GE(von_neumann->guarantee, 0.5 - 1e-7);
    if (winner) {
      EXPECT_EQ(von_neumann->weights[*winner], 1.0);
    }
  }
}

TEST_F(PublishedMatrix, has_its_order_properties) {
  for (const auto& [row, matrix] : problems_) {
    SCOPED_TRACE(row.at("set"));
    const auto assumptions = check_assumptions(matrix);
    EXPECT_EQ(assumptions.total_order.holds(), row.at("total_order") == "yes");
    expect_printed(row.at("wst"), assumptions.chains.weak.share());
    expect_printed(row.at("sst"), assumptions.chains.strong.share());
    expect_printed(row.at("sti"), assumptions.chains.triangle.share());
    const auto& from_winner = assumptions.winner_chains;
    ASSERT_EQ(from_winner.has_value(), !row.at("condorcet").empty());
    expect_printed(row.at("sst_w"), from_winner ? from_winner->strong.share() : std::nullopt);
    expect_printed(row.at("sti_w"), from_winner ? from_winner->triangle.share() : std::nullopt);
  }
}

TEST_F(PublishedMatrix, has_its_gaps_and_lower_bound) {
  for (const auto& [row, matrix] : problems_) {
    SCOPED_TRACE(row.at("set"));
    const auto gaps = matrix_gaps(matrix);
    expect_printed(row.at("gap_winner"), gaps.winner);
    expect_printed(row.at("gap_any"), gaps.any);
    const auto bound = regret_lower_bound(matrix);
    ASSERT_EQ(bound.ok(), !row.at("condorcet").empty());
    if (!bound.ok()) continue;
    expect_printed(row.at("lower_bound"), bound->value);
    const Arm winner = *condorcet_winner(matrix);
    const auto indirect = std::ranges::count_if(bound->best_opponents,
                                                [&](Arm opponent) { return opponent != winner; });
    EXPECT_EQ(std::to_string(indirect), row.at("indirect"));
  }
}

}  // namespace
}  // namespace duel
