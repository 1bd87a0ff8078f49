// Document-space projected gradient descent (DSP).
// Wang, Kim, McCord-Snook, Wu and Wang, SIGIR 2019. As multileave gradient descent, with one
// candidate by default (P-DBGD); the mean direction of the winners is projected on the span of the
// documents that the user looked at, from the top to `beyond` places below the last click, and of
// the `recall` last documents looked at before, then brought back to length 1. What lies outside
// that span cannot have caused the clicks and is noise.
// Assumes    nothing proved of regret.       Guarantee  variance not above that of the plain step.
// Cost       O(d (length + recall)^2) per impression with a winner.
// Departs    nowhere.
#pragma once

#include "duel/ranking/learners/multileave_descent.h"
#include "duel/ranking/learners/orthonormal_basis.h"

namespace duel {

struct DocumentSpaceOptions : MultileaveDescentOptions {
  DocumentSpaceOptions() { candidates = 1; }
  std::uint64_t beyond = 3;
  std::uint64_t recall = 10;
};

class DocumentSpaceDescent final : public MultileaveDescent {
 public:
  DocumentSpaceDescent(std::string identity, const DocumentSpaceOptions& options,
                       std::shared_ptr<const Multileaver> multileaver, std::size_t num_features,
                       std::size_t length)
      : MultileaveDescent(std::move(identity), options, std::move(multileaver), num_features,
                          length),
        options_(options) {}

 private:
  bool shape_step(std::span<const Position> clicks, std::span<double> step) override;

  DocumentSpaceOptions options_;
  OrthonormalBasis basis_;
  std::vector<double> examined_;
};

}  // namespace duel
