#include "duel/truth/submatrix.h"

#include <algorithm>
#include <utility>

#include "duel/core/check.h"

namespace duel {

PreferenceMatrix submatrix(const PreferenceMatrix& matrix, std::span<const Arm> arms,
                           std::string name) {
  std::vector<std::string> names;
  std::vector<double> p;
  for (const Arm i : arms) {
    DUEL_CHECK(i < matrix.num_arms());
    names.push_back(matrix.arm_name(i));
    for (const Arm j : arms) p.push_back(matrix(i, j));
  }
  // A part of a valid matrix is valid, so this fails only on arms named twice or none.
  return PreferenceMatrix::create(std::move(name), std::move(names), std::move(p)).value();
}

std::vector<Arm> winner_and_others(const PreferenceMatrix& matrix, Arm winner, std::size_t size,
                                   RoundRng rng) {
  DUEL_CHECK(winner < matrix.num_arms() && size >= 1 && size <= matrix.num_arms());
  std::vector<Arm> arms{winner};
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    if (i != winner) arms.push_back(i);
  }
  for (std::size_t k = 1; k < size; ++k) {  // the first steps of a shuffle of the others
    std::swap(arms[k], arms[k + rng.below(arms.size() - k)]);
  }
  arms.resize(size);
  std::sort(arms.begin(), arms.end());
  return arms;
}

}  // namespace duel
