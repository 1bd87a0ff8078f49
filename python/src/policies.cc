// Policies as objects that are asked and told, and what the registry says of them.
#include <pybind11/stl.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conversions.h"
#include "duel/core/checkpoints.h"
#include "duel/policies/auto.h"
#include "duel/policies/registry.h"
#include "duel/study/method_card.h"
#include "duel/study/spec.h"
#include "python_policy.h"

namespace duel::python {
namespace {

// By every protocol as by the newer ones: what object.__reduce__ does for the old ones aborts the
// process in pybind11 2.10.
template <class Class>
void pickle_by_every_protocol(Class& bound) {
  const auto reduce = [](const py::object& self, const py::args&) {
    return py::make_tuple(py::module_::import("copyreg").attr("__newobj__"),
                          py::make_tuple(py::type::of(self)), self.attr("__getstate__")());
  };
  bound.def("__reduce__", reduce);
  bound.def("__reduce_ex__", reduce);
}

// A policy keeps some numbers per pair. More arms than this share of the memory allows would get
// the process killed rather than an exception.
std::size_t checked_arms(const py::handle& arms) {
  constexpr double kBytesPerPair = 64;
  const std::uint64_t count = count_of(arms, "arms", 1, 1'000'000'000);
  const double pairs = static_cast<double>(count) * static_cast<double>(count);
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (pairs * kBytesPerPair > 0.5 * memory) {
    raise(Error::unsupported(std::to_string(count) + " arms do not fit in the memory")
              .in_field("arms"));
  }
  return static_cast<std::size_t>(count);
}

// The state of a policy; a copy of it is another policy in the same state.
class PolicyState {
 public:
  explicit PolicyState(std::unique_ptr<AnyPolicy> policy) : policy_(std::move(policy)) {}
  PolicyState(const PolicyState& other) : policy_(other->clone()) {}
  PolicyState& operator=(const PolicyState&) = delete;
  AnyPolicy* operator->() const { return policy_.get(); }

 private:
  std::unique_ptr<AnyPolicy> policy_;
};

class PolicyObject : public MadeByInit {
 public:
  PolicyObject(const std::string& spec, const py::handle& arms, const py::handle& seed,
               const py::handle& trial, const py::handle& rounds)
      : num_arms_(checked_arms(arms)),
        seed_(count_of(seed, "seed", 0, kMaxSeed)),
        trial_(static_cast<std::uint32_t>(count_of(trial, "trial", 0, kMaxTrials - 1))),
        rounds_(rounds.is_none() ? 0 : count_of(rounds, "rounds", 1, kMaxRounds)),
        policy_(unwrap(
            in_field("policy", configure_policy(call_of(spec, "policy"), {num_arms_, rounds_})))),
        streams_(seed_, trial_, policy_->facts().name),
        foreign_(seed_, trial_, Purpose::answer, policy_->facts().name + "/foreign"),
        state_(policy_->make(streams_.choice.at(0))),
        sequential_(policy_->facts().outstanding == Outstanding::sequential) {}

  Duel select() {
    if (last_ && sequential_) {
      raise(Error::unsupported("policy '" + policy_->facts().name +
                               "' asks one duel at a time, and the last one has no answer yet")
                .with_hint("call observe first, with None where no answer came"));
    }
    if (clock_ >= kMaxRounds) raise(Error::unsupported("there are no rounds left"));
    const Round round = clock_ + 1;
    const RoundRng rng = streams_.choice.at(round);
    const Duel duel = state_->select(round, rng);
    state_->issued(duel, rng);
    clock_ = round;
    if (last_) outstanding_.emplace(last_->round, *last_);
    last_ = duel;
    return duel;
  }

  void observe(const Duel& duel, Outcome outcome) {
    if (last_ && *last_ == duel) {
      last_.reset();
    } else {
      const auto found = outstanding_.find(duel.round);
      if (found == outstanding_.end() || !(found->second == duel)) {
        raise(Error::invalid_argument("the duel was not chosen by this policy, or has its answer")
                  .with_hint("each duel of select is observed once; a pair (i, j) that something "
                             "else chose may be given as a tuple"));
      }
      outstanding_.erase(found);
    }
    RoundRng answer = streams_.answer.at(duel.round);
    if (duel.is_self()) {  // a coin, as in the simulator: it teaches nothing
      outcome = answer.coin() ? Outcome::first_wins : Outcome::second_wins;
    }
    state_->observe(duel, outcome, answer);
  }

  void observe_foreign(std::size_t first, std::size_t second, Outcome outcome) {
    if (first >= num_arms_ || second >= num_arms_) {
      raise(Error::invalid_argument("there is no such arm")
                .with_hint("0 .. " + std::to_string(num_arms_ - 1)));
    }
    if (first == second) return;
    state_->observe({.first = static_cast<Arm>(first),
                     .second = static_cast<Arm>(second),
                     .round = clock_,
                     .foreign = true},
                    outcome, foreign_.at(++heard_));
  }

  Arm recommend() const { return state_->recommend(streams_.recommend.at(clock_)); }

  const std::string& canonical() const { return policy_->canonical(); }
  const std::string& name() const { return policy_->facts().name; }
  std::size_t num_arms() const { return num_arms_; }
  std::uint64_t seed() const { return seed_; }
  std::uint32_t trial() const { return trial_; }
  Round clock() const { return clock_; }
  std::size_t num_outstanding() const { return outstanding_.size() + (last_ ? 1 : 0); }

  py::tuple saved() const {
    py::list open;
    for (const auto& [round, duel] : outstanding_) {
      open.append(py::make_tuple(duel.first, duel.second, duel.round));
    }
    py::object last = py::none();
    if (last_) last = py::make_tuple(last_->first, last_->second, last_->round);
    return py::make_tuple(canonical(), num_arms_, seed_, trial_,
                          rounds_ == 0 ? py::object(py::none()) : py::object(py::int_(rounds_)),
                          clock_, heard_, last, open, py::bytes(state_->save()));
  }
  static std::shared_ptr<PolicyObject> restored(const py::tuple& state) {
    if (state.size() != 10) {
      raise(Error::invalid_data("the saved policy has not the form of one"));
    }
    auto object = std::make_shared<PolicyObject>(state[0].cast<std::string>(), state[1], state[2],
                                                 state[3], state[4]);
    object->clock_ = count_of(state[5], "clock", 0, kMaxRounds);
    object->heard_ = count_of(state[6], "heard", 0, ~std::uint64_t{0});
    const auto duel_of = [&](const py::handle& item) {
      const auto [first, second, round] = item.cast<std::tuple<Arm, Arm, Round>>();
      if (first >= object->num_arms_ || second >= object->num_arms_ || round > object->clock_) {
        raise(Error::invalid_data("the saved policy has a duel that it cannot have"));
      }
      return Duel{.first = first, .second = second, .round = round};
    };
    if (!state[7].is_none()) object->last_ = duel_of(state[7]);
    for (const py::handle item : state[8].cast<py::list>()) {
      const Duel duel = duel_of(item);
      object->outstanding_.emplace(duel.round, duel);
    }
    unwrap(object->state_->restore(state[9].cast<std::string>()));
    return object;
  }

 private:
  std::size_t num_arms_;
  std::uint64_t seed_;
  std::uint32_t trial_;
  Round rounds_;
  std::shared_ptr<const ConfiguredPolicy> policy_;
  TrialStreams streams_;
  Stream foreign_;
  PolicyState state_;
  bool sequential_;
  Round clock_ = 0;
  std::uint64_t heard_ = 0;
  std::optional<Duel> last_;                     // chosen last, and not answered
  std::unordered_map<Round, Duel> outstanding_;  // the others without an answer
};

const char* kind_of(const MethodCard& card) {
  if (card.kind == MethodCard::Kind::point_learner) return "point learner";
  if (card.kind == MethodCard::Kind::ranker_learner) return "ranker learner";
  return is_python_policy(card.facts.name) ? "python" : "policy";
}

// The registry, for duel.policies: policies, then learners of points and of rankers.
py::list registered() {
  py::list cards;
  for (const MethodCard& card : method_cards()) {
    py::object shown = to_python(to_json(card));
    shown["kind"] = kind_of(card);
    cards.append(shown);
  }
  return cards;
}

}  // namespace

void bind_policies(py::module_& module) {
  py::class_<Duel> bound_duel(module, "Duel",
                              "Two arms to compare: `first`, `second`, and the `round`.");
  pickle_by_every_protocol(bound_duel);
  bound_duel
      .def(py::init([](Arm first, Arm second, Round round) {
             return Duel{.first = first, .second = second, .round = round};
           }),
           "first"_a, "second"_a, "round"_a = 0)
      .def_readonly("first", &Duel::first)
      .def_readonly("second", &Duel::second)
      .def_readonly("round", &Duel::round)
      .def_property_readonly("is_self", &Duel::is_self,
                             "Whether it shows one arm twice: it exploits and teaches nothing.")
      .def("__iter__",
           [](const Duel& duel) { return py::iter(py::make_tuple(duel.first, duel.second)); })
      .def("__len__", [](const Duel&) { return 2; })
      .def(
          "__getitem__",
          [](const Duel& duel, py::ssize_t index) {
            if (index == 0 || index == -2) return duel.first;
            if (index == 1 || index == -1) return duel.second;
            throw py::index_error("a duel has two arms");
          },
          "index"_a)
      .def("__eq__",
           [](const Duel& one, const py::object& other) {
             return py::isinstance<Duel>(other) && one == other.cast<const Duel&>();
           })
      .def("__hash__",
           [](const Duel& duel) {
             return py::hash(py::make_tuple(duel.first, duel.second, duel.round));
           })
      .def("__repr__",
           [](const Duel& duel) {
             return "Duel(first=" + std::to_string(duel.first) +
                    ", second=" + std::to_string(duel.second) +
                    ", round=" + std::to_string(duel.round) + ")";
           })
      .def(py::pickle(
          [](const Duel& duel) { return py::make_tuple(duel.first, duel.second, duel.round); },
          [](const py::tuple& state) {
            if (state.size() != 3) raise(Error::invalid_data("this is no duel"));
            return Duel{.first = state[0].cast<Arm>(),
                        .second = state[1].cast<Arm>(),
                        .round = state[2].cast<Round>()};
          }));

  py::class_<PolicyObject, std::shared_ptr<PolicyObject>> bound_policy(module, "Policy");
  pickle_by_every_protocol(bound_policy);
  const auto copy = [](const PolicyObject& self) { return std::make_shared<PolicyObject>(self); };
  bound_policy
      .def(py::init([](const std::string& policy, const py::handle& arms, const py::handle& seed,
                       const py::handle& trial, const py::handle& rounds) {
             return std::make_shared<PolicyObject>(policy, arms, seed, trial, rounds);
           }),
           "policy"_a, "arms"_a, "seed"_a = 0, "trial"_a = 0, "rounds"_a = py::none())
      .def("select", &PolicyObject::select,
           "The next duel. It counts as asked; tell its answer by `observe`.")
      .def(
          "observe",
          [](PolicyObject& self, const py::handle& duel, const py::handle& outcome) {
            if (py::isinstance<Duel>(duel)) {
              self.observe(duel.cast<const Duel&>(), outcome_of(outcome));
              return;
            }
            if (!py::isinstance<py::tuple>(duel) || py::len(duel) != 2) {
              throw py::type_error("a duel is what select gave, or a pair (i, j)");
            }
            const auto pair = py::reinterpret_borrow<py::tuple>(duel);
            constexpr std::uint64_t kMost = 0xffff'ffff;
            self.observe_foreign(count_of(pair[0], "first", 0, kMost),
                                 count_of(pair[1], "second", 0, kMost), outcome_of(outcome));
          },
          "duel"_a, "outcome"_a,
          "The answer to a duel: 'first', 'second', 'tie', 'both_bad', 'skip', True or False for "
          "the first or the second arm, or None where no answer came. A pair (i, j) that "
          "something else chose may be given in place of the duel.")
      .def("recommend", &PolicyObject::recommend, "The arm that it would name now.")
      .def_property_readonly("policy", &PolicyObject::canonical, "With all that was set.")
      .def_property_readonly("name", &PolicyObject::name)
      .def_property_readonly("arms", &PolicyObject::num_arms)
      .def_property_readonly("seed", &PolicyObject::seed)
      .def_property_readonly("trial", &PolicyObject::trial)
      .def_property_readonly("round", &PolicyObject::clock, "Duels chosen so far.")
      .def_property_readonly("outstanding", &PolicyObject::num_outstanding,
                             "Duels chosen and not answered.")
      .def("copy", copy)
      .def("__copy__", copy)
      .def("__deepcopy__",
           [copy](const PolicyObject& self, const py::handle&) { return copy(self); })
      .def("__repr__",
           [](const PolicyObject& self) {
             return "Policy('" + self.canonical() + "', arms=" + std::to_string(self.num_arms()) +
                    ", seed=" + std::to_string(self.seed()) + "), after " +
                    std::to_string(self.clock()) + " rounds";
           })
      .def(py::pickle([](const PolicyObject& self) { return self.saved(); },
                      [](const py::tuple& state) { return PolicyObject::restored(state); }));

  module.def("registered", &registered);
  module.def(
      "check_policy_options",
      [](const std::string& name, const std::vector<std::pair<std::string, std::string>>& options) {
        // Whether the words mean something is known without a problem, the horizon apart.
        const CallSpec call{name, options};
        const auto made = configure_policy(call, {.num_arms = 2, .rounds = 1000});
        if (!made.ok() && (made.error().where.starts_with("option ") ||
                           made.error().message.find("has no option") != std::string::npos ||
                           made.error().message.starts_with("there is no"))) {
          raise(Error(made.error()).in_field("policy"));
        }
        return to_string(call);
      },
      "name"_a, "options"_a);
  module.def("register_python_policy", &register_python_policy, "name"_a, "factory"_a, "doc"_a);
}

}  // namespace duel::python
