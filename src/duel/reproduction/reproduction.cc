#include "duel/reproduction/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/spelling.h"

namespace duel {
namespace {

constexpr std::array<std::pair<FindingVerdict, const char*>, 5> kVerdicts = {
    {{FindingVerdict::pass, "pass"},
     {FindingVerdict::fail, "fail"},
     {FindingVerdict::shown, "shown"},
     {FindingVerdict::skipped, "skipped"},
     {FindingVerdict::unclear, "unclear"}}};

std::string default_source(const std::string& published) {
  return published.empty() || published == "-" ? "" : published::kPrinted;
}

// To `digits` significant digits, never in powers of ten below a million.
std::string rounded(double value, int digits) {
  if (value == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-12));
  return fmt::format("{:.{}f}", value, std::clamp(digits - 1 - exponent, 0, 8));
}

}  // namespace

const PreferenceMatrix* ReproductionContext::matrix(std::string_view name) const {
  for (const GivenMatrix& given : matrices) {
    if (given.name == name) return given.matrix.get();
  }
  for (const GivenMatrix& given : matrices) {
    if (given.name.find(name) != std::string::npos) return given.matrix.get();
  }
  return nullptr;
}

Error interrupted_reproduction() {
  return Error::interrupted("interrupted before the reproduction was complete");
}

Measured measured(std::span<const double> values) {
  const double average = mean(values);
  return {average, standard_error(values, average), values.size()};
}

Measured measured_share(std::uint64_t successes, std::uint64_t n) {
  DUEL_CHECK(n > 0 && successes <= n);
  return {static_cast<double>(successes) / static_cast<double>(n),
          share_standard_error(successes, n), n};
}

Measured exactly(double value) { return {value, 0, 0}; }

TidyTable::TidyTable(std::string name, const std::vector<std::string>& keys, std::uint64_t seed,
                     const std::vector<std::string>& more)
    : name_(std::move(name)), keys_(keys.size()), seed_(seed) {
  for (const std::string& key : keys) table_.column(key);
  for (const char* column : {"mean", "se", "trials", "seed"}) table_.column(column);
  for (const std::string& column : more) table_.column(column);
}

void TidyTable::add(const std::vector<std::string>& keys, const Measured& value,
                    const std::vector<double>& more) {
  std::vector<Cell> cells(keys.begin(), keys.end());
  cells.insert(cells.end(), {value.mean, value.se, value.trials, seed_});
  cells.insert(cells.end(), more.begin(), more.end());
  DUEL_CHECK(keys.size() == keys_ && cells.size() == table_.num_columns());
  table_.row(std::move(cells));
}

Figure figure_of(std::string name, std::string caption, Chart chart) {
  auto shared = std::make_shared<const Chart>(std::move(chart));
  return {std::move(name), std::move(caption),
          [shared](PlotFormat format) { return chart_script(*shared, format); }};
}

std::string to_string(FindingVerdict verdict) {
  for (const auto& [known, text] : kVerdicts) {
    if (known == verdict) return text;
  }
  return "";
}

Result<FindingVerdict> parse_verdict(std::string_view text) {
  std::vector<std::string> known;
  for (const auto& [verdict, name] : kVerdicts) {
    if (text == name) return verdict;
    known.emplace_back(name);
  }
  return Error::invalid_data(fmt::format("there is no verdict '{}'", text))
      .with_hint(spelling_hint(text, known));
}

std::string measured_text(const Measured& value) {
  if (std::isnan(value.mean)) return "-";
  if (std::isnan(value.se) || value.se == 0) {
    const bool whole = value.mean == std::floor(value.mean) && std::abs(value.mean) < 1e9;
    return whole ? fmt::format("{:.0f}", value.mean) : rounded(value.mean, 5);
  }
  // The place of the error's second digit, counted after rounding it: 0.0996 is 0.10.
  const int exponent = static_cast<int>(std::floor(std::log10(value.se * 1.0000001)));
  const int decimals = std::clamp(1 - exponent, 0, 8);
  return fmt::format("{:.{}f} ± {:.{}f}", value.mean, decimals, value.se, decimals);
}

Finding finding_within(std::string claim, std::string published, const Measured& value,
                       Accepted accepted, std::string tolerance) {
  if (tolerance.empty()) {
    tolerance = fmt::format("[{:.5g}, {:.5g}]", accepted.low, accepted.high);
  }
  const bool inside = accepted.low <= value.mean && value.mean <= accepted.high;
  std::string source = default_source(published);
  return {std::move(claim),
          std::move(published),
          measured_text(value),
          value,
          std::move(tolerance),
          inside ? FindingVerdict::pass : FindingVerdict::fail,
          "",
          std::move(source)};
}

Finding finding_that(std::string claim, std::string published, std::string ours,
                     std::string tolerance, bool holds) {
  std::string source = default_source(published);
  return {std::move(claim),
          std::move(published),
          std::move(ours),
          {},
          std::move(tolerance),
          holds ? FindingVerdict::pass : FindingVerdict::fail,
          "",
          std::move(source)};
}

Finding finding_shown(std::string claim, std::string published, const Measured& value) {
  std::string source = default_source(published);
  return {std::move(claim),
          std::move(published),
          measured_text(value),
          value,
          "",
          FindingVerdict::shown,
          "",
          std::move(source)};
}

Finding finding_skipped(std::string claim, std::string published, std::string why) {
  std::string source = default_source(published);
  return {std::move(claim), std::move(published), "-", {}, "", FindingVerdict::skipped,
          std::move(why),   std::move(source)};
}

std::string published::rerun(std::string_view whose, std::string_view runs) {
  return fmt::format("other implementation, re-run ({}, {})", whose, runs);
}

}  // namespace duel
