// Experiments: creating, changing and importing them. As in duel_routes.cc, handlers run on a
// thread of the HTTP server, and what they give to the engine runs on its thread.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "duel/core/digest.h"
#include "duel/core/secrets.h"
#include "duel/core/text_map.h"
#include "duel/experiment/served_work.h"
#include "duel/http/http_text.h"
#include "duel/server/api.h"
#include "duel/service/imported_log.h"
#include "duel/wire/answers.h"
#include "duel/wire/experiment_answers.h"
#include "duel/wire/received_body.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

ServerAnswer configuration(const ExperimentAnswer& answer) {
  return {200, described_json(answer), {{"ETag", answer.etag}}};
}

Result<ExperimentAnswer> shown_now(const Turn& turn) { return experiment_answer(turn.experiment); }

// The order of names says nothing, so that two texts of one value become the same.
Json with_sorted_names(const Json& json) {
  if (json.is_array()) {
    Json items = Json::array();
    for (const Json& item : json.items()) items.push_back(with_sorted_names(item));
    return items;
  }
  if (!json.is_object()) return json;
  Json::Object members;
  for (const auto& [name, value] : json.members())
    members.push_back({name, with_sorted_names(value)});
  std::ranges::sort(members, {}, &Json::Member::name);
  return Json(std::move(members));
}

// Comparisons of one request. Each is looked at before the first is recorded, so that a mistake in
// one refuses them all.
class ComparisonsAtOnce {
 public:
  struct Looked {
    bool known = false;
  };

  explicit ComparisonsAtOnce(std::vector<ComparisonRecord> records) : records_(std::move(records)) {
    TextMap<std::size_t> by_id;
    for (std::size_t k = 0; k < records_.size(); ++k) {
      const std::string& id = records_[k].comparison_id;
      first_of_id_.push_back(id.empty() ? k : by_id.emplace(id, k).first->second);
    }
  }

  std::size_t size() const { return records_.size(); }
  // Of the request (Engine::ask_in_parts).
  std::size_t parts() const { return 2 * size(); }
  Status part(const Turn& turn, std::size_t k, std::vector<Looked>& looked) const {
    if (k < size()) {
      const Result<bool> known = knows(turn.experiment, k);
      if (!known.ok()) return at_fault(known.error(), k);
      looked.push_back({*known});
      return Done{};
    }
    k -= size();
    if (looked[k].known) return Done{};
    const Status recorded = turn.experiment.compare(records_[k], turn.moment);
    return recorded.ok() ? recorded : Status(at_fault(recorded.error(), k));
  }

 private:
  // Whether it is recorded, or comes before in this very request.
  Result<bool> knows(Experiment& experiment, std::size_t k) const {
    DUEL_ASSIGN(const bool known, experiment.knows(records_[k]));
    if (known || first_of_id_[k] == k) return known;
    if (records_[first_of_id_[k]] == records_[k]) return true;
    return refused(Reason::other_question,
                   fmt::format("the comparison '{}' comes twice, with other content",
                               records_[k].comparison_id));
  }
  static Error at_fault(Error error, std::size_t k) {
    if (error.code == ErrorCode::io) return error;
    if (!reason_of(error)) error.code = ErrorCode::invalid_argument;
    error.field = fmt::format("[{}]", k);
    return error;
  }

  std::vector<ComparisonRecord> records_;
  std::vector<std::size_t> first_of_id_;  // the first of the same id; itself if it has none
};

// An experiment or an arm after a request, and whether the request made it.
template <class Answer>
struct Made {
  Answer answer;
  bool is_new = false;
};

}  // namespace

void Api::create_experiment(Call& call) {
  const auto body = call.read<ExperimentBody>();
  if (!body) return;
  if (body->arms.size() > engine_.most_arms()) {
    const std::string why = too_many_arms(body->arms.size(), engine_.most_arms());
    return call.send(refusal(400, "/arms " + why, false, {{"/arms", why}}));
  }
  // Recorded with the experiment, so that the same request sent again is known for the same.
  const Json sent = Json::parse(call.request.body, {.numbers_as_written = true}).value();
  const std::string request = sha256_hex(with_sorted_names(sent.with_exact_numbers()).dump());
  const Json plain = sent.with_plain_numbers();
  const std::string chance = random_bytes(6);
  std::uint64_t seed = 0;
  for (const char byte : chance) seed = seed << 8 | static_cast<unsigned char>(byte);
  const auto record = experiment_of(
      call.eid(), *body, request, seed,
      [salt = salt_of(call.eid())](std::string_view name) { return subject_of(name, salt); });
  if (!record.ok()) return call.send(refusal(record.error()));
  create_of(call.send, std::make_shared<const ExperimentRecord>(*record),
            {sha256_hex(with_sorted_names(plain).dump()), sha256_hex(plain.dump())});
}

// Earlier versions recorded other hashes of a body: of its numbers as doubles, and of its names in
// the order sent. So an experiment with another hash than today's may still be of this body: its
// hash is compared with each of `older_requests`, the last one first.
void Api::create_of(const Send& send, const std::shared_ptr<const ExperimentRecord>& record,
                    std::vector<std::string> older_requests) {
  using Created = Made<ExperimentAnswer>;
  engine_.create<Created>(
      *record,
      [](const Turn& turn) -> Result<Created> {
        return Created{experiment_answer(turn.experiment), turn.created};
      },
      [this, send, record, older = std::move(older_requests)](const Result<Created>& done,
                                                              const Delivery& delivery) {
        if (!done.ok()) {
          if (reason_of(done.error()) == Reason::exists && !older.empty()) {
            auto again = std::make_shared<ExperimentRecord>(*record);
            again->service.request = older.back();
            return create_of(send, again, {older.begin(), older.end() - 1});
          }
          // If no experiment can be made from the record, the body is at fault: a 400, not a 500.
          const Error& error = done.error();
          return send(refusal_of(reason_of(error) ? error : at_pointer(error, ""), delivery));
        }
        ServerAnswer answer = configuration(done->answer);
        if (done->is_new) {
          answer.status = 201;
          answer.headers.emplace_back("Location", "/v1/experiments/" + record->experiment_id);
        }
        send(with_lease(std::move(answer), delivery));
      });
}

void Api::list_experiments(Call& call) {
  const auto limit = call.query_count("limit", 1000, 1, 1000);
  if (!limit.ok()) return call.send(refusal(limit.error()));
  const std::string* cursor = call.request.query_value("cursor");
  views_.list(cursor != nullptr ? *cursor : "", *limit,
              [send = call.send](const Result<ListedExperiments>& listed) {
                if (!listed.ok()) return send(refusal(listed.error()));
                ListOf<ExperimentSummary> list{.items = {}, .next_cursor = listed->next_cursor};
                for (const Listed& one : listed->items) {
                  ExperimentSummary& row = list.items.emplace_back();
                  row.experiment_id = one.experiment_id;
                  row.error = one.error;
                  if (!one.summary) continue;
                  row.name = one.summary->name;
                  row.state = one.summary->state;
                  row.mode = one.summary->mode;
                  row.arms = one.summary->arms;
                  row.served = one.summary->served;
                  row.certified = one.summary->certified;
                  row.created_at = one.summary->created;
                  row.active_at = one.summary->active;
                  row.glance = one.glance;
                }
                send(answer_of(200, list));
              });
}

void Api::show_experiment(Call& call) {
  engine_.ask_aside<ExperimentAnswer>(call.eid(), AnswerWhen::appended, shown_now,
                                      told(call.send, configuration));
}

void Api::show_slices(Call& call) {
  constexpr std::size_t kSteps = 33;
  engine_.ask_aside<ShownSlices>(
      call.eid(), AnswerWhen::appended,
      [](const Turn& turn) -> Result<ShownSlices> {
        const PointChoice* const points = turn.experiment.live().points();
        if (points == nullptr) {
          return refused(Reason::wrong_mode, "arms are compared, and not the points of a space");
        }
        return slices_of(*points, *turn.experiment.ledger().tuned(), kSteps);
      },
      told(call.send, [](const ShownSlices& slices) { return answer_of(200, slices); }));
}

void Api::patch_experiment(Call& call) {
  std::string if_match;  // a list may be spread over several headers
  for (const auto& [name, value] : call.request.headers) {
    if (name == "if-match") if_match += (if_match.empty() ? "" : ", ") + value;
  }
  if (if_match.empty()) return call.send(refusal(428, "the header If-Match is missing"));
  if (!if_match_holds(if_match, "")) {
    return call.send(
        refusal(400, "the header If-Match is neither `*` nor a list of tags in quotes"));
  }
  ServerAnswer refused;
  Parsed parsed = json_of(call.request, call.limits());
  if (!parsed.json) return call.send(std::move(parsed.refused));
  // A field that exists but cannot change is a conflict; an unknown one is a mistake (below).
  for (const char* name :
       {"mode",  "arms",    "space",  "default_point", "warmup",       "policy",     "goal",
        "top",   "epsilon", "assume", "stopping",      "presentation", "interleave", "tasks",
        "about", "panel",   "voting", "slices",        "audit",        "seed"}) {
    if (parsed.json->contains(name)) {
      return call.send(refusal(409, fmt::format("/{} cannot change", name), false,
                               {{fmt::format("/{}", name), "cannot change"}}));
    }
  }
  // Fields are checked one by one, so what fits a new experiment fits this one.
  const Json in_new = merged(whole_json({}), *parsed.json);
  if (!read_body<ChangeableBody>(in_new, UnknownFields::refused, refused)) {
    return call.send(std::move(refused));
  }
  ask(
      call, AnswerWhen::durable,
      [patch = *std::move(parsed.json),
       match = if_match](const Turn& turn) -> Result<ExperimentAnswer> {
        const std::string etag = etag_of(turn.experiment.ledger());
        if (!if_match_holds(match, etag).value_or(false)) {
          return duel::refused(Reason::outdated,
                               fmt::format("the experiment is at {}, not at {}", etag, match));
        }
        const Ledger& ledger = turn.experiment.ledger();
        DUEL_ASSIGN(const auto body, described_from<ChangeableBody>(
                                         merged(whole_json(changeable_of(ledger)), patch)));
        DUEL_ASSIGN(const ConfiguredRecord changed, configured_by(ledger, body));
        DUEL_RETURN_IF_ERROR(turn.experiment.configure(changed, turn.moment));
        return shown_now(turn);
      },
      configuration);
}

void Api::change_state(Call& call) {
  using Step = Experiment::Step;
  const std::string verb = call.request.path.substr(call.request.path.rfind('/') + 1);
  const Step step = verb == "start"      ? Step::start
                    : verb == "pause"    ? Step::pause
                    : verb == "resume"   ? Step::resume
                    : verb == "complete" ? Step::complete
                                         : Step::archive;
  ask(
      call, AnswerWhen::durable,
      [step](const Turn& turn) -> Result<ExperimentAnswer> {
        DUEL_RETURN_IF_ERROR(turn.experiment.change_state(step, turn.moment));
        return shown_now(turn);
      },
      configuration);
}

void Api::close_panel(Call& call) {
  ask(
      call, AnswerWhen::durable,
      [](const Turn& turn) -> Result<ExperimentAnswer> {
        DUEL_RETURN_IF_ERROR(turn.experiment.close_panel(turn.moment));
        return shown_now(turn);
      },
      configuration);
}

void Api::miss_members(Call& call) {
  const auto body = call.read<AbsentBody>();
  if (!body) return;
  std::vector<std::string> subjects;
  for (const std::string& name : body->subjects) {
    subjects.push_back(subject_of(name, salt_of(call.eid())));
  }
  ask(
      call, AnswerWhen::durable,
      [subjects = std::move(subjects)](const Turn& turn) -> Result<ExperimentAnswer> {
        DUEL_RETURN_IF_ERROR(turn.experiment.miss(subjects, turn.moment));
        return shown_now(turn);
      },
      configuration);
}

void Api::put_arm(Call& call) {
  const auto body = call.read<NewArmBody>();
  if (!body) return;
  engine_.ask_aside<Made<ArmAnswer>>(
      call.eid(), AnswerWhen::durable,
      [arm = ArmEntry{.id = call.parameters.at("aid"),
                      .payload = "",
                      .sha256 = "",
                      .content = body->payload,
                      .features = body->features},
       most = engine_.most_arms()](const Turn& turn) -> Result<Made<ArmAnswer>> {
        const Ledger& ledger = turn.experiment.ledger();
        if (ledger.num_arms() >= most && !ledger.find_arm(arm.id)) {
          return refused(Reason::too_many_arms, too_many_arms(ledger.num_arms() + 1, most), "arms");
        }
        if (!ledger.find_arm(arm.id)) {
          const Status work = check_served_work(ledger.experiment(), ledger.num_arms() + 1);
          if (!work.ok()) {
            return refused(Reason::too_many_arms, "the arms " + work.error().message, "arms");
          }
        }
        DUEL_ASSIGN(const bool added, turn.experiment.add_arm(arm, turn.moment));
        return Made<ArmAnswer>{arm_answer(ledger, arm.id), added};
      },
      told(call.send, [](const Made<ArmAnswer>& made) {
        return answer_of(made.is_new ? 201 : 200, made.answer);
      }));
}

void Api::delete_arm(Call& call) {
  engine_.ask_aside<ArmAnswer>(
      call.eid(), AnswerWhen::durable,
      [arm = call.parameters.at("aid")](const Turn& turn) -> Result<ArmAnswer> {
        DUEL_RETURN_IF_ERROR(turn.experiment.retire_arm(arm, turn.moment));
        return arm_answer(turn.experiment.ledger(), arm);
      },
      told(call.send, [](const ArmAnswer& answer) { return answer_of(200, answer); }));
}

void Api::take_comparisons(Call& call) {
  Parsed parsed = json_of(call.request, call.limits());
  if (!parsed.json) return call.send(std::move(parsed.refused));
  ServerAnswer refused;
  const auto body =
      read_body<std::vector<ComparisonBody>>(*parsed.json, UnknownFields::refused, refused);
  if (!body) return call.send(std::move(refused));
  auto comparisons = comparisons_of(*body);
  if (!comparisons.ok()) return call.send(refusal(comparisons.error()));
  using Looked = ComparisonsAtOnce::Looked;
  const auto all = std::make_shared<const ComparisonsAtOnce>(*std::move(comparisons));
  engine_.ask_in_parts<Looked>(
      call.eid(), AnswerWhen::durable, Engine::Parts::one_by_one, all->parts(),
      [all](const Turn& turn, std::size_t k, std::vector<Looked>& looked) {
        return all->part(turn, k, looked);
      },
      told(call.send, [](const std::vector<Looked>& looked) {
        const auto known = std::ranges::count(looked, true, &Looked::known);
        return answer_of(200, AcceptedAnswer{looked.size(), static_cast<std::uint64_t>(known)});
      }));
}

void Api::import_log(Call& call) {
  if (!is_lines(media_type_of(call.request))) {
    return call.send(refusal(415, "the body must be application/x-ndjson"));
  }
  // A log is read and folded before the engine is asked to write it. That takes long, so it must
  // not happen on the threads that talk to clients.
  const std::string eid = call.eid();
  const auto request = std::make_shared<const HttpRequest>(std::move(call.request));
  run_later(call, [this, request, eid, send = call.send] {
    engine_.import_log<ExperimentAnswer>(eid, {request->content(), request}, shown_now,
                                         told(send, [](const ExperimentAnswer& imported) {
                                           ServerAnswer answer = configuration(imported);
                                           answer.status = 201;
                                           return answer;
                                         }));
  });
}

}  // namespace duel
