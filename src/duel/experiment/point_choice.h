// What is asked next where points of a space are compared: the search with its learner
// (point_search.h) behind the records of a log. It is asked again for every serve that is read, so
// that a log that is read leaves it as the one that was lived through. A part of the chooser, and
// copied by nobody: a learner holds a thousand bytes for every answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "duel/continuous/tuner.h"
#include "duel/core/result.h"
#include "duel/experiment/point_search.h"
#include "duel/experiment/tuned_space.h"
#include "duel/log/record.h"

namespace duel {

class PointChoice {
 public:
  // An error names what is wrong with the learner.
  static Result<PointChoice> make(const ExperimentRecord& experiment, const TunedSpace& space);

  // A record that has to be in the log before the next duel is chosen: a candidate is taken or
  // given up, or the learner recommends another point. Ask again when it is.
  std::optional<Record> due(const TunedSpace& space) const;
  // What the learner recommends now, where the log does not say so yet.
  std::optional<RecommendedRecord> news(const TunedSpace& space) const;

  struct Next {
    PointPair pair;  // as the learner, or the proof, names the two
    std::vector<double> first;
    std::vector<double> second;
    bool proof = false;
  };
  // REQUIRES: due() has no candidate to take or to give up.
  Next next(const TunedSpace& space);
  std::uint64_t round() const { return search_->served(); }

  // The duel of this number went out; `swapped`: the second of the pair is shown first.
  void served(std::uint64_t ordinal, PointPair pair, bool swapped) {
    out_[ordinal] = {std::move(pair), swapped};
  }
  // Somebody else chose it.
  void served_by_others(const ServeRecord& serve);
  // What came of it, of the two as they were shown.
  void tell(std::uint64_t ordinal, Outcome outcome);

  // An error where this version would not have written the record here.
  Status check(const TunedSpace& space, const Record& record) const;
  // The record was applied; `space` is as it is now.
  void note(const TunedSpace& space, const Record& record);
  // Builds the learner again and tells it the last kMostKept answers.
  void begin_again(const TunedSpace& space, std::uint64_t served);

  const Tuner& tuner() const { return search_->tuner(); }
  std::uint64_t heard() const { return heard_; }
  static constexpr std::size_t kMostKept = 16'384;

 private:
  struct Out {
    PointPair pair;
    bool swapped = false;
  };
  struct Heard {
    PointPair pair;
    Outcome outcome;
  };
  PointChoice(ConfiguredTunerPtr tuner, const TunerSetting& setting,
              const PointSearchOptions& options);
  std::vector<double> guess() const;

  ConfiguredTunerPtr tuner_;
  TunerSetting setting_;
  PointSearchOptions options_;
  std::unique_ptr<PointSearch> search_;
  std::map<std::uint64_t, Out> out_;  // by the duel's number
  std::uint64_t heard_ = 0;           // answers
  std::deque<Heard> kept_;            // the last ones
  std::uint64_t dropped_at_ = 0;      // candidates, when the certified one was dropped
  std::uint64_t recommended_at_ = 0;  // answers, when the log last said what is recommended
};

// The learner of an experiment with all its options: two spellings of one learner are one, and the
// log says what was really used.
Result<std::string> canonical_tuner(const ExperimentRecord& experiment);

}  // namespace duel
