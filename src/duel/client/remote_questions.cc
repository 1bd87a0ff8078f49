#include "duel/client/remote_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duel/client/api_client.h"
#include "duel/core/described_json.h"
#include "duel/experiment/experiment.h"
#include "duel/experiment/remarks.h"
#include "duel/log/record_fields.h"

namespace duel {
namespace {

constexpr auto kAskAgain = std::chrono::seconds(1);
constexpr std::string_view kSubjectField = "subject";
constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr int kGone = 410;

// An arm without a payload is its own content.
ShownArm arm_of(const Json& arm) {
  ShownArm shown;
  shown.arm_id = arm.at("arm_id").get<std::string>();
  const Json* payload = arm.find("payload");
  shown.payload = payload != nullptr && !payload->is_null() ? *payload : Json(shown.arm_id);
  return shown;
}

void put_answer(Json& body, const Said& said, const ShownArm& first, const ShownArm& second) {
  if (said.score) {
    body["score"] = *said.score;
    return;
  }
  const Answer answer = answer_of(said, first.arm_id, second.arm_id);
  body["result"] = std::string(to_word(answer.result));
  if (!answer.winner.empty()) body["winner"] = answer.winner;
  if (answer.place > 0) body["place"] = answer.place;
}

void put_remarks(Json& body, const Remarks& remarks) {
  if (!remarks.reason.empty()) body["reason"] = remarks.reason;
  if (remarks.cost > 0) body["cost"] = remarks.cost;
  if (remarks.tokens > 0) body["tokens"] = remarks.tokens;
  if (!remarks.features.is_null()) body["features"] = remarks.features;
}

Json body_of(const Given& given, const std::string& report_token) {
  const Question& question = given.question;
  Json body;
  if (given.judgements.empty()) {
    // A server has no word for an answer that will never come; this one ends the duel and counts
    // for nothing.
    body["result"] = given.missing == Missing::skipped ? "skip" : "invalid";
  } else if (given.judgements.size() == 1) {
    put_answer(body, given.judgements[0], question.first, question.second);
  } else {
    Json one, two;
    one["first"] = question.first.arm_id;
    put_answer(one, given.judgements[0], question.first, question.second);
    two["first"] = question.second.arm_id;
    put_answer(two, given.judgements[1], question.second, question.first);
    body["judgements"] = Json::array();
    body["judgements"].push_back(std::move(one));
    body["judgements"].push_back(std::move(two));
  }
  put_remarks(body, remarks_of(given.judgements));
  if (!given.source.id.empty()) {
    body["source"] = {{"type", given.source.type}, {"id", given.source.id}};
  }
  if (given.response_ms) {
    body["response_ms"] =
        static_cast<std::uint64_t>(std::llround(std::max(0.0, *given.response_ms)));
  }
  // Should the server have lost the serve to a failure of power, this proves it.
  if (!report_token.empty()) body["report_token"] = report_token;
  return body;
}

}  // namespace

RemoteQuestions::RemoteQuestions(PatientClient& client, std::string experiment_id,
                                 std::string subject)
    : client_(client), experiment_id_(std::move(experiment_id)), subject_(std::move(subject)) {}

std::string RemoteQuestions::target(const std::string& rest) const {
  return experiment_target(experiment_id_, rest);
}

Json RemoteQuestions::wanted() {
  if (wanted_id_.empty()) wanted_id_ = new_client_id();
  Json body;
  body["duel_id"] = wanted_id_;
  if (!subject_.empty()) body["subject_id"] = subject_;
  return body;
}

void RemoteQuestions::take_duel(const Json& duel) {
  // By a share link it is the server that says who votes.
  if (const Json* subject = duel.find("subject_id")) {
    subject_ = subject->get<std::string>();
    is_voter_ = true;
  }
  const auto arms = duel.at("arms").items();
  nothing_to_ask_ = arms.size() != 2;  // one arm alone stands for "nothing to learn"
  if (nothing_to_ask_) {
    const Json* reason = duel.find("reason");
    const auto is = [&](Fallback::Why why) {
      return reason != nullptr && reason->get<std::string>() == to_word(why);
    };
    ending_ = is(Fallback::Why::tasks_used_up) ? RunEnding::tasks_used_up
              : is(Fallback::Why::done)        ? RunEnding::asked_all
                                               : RunEnding::undecided;
    return;
  }
  Question question{.duel_id = duel.at("duel_id").get<std::string>(),
                    .first = arm_of(arms[0]),
                    .second = arm_of(arms[1]),
                    .task = std::nullopt,
                    .both_orders = both_orders_};
  if (const Json* task = duel.find("task")) {
    const Json* payload = task->find("payload");
    question.task = payload != nullptr && !payload->is_null() ? *payload : task->at("task_id");
  }
  if (const Json* voting = duel.find("voting")) {
    if (auto told = described_from<VotingRule>(*voting); told.ok()) question.voting = *told;
  }
  const Json* token = duel.find("report_token");
  tokens_[question.duel_id] = token == nullptr ? std::string() : token->get<std::string>();
  ready_.push_back(std::move(question));
}

Status RemoteQuestions::open(const std::function<bool()>& stop) {
  const auto shown = client_.keep_trying(HttpMethod::get, target(""), Json(), stop);
  // A token that may only ask and report does without the configuration.
  const bool forbidden = client_.status() == kForbidden || client_.status() == kUnauthorized;
  if (!shown.ok() && !forbidden) return shown.error();
  if (shown.ok() && *shown) {
    readable_ = true;
    const Json& experiment = **shown;
    if (experiment.at("mode").get<std::string>() == "interleave") {
      return Error::unsupported("clicks on pages of results decide this experiment", experiment_id_,
                                "there is nobody to ask");
    }
    both_orders_ = experiment.at("presentation").at("order").get<std::string>() == "both";
    const auto certificate =
        client_.keep_trying(HttpMethod::get, target("/certificate"), Json(), stop);
    if (!certificate.ok() && client_.status() != kNotFound) return certificate.error();
    progress_.certified = certificate.ok() && certificate->has_value();
  }
  if (progress_.certified || client_.given_up() || stop()) return Done{};
  const auto ask = [&] {
    return client_.keep_trying(HttpMethod::post, target("/duels"), wanted(), stop);
  };
  auto duel = ask();
  const bool names_subject = !duel.ok() && duel.error().field == kSubjectField;
  if (names_subject && !subject_.empty() && client_.status() == kBadRequest) {
    subject_.clear();  // a share link takes no names
    duel = ask();
  }
  if (!duel.ok()) return duel.error();
  if (!*duel) return Done{};
  wanted_id_.clear();
  take_duel(**duel);
  return Done{};
}

Questions::Next RemoteQuestions::not_now() const {
  return client_.given_up() ? Next(Over{RunEnding::out_of_reach}) : Next(Later{});
}

Result<Questions::Next> RemoteQuestions::next() {
  // An answer brings the next duel along.
  while (ready_.empty() && !outbox_.empty()) {
    if (!send_one(true)) return not_now();
  }
  if (ends_) return *ends_;
  if (progress_.certified) return Next(Over{RunEnding::certified});
  while (ready_.empty()) {
    if (nothing_to_ask_) {
      // What is out here may be what the server waits for; the others' duels are asked about.
      if (!tokens_.empty() || Clock::now() < ask_again_) return Next(Later{});
      // What others of a panel still say brings this member no other question.
      if (ending_ == RunEnding::asked_all) return Next(Over{ending_});
      DUEL_ASSIGN(const std::optional<bool> later, may_ask_later());
      if (!later) return not_now();
      if (!*later) return Next(Over{ending_});
      ask_again_ = Clock::now() + kAskAgain;
    }
    DUEL_ASSIGN(const std::optional<Json> duel,
                client_.try_now(HttpMethod::post, target("/duels"), wanted()));
    if (!duel) return not_now();
    wanted_id_.clear();
    take_duel(*duel);
  }
  Question question = std::move(ready_.front());
  ready_.pop_front();
  return Next(std::move(question));
}

bool RemoteQuestions::send_one(bool wants_next) {
  Report& report = outbox_.front();
  std::string to = target(fmt::format("/duels/{}/outcome", percent_encoded(report.duel_id)));
  // The id stays with the report: a repeated one brings the same next duel.
  if (wants_next && !progress_.certified && !nothing_to_ask_ && report.next_id.empty()) {
    report.next_id = new_client_id();
  }
  if (!report.next_id.empty()) to += "?next=1&next_duel_id=" + report.next_id;
  const auto told = client_.try_now(HttpMethod::put, to, report.body);
  if (told.ok() && !*told) return false;
  if (told.ok()) {
    const Json& answer = **told;
    if (const Json* progress = answer.find("progress")) {
      progress_.certified = progress_.certified || progress->at("certified").get<bool>();
      // A voter is not told which arm leads.
      if (const Json* verdict = progress->find("verdict")) {
        progress_.verdict = verdict->get<std::string>();
      }
    }
    if (const Json* next = answer.find("next")) take_duel(*next);
  } else {
    const int status = client_.status();
    if (report.answers) ++progress_.refused;
    progress_.last_refusal = fmt::format("duel {}: {}", report.duel_id, told.error().message);
    const bool lost = status == kConflict || status == kNotFound || status == kGone;
    if (!lost && !ends_) ends_ = told.error();
  }
  outbox_.pop_front();
  return true;
}

Result<Taken> RemoteQuestions::answer(std::vector<Given> given) {
  for (Given& one : given) {
    if (is_voter_) one.source.id.clear();  // it is not for a voter to say
    const auto token = tokens_.extract(one.question.duel_id);
    outbox_.push_back({.duel_id = one.question.duel_id,
                       .body = body_of(one, token.empty() ? std::string() : token.mapped()),
                       .answers = !one.judgements.empty()});
  }
  return Taken{.unsent = outbox_.size()};
}

Result<Taken> RemoteQuestions::flush() {
  while (!outbox_.empty() && send_one(false)) {
  }
  return Taken{.unsent = outbox_.size(), .hopeless = client_.given_up(), .ends = ends_};
}

Result<std::optional<bool>> RemoteQuestions::may_ask_later() {
  using Known = std::optional<bool>;
  if (!readable_) return Known(false);
  DUEL_ASSIGN(const std::optional<Json> shown, client_.try_now(HttpMethod::get, target("")));
  if (!shown) return Known();
  if (shown->at("state").get<std::string>() != "running") return Known(false);
  const auto most = shown->at("stopping").at("max_duels").get<std::uint64_t>();
  if (most > 0 && shown->at("served").get<std::uint64_t>() >= most) return Known(false);
  return Known(shown->at("pending").get<std::uint64_t>() > 0);
}

}  // namespace duel
