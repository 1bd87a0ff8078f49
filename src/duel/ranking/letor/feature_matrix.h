// A dense row-major matrix of floats that grows without holding two copies of itself.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

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

}  // namespace duel
