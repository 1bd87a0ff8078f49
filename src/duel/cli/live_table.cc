#include "duel/cli/live_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "duel/cli/command.h"
#include "duel/cli/progress.h"
#include "duel/cli/space_table.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"
#include "duel/core/short_names.h"
#include "duel/core/table.h"
#include "duel/verdict/health.h"
#include "duel/verdict/verdict.h"

namespace duel::cli {
namespace {

constexpr auto kRedrawTable = std::chrono::milliseconds(200);
constexpr auto kTableLine = std::chrono::seconds(10);
constexpr std::size_t kBar = 20;

TerminalSize size_of_terminal() {
  const TerminalSize size = terminal_size(STDERR_FILENO);
  return size.columns == 0 ? TerminalSize{.columns = 80, .rows = 24} : size;
}

std::string bar(double share) {
  const auto filled = static_cast<std::size_t>(share * kBar);
  std::string text;
  for (std::size_t i = 0; i < kBar; ++i) text += i < filled ? "━" : "╌";
  return text;
}

// Of the pairs that a certificate of a set or an order needs, those of the arm.
std::string pairs_shown(const OrderStanding& order, Arm arm) {
  std::size_t needed = 0, shown = 0;
  for (const NeededPair& pair : order.needed) {
    if (pair.first != arm && pair.second != arm) continue;
    ++needed;
    shown += pair.shown ? 1 : 0;
  }
  if (needed == 0) return "";
  const double share = static_cast<double>(shown) / static_cast<double>(needed);
  return fmt::format("{} {} of {}", bar(share), shown, needed);
}

// The text in lines of at most `width` columns, broken at words; further lines are set in.
std::vector<std::string> broken_at_words(const std::string& text, std::size_t width) {
  constexpr std::size_t kIndent = 2;
  std::vector<std::string> lines;
  const std::string whole = wrapped(text, width - kIndent, kIndent);
  for (std::size_t at = 0; at <= whole.size();) {
    const std::size_t end = std::min(whole.find('\n', at), whole.size());
    lines.push_back(whole.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::uint64_t finished(const Ledger& ledger) {
  const ShownCounts total = ledger.total();
  return total.served - total.pending();
}

}  // namespace

std::vector<Arm> arms_by_place(const Ledger& ledger, const Standing& standing) {
  if (standing.order) return standing.order->arms;
  std::vector<Arm> order;
  for (Arm arm = 0; arm < ledger.num_arms(); ++arm) {
    if (ledger.arms()[arm].active) order.push_back(arm);
  }
  const Places& places = standing.places;
  std::ranges::sort(order, {}, [&](Arm arm) {
    const bool tied = std::ranges::find(places.tied, arm) != places.tied.end();
    return std::make_tuple(standing.leader != arm, !tied, -places.arms[arm].expected_beaten, arm);
  });
  return order;
}

LiveTable::LiveTable(const Interview& interview, bool quiet)
    : interview_(interview),
      active_(!quiet),
      terminal_(can_redraw()),
      first_(finished(interview.ledger())),
      begin_(Clock::now()),
      next_(begin_ + (terminal_ ? Clock::duration(kRedrawTable) : Clock::duration(kTableLine))) {}

double LiveTable::rate(Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  return seconds > 0 ? static_cast<double>(finished(interview_.ledger()) - first_) / seconds : 0;
}

std::string LiveTable::headline(const Standing& standing) const {
  if (!standing.leader) {
    return interview_.ledger().total().decisive() == 0 ? "no decisive answer yet"
                                                       : "every arm is behind another: none leads";
  }
  const Ledger& ledger = interview_.ledger();
  const std::string leader = standing.order ? order_text(ledger, *standing.order)
                                            : ledger.id_of(*standing.leader) + " leads";
  if (ledger.scores()) return leader;
  if (!standing.duels_left) {
    return leader + (standing.order ? "; a pair is against it" : ", not ahead of all others");
  }
  const double pace = rate(Clock::now());
  const std::string time =
      pace > 0
          ? fmt::format(" ({})", format_duration(static_cast<double>(*standing.duels_left) / pace))
          : "";
  return fmt::format("{}; about {} more duels{}", leader, approximate_count(*standing.duels_left),
                     time);
}

std::string LiveTable::line(const Standing& standing) const {
  if (standing.space) {
    return fmt::format("{}, {:.3g} per second; {}", counted(finished(interview_.ledger()), "duel"),
                       rate(Clock::now()), space_verdict(interview_.ledger()));
  }
  const ArmStanding* least = nullptr;
  for (const ArmStanding& arm : standing.arms) {
    if (arm.beaten && (least == nullptr || *arm.beaten < *least->beaten)) least = &arm;
  }
  const std::string evidence =
      least == nullptr ? ""
                       : fmt::format("; least evidence {:.0f} % of the threshold, against {}",
                                     100 * *least->beaten, interview_.ledger().id_of(least->arm));
  std::string health;
  for (const std::string& failure : failures(check_health(interview_.ledger()))) {
    health += "; health check failed: " + failure;
  }
  return fmt::format("{}, {:.3g} per second; {}{}{}",
                     counted(finished(interview_.ledger()), "duel"), rate(Clock::now()),
                     headline(standing), evidence, health);
}

std::string LiveTable::title(std::uint64_t in_flight) const {
  const Ledger& ledger = interview_.ledger();
  return fmt::format("{}  {} of at most {}, {} in flight, {:.3g} per second",
                     ledger.experiment().experiment_id, finished(ledger),
                     counted(interview_.max_duels(), "duel"), in_flight, rate(Clock::now()));
}

// Of a space: its dimensions, the proof, and what the learner believes.
std::vector<std::string> LiveTable::space_lines(const Standing& standing, std::uint64_t in_flight,
                                                const std::string& trouble, std::size_t rows,
                                                std::size_t columns) const {
  const Ledger& ledger = interview_.ledger();
  std::vector<std::string> result = {title(in_flight)};
  const std::string text =
      space_table(*standing.space, {interview_.experiment().points(), ledger.tuned()}, columns - 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    result.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (rows > 6 && result.size() > rows - 5) {
    result.resize(rows - 6);
    result.emplace_back("  and more dimensions");
  }
  for (const std::string& said : {proof_line(*standing.space), space_verdict(ledger),
                                  trouble.empty() ? std::string() : "last trouble: " + trouble}) {
    if (said.empty()) continue;
    for (std::string& one : broken_at_words(said, columns - 1)) result.push_back(std::move(one));
  }
  if (result.size() + 1 > rows) result.resize(std::max<std::size_t>(1, rows - 1));
  for (std::string& one : result) one = shortened(one, columns - 1);
  return result;
}

std::vector<std::string> LiveTable::lines(const Standing& standing, std::uint64_t in_flight,
                                          const std::string& trouble, std::size_t rows,
                                          std::size_t columns) const {
  if (standing.space) return space_lines(standing, in_flight, trouble, rows, columns);
  const Ledger& ledger = interview_.ledger();
  const std::vector<Arm> order = arms_by_place(ledger, standing);
  // What is said below the table is whole, and the table gives way to it: a trouble that is cut
  // says that something is wrong, and not what.
  std::vector<std::string> below = broken_at_words(headline(standing), columns - 1);
  const auto add = [&](const std::string& text) {
    for (std::string& one : broken_at_words(text, columns - 1)) below.push_back(std::move(one));
  };
  for (const std::string& failure : failures(check_health(ledger))) {
    add("health check failed: " + failure);
  }
  if (!trouble.empty()) add("last trouble: " + trouble);
  // A title, the table's header, the line that counts the arms left out, and two lines to spare.
  const std::size_t others = 5 + below.size();
  const std::size_t shown =
      std::min(order.size(), rows > others + 2 ? rows - others : std::size_t{2});
  Table table;
  table.column("", Align::left).column("arm", Align::left);
  table.column("won").column("of").column("rate");
  table.column("duels").column(ledger.scores()  ? "score"
                               : standing.order ? "pairs shown"
                                                : "evidence against it",
                               Align::left);
  // What the other columns leave of the line.
  const auto names =
      short_names(ids_of(ledger, order), std::clamp<std::size_t>(columns, 72, 90) - 60);
  for (std::size_t k = 0; k < shown; ++k) {
    const ArmStanding& arm = standing.arms[order[k]];
    const bool leads = standing.order ? k < standing.order->named : standing.leader == arm.arm;
    std::string evidence;
    if (standing.order) {
      evidence = pairs_shown(*standing.order, arm.arm);
    } else if (arm.score) {
      evidence = fmt::format("{:.3f} .. {:.3f}", arm.score->lower, arm.score->upper);
    } else if (arm.beaten) {
      evidence = *arm.beaten >= 1
                     ? bar(1) + "  beaten"
                     : fmt::format("{} {:3.0f} %", bar(*arm.beaten), 100 * *arm.beaten);
    }
    table.row({leads ? "▸" : "", names[k], std::to_string(arm.counts.first_wins),
               std::to_string(arm.counts.decisive()),
               arm.counts.decisive() == 0 ? "" : fmt::format("{:.0f} %", 100 * arm.rate()),
               std::to_string(arm.counts.served), evidence});
  }
  std::vector<std::string> result;
  result.push_back(title(in_flight));
  const std::string text = table.to_string();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    result.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (shown < order.size())
    result.push_back(fmt::format("  and {} more arms", order.size() - shown));
  for (std::string& one : result) one = shortened(one, columns - 1);
  // More lines than the terminal has rows could not be drawn over.
  const std::size_t room = rows > result.size() + 2 ? rows - result.size() - 1 : 1;
  if (below.size() > room) {
    below.resize(room);
    below.back() = shortened(below.back() + "…", columns - 1);
  }
  std::ranges::move(below, std::back_inserter(result));
  return result;
}

void LiveTable::update(std::uint64_t in_flight, const std::string& trouble) {
  const auto now = Clock::now();
  if (!active_ || now < next_) return;
  next_ = now + (terminal_ ? Clock::duration(kRedrawTable) : Clock::duration(kTableLine));
  const Standing standing = standing_of(interview_.ledger());
  if (!terminal_) {
    say(fmt::format("duel: {}\n", line(standing)));
    return;
  }
  const TerminalSize size = size_of_terminal();
  const Paint paint(wants_color(STDERR_FILENO));
  const auto table = lines(standing, in_flight, trouble, size.rows, size.columns);
  // One write, so that nothing flickers: up to the first line, each line again, the rest cleared.
  const std::size_t drawn = drawn_rows(size.columns);
  std::string text = drawn > 0 ? fmt::format("\033[{}A\r", drawn) : "\r";
  for (std::size_t k = 0; k < table.size(); ++k) {
    text += "\033[K" + (k == 0 ? paint.bold(table[k]) : table[k]) + "\n";
  }
  say(text + "\033[J");
  drawn_.clear();
  for (const std::string& line : table) drawn_.push_back(display_width(line));
}

// A terminal that became narrower since has broken the lines that are too long for it now.
std::size_t LiveTable::drawn_rows(std::size_t columns) const {
  std::size_t rows = 0;
  for (const std::size_t width : drawn_) {
    rows += std::max<std::size_t>(1, (width + columns - 1) / columns);
  }
  return rows;
}

void LiveTable::clear() {
  const std::size_t drawn = drawn_rows(size_of_terminal().columns);
  if (drawn > 0) say(fmt::format("\033[{}A\r\033[J", drawn));
  drawn_.clear();
}

}  // namespace duel::cli
