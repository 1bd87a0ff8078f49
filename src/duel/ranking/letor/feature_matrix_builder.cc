#include "duel/ranking/letor/feature_matrix_builder.h"

#include <algorithm>
#include <cstring>

namespace duel {

void FeatureMatrixBuilder::reserve(std::size_t end) {
  if (end > matrix_.capacity_) {
    constexpr std::size_t kLeast = 4096;
    matrix_.reallocate(std::max({end, 2 * matrix_.capacity_, kLeast}));
  }
}

void FeatureMatrixBuilder::begin_row() {
  reserve(end_ + width_);
  row_begin_ = end_;
  row_ = matrix_.values_.get() + row_begin_;
  std::fill_n(row_, width_, 0.0F);
  end_ += width_;
  if (stretches_.empty()) stretches_.push_back({0, width_});
  ++num_rows_;
}

void FeatureMatrixBuilder::widen(std::size_t width) {
  reserve(end_ + (width - width_));
  row_ = matrix_.values_.get() + row_begin_;
  std::fill_n(row_ + width_, width - width_, 0.0F);
  end_ += width - width_;
  width_ = width;
  const std::size_t row = num_rows_ - 1;
  if (stretches_.back().first_row == row) {
    stretches_.back().width = width;
  } else {
    stretches_.push_back({row, width});
  }
}

FeatureMatrix FeatureMatrixBuilder::finish(std::size_t least_features) && {
  const std::size_t width = std::max(width_, least_features);
  matrix_.reallocate(num_rows_ * width);
  float* values = matrix_.values_.get();
  std::size_t source = end_;
  std::size_t row = num_rows_;
  // A row never moves towards the front, and it lands behind everything not moved yet.
  for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
    for (; row > stretch->first_row; --row) {
      source -= stretch->width;
      float* target = values + (row - 1) * width;
      if (target != values + source) {
        std::memmove(target, values + source, stretch->width * sizeof(float));
      }
      std::fill_n(target + stretch->width, width - stretch->width, 0.0F);
    }
  }
  matrix_.num_rows_ = num_rows_;
  matrix_.num_features_ = width;
  return std::move(matrix_);
}

}  // namespace duel
