// Rows of a matrix whose width is known only after the last one, as in sparse files.
#pragma once

#include <vector>

#include "duel/ranking/letor/feature_matrix.h"

namespace duel {

// A row is stored as wide as the widest row so far; `finish` moves the rows apart in place, from
// the last to the first, so that no second copy exists at any time.
class FeatureMatrixBuilder {
 public:
  // Begins a row of zeros, as wide as the widest so far.
  void begin_row();
  // Sets feature `index` (0-based) of the row last begun, and widens it if need be.
  void set(std::size_t index, float value) {
    if (index >= width_) widen(index + 1);
    row_[index] = value;
  }

  std::size_t num_rows() const { return num_rows_; }
  std::size_t width() const { return width_; }

  // The matrix; rows are filled up with zeros to max(width(), least_features).
  FeatureMatrix finish(std::size_t least_features = 0) &&;

 private:
  void widen(std::size_t width);
  void reserve(std::size_t end);

  // From `first_row` on, rows are `width` wide.
  struct Stretch {
    std::size_t first_row;
    std::size_t width;
  };

  FeatureMatrix matrix_;
  std::vector<Stretch> stretches_;
  float* row_ = nullptr;  // the row last begun
  std::size_t row_begin_ = 0;
  std::size_t end_ = 0;  // floats in use
  std::size_t width_ = 0;
  std::size_t num_rows_ = 0;
};

}  // namespace duel
