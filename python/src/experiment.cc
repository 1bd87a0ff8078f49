// Live experiments, their logs and results.
#include <pybind11/stl.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "conversions.h"
#include "duel/core/described_json.h"
#include "duel/core/id.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/local_experiment.h"
#include "duel/experiment/local_questions.h"
#include "duel/judging/batched_questions.h"
#include "duel/judging/gate_run.h"
#include "duel/judging/interview.h"
#include "duel/judging/interview_request.h"
#include "duel/judging/judge_loop.h"
#include "duel/log/experiment_log.h"
#include "duel/study/spec.h"
#include "duel/verdict/board.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/repeated_answers.h"
#include "duel/verdict/space_standing.h"
#include "duel/verdict/verdict.h"
#include "duel/verdict/verification.h"
#include "gate.h"

namespace duel::python {
namespace {

constexpr std::uint64_t kMostDuels = 1'000'000'000'000;

// An optional entry of a dict of arguments. One of another type is a TypeError that names it.
std::string text_or(const py::dict& request, const char* key, const char* otherwise) {
  if (!request.contains(key) || request[key].is_none()) return otherwise;
  return text_of(request[key], key);
}

double number_or(const py::dict& request, const char* key, double otherwise) {
  if (!request.contains(key) || request[key].is_none()) return otherwise;
  return number_of(request[key], key);
}

std::uint64_t count_or(const py::dict& request, const char* key, std::uint64_t otherwise,
                       std::uint64_t most) {
  if (!request.contains(key) || request[key].is_none()) return otherwise;
  return count_of(request[key], key, 0, most);
}

Goal goal_of(const py::dict& request) {
  return unwrap(parse_goal(text_or(request, "goal", "condorcet"),
                           count_or(request, "top", 0, 1'000'000), number_or(request, "epsilon", 0),
                           text_or(request, "assume", "none")));
}

// As JSON; what is no JSON is an error that names `field`.
Json json_of(const py::handle& object, const char* field) {
  try {
    return to_json(object);
  } catch (const ErrorRaised& raised) {
    raise(Error(raised.error()).in_field(field));
  } catch (const py::cast_error&) {
    reject(field, "a text has half of a surrogate pair", "Unicode that can be written as UTF-8");
  } catch (const py::type_error& error) {
    throw py::type_error(std::string(field) + ": " + error.what());
  }
}

// Numbers by arm (duel/_features.py).
Context features_by_arm(const py::handle& given) {
  Context rows;
  for (const auto& [arm, row] : given.cast<py::dict>()) {
    rows.emplace_back(arm.cast<std::string>(), row.cast<std::vector<double>>());
  }
  return rows;
}

void add_features(const py::handle& given, std::vector<ListedArm>& arms) {
  for (auto& [arm_id, row] : features_by_arm(given)) {
    const auto arm = std::ranges::find_if(
        arms, [&](const ListedArm& one) { return one.shown.arm_id == arm_id; });
    if (arm == arms.end()) reject("features", "there is no arm '" + arm_id + "'");
    arm->features = std::move(row);
  }
}

// The arms as (id, name, payload); the name is that which the id was made from, or "".
std::vector<ListedArm> arms_of(const py::dict& request) {
  std::vector<ListedArm> arms;
  if (!request.contains("arms")) reject("arms", "no arms are given");
  for (const py::handle item : request["arms"]) {
    const auto [id, name, payload] = item.cast<std::tuple<std::string, std::string, py::object>>();
    ListedArm arm{.shown = {id, "", std::nullopt}, .reference = name, .sha256 = "", .content = {}};
    if (!payload.is_none()) arm.content = json_of(payload, "arms");
    arms.push_back(std::move(arm));
  }
  if (request.contains("features")) add_features(request["features"], arms);
  return arms;
}

// What the certificate is about, and who the panel is: `panel` is a size or a list of names.
void read_about_of(const py::dict& request, InterviewPlan& plan) {
  InterviewRequest asked;
  asked.about = text_or(request, "about", "tasks-like-these");
  asked.early = request.contains("early") && flag_of(request["early"], "early");
  if (request.contains("panel") && !request["panel"].is_none()) {
    const py::object panel = request["panel"];
    if (py::isinstance<py::list>(panel)) {
      asked.members = panel.cast<std::vector<std::string>>();
      if (asked.members.empty()) reject("panel", "nobody is on the list");
    } else {
      asked.panel = std::to_string(count_of(panel, "panel", 1, Panel::kMostMembers));
    }
  }
  unwrap(read_about(asked, plan));
}

InterviewPlan plan_of(const py::dict& request, const std::string& log) {
  const bool space = request.contains("space");
  InterviewPlan plan{.log = log,
                     .experiment = {},
                     .arms = space ? std::vector<ListedArm>() : arms_of(request),
                     .tasks = std::nullopt,
                     .keeps_open_duels = true};
  if (const std::string text = text_or(request, "tasks", ""); !text.empty()) {
    plan.tasks = unwrap(in_field("tasks", TaskList::parse("tasks", text)));
  } else if (const std::string file = text_or(request, "tasks_file", ""); !file.empty()) {
    plan.tasks = unwrap(in_field("tasks", TaskList::read(file)));
  }
  ExperimentRecord& record = plan.experiment;
  record.experiment_id = text_or(request, "name", "duel");
  unwrap(in_field("name", check_id("an experiment", record.experiment_id)));
  for (const ListedArm& arm : plan.arms) record.arms.push_back(entry_of(arm));
  record.goal = goal_of(request);
  record.order = unwrap(in_field("order", parse_placement(text_or(request, "order", "random"))));
  record.seed = count_or(request, "seed", 0, kMaxSeed);
  read_about_of(request, plan);
  record.aa_rate = number_or(request, "aa_rate", 0);
  if (const double audits = number_or(request, "audits", 0); audits > 0) {
    record.audit = {.share = audits,
                    .give_up_after = count_or(request, "audit_give_up", 0, kMostDuels),
                    .from_seed = request.contains("audit_from_seed") &&
                                 flag_of(request["audit_from_seed"], "audit_from_seed")};
  }
  record.stopping.alpha = number_or(request, "alpha", 0.05);
  record.stopping.min_decisive_per_pair = count_or(request, "min_decisive_per_pair", 0, kMostDuels);
  record.stopping.shared_causes =
      request.contains("shared_causes") && flag_of(request["shared_causes"], "pairs_independent");
  record.policy = text_or(request, "policy", "auto");
  plan.max_duels = count_or(request, "max_duels", 0, kMostDuels);
  if (space) {
    const Space read =
        unwrap(in_field("space", Space::from_json(json_of(request["space"], "space"))));
    record.space = {.dimensions = read.to_json(),
                    .warmup = count_or(request, "warmup", 0, kMostDuels)};
    if (flag_of(request["adopt"], "adopt")) record.service.on_certified = OnCertified::adopt;
  }
  // A learner of points that plans ahead is told how many answers there will be.
  ExperimentRecord planned = record;
  if (space) planned.stopping.max_duels = plan.max_duels;
  record.policy = unwrap(in_field("policy", canonical_policy(planned, record.arms.size())));
  return plan;
}

// Questions to people who are named, one after another. Of a panel each is asked until nothing is
// left for them; there is nobody left where somebody comes round again before anything was asked
// since.
class PeopleQuestions final : public Questions {
 public:
  struct People {
    std::function<std::optional<std::string>()> next;
    std::function<void(const std::string& duel_id)> chosen;  // the last one will be asked this
  };

  // `member` receives who of a panel is asked now; null where there is no panel. REQUIRES:
  // `questions` lives longer.
  PeopleQuestions(Questions& questions, People people, std::string* member)
      : questions_(questions), people_(std::move(people)), member_(member) {}

  Result<Next> next() override {
    for (;;) {
      if (member_ != nullptr && !finds_member()) return Next(Over{RunEnding::asked_all});
      DUEL_ASSIGN(Next next, questions_.next());
      if (const auto* question = std::get_if<Question>(&next)) {
        done_.clear();
        people_.chosen(question->duel_id);
      }
      const auto* over = std::get_if<Over>(&next);
      if (over == nullptr || over->why != RunEnding::asked_all) return next;
      done_.insert(*member_);
    }
  }
  Result<Next> next_audit() override { return questions_.next_audit(); }
  Result<Taken> answer(std::vector<Given> given) override {
    return questions_.answer(std::move(given));
  }
  Result<Taken> flush() override { return questions_.flush(); }
  QuestionsProgress progress() const override { return questions_.progress(); }

 private:
  bool finds_member() {
    if (!member_->empty() && !done_.contains(*member_)) return true;
    auto other = people_.next();
    if (!other || done_.contains(*other)) return false;
    *member_ = std::move(*other);
    return true;
  }

  Questions& questions_;
  People people_;
  std::string* member_;
  std::set<std::string> done_;  // since the last question
};

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
      const std::string task = question.task ? question.task->get<std::string>() : "";
      out_[duel_id] = std::move(question);
      judges_.attr("ask")(duel_id, first, second, task);
    });
  }
  std::vector<Judged> wait(std::chrono::milliseconds most) override {
    std::vector<Judged> judged;
    guarded([&] {
      for (const py::handle done :
           judges_.attr("wait")(std::chrono::duration<double>(most).count())) {
        const auto [duel_id, said, ms, failed_tries, failure, fate, cost, reason, tokens] =
            done.cast<std::tuple<std::string, py::object, double, std::uint64_t, std::string,
                                 std::string, double, std::string, std::uint64_t>>();
        Judged one{.question = std::move(out_.extract(duel_id).mapped()),
                   .failed_tries = failed_tries,
                   .failure = failure};
        if (fate == "ends" || fate == "last") {
          one.ends = Error::io(failure).in_field(kException);
        }
        // An answer that makes no sense was paid for like any other.
        if (fate.empty() || fate == "last") {
          one.outcome = said_of(said);
          one.outcome->cost = cost;
          one.outcome->reason = reason;
          one.outcome->tokens = tokens;
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

  // Who is asked next: a text, or nothing where nobody is left.
  py::object next_subject() {
    py::object subject = py::none();
    guarded([&] { subject = judges_.attr("next_subject")(); });
    return subject;
  }

  // The person who came last will be asked this, perhaps after others have come.
  void chosen(const std::string& duel_id) {
    guarded([&] { judges_.attr("chosen")(duel_id); });
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
  ExperimentObject(const py::dict& request, const std::string& log) {
    InterviewPlan plan = plan_of(request, log);
    if (request.contains("gate")) {
      gate_rule_ = gate_rule_of(request["gate"].cast<py::dict>());
      gate_keeper_ = keep_gate(plan, gate_rule_);
    }
    interview_ = opened(std::move(plan));
  }

  // Lets go of the log; another may write it then.
  void close() {
    if (running_) raise(Error::unsupported("the experiment waits for its judges"));
    interview_.reset();
  }

  // Asks until there is a certificate, nothing is left to ask or the judges fail, and says which:
  // "exception" where the judge raised one that ends the run, "failed" where it gave too many duels
  // in a row no answer. `on_turn` is called about ten times a second.
  // `auditors` are asked what is drawn for people, or None.
  std::string run(const py::object& judges, const py::object& max_duels,
                  const py::object& max_failures, const py::object& on_turn,
                  const py::object& auditors, const py::object& batch) {
    const std::uint64_t limit =
        max_duels.is_none() ? 0 : count_of(max_duels, "max_duels", 0, kMostDuels);
    const auto broken = [](std::uint64_t in_a_row, const Judged& last) {
      return Error::invalid_argument("no answer to " + std::to_string(in_a_row) +
                                     " duels in a row; " + last.failure)
          .in_field(kBroken);
    };
    unwrap(local().give_up_open_duels());
    PythonJudges asked(judges), audited(auditors);
    const bool audits = !auditors.is_none();
    QuestionContents contents{
        .arm = [](const std::string& id) { return ShownArm{id, "", std::nullopt}; },
        .task = [](const std::string& name) { return Json(name); }};
    const auto next_person = [&]() -> std::optional<std::string> {
      const py::object subject = asked.next_subject();
      if (subject.is_none()) return std::nullopt;
      return subject.cast<std::string>();
    };
    const bool panel = ledger().parts().panel;
    const bool named = !judges.attr("next_subject").is_none();
    std::string member;  // of the panel, who is asked now
    if (panel) {
      contents.subject = [&] { return std::optional(hashed_subject(member)); };
    } else if (named) {
      contents.subject = [&]() -> std::optional<std::string> {
        const auto person = next_person();
        return person ? std::optional(hashed_subject(*person)) : std::nullopt;
      };
    }
    LocalQuestions of_experiment(local(), std::move(contents), limit,
                                 gate_keeper_ ? AtCertificate::goes_on : AtCertificate::ends);
    PeopleQuestions of_people(
        of_experiment,
        {.next = next_person, .chosen = [&](const std::string& duel_id) { asked.chosen(duel_id); }},
        panel ? &member : nullptr);
    Questions& of_anyone = named ? static_cast<Questions&>(of_people) : of_experiment;
    std::optional<GateQuestions> until_decided;
    if (gate_keeper_) until_decided.emplace(of_anyone, *gate_keeper_);
    Questions& questions = until_decided ? static_cast<Questions&>(*until_decided) : of_anyone;
    const std::uint64_t batch_size = count_of(batch, "batch", 1, kMostDuels);
    BatchedQuestions batches(questions, batch_size);
    // Who audits is told from whom is audited.
    const Source source = audits ? Source{"judge", "judge"} : Source{};
    JudgeLoop loop(batch_size > 1 ? batches : questions, asked,
                   {.max_failures = count_of(max_failures, "max_failures", 1, kMostDuels),
                    .source = source,
                    .broken = broken},
                   audits ? &audited : nullptr);
    running_ = true;
    const auto ended =
        loop.run([&] { return asked.stopping(); }, [&] { asked.guarded([&] { on_turn(); }); });
    running_ = false;
    const Status given_up = batches.give_up(source);
    asked.rethrow();
    audited.rethrow();
    if (ended.ok()) unwrap(given_up);
    if (ended.ok()) {
      return *ended == RunEnding::tasks_used_up ? "tasks_used_up" : std::string(to_word(*ended));
    }
    if (ended.error().field == kBroken) return "failed";
    if (ended.error().field != PythonJudges::kException) raise(ended.error());
    return PythonJudges::kException;
  }

  bool resumed() const { return interview().resumed(); }

  // The subject is a text, or "" for nobody in particular.
  py::object next(const std::string& duel_id, const std::string& subject, const std::string& task,
                  const py::dict& context) {
    if (done()) return py::none();
    if (!duel_id.empty()) unwrap(in_field("duel_id", check_id("a duel", duel_id)));
    Wish wish{.duel_id = duel_id,
              .task = task,
              .context = features_by_arm(context),
              .limit = interview().max_duels()};
    if (!subject.empty()) wish.subject = hashed_subject(subject);
    const Offer offer = unwrap(local().serve(wish));
    const auto* served = std::get_if<Served>(&offer);
    if (served == nullptr) return py::none();
    return py::dict("duel_id"_a = served->serve.duel_id, "first"_a = served->serve.first,
                    "second"_a = served->serve.second, "serving"_a = to_word(served->serve.serving),
                    "task"_a = served->serve.task,
                    "first_point"_a = to_python(served->serve.first_point),
                    "second_point"_a = to_python(served->serve.second_point));
  }

  // `turned` is the answer to the same question with the arms in the other order, where the order
  // is `both`: places are those of that question.
  std::string report(const std::string& duel_id, const py::handle& answer, const py::handle& turned,
                     bool invalid, const std::string& source_type, const std::string& source_id,
                     const py::object& response_ms) {
    Report report;
    report.duel_id = duel_id;
    report.source = {source_type, source_id};
    if (!response_ms.is_none()) {
      report.response_ms = count_of(response_ms, "response_ms", 0, kMostDuels);
    }
    const auto [first, second] = shown(duel_id);
    if (invalid) {
      report.answer = Answer{Answered::invalid, ""};
    } else if (turned.is_none()) {
      report.answer = answer_of(said_of(answer), first, second);
    } else {
      report.judgements.push_back({first, answer_of(said_of(answer), first, second)});
      report.judgements.push_back({second, answer_of(said_of(turned), second, first)});
    }
    return std::string(to_word(unwrap(local().report(report)).what));
  }

  // The two arms of a duel, as shown.
  std::pair<std::string, std::string> shown(const std::string& duel_id) {
    if (const LedgerDuel* open = ledger().find_open(duel_id)) {
      return ledger().ids_of(*open);
    }
    const DuelRecords records = unwrap(in_field("duel", local().find(duel_id)));
    const auto& serve = std::get<ServeRecord>(records.serve->record);
    return {serve.first, serve.second};
  }

  std::string expire(const std::string& duel_id, const std::string& note) {
    unwrap(local().settle({LocalExperiment::Lost{duel_id, note}}));
    return std::string(to_word(Reported::What::applied));
  }

  // The panel is those who have answered by now.
  void close_panel() { unwrap(local().close_panel()); }
  // These members of the panel's list will not come.
  void absent(const std::vector<std::string>& names) {
    std::vector<std::string> subjects;
    for (const std::string& name : names) subjects.push_back(hashed_subject(name));
    unwrap(local().miss(subjects));
  }

  // Closes a certified experiment, or gives one up; what is still out has expired.
  void complete() { unwrap(local().complete("the experiment was completed before the answer")); }

  bool done() const {
    const LiveExperiment& live = interview().experiment();
    const std::uint64_t limit = interview().max_duels();
    return live.done() || (limit > 0 && ledger().served() >= limit && !ledger().has_pending());
  }
  bool certified() const { return interview().certified(); }
  std::uint64_t served() const { return ledger().served(); }
  // What the judges said that their answers cost, over all runs of the log.
  double spent() const { return interview().spent().cost; }
  std::vector<std::string> pending() const { return interview().experiment().pending(); }
  std::vector<std::string> arms() const {
    std::vector<std::string> ids;
    for (const LedgerArm& arm : ledger().arms()) ids.push_back(arm.entry.id);
    return ids;
  }
  // What the log calls the tasks, in their order.
  std::vector<std::string> tasks() const { return interview().task_names(); }
  std::string verdict() const { return verdict_of(ledger(), standing_of(ledger())); }
  std::string policy() const { return ledger().experiment().policy; }
  py::object result() const {
    const IfWrong if_wrong = unwrap(interview().if_wrong());
    return to_python(described_json(result_of(ledger(), board_of(ledger()), if_wrong)));
  }
  // Of a space: what its learner believes along each dimension.
  py::object slices(std::uint64_t steps) const {
    const PointChoice* const points = interview().experiment().points();
    if (points == nullptr) raise(Error::unsupported("arms are compared, and not points"));
    return to_python(described_json(slices_of(*points, *ledger().tuned(), steps)));
  }
  // Of a gate: what is known of its candidate, the second arm, after a run that ended so.
  GateResult gate_result(const std::string& candidate, const std::string& baseline,
                         const std::string& ended) const {
    if (!gate_keeper_) raise(Error::unsupported("the experiment is no gate"));
    return gate_result_of(*gate_keeper_, gate_rule_, {candidate, baseline}, gate_stop_of(ended),
                          gate_health(interview()), interview().log_file());
  }
  py::object fresh_answers() const {
    return to_python(described_json(interview().fresh_answers()));
  }

 private:
  // The field of an error that stands for a judge that gave no answers.
  static constexpr const char* kBroken = "broken";

  static Interview opened(InterviewPlan plan) {
    const std::string log = plan.log;
    auto interview = Interview::open(std::move(plan));
    if (interview.ok()) return *std::move(interview);
    Error error = interview.error();
    // What the log says otherwise.
    if (!log.empty() && error.where == log && error.code == ErrorCode::invalid_argument) {
      error.code = ErrorCode::conflict;
    }
    raise(std::move(error));
  }

  // As `duel vote` has it, or one person were two in a log that both write.
  std::string hashed_subject(const std::string& subject) const {
    const ExperimentRecord& experiment = ledger().experiment();
    return local_subject(experiment.experiment_id, experiment.seed, subject);
  }

  const Interview& interview() const {
    if (!interview_) raise(Error::unsupported("the experiment is closed"));
    return *interview_;
  }
  Interview& interview() {
    return const_cast<Interview&>(std::as_const(*this).interview());  // NOLINT: one check for both
  }
  LocalExperiment& local() { return interview().local(); }
  const Ledger& ledger() const { return interview().ledger(); }

  bool running_ = false;  // judges are at work
  std::shared_ptr<GateKeeper> gate_keeper_;
  GateRule gate_rule_;
  std::optional<Interview> interview_;  // none once it is closed
};

py::object result_of_answers(const ReadAnswers& read, const py::dict& request) {
  BoardOptions options;
  const py::object prior = request.contains("prior") ? py::object(request["prior"]) : py::none();
  if (const auto shape = prior_shape_of(prior)) {
    options.prior = GammaPrior{.shape = *shape};
  }
  const Board board = board_of(read.ledger, options);
  return to_python(described_json(result_of(read.ledger, board, read.if_wrong)));
}

py::object result_of_file(const std::string& file, const py::dict& request) {
  const Goal goal = goal_of(request);
  const double alpha = number_or(request, "alpha", 0.05);
  return result_of_answers(unwrap(read_answers(file, alpha, goal)), request);
}

py::object result_of_votes(const std::string& json, const std::string& name,
                           const py::dict& request) {
  ComparisonTable table = unwrap(in_field("votes", parse_comparisons_json(json, name)));
  const bool in_order = sort_by_time(table);
  const double alpha = number_or(request, "alpha", 0.05);
  return result_of_answers(
      unwrap(answers_of(table, id_from(name), alpha, in_order, goal_of(request))), request);
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
      .def("next", &ExperimentObject::next, "duel_id"_a, "subject"_a, "task"_a,
           "context"_a = py::dict())
      .def("report", &ExperimentObject::report, "duel_id"_a, "answer"_a, "turned"_a, "invalid"_a,
           "source_type"_a, "source_id"_a, "response_ms"_a)
      .def("shown", &ExperimentObject::shown, "duel_id"_a)
      .def("expire", &ExperimentObject::expire, "duel_id"_a, "note"_a)
      .def("run", &ExperimentObject::run, "judges"_a, "max_duels"_a, "max_failures"_a, "on_turn"_a,
           "auditors"_a = py::none(), "batch"_a = 1)
      .def("close_panel", &ExperimentObject::close_panel)
      .def("absent", &ExperimentObject::absent, "names"_a)
      .def("complete", &ExperimentObject::complete)
      .def("close", &ExperimentObject::close)
      .def("result", &ExperimentObject::result)
      .def("fresh_answers", &ExperimentObject::fresh_answers)
      .def("slices", &ExperimentObject::slices, "steps"_a)
      .def("gate_result", &ExperimentObject::gate_result, "candidate"_a, "baseline"_a, "ended"_a)
      .def_property_readonly("resumed", &ExperimentObject::resumed)
      .def_property_readonly("done", &ExperimentObject::done)
      .def_property_readonly("certified", &ExperimentObject::certified)
      .def_property_readonly("served", &ExperimentObject::served)
      .def_property_readonly("spent", &ExperimentObject::spent)
      .def_property_readonly("pending", &ExperimentObject::pending)
      .def_property_readonly("arms", &ExperimentObject::arms)
      .def_property_readonly("tasks", &ExperimentObject::tasks)
      .def_property_readonly("policy", &ExperimentObject::policy)
      .def_property_readonly("verdict", &ExperimentObject::verdict);
  module.def("result_of_file", &result_of_file);
  module.def("result_of_votes", &result_of_votes);
  module.def("verify", [](const std::string& log, const std::string& certificate, bool replay) {
    return to_python(unwrap(verify_log(log, certificate, replay)).to_json());
  });
  module.def("certificate_of_log",
             [](const std::string& log) { return unwrap(certificate_of_log(log)); });
  module.def("fresh_answers_of_log", [](const std::string& log) {
    RepeatedAnswers answers;
    unwrap(read_log(log, [&](const LogEntry& entry) -> Status {
      answers.take(entry);
      return Done{};
    }));
    return to_python(described_json(answers.check()));
  });
  module.def("seed_of_log", [](const std::string& log) -> std::optional<std::uint64_t> {
    // What is wrong with a log, the opening of it says.
    const auto first = read_first_record(*log_files(), log);
    if (!first.ok()) return std::nullopt;
    const auto* began = std::get_if<ExperimentRecord>(&first->record);
    return began == nullptr ? std::nullopt : std::optional(began->seed);
  });
  // None: nothing was served yet.
  module.def("log_names_people", [](const std::string& log) -> std::optional<bool> {
    std::optional<bool> names;
    unwrap(read_log(log, [&](const LogEntry& entry) -> Status {
      const auto* serve = std::get_if<ServeRecord>(&entry.record);
      if (serve != nullptr) names = names.value_or(false) || !serve->subject.empty();
      return Done{};
    }));
    return names;
  });
  module.def("begins_as_log", [](const std::string& file) { return begins_as_log(file); });
  module.def("is_id", [](const std::string& text) { return check_id("an arm", text).ok(); });
  module.def("id_from", [](const std::string& text) { return id_from(text); });
}

}  // namespace duel::python
