#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "duel/cli/commands.h"
#include "duel/cli/matrix_report.h"
#include "duel/cli/option_report.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/spelling.h"
#include "duel/core/table.h"
#include "duel/core/text_lines.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/ranking/interleaving/methods.h"

namespace duel::cli {
namespace {
using Ids = std::vector<std::string>;

constexpr std::uint64_t kLongest = 1'000'000;

struct InterleaveArguments {
  std::string method = "team-draft";
  std::string id;
  std::vector<std::string> files;
  std::uint64_t length = 10;
  std::uint64_t offset = 0;
  std::uint64_t seed = 0;
  std::vector<std::string> clicks;
  bool clicks_given = false;
  bool json = false;
  bool list = false;
};

Error usage(std::string message, std::string hint = "") {
  return Error::invalid_argument(std::move(message)).with_hint(std::move(hint));
}

// One document id a line; blank lines and white space around an id do not count.
Result<Ids> read_ranking(const std::string& path) {
  DUEL_ASSIGN(TextLines lines, TextLines::open(path));
  Ids ids;
  for (;;) {
    DUEL_ASSIGN(const auto line, lines.next());
    if (!line) break;
    if (const std::string_view id = trimmed(*line); !id.empty()) ids.emplace_back(id);
  }
  return ids;
}

// `--clicks d3,d7`, also given more than once. An empty text is no click at all.
Ids clicked_ids(const std::vector<std::string>& texts) {
  Ids ids;
  for (const std::string& text : texts) {
    std::size_t begin = 0;
    while (begin <= text.size()) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const auto id = trimmed(std::string_view(text).substr(begin, end - begin));
      if (!id.empty()) ids.emplace_back(id);
      begin = end + 1;
    }
  }
  return ids;
}

// What was asked, read and checked.
struct Impression {
  const InterleaveArguments& arguments;
  CallSpec method;
  std::vector<Ids> rankings;
  Ids clicks;
};

std::string winner_text(const Impression& impression, ClickOutcome outcome, std::size_t first,
                        std::size_t second) {
  if (outcome == ClickOutcome::first_wins) return impression.arguments.files[first] + " wins";
  if (outcome == ClickOutcome::second_wins) return impression.arguments.files[second] + " wins";
  if (outcome == ClickOutcome::no_feedback) return "no feedback: nothing was clicked";
  if (outcome == ClickOutcome::no_contest) return "no contest: this list cannot tell them apart";
  return "tie";
}

// `win` with the winner's name, as in the outcomes of an experiment.
Json outcome_json(const Impression& impression, ClickOutcome outcome, std::size_t first,
                  std::size_t second) {
  Json json;
  const bool won = outcome == ClickOutcome::first_wins || outcome == ClickOutcome::second_wins;
  json["result"] = won ? "win" : std::string(to_string(outcome));
  if (won) {
    json["winner"] =
        impression.arguments.files[outcome == ClickOutcome::first_wins ? first : second];
  }
  return json;
}

Json start_json(const Impression& impression, const std::string& method) {
  Json json;
  json["method"] = method;
  json["query_id"] = impression.arguments.id;
  json["seed"] = impression.arguments.seed;
  json["rankings"] = impression.arguments.files;
  return json;
}

Json credit_json(const Impression& impression, const Credit& credit) {
  Json json = outcome_json(impression, credit.outcome, 0, 1);
  json["credit"] = {credit.first, credit.second};
  json["value"] = credit.value;
  json["clicks"] = impression.clicks;
  return json;
}

std::string credit_text(const Impression& impression, const Credit& credit) {
  return fmt::format("\ncredit  {} {:.6g}, {} {:.6g}; value {:.6g}: {}\n",
                     impression.arguments.files[0], credit.first, impression.arguments.files[1],
                     credit.second, credit.value, winner_text(impression, credit.outcome, 0, 1));
}

// Team draft: the production form -----------------------------------------------------------------

Result<int> run_team_draft(const Impression& impression, CommandContext& context) {
  const InterleaveArguments& arguments = impression.arguments;
  // Options are refused here as for every method.
  DUEL_ASSIGN(const auto method, configure_interleaver(impression.method));
  const Ids& first = impression.rankings[0];
  const Ids& second = impression.rankings[1];
  const DraftedPage page =
      draft_page(arguments.seed, arguments.id, first, second, arguments.offset, arguments.length);
  const double coverage = competitive_coverage(page.items);
  Credit credit;
  if (arguments.clicks_given) {
    // Clicks may be on this page and on those before.
    const auto items = draft_page(arguments.seed, arguments.id, first, second, 0,
                                  arguments.offset + arguments.length)
                           .items;
    const auto credited = draft_credit(items, impression.clicks);
    if (!credited.ok()) return usage_error("--clicks", credited.error());
    credit = *credited;
  }
  const auto team_name = [&](Team team) { return arguments.files[team == Team::first ? 0 : 1]; };
  if (arguments.json) {
    Json json = start_json(impression, method->canonical());
    json["items"] = Json::array();
    for (const DraftedItem& item : page.items) {
      json["items"].push_back({{"object_id", item.object_id},
                               {"ordinal", item.ordinal},
                               {"team", team_name(item.team)},
                               {"competitive", item.competitive}});
    }
    json["offset"] = arguments.offset;
    json["next_offset"] = page.next_offset ? Json(*page.next_offset) : Json(nullptr);
    json["competitive_coverage"] = coverage;
    if (arguments.clicks_given) json["outcome"] = credit_json(impression, credit);
    context.print(json.dump_pretty());
  } else {
    Table table;
    table.column("#").column("document", Align::left).column("team", Align::left);
    table.column("competitive", Align::left);
    for (const DraftedItem& item : page.items) {
      table.row({fmt::format("{}", item.ordinal), item.object_id, team_name(item.team),
                 item.competitive ? "yes" : "no"});
    }
    context.print(table.to_string());
    if (arguments.clicks_given) context.print(credit_text(impression, credit));
  }
  if (!page.items.empty() && coverage < kLowCoverage) {
    context.warn(
        fmt::format("only {:.0f} % of these items are competitive: the rankings hardly differ here",
                    100 * coverage));
  }
  return kExitDone;
}

// All other methods -------------------------------------------------------------------------------

// Text ids as document numbers.
struct Numbered {
  std::vector<std::vector<Document>> rankings;
  Ids ids;  // by number

  explicit Numbered(const std::vector<Ids>& texts) {
    std::unordered_map<std::string_view, Document> numbers;
    for (const Ids& ranking : texts) {
      std::vector<Document>& documents = rankings.emplace_back();
      for (const std::string& id : ranking) {
        const auto [at, added] = numbers.try_emplace(id, static_cast<Document>(ids.size()));
        if (added) ids.push_back(id);
        documents.push_back(at->second);
      }
    }
  }
};

// The clicked positions of the shown list.
Result<std::vector<Position>> clicked_positions(const Ids& shown, const Ids& clicks) {
  std::vector<Position> positions;
  for (const std::string& id : clicks) {
    const auto at = std::find(shown.begin(), shown.end(), id);
    if (at == shown.end()) {
      const std::string near = nearest_spelling(id, shown);
      return usage_error("--clicks", usage(fmt::format("'{}' was not shown", id),
                                           near.empty() ? "" : "did you mean '" + near + "'?"));
    }
    positions.push_back(static_cast<Position>(at - shown.begin()));
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

Ids texts_of(const std::vector<Document>& documents, const Numbered& numbered) {
  Ids ids;
  for (const Document document : documents) ids.push_back(numbered.ids[document]);
  return ids;
}

Result<int> run_interleaver(const Impression& impression, CommandContext& context) {
  const InterleaveArguments& arguments = impression.arguments;
  DUEL_ASSIGN(const auto method, configure_interleaver(impression.method));
  const Numbered numbered(impression.rankings);
  RoundRng rng = impression_rng(arguments.seed, arguments.id);
  Interleaving shown;
  method->interleave(numbered.rankings[0], numbered.rankings[1], arguments.length, rng, shown);
  const Ids ids = texts_of(shown.documents, numbered);
  DUEL_ASSIGN(const auto clicks, clicked_positions(ids, impression.clicks));
  const Credit credit = method->credit(shown, clicks);
  const bool has_credit = !shown.first_credit.empty();
  const auto team = [&](std::size_t k) -> std::string {
    if (shown.teams[k] == Team::none) return "";
    return arguments.files[shown.teams[k] == Team::first ? 0 : 1];
  };
  const bool has_teams = !shown.teams.empty() && shown.teams[0] != Team::none;
  if (arguments.json) {
    Json json = start_json(impression, method->canonical());
    json["items"] = Json::array();
    for (std::size_t k = 0; k < ids.size(); ++k) {
      Json item{{"object_id", ids[k]},
                {"ordinal", k + 1},
                {"ranks", {shown.first_ranks[k], shown.second_ranks[k]}}};
      if (has_teams) item["team"] = team(k);
      if (has_credit) item["credit"] = {shown.first_credit[k], shown.second_credit[k]};
      json["items"].push_back(std::move(item));
    }
    if (arguments.clicks_given) json["outcome"] = credit_json(impression, credit);
    context.print(json.dump_pretty());
    return kExitDone;
  }
  Table table;
  table.column("#").column("document", Align::left);
  for (const std::string& file : arguments.files) table.column("rank in " + file);
  if (has_teams) table.column("drawn by", Align::left);
  if (has_credit) {
    for (const std::string& file : arguments.files) table.column("a click gives " + file);
  }
  for (std::size_t k = 0; k < ids.size(); ++k) {
    Ids row{fmt::format("{}", k + 1), ids[k], fmt::format("{}", shown.first_ranks[k]),
            fmt::format("{}", shown.second_ranks[k])};
    if (has_teams) row.push_back(team(k));
    if (has_credit) {
      row.push_back(fmt::format("{:.6g}", shown.first_credit[k]));
      row.push_back(fmt::format("{:.6g}", shown.second_credit[k]));
    }
    table.row(std::move(row));
  }
  context.print(table.to_string());
  if (arguments.clicks_given) context.print(credit_text(impression, credit));
  return kExitDone;
}

Json multileave_json(const Impression& impression, const MultileaveCredit& credit) {
  Json json;
  json["clicks"] = impression.clicks;
  json["credit"] = credit.credits;
  json["preferences"] = Json::array();
  for (std::size_t i = 0; i < credit.num_rankers; ++i) {
    for (std::size_t j = i + 1; j < credit.num_rankers; ++j) {
      Json pair{{"first", impression.arguments.files[i]},
                {"second", impression.arguments.files[j]},
                {"value", credit.value(i, j)}};
      pair.update(outcome_json(impression, credit.outcome(i, j), i, j));
      json["preferences"].push_back(std::move(pair));
    }
  }
  return json;
}

std::string multileave_text(const Impression& impression, const MultileaveCredit& credit) {
  Table credits;
  credits.column("ranking", Align::left).column("credit");
  for (std::size_t r = 0; r < credit.num_rankers; ++r) {
    credits.row({impression.arguments.files[r], fmt::format("{:.6g}", credit.credits[r])});
  }
  Table pairs;
  pairs.column("first", Align::left).column("second", Align::left).column("value");
  pairs.column("outcome", Align::left);
  for (std::size_t i = 0; i < credit.num_rankers; ++i) {
    for (std::size_t j = i + 1; j < credit.num_rankers; ++j) {
      pairs.row({impression.arguments.files[i], impression.arguments.files[j],
                 fmt::format("{:.6g}", credit.value(i, j)),
                 winner_text(impression, credit.outcome(i, j), i, j)});
    }
  }
  return "\n" + credits.to_string() + "\n" + pairs.to_string();
}

Result<int> run_multileaver(const Impression& impression, CommandContext& context) {
  const InterleaveArguments& arguments = impression.arguments;
  DUEL_ASSIGN(const auto method, configure_multileaver(impression.method));
  const Numbered numbered(impression.rankings);
  const std::vector<std::span<const Document>> rankings(numbered.rankings.begin(),
                                                        numbered.rankings.end());
  RoundRng rng = impression_rng(arguments.seed, arguments.id);
  Multileaving shown;
  method->multileave(rankings, arguments.length, rng, shown);
  const Ids ids = texts_of(shown.documents, numbered);
  DUEL_ASSIGN(const auto clicks, clicked_positions(ids, impression.clicks));
  MultileaveCredit credit;
  method->credit(shown, clicks, credit);
  const auto team = [&](std::size_t k) -> std::string {
    return shown.teams[k] == Multileaving::kNoTeam ? "" : arguments.files[shown.teams[k]];
  };
  const bool has_teams = std::any_of(shown.teams.begin(), shown.teams.end(),
                                     [](auto t) { return t != Multileaving::kNoTeam; });
  if (arguments.json) {
    Json json = start_json(impression, method->canonical());
    json["items"] = Json::array();
    for (std::size_t k = 0; k < ids.size(); ++k) {
      const auto ranks = shown.ranks_at(k);
      Json item{{"object_id", ids[k]},
                {"ordinal", k + 1},
                {"ranks", std::vector<std::uint32_t>(ranks.begin(), ranks.end())}};
      if (has_teams) item["team"] = team(k).empty() ? Json(nullptr) : Json(team(k));
      if (!shown.credits.empty()) {
        const auto worth = shown.credits_at(k);
        item["credit"] = std::vector<double>(worth.begin(), worth.end());
      }
      json["items"].push_back(std::move(item));
    }
    if (arguments.clicks_given) json["outcome"] = multileave_json(impression, credit);
    context.print(json.dump_pretty());
    return kExitDone;
  }
  Table table;
  table.column("#").column("document", Align::left);
  for (const std::string& file : arguments.files) table.column("rank in " + file);
  if (has_teams) table.column("team", Align::left);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    Ids row{fmt::format("{}", k + 1), ids[k]};
    for (const std::uint32_t rank : shown.ranks_at(k)) row.push_back(fmt::format("{}", rank));
    if (has_teams) row.push_back(team(k));
    table.row(std::move(row));
  }
  context.print(table.to_string());
  if (arguments.clicks_given) context.print(multileave_text(impression, credit));
  return kExitDone;
}

// The list of methods -----------------------------------------------------------------------------

template <class Visit>
void for_each_method(Visit visit) {
  for (const InterleaverKind& kind : interleaver_catalogue()) visit(kind, false);
  for (const MultileaverKind& kind : multileaver_catalogue()) visit(kind, true);
}

std::string methods_text() {
  Table names;
  names.column("method", Align::left).column("rankings", Align::left);
  names.column("what it is", Align::left).column("paper", Align::left);
  OptionsTable options;
  for_each_method([&](const auto& kind, bool multileaves) {
    names.row({kind.facts.name, multileaves ? "2 or more" : "2", kind.facts.doc, kind.facts.paper});
    options.add(kind.facts.name, kind.options);
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
                               {"options", options_json(kind.options)}});
  });
  return json;
}

// Whether the method takes any number of rankings; an error for a name that nobody knows.
Result<bool> multileaves(const CallSpec& method) {
  if (multileaver_catalogue().knows(method.name)) return true;
  if (interleaver_catalogue().knows(method.name)) return false;
  return configure_interleaver(method).error();
}

Status check_files(const InterleaveArguments& arguments, bool many) {
  const auto& files = arguments.files;
  if (files.size() < 2) {
    return usage(fmt::format("{} to merge",
                             files.empty() ? "there is no ranking" : "one ranking is not enough"),
                 "give two files or more, one document id a line");
  }
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (std::find(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(k), files[k]) ==
        files.begin() + static_cast<std::ptrdiff_t>(k)) {
      continue;
    }
    return usage(files[k] == "-" ? std::string("standard input can be only one of the rankings")
                                 : fmt::format("'{}' is given twice", files[k]),
                 files[k] == "-" ? "" : "for an A/A comparison give a copy under another name");
  }
  if (!many && files.size() > 2) {
    const std::string multi =
        arguments.method.substr(0, arguments.method.find('(')) + "-multileave";
    return usage(fmt::format("the method {} merges two rankings, and there are {}",
                             arguments.method, files.size()),
                 spelling_hint(multi, multileaver_catalogue().names()));
  }
  if (arguments.offset > 0 && arguments.method != "team-draft") {
    return usage(fmt::format("--offset is for team-draft only, not for {}", arguments.method),
                 "other methods do not continue on a second page");
  }
  return Done{};
}

Result<int> run_interleave(const InterleaveArguments& arguments, CommandContext& context) {
  if (arguments.list) {
    context.print(arguments.json ? methods_json().dump_pretty() : methods_text());
    return kExitDone;
  }
  auto method = parse_call(arguments.method);
  if (!method.ok()) return usage_error("--method", method.error());
  const auto many = multileaves(*method);
  if (!many.ok()) return usage_error("--method", many.error());
  DUEL_RETURN_IF_ERROR(check_files(arguments, *many));
  if (arguments.id.empty()) {
    return usage("the option --id is missing",
                 "the id of this impression: the same id gives the same list again");
  }
  Impression impression{arguments, *method, {}, clicked_ids(arguments.clicks)};
  for (const std::string& file : arguments.files) {
    DUEL_ASSIGN(Ids ranking, read_ranking(file));
    if (ranking.empty()) context.warn(fmt::format("{}: no document ids", file));
    impression.rankings.push_back(std::move(ranking));
  }
  if (*many) return run_multileaver(impression, context);
  if (method->name == "team-draft") return run_team_draft(impression, context);
  return run_interleaver(impression, context);
}

}  // namespace

void add_interleave_command(Command& program) {
  Command& command = program.add_command(
      "interleave",
      "Merges two or more rankings into the list to show, and credits clicks on it.\n"
      "A ranking is a file of document ids, best first, one a line. The same seed, id and rankings "
      "give the same list on every machine.");
  auto& arguments = command.keep<InterleaveArguments>();
  command.add("FILES", &arguments.files, "The rankings; - is standard input.");
  command.add("--method METHOD", &arguments.method,
              "How to merge: team-draft (the default), balanced, probabilistic, optimised, or for "
              "any number of rankings team-draft-multileave and others; --list shows all.");
  command.add("--id ID", &arguments.id, "Id of this impression, such as a query's.");
  command.add("--length N", count(&arguments.length, 1, kLongest),
              "Documents to show; default 10.");
  command.add("--offset N", count(&arguments.offset, 0, kLongest),
              "Documents shown on earlier pages of the same draft; default 0.");
  command.add("--seed N", count(&arguments.seed, 0, (std::uint64_t{1} << 63) - 1),
              "Seed of the experiment; default 0.");
  const Option& clicks =
      command.add("--clicks LIST", &arguments.clicks,
                  "Clicked documents, separated by commas; prints the credit. Empty: no click.");
  command.add("--list", &arguments.list, "List all methods with their options instead.");
  command.add("--json", &arguments.json, "Print JSON.");
  command.footer =
      "Examples:\n  duel interleave --method team-draft --id q1 A.txt B.txt --clicks d3,d7\n"
      "  duel interleave --id q1 A.txt B.txt --offset 10 --json\n"
      "  duel interleave --method 'probabilistic(tau=3)' --id q1 A.txt B.txt\n"
      "  duel interleave --method team-draft-multileave --id q1 A.txt B.txt C.txt";
  command.action = [&arguments, &clicks](CommandContext& context) {
    arguments.clicks_given = clicks.given();
    return run_interleave(arguments, context);
  };
}

}  // namespace duel::cli
