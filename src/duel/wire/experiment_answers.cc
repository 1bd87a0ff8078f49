#include "duel/wire/experiment_answers.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "duel/core/described_text.h"
#include "duel/core/digest.h"
#include "duel/core/secrets.h"

namespace duel {

std::string request_hash(const DuelBody& body, std::string_view salt) {
  return hmac_sha256_hex(salt, described_text(body)).substr(0, 32);
}

std::string subject_of(std::string_view name, std::string_view salt) {
  return hmac_sha256_hex(salt, name).substr(0, 24);
}

Wish wish_of(const DuelBody& body, bool voter, std::string_view salt) {
  // Only a duel whose id the caller has chosen can be asked for again.
  const bool named = !body.duel_id.empty() || !body.batch_id.empty();
  Wish wish;
  wish.duel_id = body.duel_id;
  if (!body.subject_id.empty()) wish.subject = subject_of(body.subject_id, salt);
  if (named) wish.request = request_hash(body, salt);
  wish.voter = voter;
  wish.excluded = body.exclude;
  wish.task = body.task_id;
  wish.slices = body.slices;
  wish.context = body.context;
  return wish;
}

namespace {

// An answer as a word or as a score. A score's winner is known where the duel is.
Result<Answer> answer_of(const std::string& result, const std::string& winner, std::uint64_t place,
                         const std::optional<double>& score) {
  if (score && !result.empty()) {
    return Error::invalid_argument("stands in place of `result`").in_field("score");
  }
  if (score) return Answer{.result = Answered::graded, .winner = winner, .score = score};
  if (result.empty()) return Error::invalid_argument("is missing").in_field("result");
  const auto word = parse_word<Answered>(result);
  if (!word.ok()) return Error::invalid_argument(word.error().message).in_field("result");
  return Answer{*word, winner, place};
}

}  // namespace

Result<Report> report_of(const std::string& duel_id, const OutcomeBody& body) {
  DUEL_RETURN_IF_ERROR(check_id("a duel", duel_id));
  if (!body.duel_id.empty() && body.duel_id != duel_id) {
    return Error::invalid_argument("is of another duel than the address").in_field("duel_id");
  }
  Report report;
  report.duel_id = duel_id;
  report.close = body.result == "close";
  if ((!body.result.empty() || body.score) && !report.close) {
    DUEL_ASSIGN(report.answer, answer_of(body.result, body.winner, body.place, body.score));
  }
  for (std::size_t k = 0; k < body.judgements.size(); ++k) {
    const JudgementBody& judgement = body.judgements[k];
    auto answer = answer_of(judgement.result, judgement.winner, 0, judgement.score);
    if (!answer.ok()) {
      Error error = answer.error();
      error.field = fmt::format("judgements[{}].{}", k, error.field);
      return error;
    }
    report.judgements.push_back({judgement.first, *answer});
  }
  report.reason = body.reason;
  report.cost = body.cost;
  report.tokens = body.tokens;
  report.cached = body.cached;
  report.features = body.features;
  report.source = body.source;
  report.response_ms = body.response_ms;
  report.note = body.note;
  return report;
}

Lists lists_of(const InterleavingBody& body) {
  return {.lists = body.lists, .offset = body.offset, .limit = body.limit};
}

Result<std::vector<ComparisonRecord>> comparisons_of(const std::vector<ComparisonBody>& bodies) {
  std::vector<ComparisonRecord> records;
  for (const ComparisonBody& body : bodies) {
    if (body.made_at.size() > 64) {
      return Error::invalid_argument("has more than 64 bytes")
          .in_field(fmt::format("[{}].made_at", records.size()));
    }
    auto answer = answer_of(body.result, body.winner, 0, body.score);
    if (!answer.ok()) {
      Error error = answer.error();
      error.field = fmt::format("[{}].{}", records.size(), error.field);
      return error;
    }
    if (body.score) answer = answer_of_score(*body.score, body.first, body.second);
    records.push_back({.first = body.first,
                       .second = body.second,
                       .answer = std::move(*answer),
                       .source = body.source,
                       .made_at = body.made_at,
                       .extra = {},
                       .evidence = false,
                       .comparison_id = body.comparison_id});
  }
  return records;
}

ChangeableBody changeable_of(const Ledger& ledger) {
  ChangeableBody now;
  now.name = ledger.name();
  now.feedback.timeout_s = ledger.feedback().timeout_s;
  now.feedback.on_timeout = ledger.feedback().on_timeout;
  now.guardrails.rule = ledger.guardrails();
  now.guardrails.aa_rate = ledger.experiment().aa_rate;
  return now;
}

Json whole_json(const ChangeableBody& body) {
  return {{"name", body.name},
          {"feedback", described_json(Whole<FeedbackWish>{body.feedback})},
          {"guardrails", described_json(Whole<GuardrailsBody>{body.guardrails})}};
}

Result<ConfiguredRecord> configured_by(const Ledger& ledger, const ChangeableBody& body) {
  if (body.guardrails.aa_rate != ledger.experiment().aa_rate) {
    return Error::conflict("the share of A/A duels cannot change").in_field("guardrails.aa_rate");
  }
  return ConfiguredRecord{body.name, body.feedback.rule(ledger.experiment().service.mode),
                          body.guardrails.rule};
}

std::string next_id_after(const std::string& duel_id) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string id = "n.";
  const std::string digest = sha256_hex(duel_id);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : digest) {
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    bits = bits << 4 | static_cast<std::uint32_t>(value);
    held += 4;
    if (held < 5) continue;
    held -= 5;
    id += kLetters[bits >> held & 31];
  }
  if (held > 0) id += kLetters[bits << (5 - held) & 31];
  return id;
}

std::string etag_of(const Ledger& ledger) { return fmt::format("\"{}\"", ledger.configured_at()); }

ArmAnswer arm_answer(const Ledger& ledger, const std::string& arm_id) {
  const ArmEntry* entry = ledger.find_withdrawn(arm_id);
  bool active = false;
  if (entry == nullptr) {
    const LedgerArm& arm = ledger.arms()[*ledger.find_arm(arm_id)];
    entry = &arm.entry;
    active = arm.active;
  }
  return {.arm_id = arm_id,
          .payload = entry->content,
          .state = active ? "active" : "retired",
          .is_default = arm_id == ledger.experiment().service.default_arm,
          .features = entry->features};
}

ExperimentAnswer experiment_answer(const Experiment& owned) {
  const Ledger& ledger = owned.ledger();
  const ExperimentRecord& experiment = ledger.experiment();
  ExperimentAnswer answer;
  answer.experiment_id = owned.id();
  answer.name = ledger.name();
  answer.state = ledger.state();
  answer.mode = experiment.service.mode;
  answer.policy = experiment.policy;
  answer.goal = experiment.goal;
  answer.space = experiment.space.dimensions;
  for (const LedgerArm& arm : ledger.arms()) {
    // Points come and go.
    if (!ledger.parts().space) answer.arms.push_back(arm_answer(ledger, arm.entry.id));
  }
  for (const ArmEntry& arm : ledger.withdrawn()) {
    answer.arms.push_back(arm_answer(ledger, arm.id));
  }
  answer.stopping.alpha = experiment.stopping.alpha;
  answer.stopping.arms = experiment.stopping.arms_fixed ? "fixed" : "open";
  answer.stopping.min_decisive_per_pair = experiment.stopping.min_decisive_per_pair;
  answer.stopping.max_duels = experiment.stopping.max_duels;
  answer.stopping.on_certified = experiment.service.on_certified;
  answer.stopping.pairs_independent = !experiment.stopping.shared_causes;
  answer.feedback.rule = ledger.feedback();
  answer.presentation.order = experiment.order;
  answer.guardrails.rule = ledger.guardrails();
  answer.guardrails.aa_rate = experiment.aa_rate;
  if (experiment.service.mode == Mode::interleave) {
    answer.interleave.emplace().rule = experiment.service.interleave;
  }
  answer.num_tasks = ledger.tasks().count;
  if (const Panel* const panel = ledger.panel()) {
    answer.about = "these-people";
    answer.panel = PanelAnswer{.size = panel->size(),
                               .listed = panel->listed(),
                               .early = panel->early(),
                               .closed = panel->closed(),
                               .answered = panel->answered()};
  } else if (ledger.tasks().count > 0 && ledger.tasks().about == TaskScope::these_tasks) {
    answer.about = "these-tasks";
  }
  if (const AuditRule& rule = experiment.audit; rule.on()) {
    AuditAnswer& audit = answer.audit.emplace();
    audit.share = rule.share;
    if (rule.by_price()) audit.least = rule.least;
    if (rule.price != AuditPrice()) audit.price = rule.price;
    audit.give_up_after = rule.give_up_after;
  }
  if (experiment.voting != VotingRule()) answer.voting.emplace().rule = experiment.voting;
  answer.slices = experiment.slices;
  answer.seed = experiment.seed;
  answer.served = ledger.served();
  answer.pending = ledger.num_pending();
  answer.sequence = ledger.sequence();
  answer.head = owned.head();
  answer.etag = etag_of(ledger);
  return answer;
}

namespace {

DuelAnswer answer_to(const std::string& experiment_id, const Served& served) {
  const ServeRecord& serve = served.serve;
  const bool alone = serve.serving == Serving::exploit;
  DuelAnswer answer;
  answer.duel_id = serve.duel_id;
  answer.experiment_id = experiment_id;
  answer.serving = to_word(serve.serving);
  answer.learn = !alone;
  answer.propensity = serve.propensity;
  answer.arms.reserve(2);
  answer.arms.push_back({serve.first, 1, served.first});
  if (!alone) answer.arms.push_back({serve.second, 2, served.second});
  if (served.voting != VotingRule()) answer.voting.emplace().rule = served.voting;
  if (!serve.task.empty()) answer.task = DuelTask{serve.task, served.task};
  answer.served_at = Timestamp{served.at_ms};
  if (serve.expires_at.ms != 0) answer.expires_at = serve.expires_at;
  return answer;
}

}  // namespace

DuelAnswer duel_answer(const std::string& experiment_id, const Offer& offer,
                       const ReportTokens& tokens) {
  if (const auto* served = std::get_if<Served>(&offer)) {
    DuelAnswer answer = answer_to(experiment_id, *served);
    if (answer.learn) answer.report_token = tokens.sign(proof_of(experiment_id, *served));
    return answer;
  }
  const auto& fallback = std::get<Fallback>(offer);
  DuelAnswer answer;
  answer.duel_id = fallback.duel_id;
  answer.experiment_id = experiment_id;
  answer.learn = false;
  answer.reason = fallback.why;
  if (fallback.why == Fallback::Why::done) {
    answer.serving = kDone;
    if (!fallback.verdict.empty()) answer.verdict = fallback.verdict;
    return answer;
  }
  answer.serving = "fallback";
  answer.arms.push_back({fallback.arm, 1, fallback.content});
  answer.report_token = tokens.sign(proof_of(experiment_id, fallback));
  return answer;
}

DuelAnswer blind(DuelAnswer answer) {
  if (answer.serving != "fallback" && answer.serving != kDone)
    answer.serving = to_word(Serving::explore);
  answer.propensity.reset();
  return answer;
}

ProgressAnswer blind(const ProgressAnswer& progress) {
  return {.verdict = std::nullopt,
          .certified = progress.certified,
          .expected_duels_left = coarse_count(progress.expected_duels_left)};
}

std::optional<std::uint64_t> coarse_count(std::optional<std::uint64_t> count) {
  if (!count) return count;
  std::uint64_t unit = 1;
  while (*count / unit >= 10) unit *= 10;
  return (*count + unit / 2) / unit * unit;
}

std::optional<double> coarse_share(std::optional<double> share) {
  constexpr double kSteps = 20;
  if (!share) return share;
  return std::floor(*share * kSteps) / kSteps;
}

DuelShown duel_shown(const Experiment& experiment, const DuelRecords& records) {
  const auto& serve = std::get<ServeRecord>(records.serve->record);
  DuelShown shown;
  // Without its report token: a caller who may read must not be able to report.
  shown.duel = answer_to(experiment.id(), experiment.shown(*records.serve, true));
  shown.state = experiment.ledger().find_open(serve.duel_id) != nullptr ? "served" : "closed";
  if (!records.settled) return shown;
  if (const auto* outcome = std::get_if<OutcomeRecord>(&records.settled->record)) {
    shown.outcome = ToldOutcome{std::string(to_word(outcome->answer.result)),
                                outcome->answer.winner, Timestamp{records.settled->time_ms}};
    shown.state = "reported";
  } else if (const auto& ended = std::get<ExpiredRecord>(records.settled->record);
             records.page && is_page_ending(ended.note)) {
    shown.outcome = ToldOutcome{ended.note, "", Timestamp{records.settled->time_ms}};
    shown.state = "closed";
  } else {
    // Also a duel of two rankings that were never sent: there was no page to click on.
    shown.state = "expired";
  }
  return shown;
}

PageAnswer page_answer(const Page& page, bool sees_teams, std::string_view salt) {
  PageAnswer answer{.query_id = page.duel_id, .items = {}, .next_offset = page.next_offset};
  for (const Page::Item& item : page.items) {
    std::optional<std::string> team = item.arm;
    if (team && !sees_teams) {
      team = "t_" + hmac_sha256_hex(salt, page.duel_id + "/" + *team).substr(0, 4);
    }
    answer.items.push_back({item.object_id, item.ordinal, std::move(team), item.arm.has_value()});
  }
  return answer;
}

}  // namespace duel
