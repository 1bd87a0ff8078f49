// A preference matrix, or what else policies can be played on, as Python holds it.
#pragma once

#include <memory>

#include "conversions.h"
#include "duel/study/problem.h"
#include "duel/truth/preference_matrix.h"

namespace duel::python {

using SharedMatrix = std::shared_ptr<const PreferenceMatrix>;

// Bound as _native.Matrix and _native.Problem.
struct MatrixObject {
  Held<PreferenceMatrix> matrix;
  static void* operator new(std::size_t size) { return zeroed(size); }
};
struct ProblemObject {
  Held<Problem> problem;
  static void* operator new(std::size_t size) { return zeroed(size); }
};

}  // namespace duel::python
