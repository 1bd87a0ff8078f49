// Live experiments, their logs and results.
#include <pybind11/stl.h>

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "conversions.h"
#include "duel/core/described_json.h"
#include "duel/core/timestamp.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/local_experiment.h"
#include "duel/experiment/local_questions.h"
#include "duel/judging/judge_loop.h"
#include "duel/judging/log_mismatch.h"
#include "duel/study/spec.h"
#include "duel/verdict/board.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/verdict.h"
#include "duel/verdict/verification.h"

namespace duel::python {
namespace {

constexpr std::uint64_t kMostDuels = 1'000'000'000'000;

// An optional entry of a dict of arguments.
template <class T>
T value_or(const py::dict& request, const char* key, T otherwise) {
  if (!request.contains(key) || request[key].is_none()) return otherwise;
  return request[key].cast<T>();
}

std::uint64_t count_or(const py::dict& request, const char* key, std::uint64_t otherwise,
                       std::uint64_t most) {
  if (!request.contains(key) || request[key].is_none()) return otherwise;
  return count_of(request[key], key, 0, most);
}

Goal goal_of(const py::dict& request) {
  return unwrap(parse_goal(
      value_or<std::string>(request, "goal", "condorcet"), count_or(request, "top", 0, 1'000'000),
      value_or<double>(request, "epsilon", 0), value_or<std::string>(request, "assume", "none")));
}

ExperimentRecord record_of(const py::dict& request) {
  ExperimentRecord record;
  record.experiment_id = value_or<std::string>(request, "name", "duel");
  unwrap(in_field("name", check_id("an experiment", record.experiment_id)));
  for (const py::handle item : request["arms"]) {
    const auto [id, payload] = item.cast<std::pair<std::string, py::object>>();
    unwrap(in_field("arms", check_id("an arm", id)));
    ArmEntry arm{.id = id, .payload = "", .sha256 = "", .content = {}};
    if (!payload.is_none()) arm.content = to_json(payload);
    record.arms.push_back(std::move(arm));
  }
  record.goal = goal_of(request);
  record.order =
      unwrap(in_field("order", parse_placement(value_or<std::string>(request, "order", "random"))));
  if (record.order == Placement::both) {
    raise(Error::unsupported("both orders are for judges of the command line").in_field("order"));
  }
  record.aa_rate = value_or<double>(request, "aa_rate", 0);
  record.stopping.alpha = value_or<double>(request, "alpha", 0.05);
  record.stopping.min_decisive_per_pair = count_or(request, "min_decisive_per_pair", 0, kMostDuels);
  record.stopping.max_duels = count_or(request, "max_duels", 0, kMostDuels);
  record.stopping.shared_causes = !value_or<bool>(request, "pairs_independent", true);
  record.seed = count_or(request, "seed", 0, kMaxSeed);
  record.policy = value_or<std::string>(request, "policy", "auto");
  record.policy = unwrap(in_field("policy", canonical_policy(record, record.arms.size())));
  return record;
}

// Functions of Python as judges: an object with free, ask, wait and abandon (duel/_experiment.py).
// What any of them raises ends the run at once.
class PythonJudges final : public Judges {
 public:
  explicit PythonJudges(py::object judges) : judges_(std::move(judges)) {}

  std::size_t free() const override { return judges_.attr("free")().cast<std::size_t>(); }
  void ask(Question question) override {
    guarded([&] {
      const std::string duel_id = question.duel_id;
      const std::string first = question.first.arm_id, second = question.second.arm_id;
      out_[duel_id] = std::move(question);
      judges_.attr("ask")(duel_id, first, second);
    });
  }
  std::vector<Judged> wait(std::chrono::milliseconds most) override {
    std::vector<Judged> judged;
    guarded([&] {
      for (const py::handle done :
           judges_.attr("wait")(std::chrono::duration<double>(most).count())) {
        const auto [duel_id, said, ms, failure, ends] =
            done.cast<std::tuple<std::string, py::object, double, std::string, bool>>();
        Judged one{.question = std::move(out_.extract(duel_id).mapped()), .failure = failure};
        if (ends) {
          one.ends = Error::io(failure).in_field(kException);
        } else {
          one.outcome = outcome_of(said);
          one.response_ms = ms;
        }
        judged.push_back(std::move(one));
      }
    });
    return judged;
  }
  std::vector<Judged> abandon() override {
    guarded([&] { judges_.attr("abandon")(); });
    std::vector<Judged> lost;
    for (auto& [duel_id, question] : out_) lost.push_back({.question = std::move(question)});
    out_.clear();
    return lost;
  }

  Stopping stopping() {
    int interrupts = 0;
    guarded([&] { interrupts = judges_.attr("interrupts").cast<int>(); });
    if (raised_ || interrupts > 1) return Stopping::at_once;
    return interrupts == 1 ? Stopping::after_answers : Stopping::no;
  }
  template <class Call>
  void guarded(const Call& call) {
    try {
      call();
    } catch (const py::error_already_set&) {
      if (!raised_) raised_ = std::current_exception();
    }
  }
  // Raises what was raised on the way.
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

  // The field of an error that stands for an exception of the judge.
  static constexpr const char* kException = "exception";

 private:
  py::object judges_;
  std::map<std::string, Question> out_;
  std::exception_ptr raised_;
};

// An experiment with a log, or one that lives in memory alone.
class ExperimentObject : public MadeByInit {
 public:
  ExperimentObject(const py::dict& request, const std::string& log) : local_(open(request, log)) {}

  // Lets go of the log; another may write it then.
  void close() {
    if (running_) raise(Error::unsupported("the experiment waits for its judges"));
    local_.reset();
  }

  // Asks until there is a certificate, nothing is left to ask or the judges fail, and says which:
  // "exception" where the judge raised one. `progress` is called after answers.
  std::string run(const py::object& judges, const py::object& max_duels,
                  const py::object& max_failures, const py::object& progress) {
    const std::uint64_t limit =
        max_duels.is_none() ? 0 : count_of(max_duels, "max_duels", 0, kMostDuels);
    const auto broken = [](std::uint64_t in_a_row, const Judged& last) {
      return Error::invalid_argument("no answer to " + std::to_string(in_a_row) +
                                     " duels in a row; " + last.failure)
          .with_hint(
              "an answer is the id of the better arm, \"first\", \"second\", \"tie\", "
              "\"both_bad\" or \"skip\"")
          .in_field("judge");
    };
    unwrap(local().give_up_open_duels());
    const auto arm = [](const std::string& id) { return ShownArm{id, "", std::nullopt}; };
    LocalQuestions questions(local(), {.arm = arm}, limit);
    PythonJudges asked(judges);
    JudgeLoop loop(
        questions, asked,
        {.max_failures = count_of(max_failures, "max_failures", 1, kMostDuels), .broken = broken});
    std::uint64_t told = 0;
    const auto on_turn = [&] {
      const std::uint64_t done = loop.answered() + loop.failed();
      if (!progress.is_none() && done > told) asked.guarded([&] { progress(); });
      told = done;
    };
    running_ = true;
    const auto ended = loop.run([&] { return asked.stopping(); }, on_turn);
    running_ = false;
    asked.rethrow();
    if (ended.ok()) return std::string(to_word(*ended));
    if (ended.error().field != PythonJudges::kException) raise(ended.error());
    return PythonJudges::kException;
  }

  bool resumed() const { return resumed_; }

  py::object next(const std::string& duel_id) {
    if (live().done()) return py::none();
    if (!duel_id.empty()) unwrap(in_field("duel_id", check_id("a duel", duel_id)));
    const Offer offer = unwrap(local().serve({.duel_id = duel_id}));
    const auto* served = std::get_if<Served>(&offer);
    if (served == nullptr) return py::none();
    return py::dict("duel_id"_a = served->serve.duel_id, "first"_a = served->serve.first,
                    "second"_a = served->serve.second,
                    "serving"_a = to_word(served->serve.serving));
  }

  std::string report(const std::string& duel_id, const std::string& result,
                     const std::string& winner, const std::string& source_type,
                     const std::string& source_id, const py::object& response_ms) {
    Report report;
    report.duel_id = duel_id;
    report.answer = Answer{unwrap(in_field("result", parse_answered(result))), winner};
    report.source = {source_type, source_id};
    if (!response_ms.is_none()) {
      report.response_ms = count_of(response_ms, "response_ms", 0, kMostDuels);
    }
    return std::string(to_word(unwrap(local().report(report)).what));
  }

  std::string expire(const std::string& duel_id, const std::string& note) {
    unwrap(local().settle({LocalExperiment::Lost{duel_id, note}}));
    return std::string(to_word(Reported::What::applied));
  }

  // Closes a certified experiment, or gives one up; what is still out has expired.
  void complete() { unwrap(local().complete("the experiment was completed before the answer")); }

  bool done() const { return live().done(); }
  bool certified() const { return ledger().certificate().has_value(); }
  std::uint64_t served() const { return ledger().served(); }
  std::vector<std::string> pending() const { return live().pending(); }
  std::vector<std::string> arms() const {
    std::vector<std::string> ids;
    for (const LedgerArm& arm : ledger().arms()) ids.push_back(arm.entry.id);
    return ids;
  }
  std::string verdict() const { return verdict_of(ledger(), standing_of(ledger())); }
  std::string policy() const { return ledger().experiment().policy; }
  py::object result() const {
    return to_python(described_json(result_of(ledger(), board_of(ledger()))));
  }

 private:
  LocalExperiment open(const py::dict& request, const std::string& log) {
    const ExperimentRecord record = record_of(request);
    if (log.empty()) return unwrap(LocalExperiment::in_memory(record));
    const LocalExperiment::Options options{.store = log_files(), .name = log};
    auto created = LocalExperiment::create(options, record);
    if (created.ok()) return *std::move(created);
    if (created.error().code != ErrorCode::conflict) raise(created.error());
    LocalExperiment old = unwrap(LocalExperiment::resume(options));
    if (auto differs = difference(log, old.ledger().experiment(), record, false)) {
      differs->code = ErrorCode::conflict;
      raise(std::move(*differs));
    }
    resumed_ = true;
    return old;
  }

  const LocalExperiment& local() const {
    if (!local_) raise(Error::unsupported("the experiment is closed"));
    return *local_;
  }
  LocalExperiment& local() { return const_cast<LocalExperiment&>(std::as_const(*this).local()); }
  const LiveExperiment& live() const { return local().experiment().live(); }
  const Ledger& ledger() const { return local().ledger(); }

  bool resumed_ = false;
  bool running_ = false;                  // judges are at work
  std::optional<LocalExperiment> local_;  // none once it is closed
};

py::object result_of_ledger(const Ledger& ledger, const py::dict& request) {
  BoardOptions options;
  if (const auto shape = prior_shape_of(value_or<py::object>(request, "prior", py::none()))) {
    options.prior = GammaPrior{.shape = *shape};
  }
  return to_python(described_json(result_of(ledger, board_of(ledger, options))));
}

py::object result_of_file(const std::string& file, const py::dict& request) {
  const Goal goal = goal_of(request);
  const double alpha = value_or<double>(request, "alpha", 0.05);
  return result_of_ledger(unwrap(read_ledger(file, alpha, goal)), request);
}

py::object result_of_votes(const std::string& json, const std::string& name,
                           const py::dict& request) {
  ComparisonTable table = unwrap(in_field("votes", parse_comparisons_json(json, name)));
  const bool in_order = sort_by_time(table);
  const double alpha = value_or<double>(request, "alpha", 0.05);
  const Ledger ledger = unwrap(ledger_of(table, id_from(name), alpha, in_order, goal_of(request)));
  return result_of_ledger(ledger, request);
}

}  // namespace

void bind_experiment(py::module_& module) {
  py::class_<ExperimentObject, std::shared_ptr<ExperimentObject>> experiment(module, "Experiment");
  refuse_pickling(experiment);
  experiment
      .def(py::init([](const py::dict& request, const std::string& log) {
             return std::make_shared<ExperimentObject>(request, log);
           }),
           "request"_a, "log"_a)
      .def("next", &ExperimentObject::next, "duel_id"_a)
      .def("report", &ExperimentObject::report, "duel_id"_a, "result"_a, "winner"_a,
           "source_type"_a, "source_id"_a, "response_ms"_a)
      .def("expire", &ExperimentObject::expire, "duel_id"_a, "note"_a)
      .def("run", &ExperimentObject::run, "judges"_a, "max_duels"_a, "max_failures"_a, "progress"_a)
      .def("complete", &ExperimentObject::complete)
      .def("close", &ExperimentObject::close)
      .def("result", &ExperimentObject::result)
      .def_property_readonly("resumed", &ExperimentObject::resumed)
      .def_property_readonly("done", &ExperimentObject::done)
      .def_property_readonly("certified", &ExperimentObject::certified)
      .def_property_readonly("served", &ExperimentObject::served)
      .def_property_readonly("pending", &ExperimentObject::pending)
      .def_property_readonly("arms", &ExperimentObject::arms)
      .def_property_readonly("policy", &ExperimentObject::policy)
      .def_property_readonly("verdict", &ExperimentObject::verdict);
  module.def("result_of_file", &result_of_file);
  module.def("result_of_votes", &result_of_votes);
  module.def("verify", [](const std::string& log, const std::string& certificate, bool replay) {
    return to_python(unwrap(verify_log(log, certificate, replay)).to_json());
  });
  module.def("certificate_of_log",
             [](const std::string& log) { return unwrap(certificate_of_log(log)); });
  module.def("id_from", [](const std::string& text) { return id_from(text); });
}

}  // namespace duel::python
