// Matrices for tests.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "duel/truth/matrix_catalogue.h"
#include "duel/truth/preference_matrix.h"
#include "tests/support/places.h"

namespace duel {

// A matrix from its rows; arms are called a, b, c, ..
inline PreferenceMatrix matrix_of(const std::vector<std::vector<double>>& rows) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    names.emplace_back(1, static_cast<char>('a' + i));
    values.insert(values.end(), rows[i].begin(), rows[i].end());
  }
  return PreferenceMatrix::create("test", names, values).value();
}

// A named matrix, `arxiv` or `bradley-terry(k=5)`.
inline PreferenceMatrix named(std::string_view text) {
  return generate_matrix(parse_call(text).value()).value();
}

// Any matrix of 1 to `most_arms` arms with entries that are multiples of 1/8, so that ties, zeros
// and cycles are frequent.
inline rc::Gen<PreferenceMatrix> coarse_matrix(std::size_t most_arms) {
  const auto entries =
      rc::gen::container<std::vector<int>>(most_arms * most_arms, rc::gen::inRange(0, 9));
  return rc::gen::apply(
      [](std::size_t k, const std::vector<int>& eighths) {
        std::vector<std::vector<double>> rows(k, std::vector<double>(k, 0.5));
        std::size_t next = 0;
        for (std::size_t i = 0; i < k; ++i) {
          for (std::size_t j = i + 1; j < k; ++j) {
            rows[i][j] = eighths[next++] / 8.0;
            rows[j][i] = 1 - rows[i][j];
          }
        }
        return matrix_of(rows);
      },
      rc::gen::inRange<std::size_t>(1, most_arms + 1), entries);
}

// The folder of published matrices, or nullopt where the source tree stands alone.
inline std::optional<std::string> data_folder() {
  const std::string folder = shared_dir() + "/data";
  if (!std::filesystem::exists(folder + "/properties.csv")) return std::nullopt;
  return folder;
}

}  // namespace duel

namespace duel {

// How rapidcheck prints a counterexample.
inline void showValue(const PreferenceMatrix& matrix, std::ostream& out) {
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    for (Arm j = 0; j < matrix.num_arms(); ++j) out << matrix(i, j) << ' ';
    out << '\n';
  }
}

}  // namespace duel
