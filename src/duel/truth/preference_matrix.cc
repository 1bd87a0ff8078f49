#include "duel/truth/preference_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace duel {
namespace {

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

std::optional<MatrixFault> find_name_fault(const std::vector<std::string>& names) {
  const char* const own_name = "every arm needs a name of its own";
  std::unordered_map<std::string_view, std::size_t> column_of;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto fault = [&](std::string message, const char* hint) {
      return MatrixFault{std::move(message), hint, std::nullopt, i};
    };
    if (names[i].empty()) {
      return fault(fmt::format("the name of arm {} is empty", i + 1), own_name);
    }
    if (has_control_character(names[i])) {
      return fault(fmt::format("the name of arm {} has a control character", i + 1),
                   "names are printable text on one line");
    }
    const auto [known, is_new] = column_of.emplace(names[i], i);
    if (!is_new) {
      return fault(fmt::format("the name '{}' is given twice, to arms {} and {}", names[i],
                               known->second + 1, i + 1),
                   own_name);
    }
  }
  return std::nullopt;
}

std::string beats(const std::vector<std::string>& names, std::size_t i, std::size_t j) {
  return fmt::format("P('{}' beats '{}')", names[i], names[j]);
}

// The fault of cell (i, j), given that all cells before it in row-major order are sound.
std::optional<MatrixFault> find_cell_fault(const std::vector<std::string>& names,
                                           std::span<const double> p, std::size_t i,
                                           std::size_t j) {
  const double value = p[i * names.size() + j];
  const auto fault = [&](std::string message, std::string hint) {
    return MatrixFault{std::move(message), std::move(hint), i, j};
  };
  if (std::isnan(value)) {
    return fault(fmt::format("{} is not a number", beats(names, i, j)), "");
  }
  if (value < 0 || value > 1) {
    return fault(fmt::format("{} = {} is outside [0, 1]", beats(names, i, j), value), "");
  }
  if (i == j && std::abs(value - 0.5) > PreferenceMatrix::kTolerance) {
    return fault(fmt::format("{} = {}, but must be 0.5", beats(names, i, j), value),
                 "the diagonal is 0.5");
  }
  if (j < i) {
    const double mirror = p[j * names.size() + i];
    if (std::abs(value + mirror - 1) > PreferenceMatrix::kTolerance) {
      return fault(fmt::format("{} = {} and {} = {} add up to {}, not 1", beats(names, i, j), value,
                               beats(names, j, i), mirror, value + mirror),
                   "one of the two arms wins a duel");
    }
  }
  return std::nullopt;
}

void make_complementary(double& above, double& below) {
  if (above + below != 1) below = 1 - above;
  // Just below 1/2 the doubles lie twice as dense as above it, so rounding can hide a side of 1/2.
  if (above == 0.5 || below == 0.5) above = below = 0.5;
}

}  // namespace

std::optional<MatrixFault> PreferenceMatrix::find_fault(const std::vector<std::string>& arm_names,
                                                        std::span<const double> row_major) {
  const std::size_t k = arm_names.size();
  if (k == 0) return MatrixFault{"a preference matrix needs at least one arm", ""};
  if (row_major.size() != k * k) {
    return MatrixFault{fmt::format("{} numbers for {} arms", row_major.size(), k),
                       fmt::format("{} arms need {} x {} = {} numbers", k, k, k, k * k)};
  }
  if (auto fault = find_name_fault(arm_names)) return fault;
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      if (auto fault = find_cell_fault(arm_names, row_major, i, j)) return fault;
    }
  }
  return std::nullopt;
}

Result<PreferenceMatrix> PreferenceMatrix::create(std::string name,
                                                  std::vector<std::string> arm_names,
                                                  std::vector<double> row_major) {
  if (const auto fault = find_fault(arm_names, row_major)) {
    std::string where = fmt::format("matrix '{}'", name);
    if (fault->row) where += fmt::format(", row {}", *fault->row + 1);
    if (fault->column) where += fmt::format(", column {}", *fault->column + 1);
    return Error::invalid_data(fault->message, where, fault->hint);
  }
  const std::size_t k = arm_names.size();
  for (std::size_t i = 0; i < k; ++i) {
    row_major[i * k + i] = 0.5;
    for (std::size_t j = i + 1; j < k; ++j) {
      make_complementary(row_major[i * k + j], row_major[j * k + i]);
    }
  }
  return PreferenceMatrix(std::move(name), std::move(arm_names), std::move(row_major));
}

}  // namespace duel
