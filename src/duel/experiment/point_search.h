// What a space's experiment asks next: a pair that the tuner wants, or the candidate against the
// point in use; and when a candidate is taken or given up.
//
// While a candidate stands, a coin that is tossed before anything is chosen decides which of the
// two it is: a quarter of the duels are for the proof while the tuner doubts the candidate, three
// quarters once it believes in it (P > 0.9) and always of tuners without a belief. That is looked
// at when the candidate is taken and before every fifth duel then, and so is whether it is given
// up: when the evidence that the point in use beats it reaches 20, or when the tuner has a better
// guess (P > 0.8) and the candidate's evidence is below 3.
//
// Every decision is a function of what was served and heard before it, so that the log of an
// experiment gives the same ones again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "duel/continuous/tuner.h"
#include "duel/core/rng.h"
#include "duel/experiment/point_proof.h"

namespace duel {

struct PointSearchOptions {
  std::uint64_t warmup = 0;  // duels before the first candidate; 0: 20 for every dimension
};

class PointSearch {
 public:
  PointSearch(const ConfiguredTuner& tuner, const TunerSetting& setting,
              const PointSearchOptions& options);

  enum class Due { nothing, take, give_up };
  enum class WhyGivenUp { beaten, better_guess };
  // What has to happen before the next duel is chosen; ask again when it has.
  Due due(const PointProof& proof) const;
  // REQUIRES: due() said give_up.
  WhyGivenUp why(const PointProof& proof) const;

  // The best guess becomes the candidate.
  void take();
  // This point does, as a log says. A point of the unit cube.
  void take(std::span<const double> point);
  // What was served before, of a log that another version of Duel has written.
  void go_on_after(std::uint64_t served) { served_ = served; }
  // The candidate is dropped: given up, or certified.
  void drop();
  // The candidate is the point in use from now on.
  void adopt();

  struct Next {
    PointPair pair;      // of a proof: the candidate, and the point in use
    bool proof = false;  // whether it is one
  };
  // The next duel. REQUIRES: nothing is due.
  Next next(const PointProof& proof);
  void tell(const PointPair& pair, Outcome outcome) { tuner_->tell(pair, outcome); }

  const Tuner& tuner() const { return *tuner_; }
  std::span<const double> in_use() const { return in_use_; }
  std::span<const double> candidate() const { return candidate_; }
  std::uint64_t served() const { return served_; }
  double share() const { return share_; }  // of the proof, while a candidate stands

 private:
  bool looks() const { return since_taken_ % 5 == 0; }
  bool is_better_guess(const PointProof& proof) const;

  std::unique_ptr<Tuner> tuner_;
  Stream coins_;
  std::uint64_t warmup_;
  std::vector<double> in_use_;
  std::vector<double> candidate_;
  std::vector<double> dropped_;  // the point that was a candidate last; empty: none
  std::uint64_t served_ = 0;
  std::uint64_t since_taken_ = 0;  // duels
  double share_ = 0;
};

}  // namespace duel
