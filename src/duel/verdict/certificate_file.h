// A certificate as a file: self-contained JSON that says what was found, by which rule, from which
// log, up to which record. The same log gives the same bytes on every machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/log/experiment_log.h"
#include "duel/log/record_fields.h"
#include "duel/verdict/audit_draws.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/health.h"
#include "duel/verdict/if_wrong.h"

namespace duel {

// --- Parts of a certificate ----------------------------------------------------------------------

struct CertificateRule {
  std::string text;
  Goal::Kind goal = Goal::condorcet;
  bool arms_fixed = true;
  std::uint64_t min_decisive_per_pair = 0, arms_at_the_start = 0, top = 0;
  double epsilon = 0;
  std::optional<Assumption> assume{};
  std::optional<bool> shared_causes{};

  static constexpr std::string_view schema = "CertificateRule";
  static constexpr FieldList fields{
      required("text", &CertificateRule::text),
      required("goal", &CertificateRule::goal),
      required("arms_fixed", &CertificateRule::arms_fixed),
      required("min_decisive_per_pair", &CertificateRule::min_decisive_per_pair),
      required("arms_at_the_start", &CertificateRule::arms_at_the_start),
      optional("top", &CertificateRule::top, "of the goals `set` and `order`"),
      optional("epsilon", &CertificateRule::epsilon, "of the goal `epsilon`"),
      optional("assume", &CertificateRule::assume, "what the certificate assumes"),
      optional("shared_causes", &CertificateRule::shared_causes)};
};

struct CertifiedTasks {
  std::uint64_t count = 0;
  std::string sha256;
  TaskScope about = TaskScope::tasks_like_these;

  static constexpr std::string_view schema = "CertifiedTasks";
  static constexpr FieldList fields{required("count", &CertifiedTasks::count),
                                    required("sha256", &CertifiedTasks::sha256),
                                    required("about", &CertifiedTasks::about)};
};

struct CertifiedSpace {
  Json dimensions, point, in_use;
  std::uint64_t generation = 1, candidate = 1;
  double level = 0;

  static constexpr std::string_view schema = "CertifiedSpace";
  static constexpr FieldList fields{
      required("dimensions", &CertifiedSpace::dimensions),
      required("point", &CertifiedSpace::point, "that beats the one in use"),
      required("in_use", &CertifiedSpace::in_use),
      required("generation", &CertifiedSpace::generation, "of the points in use"),
      required("candidate", &CertifiedSpace::candidate, "which of its candidates"),
      required("level", &CertifiedSpace::level, "the candidate's share of alpha")};
};

struct CertifiedArm {
  std::string arm_id;
  bool active = true;
  std::string payload, sha256;

  static constexpr std::string_view schema = "CertifiedArm";
  static constexpr FieldList fields{
      required("arm_id", &CertifiedArm::arm_id), required("active", &CertifiedArm::active),
      optional("payload", &CertifiedArm::payload), optional("sha256", &CertifiedArm::sha256)};
};

struct CertifiedScore {
  std::string arm_id;
  double lower = 0, upper = 0;

  static constexpr std::string_view schema = "Score";
  static constexpr FieldList fields{required("arm_id", &CertifiedScore::arm_id),
                                    required("lower", &CertifiedScore::lower),
                                    required("upper", &CertifiedScore::upper)};
};

struct CertifiedPair {
  std::string first, second;
  std::uint64_t first_wins = 0, second_wins = 0;

  static constexpr std::string_view schema = "CertifiedPair";
  static constexpr FieldList fields{required("first", &CertifiedPair::first),
                                    required("second", &CertifiedPair::second),
                                    required("first_wins", &CertifiedPair::first_wins),
                                    required("second_wins", &CertifiedPair::second_wins)};
};

struct WinsAndLosses {
  std::uint64_t wins = 0, losses = 0;

  static constexpr std::string_view schema = "WinsAndLosses";
  static constexpr FieldList fields{required("wins", &WinsAndLosses::wins),
                                    required("losses", &WinsAndLosses::losses)};
};

// What people and the program that they audit have said of a pair, from the winner's side.
struct CertifiedAudits {
  std::uint64_t duels = 0, answers = 0, lost = 0, decisive = 0, comparable = 0, agreed = 0;

  static constexpr std::string_view schema = "CertifiedAudits";
  static constexpr FieldList fields{
      required("duels", &CertifiedAudits::duels, "that are evidence, audited or not"),
      required("answers", &CertifiedAudits::answers, "of people"),
      optional("lost", &CertifiedAudits::lost, "drawn for people and given up"),
      required("decisive", &CertifiedAudits::decisive, "answers of people that name an arm"),
      required("comparable", &CertifiedAudits::comparable, "where the program names one, too"),
      required("agreed", &CertifiedAudits::agreed, "where it is the same")};
};

struct CertifiedFinding {
  std::string winner, loser;
  WinsAndLosses now;
  std::string evidence, threshold;
  double log_evidence = 0, log_threshold = 0;
  std::optional<WinsAndLosses> reached_at{};
  // Answers that are units, and not whole wins or losses.
  std::uint64_t graded = 0;
  double score_sum = 0;
  std::optional<CertifiedAudits> audits{};
  std::vector<double> logs{};

  static constexpr std::string_view schema = "Finding";
  static constexpr auto fields = joined(
      FieldList{required("winner", &CertifiedFinding::winner),
                required("loser", &CertifiedFinding::loser)},
      inlined(&CertifiedFinding::now, WinsAndLosses::fields),
      FieldList{required("evidence", &CertifiedFinding::evidence),
                required("threshold", &CertifiedFinding::threshold),
                required("log_evidence", &CertifiedFinding::log_evidence),
                required("log_threshold", &CertifiedFinding::log_threshold),
                optional("reached_at", &CertifiedFinding::reached_at, "wins and losses then"),
                optional("graded", &CertifiedFinding::graded, "answers that say how much"),
                optional("score_sum", &CertifiedFinding::score_sum, "of the winner, over these"),
                optional("audits", &CertifiedFinding::audits, "where people audit the judge"),
                optional("logs", &CertifiedFinding::logs,
                         "then, of the eight products over graded or audited answers")});
};

struct ConditionedOut {
  ShownCounts counts;
  std::uint64_t late = 0;
  std::optional<std::uint64_t> failed_tries;

  static constexpr std::string_view schema = "ConditionedOut";
  static constexpr auto fields = joined(
      inlined(&ConditionedOut::counts, Described<ShownCounts>::of_no_winner),
      FieldList{required("late", &ConditionedOut::late)},
      inlined(&ConditionedOut::counts, FieldList{required("pending", &ShownCounts::pending)}),
      FieldList{optional("failed_tries", &ConditionedOut::failed_tries)});
};

struct CertifiedHealth {
  HealthVerdict verdict = HealthVerdict::passed;
  std::vector<std::pair<std::string, HealthVerdict>> checks;

  static constexpr std::string_view schema = "CertifiedHealth";
  static constexpr FieldList fields{
      required("verdict", &CertifiedHealth::verdict, "", OneOf("passed", "failed")),
      required("checks", &CertifiedHealth::checks, "a verdict by the name of each check")};
};

struct CertifiedLog {
  std::string experiment_id;
  std::uint64_t sequence = 0;
  std::string head;

  static constexpr std::string_view schema = "CertifiedLog";
  static constexpr FieldList fields{required("experiment_id", &CertifiedLog::experiment_id),
                                    required("sequence", &CertifiedLog::sequence),
                                    required("head", &CertifiedLog::head)};
};

// --- The certificate -----------------------------------------------------------------------------

// Format 2 added what would overturn it. What a log certifies can be written in each: a file is
// checked in the format that it says it has.
inline constexpr std::uint64_t kCertificateFormat = 2;

struct Certificate {
  std::uint64_t format = kCertificateFormat;
  std::string statement;
  CertificateKind kind = CertificateKind::winner;
  std::optional<std::string> winner;
  std::vector<std::string> named, cycle;
  std::optional<double> alpha;
  std::string by;
  std::optional<PanelStanding> panel;
  CertificateRule rule;
  std::vector<std::string> assumes;
  std::optional<CertifiedSpace> space;
  std::optional<CertifiedTasks> tasks;
  std::optional<JudgeEntry> judge;
  std::optional<AuditRule> audit;
  std::vector<CertifiedArm> arms;
  // A goal by scores has every arm's bounds and every pair's counts; others what pairs have shown.
  std::optional<std::vector<CertifiedScore>> scores;
  std::optional<std::vector<CertifiedPair>> pairs;
  std::optional<std::vector<CertifiedFinding>> findings;
  std::uint64_t decisive = 0;
  ConditionedOut conditioned_out;
  std::optional<double> excluded_share;
  std::uint64_t comparisons_from_elsewhere = 0;
  CertifiedHealth health;
  CertifiedHealth health_of_format_1;  // in no file of another format
  CertifiedLog log;
  IfWrong if_wrong;

  static constexpr std::string_view schema = "Certificate";
  static constexpr auto fields = joined(
      FieldList{required("format", &Certificate::format),
                required("statement", &Certificate::statement, "what is certified, in a sentence"),
                required("kind", &Certificate::kind),
                optional("winner", &Certificate::winner),
                optional("named", &Certificate::named),
                optional("cycle", &Certificate::cycle),
                optional("alpha", &Certificate::alpha, "none where counting makes it certain"),
                optional("by", &Certificate::by, "of a panel", OneOf("counting", "evidence")),
                optional("panel", &Certificate::panel, "the people that it is about"),
                required("rule", &Certificate::rule),
                optional("assumes", &Certificate::assumes, "what has to be true of the answers"),
                optional("space", &Certificate::space, "whose point it is about"),
                optional("tasks", &Certificate::tasks),
                optional("judge", &Certificate::judge),
                optional("audit", &Certificate::audit, "how people audit it"),
                required("arms", &Certificate::arms),
                optional("scores", &Certificate::scores),
                optional("pairs", &Certificate::pairs),
                optional("findings", &Certificate::findings),
                required("decisive", &Certificate::decisive, "duels with a decisive answer"),
                required("conditioned_out", &Certificate::conditioned_out,
                         "what the certificate does not speak of"),
                optional("excluded_share", &Certificate::excluded_share,
                         "of duels that `exclude` changed, where there are any"),
                required("comparisons_from_elsewhere", &Certificate::comparisons_from_elsewhere),
                required("health", &Certificate::health),
                required("log", &Certificate::log, "the records that it rests on")},
      inlined(&Certificate::if_wrong, IfWrong::fields));
};

// Of `no_winner`: arms of which each beats the next, the last the first; empty where they tie.
// REQUIRES: ledger.certificate().
std::vector<Arm> certified_cycle(const Ledger& ledger);

// "Arm 'b' beats every other arm ..": the statement in a sentence. REQUIRES: ledger.certificate().
std::string certificate_statement(const Ledger& ledger);

// REQUIRES: `ledger` is the state right after the record that gave the certificate
// (ledger.certificate()->sequence == ledger.sequence()). What follows from the single answers,
// which a ledger does not keep, is missing (if_wrong.h).
Certificate certificate_of(const Ledger& ledger);

// The text of the file, ending with a newline.
std::string certificate_text(const Certificate& certificate,
                             std::uint64_t format = kCertificateFormat);
// The text of a certificate that lacked it with what follows from the single answers.
std::string completed_text(std::string_view certificate, const IfWrong& if_wrong);
// The format that a file says it has; the newest where it says nothing, or another.
std::uint64_t format_of(std::string_view certificate);

// A log that was read whole and found sound.
struct CheckedLog {
  LogExtent extent;
  Ledger ledger;
  std::optional<Certificate> certificate;  // none if the log certifies nothing
  // At the record that gave the certificate, or at the end of the log.
  std::vector<HealthCheck> health;
  IfWrong if_wrong;                   // at the end of the log
  std::optional<CheckedDraws> draws;  // where people audit a program
};

// An error names file:line and what was found there.
Result<CheckedLog> check_log(const std::filesystem::path& file);

// Reads the log `file` up to the record that gives the certificate. An error if there is none.
Result<std::string> certificate_of_log(const std::string& file);

// The first difference between the texts of two certificates, in words: the field and its two
// values. Nothing if they are the same to the last byte.
std::optional<std::string> certificate_difference(std::string_view given,
                                                  std::string_view expected);

}  // namespace duel
