#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "duel/cli/commands.h"
#include "duel/cli/option_report.h"
#include "duel/continuous/learner_registry.h"
#include "duel/core/display_width.h"
#include "duel/core/json.h"
#include "duel/core/spelling.h"
#include "duel/core/table.h"
#include "duel/policies/registry.h"
#include "duel/ranking/learners/learner_catalogue.h"

namespace duel::cli {
namespace {

constexpr std::size_t kWidthOfGuarantees = 110;

struct Arguments {
  std::string name;
  std::string setting;
  bool json = false;
  bool markdown = false;
};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string jumping_name(Jumping jumping) {
  switch (jumping) {
    case Jumping::none:
      return "none";
    case Jumping::exact:
      return "exact";
    case Jumping::in_law:
      return "in law";
  }
  return "";
}

std::string outstanding_name(Outstanding outstanding) {
  return outstanding == Outstanding::yes ? "yes" : "sequential";
}

// What is shown of a policy, or of a learner of points or rankers.
struct Card {
  PolicyFacts facts;
  std::vector<OptionFact> options;
};

Card card_of(const LearnerFacts& facts, std::vector<OptionFact> options) {
  return {{.name = facts.name,
           .title = facts.title,
           .paper = facts.paper,
           .setting = facts.setting,
           .guarantee = facts.guarantee,
           .departs = facts.departs,
           .status = facts.status,
           .needs_horizon = facts.needs_horizon,
           .jumping = Jumping::none,
           .outstanding = Outstanding::sequential},
          std::move(options)};
}

// All of them, sorted by name.
std::vector<Card> all_cards() {
  std::vector<Card> cards;
  for (const PolicyKind& kind : policy_catalogue()) cards.push_back({kind.facts, kind.options});
  for (const PointLearnerKind& kind : point_learner_catalogue()) {
    cards.push_back(card_of(kind.facts, kind.options));
  }
  for (const RankerLearnerKind& kind : ranker_learner_catalogue()) {
    cards.push_back(card_of(kind.facts, kind.options));
  }
  std::sort(cards.begin(), cards.end(),
            [](const Card& a, const Card& b) { return a.facts.name < b.facts.name; });
  return cards;
}

Json to_json(const Card& card) {
  const PolicyFacts& facts = card.facts;
  Json json;
  json["name"] = facts.name;
  json["title"] = facts.title;
  json["paper"] = facts.paper;
  json["setting"] = facts.setting;
  json["needs_horizon"] = facts.needs_horizon;
  json["guarantee"] = facts.guarantee;
  json["departs"] = facts.departs;
  json["status"] = facts.status;
  json["jumping"] = jumping_name(facts.jumping);
  json["outstanding"] = outstanding_name(facts.outstanding);
  json["options"] = options_json(card.options);
  return json;
}

// "Zoghi et al., ICML 2014" from a full reference; its first words where it is not one.
std::string short_reference(const std::string& paper) {
  static const std::regex place("[A-Z][A-Za-z]* (19|20)[0-9]{2}|arXiv [0-9.]*[0-9]");
  const std::string authors = paper.substr(0, paper.find_first_of(";.:"));
  const bool named = !authors.empty() && authors[0] >= 'A' && authors[0] <= 'Z';
  std::smatch found;
  if (!named || !std::regex_search(paper, found, place)) return authors;
  const auto commas = std::count(authors.begin(), authors.end(), ',');
  std::string short_authors = authors;
  if (commas > 1) short_authors = authors.substr(0, authors.find(',')) + " et al.";
  return fmt::format("{}, {}", short_authors, found.str());
}

std::string list_of(const std::vector<Card>& cards) {
  // Guarantees are long: on a narrow terminal they are left to the policy's own page.
  const std::size_t width = report_width();
  const bool guarantees = width >= kWidthOfGuarantees;
  Table table;
  table.column("policy", Align::left).column("setting", Align::left, Fold::words);
  table.column("horizon", Align::left);
  if (guarantees) table.column("guarantee", Align::left, Fold::words);
  table.column("paper", Align::left, Fold::words).column("status", Align::left);
  for (const Card& card : cards) {
    const PolicyFacts& facts = card.facts;
    std::vector<Cell> cells = {facts.name, facts.setting, facts.needs_horizon ? "needed" : "no"};
    if (guarantees) cells.emplace_back(facts.guarantee);
    cells.insert(cells.end(), {short_reference(facts.paper), facts.status});
    table.row(std::move(cells));
  }
  return table.to_string(width);
}

std::string detail_of(const Card& card) {
  constexpr std::size_t kLabel = 13;
  const std::size_t width = std::min<std::size_t>(report_width(), 100);
  const PolicyFacts& facts = card.facts;
  const Paint paint(wants_color(STDOUT_FILENO));
  std::string text = fmt::format("{}  {}\n", paint.bold(facts.name), facts.title);
  const auto line = [&](std::string_view label, const std::string& value) {
    text += fmt::format("  {:<11}{}\n", label, wrapped(value, width - kLabel, kLabel));
  };
  line("paper", facts.paper);
  line("setting", facts.setting);
  line("horizon", facts.needs_horizon ? "needed" : "not needed");
  line("guarantee", facts.guarantee);
  line("departs", facts.departs);
  line("status", facts.status);
  line("jumping", jumping_name(facts.jumping));
  line("pending", facts.outstanding == Outstanding::yes ? "many duels may be outstanding"
                                                        : "one duel at a time");
  text += "\n";
  Table table;
  table.column("option", Align::left).column("default", Align::left);
  table.column("allowed", Align::left, Fold::words).column("meaning", Align::left, Fold::words);
  for (const OptionFact& option : card.options) {
    table.row({option.name, option.default_value, option.allowed, option.doc});
  }
  return text + table.to_string(width);
}

std::string markdown_of(const std::vector<Card>& cards) {
  std::string text =
      "# Policies\n\n"
      "Generated by `duel policies --markdown`; a test keeps it true. A policy is written "
      "`name` or `name(option=value,option=value)`, the same in a shell, a study file, a log and "
      "a legend.\n\n"
      "Status: *reproduced* (numbers that were published, or that another implementation gave, "
      "inside a stated interval), *tested* (traces by hand, a literal twin, the conformance "
      "suite), *experimental*. Horizon: whether the policy "
      "must know the number of rounds; it is then an option whose default is the run's rounds.\n\n";
  Table policies("policy,setting,horizon,guarantee,paper,status", Align::left);
  for (const Card& card : cards) {
    const PolicyFacts& facts = card.facts;
    policies.row({fmt::format("[`{0}`](#{0})", facts.name), facts.setting,
                  facts.needs_horizon ? "needed" : "no", facts.guarantee, facts.paper,
                  facts.status});
  }
  text += policies.to_markdown();
  for (const Card& card : cards) {
    const PolicyFacts& facts = card.facts;
    text += fmt::format("\n## {}\n\n{}. {}.\n\n", facts.name, facts.title, facts.paper);
    text += fmt::format("- Setting: {}.\n- Guarantee: {}.\n- Departs from the paper: {}.\n",
                        facts.setting, facts.guarantee, facts.departs);
    const char* jumping = "the simulator plays every round";
    if (facts.jumping == Jumping::exact) {
      jumping = "idle rounds are jumped over; the run is the same, bit for bit";
    } else if (facts.jumping == Jumping::in_law) {
      jumping = "idle rounds are jumped over; the run is the same in law";
    }
    text += fmt::format("- Jumping: {}.\n- Duels outstanding: {}.\n\n", jumping,
                        facts.outstanding == Outstanding::yes ? "many" : "one at a time");
    Table options("option,default,allowed,meaning", Align::left);
    for (const OptionFact& option : card.options) {
      options.row(
          {fmt::format("`{}`", option.name), option.default_value, option.allowed, option.doc});
    }
    text += options.to_markdown();
  }
  return text;
}

Result<std::vector<Card>> chosen(const Arguments& arguments) {
  std::vector<Card> cards = all_cards();
  if (!arguments.name.empty()) {
    std::vector<std::string> names;
    for (const Card& card : cards) names.push_back(card.facts.name);
    std::erase_if(cards, [&](const Card& card) { return card.facts.name != arguments.name; });
    if (cards.empty()) {
      return Error::invalid_argument(fmt::format("there is no policy '{}'", arguments.name))
          .with_hint(spelling_hint(arguments.name, names));
    }
  }
  if (arguments.setting.empty()) return cards;
  std::vector<Card> matching;
  std::vector<std::string> settings;
  for (const Card& card : cards) {
    const std::string& setting = card.facts.setting;
    if (std::find(settings.begin(), settings.end(), setting) == settings.end()) {
      settings.push_back(setting);
    }
    if (lower_case(setting).find(lower_case(arguments.setting)) != std::string::npos) {
      matching.push_back(card);
    }
  }
  if (matching.empty()) {
    return Error::invalid_argument(
        fmt::format("no policy has a setting with '{}'", arguments.setting), "--setting",
        fmt::format("settings: {}", fmt::join(settings, "; ")));
  }
  return matching;
}

Result<int> run(const Arguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const std::vector<Card> cards, chosen(arguments));
  if (arguments.json) {
    Json json;
    if (!arguments.name.empty()) {
      json = to_json(cards.front());
    } else {
      json["policies"] = Json::array();
      for (const Card& card : cards) json["policies"].push_back(to_json(card));
    }
    context.print(json.dump_pretty());
  } else if (arguments.markdown) {
    context.print(markdown_of(cards));
  } else if (!arguments.name.empty()) {
    context.print(detail_of(cards.front()));
  } else {
    context.print(list_of(cards));
  }
  return kExitDone;
}

}  // namespace

void add_policies_command(Command& program) {
  Command& command = program.add_command(
      "policies",
      "Lists the policies, and the learners of points and rankers (setting continuous): setting, "
      "horizon, guarantee, paper, status.\n"
      "With a name it describes that policy and its options. A policy is written rucb or "
      "rucb(alpha=0.6), here and in every other command.");
  Arguments& arguments = command.runs(run);
  command.add("POLICY", &arguments.name, "Policy to describe.").offers = [] {
    std::vector<std::string> names;
    for (const Card& card : all_cards()) names.push_back(card.facts.name);
    return names;
  };
  command.add("--setting TEXT", &arguments.setting,
              "Only policies whose setting contains this text, such as condorcet.");
  const Option& json = command.add("--json", &arguments.json, "Print JSON.");
  command.add("--markdown", &arguments.markdown, "Print the page docs/policies.md.").excludes =
      &json;
  command.footer =
      "Examples:\n  duel policies\n  duel policies rucb\n"
      "  duel policies --setting condorcet --json\n"
      "  duel policies --setting continuous";
}

}  // namespace duel::cli
