#include "duel/ranking/letor/feature_matrix.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace duel {

FeatureMatrix::FeatureMatrix(std::size_t num_rows, std::size_t num_features)
    : num_rows_(num_rows), num_features_(num_features) {
  reallocate(num_rows * num_features);
  std::fill_n(values_.get(), num_rows * num_features, 0.0F);
}

FeatureMatrix FeatureMatrix::clone() const {
  FeatureMatrix copy(num_rows_, num_features_);
  std::copy_n(values_.get(), num_rows_ * num_features_, copy.values_.get());
  return copy;
}

void FeatureMatrix::reallocate(std::size_t capacity) {
  float* old = values_.release();
  void* now = std::realloc(old, std::max<std::size_t>(capacity, 1) * sizeof(float));
  if (now == nullptr) {
    values_.reset(old);
    throw std::bad_alloc();
  }
  values_.reset(static_cast<float*>(now));
  capacity_ = capacity;
}

bool operator==(const FeatureMatrix& a, const FeatureMatrix& b) {
  const std::size_t size = a.num_rows_ * a.num_features_;
  return a.num_rows_ == b.num_rows_ && a.num_features_ == b.num_features_ &&
         std::equal(a.values_.get(), a.values_.get() + size, b.values_.get());
}

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
