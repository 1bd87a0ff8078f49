// Duels: serving them, drafting their pages, taking their outcomes.
//
// Handlers run on a thread of the HTTP server: they read the body and return. What they give to
// engine_.ask runs on an owner's thread and may run more than once (Owner::answer), so it must not
// count or send; the function for the answer runs once and does both.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/server/api.h"
#include "duel/service/duel_ids.h"
#include "duel/verdict/standing.h"
#include "duel/verdict/verdict.h"
#include "duel/wire/answers.h"
#include "duel/wire/experiment_answers.h"
#include "duel/wire/received_body.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

HttpFields replayed(bool again) {
  return again ? HttpFields{{"Idempotent-Replayed", "true"}} : HttpFields{};
}

bool is_again(const Offer& offer) {
  const auto* served = std::get_if<Served>(&offer);
  return served != nullptr && served->again;
}

// Why an outcome was not taken, for the metrics; empty if the caller is to try again, since the
// same outcome will then be counted by a later try.
std::string_view word_of_status(int status) {
  switch (status) {
    case 400:
    case 422:
      return "invalid";
    case 401:
    case 403:
      return "token";
    case 404:
      return "unknown";
    case 409:
      return "conflict";
    case 410:
      return "expired";
    default:
      return {};
  }
}

Error answered_otherwise() {
  return refused(Reason::answered_otherwise,
                 "the duel was answered otherwise; both answers are kept, the first counts");
}

// Duels under the ids BATCH.1, BATCH.2, .. A batch that was served before is given again as it was:
// an id that got a fallback then gets a fallback again, and not a new duel.
struct DuelsAtOnce {
  Wish wish;
  std::string batch_id;
  bool named = false;  // by the caller
  std::uint64_t count = 0;

  std::string id_of_duel(std::uint64_t k) const { return fmt::format("{}.{}", batch_id, k); }
  // The parts of the request. Those that look for duels that were served come before the first is
  // served: if another request has one of the ids, none is.
  std::size_t parts() const { return looked_for() + count; }
  Status part(const Turn& turn, std::size_t k, std::vector<Offer>& offers) const {
    if (k == 0) {
      DUEL_RETURN_IF_ERROR(check_size(turn.experiment));
      DUEL_RETURN_IF_ERROR(check_id("a batch", batch_id));
      DUEL_RETURN_IF_ERROR(check_id("a duel", id_of_duel(count)));
    }
    if (k < looked_for()) {
      if (turn.moment.store == StoreAccess::unreadable) return Done{};
      DUEL_RETURN_IF_ERROR(turn.experiment.served_before(id_of_duel(k + 1), wish.request));
      return Done{};
    }
    Wish one = wish;
    one.duel_id = id_of_duel(k - looked_for() + 1);
    one.made_for_it = !named;
    one.only_again = !offers.empty() && is_again(offers.front());
    DUEL_ASSIGN(Offer offer, turn.experiment.serve(one, turn.moment));
    offers.push_back(std::move(offer));
    return Done{};
  }

 private:
  std::size_t looked_for() const { return named ? count : 0; }
  // The answer is held in memory and written as one.
  Status check_size(const Experiment& experiment) const {
    constexpr std::size_t kMostBytes = std::size_t{16} << 20;
    const std::size_t each = experiment.most_bytes_shown();
    if (count <= 1 || each * count <= kMostBytes) return Done{};
    return Error::invalid_argument(
               fmt::format("is too many: a duel shows up to {} bytes of payloads, and an answer "
                           "has at most {}; ask for {} at a time",
                           each, kMostBytes, std::max<std::size_t>(1, kMostBytes / each)))
        .in_field("count");
  }
};

// A verdict about so many arms takes no longer than some serves.
constexpr std::size_t kFewArms = 64;

ProgressAnswer progress_of(const Ledger& ledger) {
  const Standing standing = standing_of(ledger);
  return {.verdict = verdict_of(ledger, standing),
          .certified = ledger.certificate().has_value(),
          .expected_duels_left = standing.duels_left};
}

// A voter who has nothing left to say may be told how it came out.
Result<Offer> with_verdict(const Experiment& experiment, Result<Offer> offer) {
  if (!offer.ok()) return offer;
  auto* const fallback = std::get_if<Fallback>(&*offer);
  if (fallback == nullptr || !fallback->shows_result) return offer;
  fallback->verdict = verdict_of(experiment.ledger(), standing_of(experiment.ledger()));
  return offer;
}

// A report, and the duel that comes with its answer.
struct ReportedWithNext {
  Reported reported;
  std::unique_ptr<Offer> next;  // mostly none: a report without it is half as large
  std::optional<ProgressAnswer> progress;
  bool verdict_is_dear = false;  // the progress is without it
};

// `wanted` is the wish for the duel that comes with the answer (`?next=1`); null: none is wanted.
Result<ReportedWithNext> report_and_serve(const Turn& turn, const Report& report,
                                          const Wish* wanted) {
  Experiment& experiment = turn.experiment;
  if (wanted != nullptr) {
    // Checked before anything is staged: an error tells the caller that the report was not taken.
    DUEL_RETURN_IF_ERROR(experiment.check_wish(*wanted));
    const auto known = experiment.served_before(wanted->duel_id, wanted->request);
    if (!known.ok() && reason_of(known.error()) == Reason::other_question) {
      return refused(Reason::id_taken,
                     fmt::format("the next duel cannot be '{}': that was served to another request",
                                 wanted->duel_id));
    }
    if (!known.ok()) return known.error();
  }
  DUEL_ASSIGN(Reported reported, experiment.report(report, turn.moment, wanted != nullptr));
  if (reported.what == Reported::What::conflicting) return answered_otherwise();
  ReportedWithNext told{std::move(reported), nullptr, std::nullopt};
  if (wanted == nullptr || told.reported.recovered) return told;
  Wish next = *wanted;
  next.subject = told.reported.subject;  // the next duel is for the one who was asked before
  // A fallback is not in the log, so only a proof could say which voter got it.
  const bool is_fallback = told.reported.what == Reported::What::ignored;
  if (is_fallback && next.voter && next.subject.empty()) return told;
  DUEL_ASSIGN(Offer offer, with_verdict(experiment, experiment.serve(next, turn.moment)));
  told.next = std::make_unique<Offer>(std::move(offer));
  told.verdict_is_dear = experiment.ledger().num_arms() > kFewArms;
  told.progress = told.verdict_is_dear
                      ? ProgressAnswer{.certified = experiment.ledger().certificate().has_value()}
                      : progress_of(experiment.ledger());
  return told;
}

// The proof in the body's report token; nothing if it has no token.
Result<std::optional<Proof>> proof_in(const ReportTokens& tokens, const std::string& experiment_id,
                                      const OutcomeBody& body, const std::string& duel_id) {
  if (body.report_token.empty()) return std::optional<Proof>();
  std::optional<Proof> proof = tokens.verify(body.report_token);
  if (!proof || proof->experiment_id != experiment_id) {
    return refused(Reason::proof_forged, "the report token is not of this experiment");
  }
  if (proof->duel_id != duel_id) {
    return refused(Reason::other_proof, "token_mismatch: the report token is of another duel");
  }
  return proof;
}

// The holder of a `judge` token answers as a program, and never in the place of people, who may
// audit it.
Status speak_as_judge(const ApiToken& judge, Source& source) {
  if (source.type.empty()) source.type = "judge";
  if (source.id.empty()) source.id = judge.name.empty() ? judge.token_id : judge.name;
  if (is_program(source)) return Done{};
  return Error::invalid_argument("is `judge` or `program` with a token of the scope 'judge'",
                                 "/source/type");
}

// Takes one outcome of many. An invalid one does not keep the others from being taken. A failure of
// the store is an error for the whole request: a caller who is told that an item is invalid drops
// it, and the outcome would be lost.
Result<BatchOutcome> report_item(const Turn& turn, const ReportTokens& tokens,
                                 const std::optional<ApiToken>& judge, const Result<Json>& item) {
  BatchOutcome told{.index = 0, .duel_id = "", .status = "invalid", .detail = ""};
  if (!item.ok()) {
    told.detail = item.error().message;
    return told;
  }
  ServerAnswer refused;
  const auto body = read_body<OutcomeBody>(*item, UnknownFields::refused, refused);
  if (!body) {
    told.detail = refused.body.at("detail").get<std::string>();
    return told;
  }
  told.duel_id = body->duel_id;
  const auto reported = [&]() -> Result<Reported> {
    DUEL_ASSIGN(Report report, report_of(body->duel_id, *body));
    if (judge) DUEL_RETURN_IF_ERROR(speak_as_judge(*judge, report.source));
    DUEL_ASSIGN(report.proof, proof_in(tokens, turn.experiment.id(), *body, body->duel_id));
    return turn.experiment.report(report, turn.moment);
  }();
  if (reported.ok() && reported->what != Reported::What::conflicting) {
    told.status = to_word(reported->what);
    return told;
  }
  const Error error = reported.ok() ? answered_otherwise() : reported.error();
  if (error.code == ErrorCode::io) return error;
  const ServerAnswer answer = refusal(error);
  if (answer.status == 404) told.status = "unknown";
  if (answer.status == 409) told.status = "conflict";
  told.detail = answer.body.at("detail").get<std::string>();
  return told;
}

}  // namespace

ProgressAnswer Api::last_progress(const std::string& eid, bool certified) {
  constexpr auto kFresh = std::chrono::seconds(1);
  ProgressAnswer last;
  {
    const std::lock_guard lock(verdicts_mutex_);
    LastVerdict& verdict = verdicts_[eid];
    last = verdict.progress;
    if (!verdict.known || last.certified != certified) {
      last = {.verdict = certified ? "A winner is certified." : "The verdict is being worked out."};
      last.certified = certified;
    } else if (std::chrono::steady_clock::now() - verdict.at < kFresh) {
      return last;
    }
    if (std::exchange(verdict.asked, true)) return last;
  }
  const auto note = [this, eid](std::optional<ProgressAnswer> progress) {
    const std::lock_guard lock(verdicts_mutex_);
    LastVerdict& verdict = verdicts_[eid];
    verdict.asked = false;
    verdict.at = std::chrono::steady_clock::now();
    if (!progress) return;
    verdict.progress = std::move(*progress);
    verdict.known = true;
  };
  const auto made = std::make_shared<std::optional<ProgressAnswer>>();
  views_.show(
      eid, "progress",
      [made](const View& view) -> Result<std::string> {
        *made = progress_of(view.ledger());
        return std::string();
      },
      [note, made](const Result<ShownText>&) { note(*made); });
  return last;
}

// Called when the answer goes out, and not when it is worked out, which can happen several times.
void Api::count_served(const std::string& eid, const Offer& offer) {
  if (is_again(offer)) return;
  const auto* served = std::get_if<Served>(&offer);
  engine_.metrics().count_served(
      eid, served != nullptr ? to_word(served->serve.serving) : std::string_view("fallback"));
}

void Api::refuse_outcome(const std::string& eid, const Send& send, ServerAnswer answer) {
  const std::string_view why = word_of_status(answer.status);
  if (!why.empty()) engine_.metrics().count_rejected(eid, why);
  send(std::move(answer));
}

// Who votes: the subject that the server has made for this link and browser, or a new one. Nothing
// if it cannot be, and then the caller has been told.
std::optional<Api::Voter> Api::voter_of(const Call& call, const DuelBody& body) {
  const std::string& eid = call.eid();
  const ApiToken* const link = call.caller.link();
  const std::string link_id = link != nullptr ? link->token_id : "";
  // The link says who it is; whatever a browser sends.
  if (link != nullptr && !link->link.member.empty()) {
    return Voter{.subject = link->link.member, .over_cap = false};
  }
  Voter from{.subject = body.subject_id, .over_cap = false};
  if (from.subject.empty()) {
    from.subject = voters_.made_for(eid, link_id, body.duel_id);
    from.over_cap = link != nullptr && !voters_.count(link_id, address_of(call), from.subject,
                                                      link->link.max_subjects_per_address_per_day,
                                                      engine_.world().wall_time_ms());
  } else if (!voters_.knows(eid, link_id, from.subject)) {
    const std::string why = "is not one that the server has made for this link; leave it out";
    call.send(refusal(400, "/subject_id " + why, false, {{"/subject_id", why}}));
    return std::nullopt;
  }
  return from;
}

bool Api::claims_link(const Call& call, const Voter& from) {
  const auto claimed = tokens_.claim(call.caller.link()->token_id, from.subject);
  if (claimed.ok() && *claimed) return true;
  call.send(claimed.ok() ? refusal(409, "this link is for one browser, and another has opened it")
                         : refusal(claimed.error()));
  return false;
}

void Api::serve_duels(Call& call) {
  auto body = call.read<DuelBody>();
  if (!body) return;
  const auto wrong = [&](const char* field, const char* message) {
    call.send(refusal(Error::invalid_argument(message).in_field(field)));
  };
  // A share link's token may be in anybody's hands, so its holder gets the rules for voters.
  const bool judge = call.caller.judge() != nullptr;
  const bool voter = !judge && (body->voter || !call.caller.may(TokenScope::duel, call.eid()));
  const bool one = body->count == 1 && body->batch_id.empty();
  if (voter && !body->exclude.empty()) return wrong("exclude", "a voter takes the pair that comes");
  if (voter && !body->task_id.empty()) return wrong("task_id", "a voter takes the task that comes");
  if (judge && body->voter) return wrong("voter", "a token of the scope 'judge' is a program's");
  if (judge && !body->subject_id.empty()) return wrong("subject_id", "a judge is no subject");
  if (judge && !body->exclude.empty()) return wrong("exclude", "a judge takes the pair that comes");
  if (judge && !body->task_id.empty()) return wrong("task_id", "a judge takes the task that comes");
  if (voter && !one) return wrong("count", "a voter asks for one duel at a time");
  if (!one && !body->duel_id.empty()) {
    return wrong("duel_id", "several duels have a `batch_id`, not a `duel_id`");
  }
  if (!voter) return serve_wish(call, *std::move(body), false, std::nullopt);
  const auto from = voter_of(call, *body);
  if (!from) return;
  body->subject_id = from->subject;
  const ApiToken* const link = call.caller.link();
  const bool is_claimed = link == nullptr || !link->link.one_browser ||
                          !link->link.member.empty() || link->subject == from->subject;
  if (is_claimed) return serve_wish(call, *std::move(body), true, from);
  // The first that comes by the link claims it. The store may take long.
  const auto kept = std::make_shared<const Call>(std::move(call));
  run_on(*lookups_, *kept, [this, kept, body = *std::move(body), from] {
    if (claims_link(*kept, *from)) serve_wish(*kept, body, true, from);
  });
}

void Api::serve_wish(const Call& call, DuelBody body, bool voter,
                     const std::optional<Voter>& from) {
  Wish wish = wish_of(body, voter, salt_of(call.eid()));
  if (from) wish.over_cap = from->over_cap;
  if (const ApiToken* const link = call.caller.link()) {
    if (link->link.member.empty()) {
      wish.subject = subject_of_link(link->token_id, wish.subject);
    }
    wish.most_subjects = link->link.max_subjects_per_day;
  }
  if (body.count == 1 && body.batch_id.empty()) {
    return ask(
        call, AnswerWhen::appended,
        [wish = std::move(wish)](const Turn& turn) {
          return with_verdict(turn.experiment, turn.experiment.serve(wish, turn.moment));
        },
        [this, eid = call.eid(), from](const Offer& offer) {
          count_served(eid, offer);
          const bool again = is_again(offer);
          DuelAnswer answer = duel_answer(eid, offer, report_tokens_);
          if (from) {
            answer = blind(std::move(answer));
            // One that was not counted is not given out, or it would come back as one that was.
            if (!from->over_cap || again) answer.subject_id = from->subject;
          }
          return answer_of(again ? 200 : 201, answer, replayed(again));
        });
  }
  const bool named = !body.batch_id.empty();
  const std::string batch_id =
      named ? body.batch_id : new_duel_id(engine_.world(), engine_.world().wall_time_ms());
  const DuelsAtOnce batch{std::move(wish), batch_id, named, body.count};
  // In one append: the batch is in the log or it is not, so that it can be given again as it was.
  engine_.ask_in_parts<Offer>(
      call.eid(), AnswerWhen::appended, Engine::Parts::together, batch.parts(),
      [batch](const Turn& turn, std::size_t k, std::vector<Offer>& offers) {
        return batch.part(turn, k, offers);
      },
      // Not on the owner's thread, where other experiments would wait for it.
      [this, send = call.send, eid = call.eid(), batch_id](Result<std::vector<Offer>> offers,
                                                           const Delivery& delivery) {
        const auto write =
            [this, send, eid, batch_id, delivery,
             kept = std::make_shared<const Result<std::vector<Offer>>>(std::move(offers))] {
              const auto reply = [&](const std::vector<Offer>& all) {
                return batch_answer(eid, batch_id, all);
              };
              told(send, reply)(*kept, delivery);
            };
        if (!large_->post(safely(write))) write();
      });
}

ServerAnswer Api::batch_answer(const std::string& eid, const std::string& batch_id,
                               const std::vector<Offer>& offers) {
  const bool again = is_again(offers.front());
  DuelBatch answer{.batch_id = batch_id, .items = {}};
  for (const Offer& offer : offers) {
    if (!again) count_served(eid, offer);
    answer.items.push_back(duel_answer(eid, offer, report_tokens_));
  }
  return answer_of(again ? 200 : 201, answer, replayed(again));
}

void Api::show_duel(Call& call) {
  ask(call, AnswerWhen::appended,
      [duel = call.parameters.at("did")](const Turn& turn) -> Result<DuelShown> {
        DUEL_ASSIGN(const DuelRecords records, turn.experiment.find(duel));
        return duel_shown(turn.experiment, records);
      });
}

void Api::interleave_duel(Call& call) {
  const auto body = call.read<InterleavingBody>();
  if (!body) return;
  const bool sees = call.caller.may(TokenScope::read, call.eid());
  ask(
      call, AnswerWhen::appended,
      [lists = lists_of(*body), duel = call.parameters.at("did")](const Turn& turn) {
        return turn.experiment.page(duel, lists, turn.moment);
      },
      [sees, salt = salt_of(call.eid())](const Page& page) {
        return answer_of(200, page_answer(page, sees, salt));
      });
}

void Api::interleave_in_one(Call& call) {
  const auto body = call.read<OneShotBody>();
  if (!body) return;
  if (body->duel.count != 1 || !body->duel.batch_id.empty()) {
    return call.send(refusal(400, "/batch_id is for duels without lists"));
  }
  const bool sees = call.caller.may(TokenScope::read, call.eid());
  const std::string salt = salt_of(call.eid());
  ask(
      call, AnswerWhen::appended,
      [wish = wish_of(body->duel, false, salt), lists = lists_of(body->page)](const Turn& turn) {
        return turn.experiment.serve_page(wish, lists, turn.moment);
      },
      [this, eid = call.eid(), sees, salt](const Experiment::ServedPage& served) {
        count_served(eid, served.offer);
        const bool again = is_again(served.offer);
        const OneShotAnswer answer{duel_answer(eid, served.offer, report_tokens_),
                                   page_answer(served.page, sees, salt)};
        return answer_of(again ? 200 : 201, answer, replayed(again));
      });
}

void Api::report_outcome(Call& call) {
  ServerAnswer wrong_body;
  const auto body =
      body_of<OutcomeBody>(call.request, call.limits(), UnknownFields::refused, wrong_body);
  const auto refuse = [&](ServerAnswer answer) {
    refuse_outcome(call.eid(), call.send, std::move(answer));
  };
  if (!body) return refuse(std::move(wrong_body));
  const std::string& duel_id = call.parameters.at("did");
  const ApiToken* const judge = call.caller.judge();
  const bool trusted =
      call.caller.may(judge != nullptr ? TokenScope::judge : TokenScope::duel, call.eid());
  const bool voter = call.caller.may(TokenScope::vote, call.eid());
  if (!trusted && body->report_token.empty()) {
    const bool known = call.caller.token.has_value();
    return call.send(known ? refusal(403, "this token reports only with the duel's report token")
                           : refusal(401, "a token or a report token is needed"));
  }
  const bool is_person = body->source.type.empty() || body->source.type == "human";
  if (!trusted && (!body->source.id.empty() || !is_person)) {
    // The health checks count answers by who gave them.
    const std::string where = body->source.id.empty() ? "/source/type" : "/source/id";
    const std::string why = "is not for the holder of a report token to say";
    return refuse(refusal(400, where + " " + why, false, {{where, why}}));
  }
  const std::string* asks_next = call.request.query_value("next");
  const std::string* next_id = call.request.query_value("next_duel_id");
  if (next_id != nullptr) {
    if (const Status named = check_id("a duel", *next_id); !named.ok()) {
      return refuse(refusal(
          400, fmt::format("next_duel_id: {}; {}", named.error().message, named.error().hint)));
    }
  }
  auto report = report_of(duel_id, *body);
  if (!report.ok()) return refuse(refusal(report.error()));
  if (judge != nullptr) {
    const Status spoken = speak_as_judge(*judge, report->source);
    if (!spoken.ok()) return refuse(refusal(spoken.error()));
  }
  // What the answer has changed would tell a judge which duels people have audited.
  const bool sees = trusted && judge == nullptr;
  std::unique_ptr<Wish> next;
  if (asks_next != nullptr && *asks_next == "1" && (trusted || voter)) {
    DuelBody wanted;
    wanted.duel_id = next_id != nullptr ? *next_id : next_id_after(duel_id);
    if (wanted.duel_id == duel_id) {
      return refuse(refusal(409, "the next duel is another one than this"));
    }
    next = std::make_unique<Wish>(Wish{.duel_id = wanted.duel_id, .voter = !trusted});
    next->request = request_hash(wanted, salt_of(call.eid()));
    if (const ApiToken* const link = call.caller.link()) {
      next->most_subjects = link->link.max_subjects_per_day;
    }
  }
  auto proof = proof_in(report_tokens_, call.eid(), *body, duel_id);
  if (!proof.ok()) return refuse(refusal(proof.error()));
  report->proof = std::move(*proof);
  engine_.ask<ReportedWithNext>(
      call.eid(), AnswerWhen::durable,
      [report = std::move(*report), next = std::move(next)](const Turn& turn) {
        return report_and_serve(turn, report, next.get());
      },
      [this, eid = call.eid(), duel_id, send = call.send, trusted, sees](
          const Result<ReportedWithNext>& done, const Delivery& delivery) {
        if (!done.ok()) return refuse_outcome(eid, send, refusal_of(done.error(), delivery));
        const Reported& reported = done->reported;
        OutcomeAnswer answer{.duel_id = duel_id,
                             .status = std::string(to_word(reported.what)),
                             .applied = reported.what == Reported::What::applied,
                             .next = {},
                             .progress = done->progress};
        if (done->verdict_is_dear) {
          answer.progress = last_progress(eid, done->progress->certified);
        }
        if (!sees && answer.progress) answer.progress = blind(*answer.progress);
        if (!answer.applied) engine_.metrics().count_rejected(eid, answer.status);
        if (done->next) {
          // A repeated report brings the same duel again, which was counted the first time.
          if (reported.what != Reported::What::duplicate) count_served(eid, *done->next);
          answer.next = duel_answer(eid, *done->next, report_tokens_);
          if (!trusted) answer.next = blind(*std::move(answer.next));
        }
        send(with_lease(answer_of(200, answer), delivery));
      });
}

void Api::report_outcomes(Call& call) {
  const std::string type = media_type_of(call.request);
  const bool lines = is_lines(type);
  if (!lines && type != "application/json") {
    return call.send(refusal(415, "the body must be application/json or application/x-ndjson"));
  }
  if (call.request.body.find_first_not_of(" \r\n\t") == std::string::npos) {
    return call.send(
        refusal(400, "the body is empty: send an array of outcomes, or one on each line"));
  }
  Batch batch = batch_of(call.request, lines, call.limits(), "outcomes");
  if (batch.refused) return call.send(*batch.refused);
  if (!lines && batch.items.size() == 1 && !batch.items[0].ok()) {
    return call.send(json_of(call.request, call.limits()).refused);
  }
  const std::optional<ApiToken> judge =
      call.caller.judge() != nullptr ? call.caller.token : std::nullopt;
  // The items before an error stay taken. Sent again, they are duplicates.
  const auto items = std::make_shared<const std::vector<Result<Json>>>(std::move(batch.items));
  engine_.ask_in_parts<BatchOutcome>(
      call.eid(), AnswerWhen::durable, Engine::Parts::one_by_one, items->size(),
      [this, items, judge](const Turn& turn, std::size_t k,
                           std::vector<BatchOutcome>& all) -> Status {
        DUEL_ASSIGN(BatchOutcome one, report_item(turn, report_tokens_, judge, (*items)[k]));
        one.index = k;
        all.push_back(std::move(one));
        return Done{};
      },
      [this, eid = call.eid(), send = call.send](Result<std::vector<BatchOutcome>> done,
                                                 const Delivery& delivery) {
        if (!done.ok()) return refuse_outcome(eid, send, refusal_of(done.error(), delivery));
        const BatchOutcomes all{.items = std::move(*done)};
        for (const BatchOutcome& one : all.items) {
          if (one.status != "applied") engine_.metrics().count_rejected(eid, one.status);
        }
        send(with_lease(answer_of(200, all), delivery));
      });
}

}  // namespace duel
