#include "duel/verdict/certificate_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "duel/core/check.h"
#include "duel/core/described_json.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/inference/evidence.h"
#include "duel/verdict/health.h"

namespace duel {
namespace {

std::string rule_text(CertificateKind kind) {
  const std::string counts =
      "; each counts, within its pair and in serving order, the duels with a decisive answer";
  switch (kind) {
    case CertificateKind::winner:
      return "the e-process of the winner against each rival has reached its threshold" + counts;
    case CertificateKind::no_winner:
      return "every arm is beaten by another one: the e-process of each such pair has reached its "
             "threshold";
    case CertificateKind::set:
      return "the e-process of each arm of the set against each arm outside has reached the "
             "threshold" +
             counts;
    case CertificateKind::order:
    case CertificateKind::ranking:
      return "the e-process of each named arm against each arm that comes later or is not named "
             "has reached the threshold" +
             counts;
    case CertificateKind::epsilon:
      return "the e-process of the arm against each rival, for the null that it wins at most 1/2 - "
             "epsilon of their duels, has reached its threshold" +
             counts;
    case CertificateKind::point:
      return "the e-process of the candidate against the point in use, begun when the candidate "
             "was frozen, has reached the threshold of its share of alpha, alpha / (m (m + "
             "1)) for the "
             "m-th candidate" +
             counts;
    case CertificateKind::copeland:
    case CertificateKind::borda:
      break;
  }
  return "confidence sequences of all pairs hold at once; the winner's lower score reaches every "
         "other arm's upper score";
}

std::string rule_of_panel(const Ledger& ledger) {
  if (is_by_counting(ledger)) {
    return "counting: each member of the panel has one answer to each pair, for one arm or for "
           "neither, and the answers that have not come cannot change what is stated";
  }
  return "the winner beats each rival by counting, or its e-process against the rival has reached "
         "the threshold; that takes the members in an order that was drawn before the first "
         "answer, and absent ones as if they had answered against it";
}

std::vector<CertifiedFinding> findings_of(const Ledger& ledger) {
  const Certifier& certifier = ledger.certifier();
  const auto& found = ledger.tuned() != nullptr ? ledger.tuned()->findings()
                      : ledger.orders()         ? ledger.orders()->certificate()->findings
                      : ledger.certificate()->kind == CertificateKind::no_winner
                          ? certifier.no_winner()->findings
                          : certifier.winner()->findings;
  std::vector<CertifiedFinding> findings;
  for (const PairFinding& pair : found) {
    CertifiedFinding& finding =
        findings.emplace_back(CertifiedFinding{ledger.id_of(pair.winner),
                                               ledger.id_of(pair.loser),
                                               {pair.wins, pair.losses},
                                               format_evidence(pair.log_evidence),
                                               format_evidence(pair.log_threshold),
                                               pair.log_evidence,
                                               pair.log_threshold});
    if (ledger.orders() || pair.units) finding.reached_at = {pair.wins_then, pair.losses_then};
    if (!pair.units) continue;
    finding.logs.assign(pair.units->logs_then.begin(), pair.units->logs_then.end());
    if (const AuditedUnits* const audits = ledger.referee().audited(pair.winner, pair.loser)) {
      finding.audits = {audits->duels(),    audits->audited(),    audits->lost(),
                        audits->decisive(), audits->comparable(), audits->agreed()};
    } else {
      finding.graded = pair.units->count;
      finding.score_sum = pair.units->score_sum;
    }
  }
  return findings;
}

std::vector<CertifiedPair> pairs_of(const Ledger& ledger) {
  std::vector<CertifiedPair> pairs;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    for (Arm j = i + 1; j < ledger.num_arms(); ++j) {
      pairs.push_back({ledger.id_of(i), ledger.id_of(j), ledger.certifier().wins(i, j),
                       ledger.certifier().wins(j, i)});
    }
  }
  return pairs;
}

std::vector<CertifiedScore> scores_of(const Ledger& ledger) {
  std::vector<CertifiedScore> scores;
  for (Arm i = 0; i < ledger.num_arms(); ++i) {
    const Interval& score = ledger.scores()->scores()[i];
    scores.push_back({ledger.id_of(i), score.lower, score.upper});
  }
  return scores;
}

// What must be true of the answers for the statement to hold, besides the health checks.
std::vector<std::string> assumptions_of(const Ledger& ledger) {
  const ExperimentRecord& experiment = ledger.experiment();
  std::vector<std::string> texts;
  if (ledger.parts().panel) {
    texts.emplace_back("each member of the panel has answered once, for themselves");
    if (!is_by_counting(ledger)) {
      texts.emplace_back("the order of the members was drawn without regard to their answers");
    }
    return texts;
  }
  if (experiment.tasks.count == 0 && !ledger.statement().names_tasks()) {
    texts.emplace_back(
        "each answer of a pair is as likely as the one before, whatever was answered");
  } else if (experiment.tasks.about == TaskScope::these_tasks) {
    texts.emplace_back(
        "a task is drawn anew for each duel; the certificate covers only these tasks");
  } else {
    texts.emplace_back(
        "the tasks are a fair sample of those that the certificate covers; each counts once for a "
        "pair");
  }
  if (ledger.tuned() != nullptr) {
    texts.emplace_back(
        "no answer that helped to find the point is evidence for it: of a person who was asked "
        "before, and about a task that was met before, no answer counts");
    texts.emplace_back("whether an answer was lost does not depend on what it would have been");
    return texts;
  }
  const Goal& goal = experiment.goal;
  // The threshold K/alpha of the goal epsilon, with a fixed set of arms, needs no assumption about
  // what pairs have in common.
  const bool sharper = goal.kind == Goal::condorcet || goal.is_order() ||
                       (goal.kind == Goal::epsilon && !experiment.stopping.arms_fixed);
  if (sharper && !experiment.stopping.shared_causes) {
    texts.emplace_back("answers of different pairs are independent of each other");
  }
  if (goal.assume == Assumption::order) {
    texts.emplace_back("the arms have an order, in which every earlier arm beats every later one");
  }
  if (experiment.one_look_after > 0) {
    texts.emplace_back("how many answers there are was not chosen by looking at them");
  }
  if (experiment.audit.on()) {
    texts.emplace_back("the program could not know which duels people would answer");
    if (experiment.audit.from_seed) {
      texts.emplace_back("nobody made the key that draws them from the seed, which is no secret");
    }
  }
  texts.emplace_back("whether an answer was lost does not depend on what it would have been");
  return texts;
}

CertificateRule rule_of(const Ledger& ledger) {
  const ExperimentRecord& experiment = ledger.experiment();
  const Goal& goal = experiment.goal;
  CertificateRule rule{
      .text = ledger.parts().panel ? rule_of_panel(ledger) : rule_text(ledger.certificate()->kind),
      .goal = goal.kind,
      .arms_fixed = experiment.stopping.arms_fixed,
      .min_decisive_per_pair = experiment.stopping.min_decisive_per_pair,
      .arms_at_the_start = experiment.arms.size(),
      .top = goal.top,
      .epsilon = goal.margin};
  if (goal.is_order() || goal.assume != Assumption::none) rule.assume = goal.assume;
  if (experiment.format > 1) rule.shared_causes = experiment.stopping.shared_causes;
  return rule;
}

CertifiedSpace certified_space(const TunedSpace& tuned) {
  const PointProof& proof = tuned.proof();
  return {.dimensions = tuned.space()->to_json(),
          .point = tuned.space()->payload(tuned.certified().values),
          .in_use = tuned.space()->payload(tuned.beaten().values),
          .generation = proof.generation(),
          .candidate = proof.candidate(),
          .level = proof.level(proof.candidate())};
}

CertifiedHealth health_of(const Ledger& ledger, Clickless clickless) {
  const std::vector<HealthCheck> checks = check_health(ledger, clickless);
  CertifiedHealth health{overall(checks), {}};
  for (const HealthCheck& check : checks) health.checks.emplace_back(check.name, check.verdict);
  return health;
}

// Whether an answer that says how much is in the evidence that the certificate names.
bool is_graded(const Ledger& ledger) {
  return !ledger.parts().audited &&
         std::ranges::any_of(needed_findings(ledger),
                             [](const PairFinding& pair) { return pair.units.has_value(); });
}

// What "beats" means.
std::string winning(const Ledger& ledger, const char* it_wins) {
  const bool it = std::string_view(it_wins) == "it wins";
  if (ledger.parts().audited) {
    return fmt::format("{} more than half of the duels in which people prefer one arm", it_wins);
  }
  if (is_graded(ledger))
    return it ? "it is graded above it on average" : "graded above it on average";
  return fmt::format("{} more than half of the duels with a decisive answer", it_wins);
}

// The first path at which two documents differ.
std::optional<std::string> first_difference(const Json& given, const Json& expected,
                                            const std::string& path) {
  const auto differ = [&](const std::string& a, const std::string& b) {
    return fmt::format("{}: the certificate says {}, the log says {}",
                       path.empty() ? "the document" : path, a, b);
  };
  if (!given.same_kind(expected) || (!given.is_object() && !given.is_array())) {
    if (given == expected && given.same_kind(expected)) return std::nullopt;
    return differ(given.dump(), expected.dump());
  }
  if (given.is_array()) {
    for (std::size_t k = 0; k < std::min(given.size(), expected.size()); ++k) {
      if (auto found = first_difference(given.items()[k], expected.items()[k],
                                        fmt::format("{}/{}", path, k))) {
        return found;
      }
    }
    if (given.size() == expected.size()) return std::nullopt;
    return differ(fmt::format("{} items", given.size()), fmt::format("{} items", expected.size()));
  }
  for (const auto& [key, value] : expected.members()) {
    const std::string inner = path.empty() ? key : path + "/" + key;
    const Json* there = given.find(key);
    if (there == nullptr) return fmt::format("{}: missing in the certificate", inner);
    if (auto found = first_difference(*there, value, inner)) return found;
  }
  for (const auto& [key, value] : given.members()) {
    if (!expected.contains(key)) {
      return fmt::format("{}: not in a certificate of this log",
                         path.empty() ? key : path + "/" + key);
    }
  }
  return std::nullopt;
}

// Which duels the statement is about.
std::string scope_of(const TaskSet& tasks) {
  if (tasks.count == 0) return "";
  return tasks.about == TaskScope::these_tasks
             ? fmt::format(", over exactly these {} tasks", tasks.count)
             : fmt::format(", on tasks like the {} given", tasks.count);
}

std::string odds_of(const Ledger& ledger) {
  const ExperimentRecord& experiment = ledger.experiment();
  const std::string alpha = format_number(experiment.stopping.alpha);
  const std::string taken = experiment.goal.assume == Assumption::order
                                ? " This assumes that the arms have an order, in which every "
                                  "earlier arm beats every later one."
                                : "";
  if (experiment.one_look_after > 0) {
    return fmt::format(
        "The order of the answers is unknown, so that this rests on one look at all {} of them: if "
        "nobody chose how many to collect by looking at them, such a statement is false with "
        "probability at most {}.{}",
        experiment.one_look_after, alpha, taken);
  }
  return fmt::format("Whenever you look, such a statement is false with probability at most {}.{}",
                     alpha, taken);
}

// "'a', 'b' and 'c'".
std::string quoted_list(const Ledger& ledger, const std::vector<Arm>& arms, const char* last) {
  std::string text;
  for (std::size_t k = 0; k < arms.size(); ++k) {
    if (k > 0) text += k + 1 == arms.size() ? last : ", ";
    text += fmt::format("'{}'", ledger.name_of(arms[k]));
  }
  return text;
}

std::string others_text(std::size_t others) {
  return others == 1 ? std::string("the other arm")
                     : fmt::format("each of the {} other arms", others);
}

// Of a set, an order or a ranking.
std::string order_statement(const Ledger& ledger) {
  const GivenCertificate& given = *ledger.certificate();
  const std::string wins = winning(ledger, "winning");
  const std::size_t others = ledger.num_arms() - given.arms.size();
  if (given.kind == CertificateKind::set) {
    return given.arms.size() == 1
               ? fmt::format("The top 1 is '{}': it beats {}, {}",
                             ledger.name_of(given.arms.front()), others_text(others), wins)
               : fmt::format("The top {} are {}: each of them beats {}, {}", given.arms.size(),
                             quoted_list(ledger, given.arms, " and "), others_text(others), wins);
  }
  const std::string sequence = quoted_list(ledger, given.arms, ", ");
  if (given.kind == CertificateKind::ranking) {
    return fmt::format(
        "The arms in order, the best first, are {}: each beats every arm after it, {}", sequence,
        wins);
  }
  if (given.arms.size() == 1) {
    return fmt::format("The top 1 is {}: it beats {}, {}", sequence, others_text(others), wins);
  }
  return fmt::format(
      "The top {} in order, the best first, are {}: each beats every arm after it and {}, {}",
      given.arms.size(), sequence, others_text(others), wins);
}

}  // namespace

std::vector<Arm> certified_cycle(const Ledger& ledger) {
  if (!ledger.parts().panel) return ledger.certifier().no_winner()->cycle;
  std::vector<Arm> cycle = panel_cycle(ledger);
  for (std::size_t k = 0; k < cycle.size(); ++k) {
    if (!ledger.panel()->count().beats(cycle[k], cycle[(k + 1) % cycle.size()])) return {};
  }
  return cycle;
}

std::string certificate_statement(const Ledger& ledger) {
  DUEL_CHECK(ledger.certificate().has_value());
  if (ledger.parts().panel) return panel_statement(ledger);
  if (ledger.tuned() != nullptr) return point_statement(ledger);
  const GivenCertificate& given = *ledger.certificate();
  const std::string scope = scope_of(ledger.tasks()), odds = odds_of(ledger);
  const std::string judged =
      ledger.parts().audited ? " A program has answered every duel, and people a drawn share." : "";
  const auto stated = [&](const std::string& what) {
    return fmt::format("{}{}.{} {}", what, scope, judged, odds);
  };
  const std::string winner = given.winner ? ledger.name_of(*given.winner) : "";
  const auto rivals = [&] { return others_text(ledger.certifier().winner()->findings.size()); };
  switch (given.kind) {
    case CertificateKind::winner:
      return stated(
          fmt::format("Arm '{}' beats {}: {}", winner, rivals(), winning(ledger, "it wins")));
    case CertificateKind::no_winner: {
      const std::vector<Arm>& arms = ledger.certifier().no_winner()->cycle;
      std::string cycle;
      for (const Arm arm : arms) cycle += fmt::format("'{}' beats ", ledger.name_of(arm));
      return fmt::format("No arm beats every other{}: {}'{}'.{} {}", scope, cycle,
                         ledger.name_of(arms.front()), judged, odds);
    }
    case CertificateKind::set:
    case CertificateKind::order:
    case CertificateKind::ranking:
      return stated(order_statement(ledger));
    case CertificateKind::epsilon: {
      const double margin = ledger.experiment().goal.margin;
      return stated(fmt::format(
          "Arm '{}' loses to no other arm by more than {}: it wins more than {} % of the duels "
          "with a decisive answer against {}",
          winner, format_number(margin), format_number(std::round((0.5 - margin) * 1e8) / 1e6),
          rivals()));
    }
    case CertificateKind::point:
    case CertificateKind::copeland:
      return stated(
          fmt::format("No arm beats more other arms than '{}' does (Copeland winner)", winner));
    case CertificateKind::borda:
      break;
  }
  return stated(fmt::format(
      "No arm wins more against an arm drawn at random than '{}' does (Borda winner)", winner));
}

Certificate certificate_of(const Ledger& ledger) {
  DUEL_CHECK(ledger.certificate() && ledger.certificate()->sequence == ledger.sequence());
  const GivenCertificate& given = *ledger.certificate();
  const ExperimentRecord& experiment = ledger.experiment();
  Certificate certificate;
  certificate.statement = certificate_statement(ledger);
  certificate.kind = given.kind;
  if (given.winner) certificate.winner = ledger.id_of(*given.winner);
  certificate.named = ids_of(ledger, given.arms);
  if (given.kind == CertificateKind::no_winner) {
    certificate.cycle = ids_of(ledger, certified_cycle(ledger));
  }
  if (ledger.parts().panel) {
    certificate.by = is_by_counting(ledger) ? "counting" : "evidence";
    certificate.panel = panel_standing(ledger, given.winner);
    certificate.if_wrong = if_wrong_of_panel(ledger);
  }
  if (certificate.by != "counting") certificate.alpha = experiment.stopping.alpha;
  certificate.rule = rule_of(ledger);
  certificate.conditioned_out = {ledger.total(), ledger.late(), std::nullopt};
  // Decided by the log's format, so that an old log still gives the same bytes.
  if (experiment.format > 1) {
    certificate.assumes = assumptions_of(ledger);
    const TaskSet& tasks = ledger.tasks();
    if (tasks.count > 0) certificate.tasks = {tasks.count, tasks.sha256, tasks.about};
    if (!experiment.judge.command.empty()) certificate.judge = experiment.judge;
    if (experiment.audit.on()) certificate.audit = experiment.audit;
    certificate.conditioned_out.failed_tries = ledger.total().failed_tries;
  }
  if (const TunedSpace* const tuned = ledger.tuned()) {
    certificate.space = certified_space(*tuned);
  } else {
    for (const LedgerArm& arm : ledger.arms()) {
      certificate.arms.push_back({arm.entry.id, arm.active, arm.entry.payload, arm.entry.sha256});
    }
  }
  if (certificate.panel) {
    certificate.decisive = ledger.total().decisive();
  } else if (ledger.scores()) {
    certificate.scores = scores_of(ledger);
    certificate.pairs = pairs_of(ledger);
  } else {
    certificate.findings = findings_of(ledger);
  }
  if (certificate.space) {
    certificate.decisive = ledger.tuned()->proof().wins() + ledger.tuned()->proof().losses();
  } else if (!certificate.panel) {
    certificate.decisive = ledger.certifier().decisive();
  }
  if (ledger.excluded() > 0) certificate.excluded_share = ledger.excluded_share();
  if (experiment.comparisons_count) certificate.comparisons_from_elsewhere = ledger.comparisons();
  certificate.health = health_of(ledger, Clickless::set_aside);
  certificate.health_of_format_1 = health_of(ledger, Clickless::missing);
  certificate.log = {experiment.experiment_id, given.sequence, given.head};
  return certificate;
}

std::string certificate_text(const Certificate& certificate, std::uint64_t format) {
  if (format == certificate.format) return described_json(certificate).dump_pretty();
  Certificate older = certificate;
  older.format = format;
  older.health = certificate.health_of_format_1;
  older.if_wrong = {};
  return described_json(older).dump_pretty();
}

std::string completed_text(std::string_view certificate, const IfWrong& if_wrong) {
  Json json = Json::parse(certificate, {.numbers_as_written = true}).value();
  json.update(described_json(if_wrong));
  return json.dump_pretty();
}

std::uint64_t format_of(std::string_view certificate) {
  const auto json = Json::parse(certificate);
  const Json* const format = json ? json->find("format") : nullptr;
  return format != nullptr && *format == Json(1) ? 1 : kCertificateFormat;
}

namespace {

// What cannot follow in a log is a fault of the file, whatever the ledger would call it where a
// caller asks for it: an unknown duel is "not found" there.
Error at_fault(Error error) {
  error.code = ErrorCode::invalid_data;
  return error;
}

}  // namespace

Result<CheckedLog> check_log(const std::filesystem::path& file) {
  std::optional<Ledger> ledger;
  std::optional<Certificate> certificate;
  std::vector<HealthCheck> health;
  std::optional<AuditDraws> draws;
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      auto made = Ledger::make(*experiment);
      if (!made.ok()) return at_fault(made.error());
      ledger = std::move(*made);
      if (experiment->audit.on()) draws.emplace(*experiment);
      return Done{};
    }
    if (draws) DUEL_RETURN_IF_ERROR(draws->note(entry));
    const auto effect = ledger->apply(entry);
    if (!effect.ok()) return at_fault(effect.error());
    if (ledger->certificate() && ledger->certificate()->sequence == entry.sequence) {
      certificate = certificate_of(*ledger);
      health = check_health(*ledger);
    }
    return Done{};
  };
  DUEL_ASSIGN(LogExtent extent, read_log(file, sink));
  if (!ledger) {
    return Error::invalid_data("the log holds no experiment", file.string(),
                               "its first line is missing or incomplete");
  }
  if (!certificate) health = check_health(*ledger);
  std::optional<CheckedDraws> drawn;
  if (draws) {
    auto checked = draws->finish();
    if (!checked.ok()) return Error::invalid_data(checked.error().message, file.string());
    drawn = *checked;
  }
  IfWrong now;
  if (certificate) {
    EvidenceTrail trail(*ledger);
    if (!needed_findings(*ledger).empty()) {
      DUEL_RETURN_IF_ERROR(read_log(file, [&](const LogEntry& entry) -> Status {
        if (entry.sequence <= ledger->sequence()) trail.note(entry);
        return Done{};
      }));
      certificate->if_wrong = if_wrong(*ledger, trail, ledger->certificate()->sequence);
    }
    now = if_wrong(*ledger, trail, ledger->sequence());
  }
  return CheckedLog{std::move(extent), std::move(*ledger), std::move(certificate),
                    std::move(health), std::move(now),     drawn};
}

Result<std::string> certificate_of_log(const std::string& file) {
  DUEL_ASSIGN(CheckedLog log, check_log(file));
  if (log.certificate) return certificate_text(*log.certificate);
  return Error::unsupported("the log certifies nothing yet", file);
}

namespace {

// The text with the shortest form of each number that reads back as the same: earlier versions
// wrote one digit too many in one number of a thousand, and their certificates must still fit.
std::string with_fewest_digits(std::string_view text) {
  constexpr std::string_view kOfNumbers = "+-.0123456789Ee";
  std::string shorter;
  bool in_string = false;
  while (!text.empty()) {
    const std::size_t digits =
        in_string ? 0 : std::min(text.find_first_not_of(kOfNumbers), text.size());
    if (digits == 0) {
      if (text.front() == '"') in_string = !in_string;
      const std::size_t taken = in_string && text.front() == '\\' && text.size() > 1 ? 2 : 1;
      shorter += text.substr(0, taken);
      text.remove_prefix(taken);
      continue;
    }
    const std::string_view given = text.substr(0, digits);
    const auto number = Json::parse(given);
    const std::string fewest = number ? number->dump() : std::string(given);
    shorter += fewest.size() < given.size() ? std::string_view(fewest) : given;
    text.remove_prefix(digits);
  }
  return shorter;
}

}  // namespace

std::optional<std::string> certificate_difference(std::string_view given,
                                                  std::string_view expected) {
  if (given == expected) return std::nullopt;
  const auto one = Json::parse(given);
  const auto other = Json::parse(expected);
  if (!one) return "the certificate is not a JSON document";
  DUEL_CHECK(other.has_value());
  if (auto found = first_difference(*one, *other, "")) return found;
  if (with_fewest_digits(given) == expected) return std::nullopt;
  const auto at = std::mismatch(given.begin(), given.end(), expected.begin(), expected.end());
  return fmt::format("byte {}: the same fields, written differently", at.first - given.begin() + 1);
}

}  // namespace duel
