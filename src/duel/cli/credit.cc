#include <filesystem>
#include <optional>

#include "duel/cli/commands.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/inference/delta_ab.h"
#include "duel/log/record.h"
#include "duel/ranking/click_credit/click_events.h"
#include "duel/ranking/click_credit/credited_log.h"
#include "duel/ranking/click_credit/credited_votes.h"
#include "duel/ranking/click_credit/impression_lines.h"
#include "duel/ranking/click_credit/ubi_log.h"
#include "duel/study/click_verdict.h"

namespace duel::cli {
namespace {

// The standard error that clusters give is this much larger than that of independent impressions:
// worth a warning.
constexpr double kLargeDesignEffect = 1.5;

struct CreditArguments {
  CreditSpec spec;
  std::string impressions;
  std::string clicks;
  std::vector<std::string> ubi;
  std::string team_field;
  std::string ordinals;
  std::string output;
  std::string weights;
  std::string position_weights;
  std::string cluster;
  double alpha = 0.05;
  std::uint64_t resamples = 1000;
  bool all = false;
  bool json = false;
};

// --- what is said -------------------------------------------------------------------------------

std::string cluster_words(ClusterBy by) {
  return by == ClusterBy::user ? "users" : by == ClusterBy::query ? "queries" : "impressions";
}

std::string error_text(const std::optional<double>& error) {
  return error ? fmt::format(" ± {:.4f}", *error) : "";
}

std::string ordinals_text(const Ordinals& ordinals) {
  return fmt::format("positions count from {}{}", ordinals.base(),
                     ordinals.is_stated()   ? ", as stated"
                     : ordinals.base() == 0 ? ", as one position 0 shows"
                                            : "");
}

std::string report_text(const CreditedLog& log, const ClickVerdict& verdict) {
  const std::string clusters = cluster_words(log.cluster);
  std::uint64_t decided = 0, ties = 0, no_feedback = 0, no_contest = 0;
  for (const PairAtOneLook& pair : verdict.pairs) {
    decided += pair.delta.wins + pair.delta.losses;
    ties += pair.delta.ties;
    no_feedback += pair.no_feedback;
    no_contest += pair.no_contest;
  }
  std::string text = fmt::format(
      "{}: {} won by one side, {}, {} without a click, {} no contest\n"
      "{:.0f} % of the items are competitive; {}; {}\n\n",
      counted(log.impressions.size(), "impression"), decided, counted(ties, "tie"), no_feedback,
      no_contest,
      log.items == 0
          ? 0.0
          : 100 * static_cast<double>(log.competitive_items) / static_cast<double>(log.items),
      counted(log.num_clusters, to_word(log.cluster), clusters), ordinals_text(log.ordinals));
  Table table("first,second", Align::left);
  table.column("won").column("lost").column("tied");
  table.column("Delta_AB").column("95 %").column("sign test");
  const bool clustered = log.cluster != ClusterBy::impression;
  if (clustered) table.column(fmt::format("by {}", clusters)).column("design effect");
  for (const PairAtOneLook& pair : verdict.pairs) {
    const DeltaAb& delta = pair.delta;
    std::vector<Cell> row{
        log.rankers[pair.first],
        log.rankers[pair.second],
        delta.wins,
        delta.losses,
        delta.ties,
        fmt::format("{:+.4f}{}", delta.value, error_text(delta.clustered_error)),
        delta.bootstrap
            ? fmt::format("{:+.4f} .. {:+.4f}", delta.bootstrap->lower, delta.bootstrap->upper)
            : "",
        fmt::format("{:.3g}", delta.sign_test)};
    if (clustered) {
      row.emplace_back(fmt::format("{:.3g}", delta.cluster_sign_test));
      const auto effect = delta.design_effect();
      row.emplace_back(effect ? fmt::format("{:.2f}", *effect) : "");
    }
    table.row(std::move(row));
  }
  text += table.to_string();
  text += fmt::format(
      "\nOne look: errors and 95 % are over {}, and hold where the number of impressions was fixed "
      "beforehand.\n",
      clusters);
  if (verdict.sentence) {
    text += fmt::format(
        "At any time ({} of {} answers are evidence{}): {}\n", verdict.evidence, verdict.answers,
        clustered ? fmt::format(", the first impression of each of the {}", clusters)
                  : std::string(),
        *verdict.sentence);
    if (!verdict.if_wrong.empty()) text += verdict.if_wrong + "\n";
  }
  return text;
}

// Why there is no answer at all, which the counts of the report leave to be guessed.
std::string why_no_answer(const CreditedLog& log) {
  return fmt::format(
      "no click was found {}: no impression has an answer, so nothing is decided",
      log.events == 0 ? "in the log of clicks" : "on an item that tells the rankings apart");
}

void give_warnings(const CreditedLog& log, const ClickVerdict& verdict, CommandContext& context) {
  const RejectedEvents& rejected = log.rejected;
  const auto warn_of = [&](std::string_view noun, const std::vector<Unusable>& reasons) {
    for (const Unusable& reason : reasons) {
      context.warn("left out: {} {}{}", counted(reason.count, noun), reason.why,
                   reason.example.empty() ? "" : ", such as " + reason.example);
    }
  };
  warn_of("page", log.unusable_pages);
  warn_of("event", reasons_of(rejected));
  if (rejected.other_actions > 0) {
    context.note("{} ignored", counted(rejected.other_actions, "event of another action was",
                                       "events of other actions were"));
  }
  if (log.items > 0 &&
      static_cast<double>(log.competitive_items) < kLowCoverage * static_cast<double>(log.items)) {
    context.warn("fewer than 30 % of the items are competitive: the rankings hardly differ");
  }
  if (log.cluster == ClusterBy::impression) {
    context.warn("impressions are treated as independent; several by one user are not");
  } else if (log.without_cluster > 0) {
    context.warn("{} no {}; each is treated as independent",
                 counted(log.without_cluster, "impression names", "impressions name"),
                 to_word(log.cluster));
  }
  for (const PairAtOneLook& pair : verdict.pairs) {
    const auto effect = pair.delta.design_effect();
    if (!effect || *effect < kLargeDesignEffect) continue;
    context.warn(
        "{} and {}: impressions of the same {} are correlated, and the variance is {:.1f} times "
        "that of independent ones; do not use the sign test over impressions",
        log.rankers[pair.first], log.rankers[pair.second], to_word(log.cluster), *effect);
  }
  if (!log.in_order) {
    context.warn(
        "the order of serving is unknown, as not every impression has a time: the certificate "
        "rests "
        "on one look at all of them");
  }
}

Ordinals ordinals_of(const CreditArguments& arguments) {
  Ordinals ordinals;
  if (!arguments.ordinals.empty()) ordinals.state(arguments.ordinals == "0" ? 0 : 1);
  return ordinals;
}

Result<CreditedLog> credit_two_logs(const CreditArguments& arguments, const CreditSpec& spec,
                                    CommandContext& context) {
  if (arguments.impressions.empty() || arguments.clicks.empty()) {
    return Error::invalid_argument("the impressions and the clicks are needed",
                                   arguments.impressions.empty() ? "--impressions" : "--clicks",
                                   "or --ubi with a dump that holds both");
  }
  if (!arguments.team_field.empty()) {
    return Error::invalid_argument("is for --ubi", "--team-field");
  }
  if (arguments.impressions == "-" && arguments.clicks == "-") {
    return Error::invalid_argument("standard input can be only one of the logs", "--clicks");
  }
  DUEL_ASSIGN(ClickEvents events,
              ClickEvents::read(arguments.clicks, spec.rule, ordinals_of(arguments)));
  DUEL_ASSIGN(ImpressionLines lines, ImpressionLines::open(arguments.impressions));
  auto log = credit_log(lines, events, spec);
  if (lines.num_numbered() > 0) {
    context.note("{} no query_id; the clicks on {} are those of the query_id {}",
                 counted(lines.num_numbered(), "response has", "responses have"),
                 lines.num_numbered() == 1 ? "it" : "them",
                 lines.num_numbered() == 1 ? "1" : "1, 2, .. in the order of the file");
  }
  return log;
}

Result<CreditedLog> credit_ubi(const CreditArguments& arguments, const CreditSpec& spec,
                               CommandContext& context) {
  if (!arguments.impressions.empty() || !arguments.clicks.empty()) {
    return Error::invalid_argument("a dump holds the impressions and the clicks", "--ubi",
                                   "--ubi alone, or --impressions with --clicks");
  }
  const std::string_view team_field =
      arguments.team_field.empty() ? kUbiTeamField : std::string_view(arguments.team_field);
  DUEL_ASSIGN(UbiLog dump,
              UbiLog::read(arguments.ubi, spec.rule, ordinals_of(arguments), team_field));
  auto log = credit_log(dump, dump.clicks(), spec);
  if (dump.num_without_page() > 0) {
    context.note("{} no impression and no hits, and nothing is known of what {} showed",
                 counted(dump.num_without_page(), "query has", "queries have"),
                 dump.num_without_page() == 1 ? "it" : "they");
  }
  return log;
}

Result<int> run_credit(const CreditArguments& arguments, CommandContext& context) {
  CreditSpec spec = arguments.spec;
  if (!arguments.weights.empty()) {
    DUEL_ASSIGN(spec.rule.actions, in_field("weights", parse_action_weights(arguments.weights)));
  }
  if (!arguments.position_weights.empty()) {
    DUEL_ASSIGN(spec.rule.positions,
                in_field("position_weights", parse_position_weights(arguments.position_weights)));
  }
  if (!arguments.cluster.empty()) {
    DUEL_ASSIGN(spec.cluster, in_field("cluster", parse_cluster_by(arguments.cluster)));
  }
  DUEL_RETURN_IF_ERROR(check_rule(spec.rule));
  if (!arguments.output.empty()) DUEL_RETURN_IF_ERROR(check_output(arguments.output));
  DUEL_ASSIGN(const CreditedLog log, arguments.ubi.empty()
                                         ? credit_two_logs(arguments, spec, context)
                                         : credit_ubi(arguments, spec, context));
  if (!arguments.output.empty()) {
    DUEL_RETURN_IF_ERROR(write_votes(log, arguments.output, arguments.all));
  }

  const std::string& source = arguments.ubi.empty() ? arguments.impressions : arguments.ubi.front();
  const std::string id = id_from(std::filesystem::path(source).stem().string());
  const ClickVerdictSpec asked{
      .experiment_id = id,
      .alpha = arguments.alpha,
      .delta = {.resamples = static_cast<std::uint32_t>(arguments.resamples), .seed = spec.seed}};
  DUEL_ASSIGN(const ClickVerdict verdict, click_verdict(log, asked));
  context.print(arguments.json ? to_json(log, verdict).dump_pretty() : report_text(log, verdict));
  give_warnings(log, verdict, context);
  if (verdict.answers > 0) return kExitDone;
  context.warn(why_no_answer(log));
  return kExitUndecided;
}

}  // namespace

void add_credit_command(Command& program) {
  Command& command = program.add_command(
      "credit",
      "Turns a log of interleaved impressions and a log of clicks into votes and a verdict.\nEvery "
      "impression becomes a win, a tie, no feedback (nobody clicked) or no contest (nothing on the "
      "page distinguished the rankings). Prints Delta_AB with its error over users or queries, "
      "sign tests, and the certificate that holds whenever you look. Exits with 3 where no "
      "impression has an answer, as in a log without clicks.");
  CreditArguments& arguments = command.runs(run_credit);
  CreditSpec& spec = arguments.spec;
  command.add("--impressions FILE", not_empty(&arguments.impressions),
              "Impressions, one JSON object per line: query_id, and either both lists or the page "
              "that duel interleave --batch wrote; user_id, user_query and timestamp if known. Or "
              "responses of Solr whose documents have the field [interleaving]. - is standard "
              "input.");
  command.add("--clicks FILE", not_empty(&arguments.clicks),
              "UBI events as JSON lines, or a table with query_id and object_id, ordinal, ranks or "
              "clicked.");
  command.add("--ubi FILE", not_empty(&arguments.ubi),
              "A dump of the UBI indices in place of both: events, impressions and queries as JSON "
              "lines, with or without the action lines of _bulk. May be repeated.");
  command.add("--team-field PATH", not_empty(&arguments.team_field),
              "Where the impressions and clicks of --ubi name the ranking that an item comes from "
              "(default event_attributes.object.search_config).");
  command.add("--ordinals N", one_of(&arguments.ordinals, {"0", "1"}),
              "From where events count positions, 0 or 1. By default from 0 if one position is 0, "
              "otherwise from 1.");
  command.add("--partial", &spec.partial,
              "Give a verdict though a fifth of the pages or of the events, or more, cannot be "
              "used.");
  command.add("-o,--output FILE", not_empty(&arguments.output),
              "Votes as CSV, for duel result and duel import.");
  command.add("--all", &arguments.all, "Also write the impressions without an answer, as skipped.");
  command.add("--weights LIST", not_empty(&arguments.weights),
              "Actions that count and what each is worth, as in click=1,add_to_cart=3,purchase=5; "
              "dwell is worth its weight per second (default click=1).");
  command.add("--position-weights LIST", not_empty(&arguments.position_weights),
              "Factors at positions 1, 2, ..; the last one holds for the rest (default 1).");
  command.add("--item-cap NUMBER", &spec.rule.item_cap,
              "The most that one item can earn (default 0, no cap).");
  command.add("--cluster KIND", one_of(&arguments.cluster, {"user", "query", "impression"}),
              "What is independent: users (the default where the log names them), query texts, or "
              "single impressions.");
  command.add("--in-order", &spec.in_order,
              "The impressions are in the order of serving, though they have no times.");
  command.add("--length N", count(&spec.length, CreditSpec::kLength),
              "Documents shown, where the log has lists (default 10).");
  command.add_seed(&spec.seed);
  command.add("--resamples N", count(&arguments.resamples, 2, 1'000'000),
              "Bootstrap samples (default 1000).");
  command.add("--alpha ALPHA", &arguments.alpha, "Error level of the certificate (default 0.05).");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n  duel credit --impressions impressions.jsonl --clicks ubi.jsonl -o votes.csv\n"
      "  duel credit --impressions pages.jsonl --clicks clicks.csv --weights "
      "click=1,add_to_cart=3 --item-cap 3\n  duel credit --ubi ubi_queries.ndjson --ubi "
      "ubi_events.ndjson\n  duel result votes.csv";
}

}  // namespace duel::cli
