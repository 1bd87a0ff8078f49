#include "duel/core/feature_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/csv.h"
#include "duel/core/numbers.h"
#include "duel/core/whole_file.h"

namespace duel {
namespace {

constexpr double kMostSize = 1e6;  // squares and their sums stay far from overflow
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

}  // namespace

FeatureRows::FeatureRows(std::size_t width, std::vector<double> values)
    : width_(width), values_(std::move(values)) {
  DUEL_CHECK(width_ >= 1 && values_.size() % width_ == 0);
}

FeatureRows FeatureRows::identity(std::size_t num_arms) {
  std::vector<double> values(num_arms * num_arms);
  for (std::size_t i = 0; i < num_arms; ++i) values[i * num_arms + i] = 1;
  return {num_arms, std::move(values)};
}

Result<FeatureRows> FeatureRows::create(const std::vector<std::vector<double>>& rows) {
  if (rows.empty()) return Error::invalid_argument("there are no features");
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string where = fmt::format("row {}", i + 1);
    if (rows[i].empty()) return Error::invalid_argument("an arm has no features", where);
    if (rows[i].size() > kMostWidth) {
      return Error::invalid_argument(fmt::format("an arm has more than {} features", kMostWidth),
                                     where);
    }
    if (rows[i].size() != rows[0].size()) {
      return Error::invalid_argument(
          fmt::format("one arm has {} features, and another {}", rows[0].size(), rows[i].size()),
          where, "every arm has equally many numbers, in the same order");
    }
    for (const double value : rows[i]) {
      if (!(std::fabs(value) <= kMostSize)) {
        return Error::invalid_argument(fmt::format("{} is no feature", value), where,
                                       "features are numbers of at most 1e6; those of about 1 are "
                                       "learnt from best");
      }
      values.push_back(value);
    }
  }
  return FeatureRows(rows[0].size(), std::move(values));
}

Result<FeatureRows> FeatureRows::parse(std::string_view text, const std::string& source) {
  CsvReader reader(text, source);
  std::vector<std::vector<double>> rows;
  bool first = true;
  while (true) {
    DUEL_ASSIGN(const std::optional<CsvRecord> record, reader.next());
    if (!record) break;
    std::vector<double> row;
    std::optional<Error> wrong;
    for (const std::string& field : record->fields) {
      const auto number = parse_number(field);
      if (number.ok()) {
        row.push_back(*number);
      } else if (!wrong) {
        wrong = number.error();
      }
    }
    const bool is_heading = first && row.empty();
    first = false;
    if (is_heading) continue;
    if (wrong) {
      return Error::invalid_data(wrong->message, reader.where(record->line),
                                 "a line holds the features of one arm: numbers between commas");
    }
    rows.push_back(std::move(row));
  }
  auto made = create(rows);
  if (made.ok()) return made;
  Error error = made.error();
  error.where = error.where.empty() ? source : source + ", " + error.where;
  return error;
}

Result<FeatureRows> FeatureRows::read(const std::filesystem::path& file) {
  DUEL_ASSIGN(const std::string text, read_whole_file(file, kMostBytes));
  return parse(text, file.string());
}

}  // namespace duel
