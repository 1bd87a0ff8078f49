#include <algorithm>
#include <optional>

#include "duel/cli/commands.h"
#include "duel/cli/option_report.h"
#include "duel/core/csv.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/options_json.h"
#include "duel/core/table.h"
#include "duel/core/text_lines.h"
#include "duel/ranking/click_credit/impression_lines.h"
#include "duel/ranking/interleaving/impression.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel::cli {
namespace {

struct InterleaveArguments {
  ImpressionSpec spec;
  std::vector<std::string> clicks;
  const Option* clicks_option = nullptr;
  std::string batch;
  bool json = false;
  bool list = false;
};

// One document id a line; blank lines and white space around an id do not count.
Result<DocumentIds> read_ranking(const std::string& path) {
  DUEL_ASSIGN(TextLines lines, TextLines::open(path));
  DocumentIds ids;
  for (;;) {
    DUEL_ASSIGN(const auto line, lines.next());
    if (!line) break;
    if (const std::string_view id = trimmed(*line); !id.empty()) ids.emplace_back(id);
  }
  return ids;
}

// `--clicks d3,d7`, also given more than once. An empty text is no click at all. An id that is on a
// list is never split, though it holds a comma.
DocumentIds clicked_ids(const std::vector<std::string>& texts,
                        const std::vector<DocumentIds>& lists) {
  const auto is_listed = [&](const std::string& id) {
    return std::ranges::any_of(
        lists, [&](const DocumentIds& list) { return std::ranges::find(list, id) != list.end(); });
  };
  DocumentIds ids;
  for (const std::string& text : texts) {
    if (const std::string id(trimmed(text)); is_listed(id)) {
      ids.push_back(id);
      continue;
    }
    for (const std::string& field : split_at_commas(text)) {
      if (const std::string_view id = trimmed(field); !id.empty()) ids.emplace_back(id);
    }
  }
  return ids;
}

std::string short_number(double value) { return fmt::format("{:.6g}", value); }

std::string verdict(const Impression::Preference& preference,
                    const std::vector<std::string>& names) {
  const ClickOutcome outcome = preference.outcome;
  if (outcome == ClickOutcome::first_wins) return names[preference.first] + " wins";
  if (outcome == ClickOutcome::second_wins) return names[preference.second] + " wins";
  if (outcome == ClickOutcome::tie) return "tie";
  return outcome == ClickOutcome::no_feedback ? "no feedback: nothing was clicked"
                                              : "no contest: this list cannot distinguish them";
}

std::string items_text(const Impression& impression) {
  const std::vector<std::string>& names = impression.spec.rankings;
  const bool has_teams = impression.page || impression.has_teams();
  const bool has_credit =
      !impression.multileaved && !impression.items.empty() && !impression.items[0].credit.empty();
  Table table;
  table.column("#").column("document", Align::left);
  if (!impression.page) {
    for (const std::string& name : names) table.column("rank in " + name);
  }
  if (has_teams) {
    table.column(impression.page || impression.multileaved ? "team" : "drawn by", Align::left);
  }
  if (impression.page) table.column("competitive", Align::left);
  if (has_credit) {
    for (const std::string& name : names) table.column("a click gives " + name);
  }
  for (const Impression::Item& item : impression.items) {
    std::vector<Cell> row{item.ordinal, item.object_id};
    row.insert(row.end(), item.ranks.begin(), item.ranks.end());
    if (has_teams) row.emplace_back(item.team.value_or(""));
    if (item.competitive) row.emplace_back(*item.competitive ? "yes" : "no");
    if (has_credit) {
      for (const double credit : item.credit) row.emplace_back(short_number(credit));
    }
    table.row(std::move(row));
  }
  return table.to_string();
}

std::string answer_text(const Impression& impression) {
  const Impression::Answer& answer = *impression.answer;
  const std::vector<std::string>& names = impression.spec.rankings;
  if (!impression.multileaved) {
    const Impression::Preference& preference = answer.preferences[0];
    return fmt::format("\ncredit  {} {:.6g}, {} {:.6g}; value {:.6g}: {}\n", names[0],
                       answer.credit[0], names[1], answer.credit[1], preference.value,
                       verdict(preference, names));
  }
  Table credits;
  credits.column("ranking", Align::left).column("credit");
  for (std::size_t r = 0; r < names.size(); ++r) {
    credits.row({names[r], short_number(answer.credit[r])});
  }
  Table pairs("first,second", Align::left);
  pairs.column("value").column("outcome", Align::left);
  for (const Impression::Preference& preference : answer.preferences) {
    pairs.row({names[preference.first], names[preference.second], short_number(preference.value),
               verdict(preference, names)});
  }
  return "\n" + credits.to_string() + "\n" + pairs.to_string();
}

// The list of methods -----------------------------------------------------------------------------

template <class Visit>
void for_each_method(Visit visit) {
  for (const InterleaverKind& kind : interleaver_catalogue()) visit(kind, false);
  for (const MultileaverKind& kind : multileaver_catalogue()) visit(kind, true);
}

std::string methods_text() {
  Table names("method,rankings,what it is,paper", Align::left);
  Table options = options_table();
  for_each_method([&](const auto& kind, bool multileaves) {
    names.row({kind.facts.name, multileaves ? "2 or more" : "2", kind.facts.doc, kind.facts.paper});
    add_options(options, kind.facts.name, kind.options);
  });
  return names.to_string() + "\n" + options.to_string();
}

Json methods_json() {
  Json json;
  json["methods"] = Json::array();
  for_each_method([&](const auto& kind, bool multileaves) {
    json["methods"].push_back({{"name", kind.facts.name},
                               {"multileaves", multileaves},
                               {"doc", kind.facts.doc},
                               {"paper", kind.facts.paper},
                               {"options", described_json(kind.options)}});
  });
  return json;
}

// --- whole logs ---------------------------------------------------------------------------------

Result<int> run_batch(const InterleaveArguments& arguments, CommandContext& context) {
  const ImpressionSpec& spec = arguments.spec;
  if (spec.method != "team-draft") {
    return Error::invalid_argument(
        fmt::format("a batch is drafted by team-draft, not by {}", spec.method), "--method");
  }
  if (!spec.rankings.empty() || !spec.id.empty() || arguments.clicks_option->given() ||
      spec.offset > 0) {
    return Error::invalid_argument("a batch has its rankings and ids in the file", "--batch",
                                   "without FILES, --id, --offset and --clicks; duel credit takes "
                                   "the clicks of a whole log");
  }
  DUEL_ASSIGN(ImpressionLines lines, ImpressionLines::open(arguments.batch));
  LoggedImpression impression;
  PageDrafter drafter;
  std::string text;
  std::uint64_t pages = 0, items_shown = 0, competitive = 0;
  for (;;) {
    DUEL_ASSIGN(const bool more, lines.next(impression));
    if (!more) break;
    if (!impression.has_lists) {
      return Error::invalid_data("the impression has no lists to merge", lines.here());
    }
    const auto items = drafter.draft(spec.seed, impression.id, impression.lists[0],
                                     impression.lists[1], spec.length);
    append_page_line(text, impression, spec.seed, items);
    ++pages;
    items_shown += items.size();
    for (const PageDrafter::Item& item : items) competitive += item.team != Team::none ? 1 : 0;
    if (text.size() < (std::size_t{1} << 18)) continue;
    context.print(text);
    text.clear();
  }
  context.print(text);
  const double coverage =
      items_shown == 0 ? 0 : static_cast<double>(competitive) / static_cast<double>(items_shown);
  context.note("{} pages, {:.0f} % of their items competitive", pages, 100 * coverage);
  if (items_shown > 0 && coverage < kLowCoverage) {
    context.warn("fewer than 30 % of the items are competitive: the rankings hardly differ");
  }
  return kExitDone;
}

Result<int> run_interleave(const InterleaveArguments& arguments, CommandContext& context) {
  if (arguments.list) {
    return context.done(arguments.json ? methods_json().dump_pretty() : methods_text());
  }
  if (!arguments.batch.empty()) return run_batch(arguments, context);
  const std::vector<std::string>& files = arguments.spec.rankings;
  if (std::ranges::count(files, "-") > 1) {
    return Error::invalid_argument("standard input can be only one of the rankings");
  }
  DUEL_ASSIGN(const ImpressionPlan plan, ImpressionPlan::create(arguments.spec));
  std::vector<DocumentIds> lists;
  for (const std::string& file : files) {
    DUEL_ASSIGN(DocumentIds list, read_ranking(file));
    if (list.empty()) context.warn("{}: no document ids", file);
    lists.push_back(std::move(list));
  }
  std::optional<DocumentIds> clicks;
  if (arguments.clicks_option->given()) clicks = clicked_ids(arguments.clicks, lists);
  DUEL_ASSIGN(const Impression impression, plan.show(lists, clicks));
  if (arguments.json) {
    context.print(impression.to_json().dump_pretty());
  } else {
    context.print(items_text(impression));
    if (impression.answer) context.print(answer_text(impression));
  }
  if (impression.page && !impression.items.empty() &&
      impression.page->competitive_coverage < kLowCoverage) {
    context.warn("only {:.0f} % of these items are competitive: the rankings hardly differ here",
                 100 * impression.page->competitive_coverage);
  }
  return kExitDone;
}

}  // namespace

void add_interleave_command(Command& program) {
  Command& command = program.add_command(
      "interleave",
      "Merges two or more rankings into the list to show, and credits clicks on it.\n"
      "A ranking is a file of document ids, best first, one per line. The same seed, id and "
      "rankings "
      "give the same list on every machine.");
  InterleaveArguments& arguments = command.runs(run_interleave);
  ImpressionSpec& spec = arguments.spec;
  command.add("FILES", &spec.rankings, "The rankings; - is standard input.");
  command.add("--method METHOD", &spec.method,
              "How to merge: team-draft (the default), balanced, probabilistic, optimised, or for "
              "any number of rankings team-draft-multileave and others; --list shows all.");
  command.add("--id ID", &spec.id, "Id of this impression, such as a query's.");
  command.add("--length N", count(&spec.length, ImpressionSpec::kLength),
              "Documents to show; default 10.");
  command.add("--offset N", count(&spec.offset, ImpressionSpec::kOffset),
              "Documents shown on earlier pages of the same draft; default 0.");
  command.add("--seed N", count(&spec.seed, 0, (std::uint64_t{1} << 63) - 1),
              "Seed of the experiment; default 0.");
  arguments.clicks_option = &command.add(
      "--clicks LIST", &arguments.clicks,
      "Clicked documents, separated by commas; prints the credit. Empty: no click. Give "
      "the option once per document where ids hold commas.");
  command.add(
      "--batch FILE", not_empty(&arguments.batch),
      "Impressions, one JSON object per line with query_id and both lists by name; prints a "
      "page for each, one per line. - is standard input.");
  command.add("--list", &arguments.list, "List all methods with their options instead.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n  duel interleave --method team-draft --id q1 A.txt B.txt --clicks d3,d7\n"
      "  duel interleave --id q1 A.txt B.txt --offset 10 --json\n"
      "  duel interleave --method 'probabilistic(tau=3)' --id q1 A.txt B.txt\n"
      "  duel interleave --method team-draft-multileave --id q1 A.txt B.txt C.txt\n"
      "  duel interleave --batch impressions.jsonl > pages.jsonl";
}

}  // namespace duel::cli
