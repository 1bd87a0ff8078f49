#include "duel/experiment/local_questions.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "duel/core/check.h"
#include "duel/experiment/remarks.h"

namespace duel {
namespace {

// What was said in one order, of each judge where there are several.
void add_judgements(std::vector<Judgement>& judgements, const Said& said, const std::string& first,
                    const std::string& second) {
  for (const Voice& voice : said.voices) {
    Said one(voice.outcome);
    one.score = voice.score;
    judgements.push_back({first, answer_of(one, first, second), voice.judge});
  }
  if (said.voices.empty()) judgements.push_back({first, answer_of(said, first, second)});
}

LocalExperiment::Ending ending_of(Given given) {
  const Question& question = given.question;
  const std::string& first = question.first.arm_id;
  const std::string& second = question.second.arm_id;
  const bool answered = !given.judgements.empty();
  if (!answered && given.missing == Missing::lost) {
    return LocalExperiment::Lost{question.duel_id, std::move(given.why), given.failed_tries};
  }
  Report report;
  report.duel_id = question.duel_id;
  report.source = std::move(given.source);
  report.note = std::move(given.why);
  report.failed_tries = given.failed_tries;
  if (given.response_ms) {
    report.response_ms =
        static_cast<std::uint64_t>(std::llround(std::max(0.0, *given.response_ms)));
  }
  if (!answered) {
    const bool skipped = given.missing == Missing::skipped;
    report.answer = Answer{.result = skipped ? Answered::skip : Answered::invalid, .winner = ""};
  } else if (given.judgements.size() == 1 && given.judgements[0].voices.empty()) {
    report.answer = answer_of(given.judgements[0], first, second);
  } else {
    DUEL_CHECK(given.judgements.size() <= 2);
    add_judgements(report.judgements, given.judgements[0], first, second);
    if (given.judgements.size() == 2) {
      add_judgements(report.judgements, given.judgements[1], second, first);
    }
  }
  Remarks remarks = remarks_of(given.judgements);
  report.reason = std::move(remarks.reason);
  report.cost = remarks.cost;
  report.tokens = remarks.tokens;
  report.cached = remarks.cached;
  report.features = std::move(remarks.features);
  return report;
}

}  // namespace

Result<Questions::Next> LocalQuestions::next() {
  const Ledger& ledger = experiment_.ledger();
  if (certified()) return Next(Over{RunEnding::certified});
  if (ledger.completed()) return Next(Over{RunEnding::undecided});
  if (ledger.drawn().size() >= kMostWaiting) return Next(Later{});
  const auto subject = contents_.subject ? contents_.subject() : std::string();
  if (!subject) return Next(Over{RunEnding::undecided});
  Wish wish{.subject = *subject, .limit = max_duels_};
  if (contents_.known) {
    wish.known = [this](const ServeRecord& serve) { return contents_.known(question_of(serve)); };
  }
  DUEL_ASSIGN(Offer offer, experiment_.serve(wish));
  if (const auto* fallback = std::get_if<Fallback>(&offer)) {
    // While duels are out the policy may come to ask for a pair that has tasks left.
    const bool tasks = fallback->why == Fallback::Why::tasks_used_up;
    if (fallback->why == Fallback::Why::done) return Next(Over{RunEnding::asked_all});
    return Next(Over{tasks ? RunEnding::tasks_used_up : RunEnding::undecided});
  }
  return Next(question_of(std::move(std::get<Served>(offer).serve)));
}

Question LocalQuestions::question_of(ServeRecord serve) const {
  const ExperimentRecord& experiment = experiment_.ledger().experiment();
  const auto shown = [&](const std::string& id, const Json& point) {
    return point.is_null() ? contents_.arm(id)
                           : ShownArm{.arm_id = id, .path = "", .payload = point};
  };
  Question question{.duel_id = std::move(serve.duel_id),
                    .first = shown(serve.first, serve.first_point),
                    .second = shown(serve.second, serve.second_point),
                    .task = std::nullopt,
                    .both_orders = experiment.order == Placement::both,
                    .evidence = serve.evidence,
                    .voting = experiment.voting};
  if (!serve.task.empty()) question.task = contents_.task(serve.task);
  return question;
}

Result<Questions::Next> LocalQuestions::next_audit() {
  const Ledger& ledger = experiment_.ledger();
  if (certified() || ledger.completed()) return Next(Over{RunEnding::certified});
  const std::uint64_t most = ledger.experiment().audit.give_up_after;
  for (const auto& [ordinal, duel_id] : ledger.drawn()) {
    if (offered_.contains(duel_id)) continue;
    if (most > 0 && ledger.find_open(duel_id)->audit.offers >= most) {
      const std::string lost = duel_id;  // it leaves the map
      DUEL_RETURN_IF_ERROR(experiment_.give_up_audit(lost));
      return next_audit();
    }
    DUEL_ASSIGN(auto served, experiment_.offer(duel_id, ""));
    offered_.insert(served->serve.duel_id);
    Question question = question_of(std::move(served->serve));
    question.both_orders = false;
    question.audit = true;
    return Next(std::move(question));
  }
  return Next(Later{});
}

Result<Taken> LocalQuestions::answer(std::vector<Given> given) {
  std::vector<LocalExperiment::Ending> endings;
  for (Given& one : given) {
    if (one.question.audit) {
      offered_.erase(one.question.duel_id);
      // The last person did not answer; the question goes to another one.
      if (one.judgements.empty()) continue;
    }
    endings.push_back(ending_of(std::move(one)));
  }
  if (!endings.empty()) DUEL_RETURN_IF_ERROR(experiment_.settle(endings));
  return Taken{};
}

Result<Taken> LocalQuestions::flush() {
  const Ledger& ledger = experiment_.ledger();
  const bool all_are_in = ledger.pending().size() == ledger.drawn().size() && offered_.empty();
  if (certified() && !ledger.completed() && all_are_in) {
    DUEL_RETURN_IF_ERROR(experiment_.complete("the certificate came before the answer"));
  }
  return Taken{};
}

QuestionsProgress LocalQuestions::progress() const { return {.certified = certified()}; }

}  // namespace duel
