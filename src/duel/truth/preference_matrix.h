// The truth of a problem: P, K x K, p_ij = probability that arm i beats arm j, with arm names.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"

namespace duel {

// What is wrong with a matrix, and in which cell (0-based) or column of names.
struct MatrixFault {
  std::string message;
  std::string hint;
  std::optional<std::size_t> row = std::nullopt;
  std::optional<std::size_t> column = std::nullopt;
};

class PreferenceMatrix {
 public:
  // p_ij + p_ji and p_ii may be off by this much in what a user gives.
  static constexpr double kTolerance = 1e-9;

  // Validates: K >= 1, square, entries in [0, 1] and not NaN, diagonal 1/2, p_ij + p_ji = 1 within
  // 1e-9, names distinct, not empty and without control characters. Errors name row and column,
  // 1-based. `name` is what reports call the matrix ("arxiv", a file's name).
  //
  // Then made exact: p_ii = 1/2, and p_ij + p_ji == 1 in doubles, where need be by
  // p_ji := 1 - p_ij for i < j; p_ij = 1/2 exactly if and only if p_ji is. Decimals that add up to
  // 1, such as 0.55 and 0.45, stay as they were written.
  static Result<PreferenceMatrix> create(std::string name, std::vector<std::string> arm_names,
                                         std::vector<double> row_major);

  // The first fault that `create` would refuse, for readers that can say more about where it is.
  static std::optional<MatrixFault> find_fault(const std::vector<std::string>& arm_names,
                                               std::span<const double> row_major);

  std::size_t num_arms() const { return arm_names_.size(); }
  const std::string& name() const { return name_; }
  const std::vector<std::string>& arm_names() const { return arm_names_; }
  const std::string& arm_name(Arm i) const { return arm_names_[i]; }

  double operator()(Arm i, Arm j) const { return p_[i * arm_names_.size() + j]; }
  // eps_ij = p_ij - 1/2.
  double gap(Arm i, Arm j) const { return (*this)(i, j) - 0.5; }
  std::span<const double> row_major() const { return p_; }
  std::span<const double> row(Arm i) const {
    return {p_.data() + i * arm_names_.size(), arm_names_.size()};
  }

 private:
  PreferenceMatrix(std::string name, std::vector<std::string> arm_names, std::vector<double> p)
      : name_(std::move(name)), arm_names_(std::move(arm_names)), p_(std::move(p)) {}

  std::string name_;
  std::vector<std::string> arm_names_;
  std::vector<double> p_;
};

}  // namespace duel
