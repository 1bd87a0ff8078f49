// A dense row-major matrix of floats that grows without holding two copies of itself.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace duel {

// Rows of `num_features` floats. Movable; `clone` copies.
class FeatureMatrix {
 public:
  FeatureMatrix() = default;
  // All zero.
  FeatureMatrix(std::size_t num_rows, std::size_t num_features);

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_features() const { return num_features_; }
  std::size_t bytes() const { return capacity_ * sizeof(float); }

  std::span<const float> row(std::size_t i) const {
    return {values_.get() + i * num_features_, num_features_};
  }
  std::span<float> row(std::size_t i) { return {values_.get() + i * num_features_, num_features_}; }

  FeatureMatrix clone() const;
  friend bool operator==(const FeatureMatrix& a, const FeatureMatrix& b);

 private:
  friend class FeatureMatrixBuilder;
  struct Free {
    void operator()(float* values) const { std::free(values); }
  };

  // Keeps the first values. Large blocks are remapped by the C library, not copied, and pages never
  // written are not resident, so that doubling costs address space only.
  void reallocate(std::size_t capacity);

  std::unique_ptr<float[], Free> values_;
  std::size_t num_rows_ = 0;
  std::size_t num_features_ = 0;
  std::size_t capacity_ = 0;  // in floats
};

// Rows of a matrix whose width is known only after the last one, as in sparse files. A row is
// stored as wide as the widest row so far; `finish` moves the rows apart in place, from the last to
// the first, so that no second copy exists at any time.
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
