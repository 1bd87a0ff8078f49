// What a log says of a space that is tuned: its points by their ids, the one in use, the candidate
// with its proof, and what the learner recommends. No learner is needed to read it.
//
// The ledger's parts count arms, of which there are as many as somebody wrote down. Of points there
// is no end, and so they are counted by what they are in a duel (PointRole): the point in use
// against the candidate, or two points that the search asks about. A part of the ledger: only the
// ledger changes it, with records that it has checked.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/continuous/space.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/experiment/point_proof.h"
#include "duel/experiment/referee.h"
#include "duel/inference/certificate.h"
#include "duel/log/record.h"

namespace duel {

// The ledger's arms where points are compared.
namespace point_role {
inline constexpr Arm kInUse = 0;
inline constexpr Arm kCandidate = 1;    // the present one, or the last
inline constexpr Arm kSearched = 2;     // of a duel of the search, the point shown first
inline constexpr Arm kSearchedToo = 3;  // and the other
inline constexpr Arm kCertified = 4;    // by the last certificate
inline constexpr Arm kBeaten = 5;       // the point that was in use then
inline constexpr Arm kAll = 6;
}  // namespace point_role

struct TunedPoint {
  std::uint64_t ordinal = 0;  // 0: the point that the first record has in use
  std::vector<double> values;

  // "default", "p17".
  std::string id() const { return id_of(ordinal); }
  static std::string id_of(std::uint64_t ordinal);
};

class TunedSpace {
 public:
  // An error names the field of the first record that does not go with a space.
  static Result<TunedSpace> make(const ExperimentRecord& experiment);

  const SpacePtr& space() const { return space_; }
  const PointProof& proof() const { return proof_; }
  const TunedPoint& in_use() const { return in_use_; }
  // The present candidate, or the last one. Its ordinal is 0 before there was one.
  const TunedPoint& candidate() const { return candidate_; }
  // The last one that was certified, and the point in use then. REQUIRES: proof().ever_certified()
  const TunedPoint& certified() const { return certified_; }
  const TunedPoint& beaten() const { return beaten_; }
  // Of the last certificate: one pair, or none.
  const std::vector<PairFinding>& findings() const { return findings_; }

  // What the learner recommends; the point in use where it has said nothing.
  struct Recommendation {
    std::uint64_t served = 0;  // duels before it
    std::vector<double> values;
    double sureness = 0;
  };
  const Recommendation& recommended() const { return path_.back(); }
  // How it came there; of many steps some.
  const std::vector<Recommendation>& path() const { return path_; }
  // Where the search is: the middle half of the last points that it asked about, in each dimension;
  // all of them while they are few. Nothing before the first.
  struct Spread {
    std::vector<double> low;
    std::vector<double> high;
  };
  std::optional<Spread> spread() const;
  // Candidates that came to nothing, the newest last; of many the last ones.
  struct Tried {
    std::uint64_t number = 0;
    std::uint64_t generation = 1;
    TunedPoint point;
    std::uint64_t wins = 0;
    std::uint64_t losses = 0;
    std::string reason;  // beaten | better_guess | certified
  };
  const std::vector<Tried>& tried() const { return tried_; }

  // --- Points and their ids ----------------------------------------------------------------------
  // Of two points that are served next: the ordinals that they have, or get.
  std::pair<std::uint64_t, std::uint64_t> ordinals_of(const std::vector<double>& first,
                                                      const std::vector<double>& second) const;
  std::uint64_t ordinal_of(const std::vector<double>& values) const;
  static std::optional<std::uint64_t> ordinal_of_id(std::string_view id);
  // What the two are in the duel.
  std::pair<Arm, Arm> roles_of(const ServeRecord& serve) const;
  // As the ledger's arms are to be called now.
  std::array<ArmEntry, point_role::kAll> entries() const;

  // --- Tasks -------------------------------------------------------------------------------------
  // Where a certificate is about tasks like these: whether the task is kept for proofs, and whether
  // a duel was about it.
  bool is_for_proofs(std::string_view task) const;
  bool has_met(std::string_view task) const { return met_.find(task) != met_.end(); }
  std::uint64_t tasks_met() const { return met_.size(); }

  // --- Records -----------------------------------------------------------------------------------
  Status check(const ServeRecord& record) const;
  Status check(const CandidateRecord& record) const;
  Status check(const GivenUpRecord& record) const;
  Status check(const RecommendedRecord& record) const;
  // Whether the answer may be evidence. REQUIRES: check(serve).
  Status admits(const ServeRecord& serve) const;

  void served(const ServeRecord& serve);
  // The place of a duel that may be evidence. REQUIRES: admits.
  std::uint64_t place_of(const ServeRecord& serve);
  void final_answer(std::uint64_t place, Outcome outcome) { proof_.answered(place, outcome); }
  void take(const CandidateRecord& record);
  void give_up(const GivenUpRecord& record);
  void recommend(const RecommendedRecord& record, std::uint64_t served_before);
  // The log says that the candidate is certified.
  void recorded();
  // A certificate that was not given before.
  std::optional<Decision> decide();

  std::uint64_t hash(std::uint64_t hash) const;

 private:
  TunedSpace(SpacePtr space, const ExperimentRecord& experiment);
  Result<std::vector<double>> values_of(const Json& point, std::string_view field) const;
  void know(std::uint64_t ordinal, const std::vector<double>& values);
  void tried(std::string reason);

  SpacePtr space_;
  PointProof proof_;
  bool adopts_ = false;
  TaskScope about_ = TaskScope::tasks_like_these;
  double prove_tasks_ = 0.5;
  std::uint64_t seed_ = 0;
  TunedPoint in_use_;
  TunedPoint candidate_;
  TunedPoint certified_;
  TunedPoint beaten_;
  std::uint64_t decided_ = 0;  // candidates when the last certificate was given
  std::vector<PairFinding> findings_;
  std::vector<Recommendation> path_;
  std::uint64_t path_step_ = 1;  // of the recommendations every so many-th is kept
  std::uint64_t recommendations_ = 0;
  bool last_is_in_passing_ = false;  // the last of the path goes when the next one comes
  std::vector<Tried> tried_;
  std::uint64_t next_ordinal_ = 1;
  // The points that were served last: only of these a repeat is known. The learner comes back to a
  // point soon or, without steps, never.
  std::map<std::vector<double>, std::uint64_t> known_;
  std::deque<std::vector<double>> known_order_;
  std::deque<std::vector<double>> searched_;
  std::set<std::string, std::less<>> met_;
};

}  // namespace duel
