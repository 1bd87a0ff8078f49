#include "duel/ranking/letor/feature_matrix.h"

#include <algorithm>
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

}  // namespace duel
