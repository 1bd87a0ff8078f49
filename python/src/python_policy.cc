#include "python_policy.h"

#include <atomic>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "duel/core/numbers.h"
#include "duel/policies/registry.h"

namespace duel::python {
namespace {

// By name. Never destroyed: the interpreter may be gone before our statics are.
std::map<std::string, py::object>& factories() {
  static auto* all = new std::map<std::string, py::object>();
  return *all;
}

thread_local std::shared_ptr<PythonFailure> current_failure;
std::atomic<int> readers{0};

struct PythonOptions : PolicyOptions {
  py::object factory;
  py::dict keywords;
  const std::atomic<bool>* stop = nullptr;
};

Error for_simulator_only(const std::string& name) {
  return Error::unsupported("policy '" + name +
                            "' is written in Python, and those run in the simulator only");
}

// Ends a trial in the middle of a round.
struct Stopped {};

// One trial of a Python policy. Lives and dies under the lock.
class PythonPolicy : public SelectingPolicy<PythonPolicy> {
 public:
  using Options = PythonOptions;

  PythonPolicy(const Options& options, std::size_t num_arms, RoundRng rng)
      : num_arms_(num_arms), stop_(options.stop) {
    const std::uint64_t key = rng.bits();
    object_ = options.factory(num_arms, numpy_rng(key, rng.bits()), **options.keywords);
    for (const char* const method : {"select", "observe"}) {
      if (!py::hasattr(object_, method)) {
        throw py::type_error(std::string("policies: what was made for a trial has no method '") +
                             method + "'");
      }
    }
    select_ = object_.attr("select");
    observe_ = object_.attr("observe");
    if (py::hasattr(object_, "recommend")) recommend_ = object_.attr("recommend");
  }

  Duel select(Round round, RoundRng /*rng*/) const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw Stopped{};
    const py::object chosen = select_(round);
    if (!py::isinstance<py::sequence>(chosen) || py::len(chosen) != 2) {
      throw py::type_error("select must give two arms, not " +
                           py::repr(chosen).cast<std::string>().substr(0, 80));
    }
    const auto pair = py::reinterpret_borrow<py::sequence>(chosen);
    last_ = {.first = arm(py::object(pair[0])), .second = arm(py::object(pair[1])), .round = round};
    return last_;
  }
  void observe(const Duel& duel, Outcome outcome, RoundRng /*rng*/) {
    if (outcome == Outcome::none) {
      observe_(duel, py::none());
    } else {
      observe_(duel, word_of(outcome));
    }
  }
  Arm recommend(RoundRng /*rng*/) const { return recommend_ ? arm(recommend_()) : last_.first; }
  bool restored() { return true; }

 private:
  Arm arm(const py::object& number) const {
    return static_cast<Arm>(count_of(number, "arm", 0, num_arms_ - 1));
  }

  std::size_t num_arms_;
  const std::atomic<bool>* stop_;
  py::object object_;
  py::object select_;
  py::object observe_;
  py::object recommend_;
  mutable Duel last_;
};

class ConfiguredPythonPolicy final : public ConfiguredPolicy {
 public:
  ConfiguredPythonPolicy(std::shared_ptr<const PolicyFacts> its_facts, CallSpec call,
                         std::size_t num_arms)
      : ConfiguredPolicy(std::move(its_facts), to_string(call)),
        call_(std::move(call)),
        num_arms_(num_arms),
        failure_(current_failure) {}

  std::unique_ptr<AnyPolicy> make(RoundRng /*rng*/) const override {
    raise(for_simulator_only(facts().name));
  }

  bool play(TrialArena& arena, const TrialStreams& streams, const TrialPlan& plan,
            TrialObserver& observer) const override {
    const py::gil_scoped_acquire locked;
    try {
      PythonOptions options;
      options.factory = factories().at(facts().name);
      for (const auto& [key, text] : call_.arguments) options.keywords[py::str(key)] = value(text);
      options.stop = plan.stop;
      PythonPolicy policy(options, num_arms_, streams.choice.at(0));
      return play_trial(policy, arena, streams, plan, observer);
    } catch (const Stopped&) {
      return false;
    } catch (const std::exception& raised) {
      if (failure_ && !failure_->exception) failure_->exception = std::current_exception();
      // What leaves here is destroyed without the lock, so it holds no Python object.
      throw std::runtime_error(raised.what());
    }
  }

 private:
  // `alpha=0.5` is a number to the policy, as if it were written in Python.
  static py::object value(const std::string& text) {
    if (text == "true" || text == "false") return py::bool_(text == "true");
    if (const auto count = parse_count(text); count.ok()) return py::int_(*count);
    if (const auto number = parse_number(text); number.ok()) return py::float_(*number);
    return py::str(text);
  }

  CallSpec call_;
  std::size_t num_arms_;
  std::shared_ptr<PythonFailure> failure_;
};

}  // namespace

py::object numpy_rng(std::uint64_t key, std::uint64_t stream) {
  const py::module_ random = py::module_::import("numpy.random");
  py::list words;
  words.append(key);
  words.append(stream);
  return random.attr("Generator")(random.attr("Philox")(
      "key"_a = py::module_::import("numpy").attr("array")(words, "dtype"_a = "uint64")));
}

bool is_python_policy(const std::string& name) { return factories().contains(name); }

void register_python_policy(const std::string& name, const py::object& factory,
                            const std::string& doc) {
  const CallSpec call = call_of(name, "name");
  if (!call.arguments.empty() || call.name != name) reject("name", "'" + name + "' is not a name");
  if (PyCallable_Check(factory.ptr()) == 0) throw py::type_error("the policy must be callable");
  if (factories().contains(name)) {
    factories()[name] = factory;
    return;
  }
  if (policy_catalogue().knows(name)) {
    raise(Error::conflict("there is a policy '" + name + "' already")
              .with_hint("give yours another name")
              .in_field("name"));
  }
  if (readers.load() > 0) {
    raise(Error::unsupported("another thread is reading the list of policies")
              .with_hint("register policies before the work begins"));
  }
  auto facts = std::make_shared<const PolicyFacts>(PolicyFacts{.name = name,
                                                               .title = doc,
                                                               .paper = "this program",
                                                               .setting = "as its author says",
                                                               .guarantee = "none",
                                                               .departs = "nowhere",
                                                               .status = "experimental"});
  auto configure = [facts](const CallSpec& given,
                           const PolicySetting& setting) -> PolicyKind::Made {
    if (setting.aim == Aim::certificate) return for_simulator_only(facts->name);
    return std::shared_ptr<const ConfiguredPolicy>(
        std::make_shared<ConfiguredPythonPolicy>(facts, given, setting.num_arms));
  };
  factories()[name] = factory;
  policy_catalogue().add(PolicyKind{*facts, {}, std::move(configure)});
}

FailuresOf::FailuresOf(std::shared_ptr<PythonFailure> failure)
    : before_(std::exchange(current_failure, std::move(failure))) {}
FailuresOf::~FailuresOf() { current_failure = std::move(before_); }

RegistryReader::RegistryReader() { ++readers; }
RegistryReader::~RegistryReader() { --readers; }

}  // namespace duel::python
