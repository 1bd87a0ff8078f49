#include "duel/reproduction/reproduction.h"

#include "duel/core/check.h"

namespace duel {
namespace {

// To `digits` significant digits, never in powers of ten below a million.
std::string rounded(double value, int digits) {
  if (value == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-12));
  return fmt::format("{:.{}f}", value, std::clamp(digits - 1 - exponent, 0, 8));
}

}  // namespace

ReproductionContext ReproductionContext::part(double begin, double end) const {
  ReproductionContext inner = *this;
  if (progress) {
    inner.progress = [outer = progress, begin, end](double share, std::string_view step) {
      outer(begin + share * (end - begin), step);
    };
  }
  return inner;
}

ReproductionContext ReproductionContext::part_of(std::size_t i, std::size_t n) const {
  const auto share = [n](std::size_t k) { return static_cast<double>(k) / static_cast<double>(n); };
  return part(share(i), share(i + 1));
}

const PreferenceMatrix* ReproductionContext::matrix(
    const std::vector<std::string>& names,
    const std::function<bool(const PreferenceMatrix&)>& fits) const {
  const auto first = [&](const auto& bears) -> const PreferenceMatrix* {
    for (const std::string& name : names) {
      const auto given =
          std::ranges::find_if(matrices, [&](const GivenMatrix& one) { return bears(one, name); });
      if (given != matrices.end()) return given->matrix.get();
    }
    return nullptr;
  };
  const auto* exact = first([](const auto& given, const auto& name) { return given.name == name; });
  if (exact != nullptr) return exact;
  return first([&](const auto& given, const auto& name) {
    return given.name.find(name) != std::string::npos && (!fits || fits(*given.matrix));
  });
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

Measured paired_difference(std::span<const double> a, std::span<const double> b) {
  DUEL_CHECK(a.size() == b.size());
  std::vector<double> differences(a.begin(), a.end());
  for (std::size_t k = 0; k < b.size(); ++k) differences[k] -= b[k];
  return measured(differences);
}

TidyTable::TidyTable(std::string name, std::string_view keys, std::string_view more,
                     std::uint64_t seed)
    : name_(std::move(name)),
      keys_(1 + static_cast<std::size_t>(std::count(keys.begin(), keys.end(), ','))),
      seed_(seed),
      table_(fmt::format("{},mean,se,trials,seed{}{}", keys, more.empty() ? "" : ",", more)) {}

void TidyTable::add(std::vector<Cell> keys, const Measured& value,
                    const std::vector<double>& more) {
  DUEL_CHECK(keys.size() == keys_);
  keys.insert(keys.end(), {value.mean, value.se, value.trials, seed_});
  keys.insert(keys.end(), more.begin(), more.end());
  DUEL_CHECK(keys.size() == table_.num_columns());
  table_.row(std::move(keys));
}

ChartPanel panel_of(std::string title, std::string x_label, std::string y_label, Axes axes,
                    std::optional<ChartRange> y_range) {
  return {.title = std::move(title),
          .x_label = std::move(x_label),
          .y_label = std::move(y_label),
          .log_x = axes != Axes::linear,
          .log_y = axes == Axes::log_log,
          .y_range = y_range};
}

void plot(ChartPanel& panel, const std::string& label, double x, const Measured& value,
          ChartLine line) {
  auto curve = std::ranges::find(panel.curves, label, &ChartCurve::label);
  if (curve == panel.curves.end()) {
    curve = panel.curves.insert(curve, {.label = label, .line = line});
  }
  const double half = value.trials == 0 ? kUndefined : 2 * value.se;
  curve->points.push_back({x, value.mean, value.mean - half, value.mean + half});
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

Published::Published(std::string printed)
    : text(std::move(printed)), source(text.empty() || text == "-" ? "" : "printed") {}

Published from_figure(std::string text) { return {std::move(text), "read from the figure"}; }

Published derived(std::string text) { return {std::move(text), "worked out from what is printed"}; }

Published rerun(std::string text, std::string_view runs) {
  return {std::move(text), fmt::format("other implementation, re-run (an independent one, not the "
                                       "authors', {})",
                                       runs)};
}

Finding& Findings::within(std::string claim, Published published, const Measured& value,
                          Accepted accepted, std::string tolerance) {
  if (tolerance.empty()) {
    tolerance = fmt::format("[{:.5g}, {:.5g}]", accepted.low, accepted.high);
  }
  const bool inside = accepted.low <= value.mean && value.mean <= accepted.high;
  Finding& finding = that(std::move(claim), std::move(published), measured_text(value),
                          std::move(tolerance), inside);
  finding.value = value;
  return finding;
}

Finding& Findings::that(std::string claim, Published published, std::string ours,
                        std::string tolerance, bool holds) {
  return emplace_back(Finding{.claim = std::move(claim),
                              .published = std::move(published.text),
                              .ours = std::move(ours),
                              .value = {},
                              .tolerance = std::move(tolerance),
                              .verdict = holds ? FindingVerdict::pass : FindingVerdict::fail,
                              .source = std::move(published.source)});
}

Finding& Findings::shown(std::string claim, Published published, const Measured& value) {
  Finding& finding = within(std::move(claim), std::move(published), value, {});
  finding.tolerance.clear();
  finding.verdict = FindingVerdict::shown;
  return finding;
}

Finding& Findings::skipped(std::string claim, Published published, std::string why) {
  Finding& finding = that(std::move(claim), std::move(published), "-", "", false);
  finding.verdict = FindingVerdict::skipped;
  finding.note = std::move(why);
  return finding;
}

Catalogue<ReproductionKind>& reproduction_catalogue() {
  static Catalogue<ReproductionKind> all("reproduction");
  return all;
}

bool register_paper(const std::string& paper, const std::vector<PaperEntry>& entries) {
  for (const auto& [name, what, description, run, needs] : entries) {
    reproduction_catalogue().add({{name, paper, what, description, needs}, run});
  }
  return true;
}

}  // namespace duel
