// Policies whose every duel is known, registered in the test programs that include this.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include "duel/core/check.h"
#include "duel/policies/registry.h"
#include "duel/policies/uniform.h"

namespace duel {

inline PolicyFacts scripted_facts(const std::string& name, bool needs_horizon = false) {
  PolicyFacts facts;
  facts.name = name;
  facts.status = "experimental";
  facts.needs_horizon = needs_horizon;
  return facts;
}

// Duels arms 0 and 1 in the first half of its horizon, then arm 0 with itself.
struct HalvesOptions : PolicyOptions {
  std::uint64_t horizon = 0;
};

class Halves : public ChoosingPolicy<Halves> {
 public:
  using Options = HalvesOptions;
  struct Choice {
    Duel duel;
  };

  Halves(const Options& options, std::size_t, RoundRng) : horizon_(options.horizon) {}
  Choice choose(Round round, RoundRng) const {
    return {{0, round <= horizon_ / 2 ? Arm{1} : Arm{0}, round}};
  }
  void commit(const Choice&) {}
  void observe(const Duel&, Outcome, RoundRng) {}
  Arm recommend(RoundRng) const { return 0; }
  template <class Archive>
  void fields(Archive&) {}
  bool restored() { return true; }
  static Status check(const Options& options, std::size_t) {
    if (options.horizon >= 2) return Done{};
    return Error::invalid_argument("halves needs a horizon of 2 or more");
  }

 private:
  std::uint64_t horizon_;
};

inline const bool halves_registered =
    register_policy<Halves>(scripted_facts("test-halves", true),
                            OptionTable<HalvesOptions>().horizon(&HalvesOptions::horizon));

// Duels arms 0 and 1 for ever, recommends `arm`, and fails as it is told in round 5.
enum class Mishap { none, overflow, no_memory, our_bug };

struct ClumsyOptions : PolicyOptions {
  std::uint64_t arm = 0;
  Mishap what = Mishap::none;
};

class Clumsy : public ChoosingPolicy<Clumsy> {
 public:
  using Options = ClumsyOptions;
  struct Choice {
    Duel duel;
  };

  Clumsy(const Options& options, std::size_t, RoundRng) : options_(options) {}
  Choice choose(Round round, RoundRng) const { return {{0, 1, round}}; }
  void commit(const Choice&) {}
  void observe(const Duel& duel, Outcome, RoundRng) {
    if (duel.round != 5) return;
    if (options_.what == Mishap::overflow) throw std::overflow_error("a count is full");
    if (options_.what == Mishap::no_memory) throw std::bad_alloc();
    DUEL_CHECK(options_.what != Mishap::our_bug);
  }
  Arm recommend(RoundRng) const { return static_cast<Arm>(options_.arm); }
  template <class Archive>
  void fields(Archive&) {}
  bool restored() { return true; }

 private:
  Options options_;
};

inline const bool clumsy_registered =
    register_policy<Clumsy>(scripted_facts("test-clumsy"),
                            OptionTable<ClumsyOptions>()
                                .count("arm", &ClumsyOptions::arm, 0, 100, "arm it recommends")
                                .choice<Mishap>("what", &ClumsyOptions::what,
                                                {{"none", Mishap::none},
                                                 {"overflow", Mishap::overflow},
                                                 {"no_memory", Mishap::no_memory},
                                                 {"our_bug", Mishap::our_bug}},
                                                "what goes wrong in round 5"));

// Uniform pairs; before each trial it calls `before_trial`, from the worker's thread.
class Watched : public Uniform {
 public:
  static inline std::function<void()> before_trial;

  Watched(const Options& options, std::size_t num_arms, RoundRng rng)
      : Uniform(options, num_arms, rng) {
    if (before_trial) before_trial();
  }
};

inline const bool watched_registered = register_policy<Watched>(scripted_facts("test-watched"), {});

}  // namespace duel
