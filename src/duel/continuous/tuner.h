// A learner that looks for a good point of a space (space.h) by comparisons. It is asked for two
// points and told which won. It owns no loop, clock or output, sees no values, and all its draws
// are keyed by the seed that it was made with.
//
//   PointPair pair = tuner->ask();
//   tuner->tell(pair, outcome);
//
// Several pairs may be out at a time, and answers may come late or never. Points are those of the
// unit cube, on the steps of the space.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/continuous/space.h"
#include "duel/core/catalogue.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/core/rng.h"

namespace duel {

struct PointPair {
  std::vector<double> first;
  std::vector<double> second;
  std::uint64_t ticket = 0;  // the tuner's own mark; 0: somebody else chose the pair
};

struct TunerSetting {
  SpacePtr space;
  std::uint64_t horizon = 0;  // answers that the search may take; 0: not known
  std::uint64_t seed = 0;
  std::uint32_t trial = 0;

  // The draws for one purpose of one tuner.
  Stream stream(std::string_view owner) const { return {seed, trial, Purpose::choice, owner}; }
  // Today's point, in the unit cube.
  std::vector<double> in_use() const { return space->point(space->values_in_use()); }
};

class Tuner {
 public:
  virtual ~Tuner() = default;

  // The next pair: two different points.
  virtual PointPair ask() = 0;
  // What came of a pair that `ask` gave, or of one that somebody else chose. `skip` and `none` say
  // nothing.
  virtual void tell(const PointPair& pair, Outcome outcome) = 0;
  // The best guess. The point in use while nothing is known. Holds until the next `tell`.
  virtual std::span<const double> recommend() const = 0;
  // How sure it is that a beats b: m/s where it believes a's utility to be above b's by m, give or
  // take s. P(a beats b) is the normal distribution function of it. Nothing where the tuner holds
  // no belief.
  virtual std::optional<double> belief(std::span<const double> a,
                                       std::span<const double> b) const = 0;
};

struct TunerFacts {
  std::string name;
  std::string title;
  std::string paper;
  std::string setting;  // what it is good for, and where it fails
  std::string departs;
  std::string status;  // reproduced | tested | experimental
  bool needs_horizon = false;
  bool has_belief = false;
};

// With its options fixed.
class ConfiguredTuner {
 public:
  using Make = std::function<std::unique_ptr<Tuner>(const TunerSetting& setting)>;
  ConfiguredTuner(std::string canonical, Make make)
      : canonical_(std::move(canonical)), make_(std::move(make)) {}

  // `kernel-ts(length=0.5)`: parses back to the same configuration.
  const std::string& canonical() const { return canonical_; }
  std::unique_ptr<Tuner> make(const TunerSetting& setting) const { return make_(setting); }

 private:
  std::string canonical_;
  Make make_;
};

using ConfiguredTunerPtr = std::shared_ptr<const ConfiguredTuner>;
// Configured for so many answers: the default of the option `horizon`, or 0.
using TunerKind = CatalogueKind<TunerFacts, ConfiguredTunerPtr, std::uint64_t>;
Catalogue<TunerKind>& tuner_catalogue();

// `kernel-ts(trust=1)`, or `auto`: kernel-ts up to 8 dimensions, dbgd beyond.
TunerKind::Made configure_tuner(std::string_view text, std::size_t dimension,
                                std::uint64_t horizon);

// --- for a tuner's own source -------------------------------------------------------------------

// The last argument of Catalogue::add for a tuner that is made of (options, setting):
//   const bool registered = tuner_catalogue().add({.name = "random", ..}, table, makes<Random>);
template <class Made>
inline constexpr auto makes =
    [](const auto& options, std::string canonical, std::uint64_t /*horizon*/) -> TunerKind::Made {
  return std::make_shared<const ConfiguredTuner>(
      std::move(canonical),
      [options](const TunerSetting& setting) { return std::make_unique<Made>(options, setting); });
};

}  // namespace duel
