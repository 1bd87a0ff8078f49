// An orthonormal basis that grows by one vector at a time: QR by modified Gram-Schmidt, twice,
// since once loses orthogonality where vectors are nearly dependent.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace duel {

class OrthonormalBasis {
 public:
  void clear() { vectors_.clear(); }
  bool empty() const { return vectors_.empty(); }
  std::size_t size(std::size_t dimension) const { return vectors_.size() / dimension; }

  // Adds the part of `vector` outside the span; nothing where that is below 1e-10 of it.
  void add(std::span<const double> vector);
  // Replaces `vector` by its projection on the span.
  void project(std::span<double> vector) const;
  // Takes its projection on the span away: what is left is orthogonal to all of it.
  void remove(std::span<double> vector) const;

 private:
  std::vector<double> vectors_;  // one after the other
};

}  // namespace duel
