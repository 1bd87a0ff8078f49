// Null Space Gradient Descent (NSGD).
// Wang, Langley, Kim, McCord-Snook and Wang, "Efficient Exploration of Gradient Space for Online
// Learning to Rank", SIGIR 2018. Multileave gradient descent that does not try again what lost. It
// keeps the directions of candidates that got fewer clicks than the current ranker, and explores
// where those have no part:
//   1. the `worst` of the kept directions span what is left out; `sampled` unit vectors are drawn
//      uniformly from the space orthogonal to them, and the n candidates are those with the largest
//      |u . mean document of the query|: directions that the query can tell apart;
//   2. several winners are ranked on recent difficult queries, and the best of them alone is
//      followed;
//   3. candidates with fewer clicks than the current ranker, and no more than the `losers`-th
//      fewest of all rankers, are kept in a ring of `kept` directions with their deficit.
// Assumes    nothing proved.                          Guarantee  none.
// Cost       that of mgd, O(d worst) more per sampled direction, O(d worst^2) when the ring
//            changed, and with several winners O(winners queue documents d).
// Departs    the orthonormal basis is of the directions left out, and draws are projected off it:
//            the same law as combinations of a basis of the null space, at less cost. At most half
//            of the dimensions are left out, so that something remains where features are few.
//            Ties: the newer of two directions with one deficit, a winner at random. Queries leave
//            the queue when they grow too old, not when the next one comes.
#pragma once

#include <string>
#include <vector>

#include "duel/ranking/learners/difficult_queries.h"
#include "duel/ranking/learners/multileave_descent.h"
#include "duel/ranking/learners/orthonormal_basis.h"

namespace duel {

struct NullSpaceOptions : MultileaveDescentOptions {
  NullSpaceOptions() { candidates = 9; }
  std::uint64_t kept = 60;    // directions in the ring
  std::uint64_t worst = 25;   // of them, left out
  std::uint64_t losers = 4;   // rank of the click count up to which a round's losers are kept
  std::uint64_t sampled = 0;  // directions drawn per impression; 0: 2 (candidates + 1)
  std::uint64_t queue = 10;   // difficult queries
  std::uint64_t window = 50;  // impressions until they are forgotten
};

// Directions that lost, a ring in which the newest takes the place of the oldest.
class LosingDirections {
 public:
  LosingDirections(std::size_t most, std::size_t dimension) : most_(most), dimension_(dimension) {}

  void add(std::span<const double> direction, double deficit);
  std::size_t size() const { return deficits_.size(); }
  std::span<const double> direction(std::size_t i) const {
    return std::span(directions_).subspan(i * dimension_, dimension_);
  }
  // The `count` with the largest deficits; of equal ones the newest. Lives until the next call.
  std::span<const std::size_t> worst(std::size_t count);

  // Whether the directions, perhaps read from a file, are ones that could have been added.
  bool fits() const;

  template <class Archive>
  void fields(Archive& archive) {
    archive(directions_, deficits_, next_);
  }

 private:
  std::size_t most_, dimension_;
  std::vector<double> directions_;  // one after the other
  std::vector<double> deficits_;    // clicks of the current ranker minus its own, above 0
  std::uint64_t next_ = 0;          // where the next one goes
  std::vector<std::size_t> order_;
};

class NullSpaceDescent final : public MultileaveDescent {
 public:
  // REQUIRES: options.sampled is 0 or at least options.candidates.
  NullSpaceDescent(std::string identity, const NullSpaceOptions& options,
                   std::shared_ptr<const Multileaver> multileaver, std::size_t num_features,
                   std::size_t length);

  std::string save() const override;
  Status restore(std::string_view saved) override;

  const LosingDirections& losing() const { return losing_; }
  const DifficultQueries& difficult() const { return difficult_; }
  // How many of the directions that lost are left out at most.
  std::size_t most_left_out() const;

 private:
  void draw_directions(RoundRng& choice, std::span<double> directions) override;
  void choose_winners(std::span<const Position> clicks, const MultileaveCredit& credit,
                      std::vector<std::size_t>& winners) override;
  void keep_losers(const MultileaveCredit& credit);
  void rank_winners(std::vector<std::size_t>& winners);

  NullSpaceOptions options_;
  LosingDirections losing_;
  DifficultQueries difficult_;
  OrthonormalBasis left_out_;
  bool basis_is_old_ = false;
  std::vector<double> sampled_;  // [sampled x feature]
  std::vector<double> mean_document_;
  std::vector<double> spread_;  // |u . mean document| of every sampled direction
  std::vector<std::size_t> chosen_;
  std::vector<double> credits_, tried_;
  std::vector<std::size_t> best_;
};

}  // namespace duel
