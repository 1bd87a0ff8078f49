#include "duel/experiment/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "duel/core/check.h"
#include "duel/core/logarithm.h"
#include "duel/core/rng.h"
#include "duel/experiment/heard.h"

namespace duel {
namespace {

Error unfit(std::string_view field, std::string message, std::string hint = {}) {
  return Error::unsupported(std::move(message)).with_hint(std::move(hint)).in_field(field);
}

Status check_members(const PanelRule& rule) {
  const auto& members = rule.members;
  if (rule.size > Panel::kMostMembers || members.size() > Panel::kMostMembers) {
    return Error::invalid_argument(
               fmt::format("a panel has at most {} members", Panel::kMostMembers))
        .in_field(members.empty() ? "panel.size" : "panel.members");
  }
  if (rule.size > 0 && !members.empty()) {
    return Error::invalid_argument("a panel has a size or a list of members, not both")
        .in_field("panel.size");
  }
  std::vector<std::string> sorted = members;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end() ||
      (!sorted.empty() && sorted[0].empty())) {
    return Error::invalid_argument("a member has no name, or is there twice")
        .in_field("panel.members");
  }
  if (!rule.early) return Done{};
  if (members.size() < Panel::kFewestForEarly) {
    return unfit(
        "panel.early",
        fmt::format("early verdicts need a list of at least {} members", Panel::kFewestForEarly),
        "a smaller panel is decided as soon by counting");
  }
  if (sorted == members) return Done{};
  return Error::invalid_argument("the members of an early panel are not in their drawn order")
      .with_hint("that is the order of their keyed hashes")
      .in_field("panel.members");
}

Status check_rules(const ExperimentRecord& experiment) {
  const ServiceRule& service = experiment.service;
  if (service.mode != Mode::duel) {
    return unfit("about", "visitors who click are no panel", "take the mode `duel`");
  }
  if (experiment.goal != Goal(Goal::condorcet)) {
    return unfit("goal", "a panel decides which arm beats every other",
                 "leave the goal out, or take `condorcet` without an assumption");
  }
  if (!experiment.stopping.arms_fixed) {
    return unfit("stopping.arms_fixed", "the arms of a panel are fixed",
                 "every member is asked about the same ones");
  }
  if (experiment.stopping.min_decisive_per_pair > 0) {
    return unfit("stopping.min_decisive_per_pair",
                 "what a panel has said is certain by counting, without a minimum");
  }
  if (experiment.aa_rate > 0) {
    return unfit("aa_rate", "a panel is asked about each pair once, and never about one arm twice");
  }
  if (service.guardrails.explore_floor > 0) {
    return unfit("guardrails.explore_floor", "a panel is only asked what can matter");
  }
  if (experiment.comparisons_count || experiment.one_look_after > 0) {
    return unfit("comparisons_count", "comparisons made elsewhere are not answers of the panel");
  }
  if (experiment.tasks.count > 0 && experiment.tasks.about != TaskScope::these_tasks) {
    return unfit("tasks.about", "a panel speaks of exactly the tasks that it is asked about");
  }
  return Done{};
}

}  // namespace

Result<Panel> Panel::make(const ExperimentRecord& experiment) {
  DUEL_RETURN_IF_ERROR(check_rules(experiment));
  DUEL_RETURN_IF_ERROR(check_members(experiment.panel));
  if (!(experiment.stopping.alpha > 0 && experiment.stopping.alpha < 1)) {
    return Error::invalid_argument("is out of range").in_field("stopping.alpha");
  }
  return Panel(experiment);
}

Panel::Panel(const ExperimentRecord& experiment)
    : rule_(experiment.panel),
      alpha_(experiment.stopping.alpha),
      tasks_(std::max<std::uint64_t>(1, experiment.tasks.count)),
      count_(experiment.arms.size()) {
  set_arms(experiment.arms.size());
}

void Panel::set_arms(std::size_t num_arms) {
  count_ = PanelCount(num_arms);
  if (rule_.seats() > 0) know_size(rule_.seats());
  log_threshold_ = natural_log(static_cast<double>(num_arms) / alpha_);
  if (!early()) return;
  evidence_.assign(num_arms * num_arms, PanelEvidence(rule_.members.size(), tasks_));
  next_.assign(num_arms * num_arms, 0);
}

void Panel::know_size(std::uint64_t size) {
  size_ = size;
  count_.set_most_answers(size * tasks_);
}

const Panel::Member* Panel::find(std::string_view subject) const {
  const auto found = members_.find(subject);
  return found == members_.end() ? nullptr : &found->second;
}

std::uint64_t Panel::absent() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(members_, [](const auto& member) { return member.second.absent; }));
}

bool Panel::is_member(std::string_view subject) const {
  const Member* const member = find(subject);
  return member != nullptr && !member->said.empty();
}

bool Panel::seats(std::string_view subject) const {
  if (subject.empty()) return false;
  if (const Member* const member = find(subject)) {
    if (member->absent) return false;
    if (!member->said.empty() || !member->asked.empty()) return true;
  }
  if (closed_) return false;
  if (listed()) {
    return early() ? std::ranges::binary_search(rule_.members, subject)
                   : std::ranges::find(rule_.members, subject) != rule_.members.end();
  }
  return members_.size() < (size_ ? *size_ : kMostMembers);
}

std::vector<std::string> Panel::open_duels_of(std::string_view subject) const {
  std::vector<std::string> ids;
  for (const auto& [place, open] : open_) {
    if (open.subject == subject) ids.push_back(open.duel_id);
  }
  return ids;
}

bool Panel::may_ask(std::string_view subject, Arm i, Arm j, const std::string& task) const {
  const Member* const member = find(subject);
  if (member == nullptr) return true;
  const Pair pair = std::minmax(i, j);
  const auto said = member->said.find(pair);
  return (said == member->said.end() || !said->second.tasks.contains(task)) &&
         !member->asked.contains({pair, task});
}

bool Panel::may_ask(std::string_view subject, Arm i, Arm j) const {
  const Member* const member = find(subject);
  if (member == nullptr) return true;
  const Pair pair = std::minmax(i, j);
  const auto said = member->said.find(pair);
  const std::size_t known = said == member->said.end() ? 0 : said->second.tasks.size();
  const auto asked =
      std::ranges::count_if(member->asked, [&](const auto& unit) { return unit.first == pair; });
  return known + static_cast<std::size_t>(asked) < tasks_;
}

std::optional<Decision> Panel::decision() const {
  if (!std::exchange(unseen_, false) || !size_) return std::nullopt;
  if (const auto arm = winner()) return Decision{CertificateKind::winner, arm, {}};
  if (no_winner()) return Decision{CertificateKind::no_winner, std::nullopt, {}};
  return std::nullopt;
}

std::optional<Arm> Panel::winner() const {
  const auto num_arms = static_cast<Arm>(count_.num_arms());
  for (Arm i = 0; i < num_arms; ++i) {
    bool beats_all = num_arms > 1;
    for (Arm j = 0; j < num_arms && beats_all; ++j) beats_all = j == i || shown(i, j);
    if (beats_all) return i;
  }
  return std::nullopt;
}

bool Panel::no_winner() const {
  const std::vector<bool> may_win = count_.possible_winners();
  return count_.num_arms() > 1 && std::ranges::find(may_win, true) == may_win.end();
}

std::optional<double> Panel::answer_ms() const {
  if (timed_ == 0) return std::nullopt;
  return static_cast<double>(time_ms_) / static_cast<double>(timed_);
}

Status Panel::admits(const ServeRecord& serve, Arm first, Arm second) const {
  if (!seats(serve.subject)) {
    return unfit_record(
        fmt::format("the duel '{}' is to count, and whom it is served to has no seat in the panel",
                    serve.duel_id),
        "evidence: false");
  }
  if (may_ask(serve.subject, first, second, serve.task)) return Done{};
  return unfit_record(fmt::format("a member is asked about '{}' and '{}' again, and it is to count",
                                  serve.first, serve.second),
                      "each member is asked about a pair once");
}

Status Panel::check(const PanelClosedRecord& record) const {
  if (early()) {
    return unfit_record("an early panel is closed",
                        "its order is drawn over the whole list; members can be declared absent");
  }
  if (closed_) return unfit_record("the panel is closed a second time");
  if (answered_ == 0) return unfit_record("the panel is closed before anybody has answered");
  if (record.members == answered_) return Done{};
  return unfit_record(fmt::format("the panel is closed with {} members, but {} have answered",
                                  record.members, answered_));
}

Status Panel::check(const AbsentRecord& record) const {
  if (!early()) {
    return unfit_record("a member is declared absent, and the panel is not an early one",
                        "who stays away is unknown in counting; close the panel instead");
  }
  if (!std::ranges::binary_search(rule_.members, record.subject)) {
    return unfit_record("who is declared absent is not on the panel's list");
  }
  const Member* const member = find(record.subject);
  if (member == nullptr || !member->absent) return Done{};
  return unfit_record("a member is declared absent a second time");
}

std::uint64_t Panel::served(const ServeRecord& serve, Arm first, Arm second) {
  Member& member = members_[serve.subject];
  member.asked.insert({std::minmax(first, second), serve.task});
  open_.emplace(places_, Open{serve.duel_id, serve.subject, first, second, serve.task});
  return places_++;
}

void Panel::final_answer(std::uint64_t place, Outcome outcome) {
  const auto found = open_.find(place);
  if (found == open_.end()) return;  // of one who is no member any more
  const Open duel = found->second;
  open_.erase(found);
  const auto holder = members_.find(duel.subject);
  Member& member = holder->second;
  const Pair pair = std::minmax(duel.first, duel.second);
  member.asked.erase({pair, duel.task});
  if (outcome == Outcome::none) {
    if (member.said.empty() && member.asked.empty() && !member.absent) members_.erase(holder);
    return;
  }
  const int answer = outcome == Outcome::first_wins ? 1 : outcome == Outcome::second_wins ? -1 : 0;
  if (member.said.empty()) ++answered_;
  Said& said = member.said[pair];
  said.tasks.insert(duel.task);
  said.sum += duel.first == pair.first ? answer : -answer;
  count_.answer(duel.first, duel.second, answer);
  unseen_ = true;
  if (early()) advance(pair);
}

// Takes the answers to the pair into the evidence, in the drawn order, as far as they are final.
void Panel::advance(const Pair& pair) {
  const auto [low, high] = pair;
  const auto all = static_cast<std::int64_t>(tasks_);
  for (std::uint64_t& next = next_[at(low, high)]; next < rule_.members.size(); ++next) {
    const Member* const member = find(rule_.members[next]);
    if (member == nullptr) return;
    const auto said = member->said.find(pair);
    if (said != member->said.end() && said->second.tasks.size() == tasks_) {
      evidence_[at(low, high)].observe(said->second.sum);
      evidence_[at(high, low)].observe(-said->second.sum);
    } else if (member->absent) {
      // Against each: whatever the absent would have said, it is no less than that.
      evidence_[at(low, high)].observe(-all);
      evidence_[at(high, low)].observe(-all);
    } else {
      return;
    }
  }
}

void Panel::took(std::uint64_t response_ms) {
  constexpr std::uint64_t kMost = 120'000;  // who goes for a coffee is not thinking
  ++timed_;
  time_ms_ += std::min(response_ms, kMost);
}

void Panel::forget_open(std::string_view subject) {
  std::erase_if(open_, [&](const auto& open) { return open.second.subject == subject; });
}

void Panel::close() {
  closed_ = true;
  for (auto at = members_.begin(); at != members_.end();) {
    if (at->second.said.empty()) {
      forget_open(at->first);
      at = members_.erase(at);
    } else {
      ++at;
    }
  }
  know_size(answered_);
  unseen_ = true;
}

void Panel::miss(const std::string& subject) {
  unseen_ = true;
  Member& member = members_[subject];
  member.absent = true;
  member.asked.clear();
  forget_open(subject);
  const auto num_arms = static_cast<Arm>(count_.num_arms());
  for (Arm i = 0; i < num_arms; ++i) {
    for (Arm j = i + 1; j < num_arms; ++j) advance({i, j});
  }
}

std::uint64_t Panel::hash(std::uint64_t hash) const {
  const auto add = [&](auto... values) {
    ((hash = mix64(hash ^ static_cast<std::uint64_t>(values))), ...);
  };
  add(size_.value_or(0), closed_, answered_, places_, open_.size(), members_.size(), absent(),
      timed_, time_ms_);
  for (Arm i = 0; i < count_.num_arms(); ++i) {
    for (Arm j = i + 1; j < count_.num_arms(); ++j) {
      add(count_.lead(i, j), count_.answers(i, j), early() ? next_[at(i, j)] : 0);
    }
  }
  return hash;
}

bool Panel::restored(std::size_t num_arms) const {
  return count_.num_arms() == num_arms && count_.restored() &&
         evidence_.size() == (early() ? num_arms * num_arms : 0) &&
         next_.size() == evidence_.size() &&
         std::ranges::all_of(next_, [&](std::uint64_t at) { return at <= rule_.members.size(); }) &&
         std::ranges::all_of(open_, [&](const auto& open) {
           return open.first < places_ && open.second.first < num_arms &&
                  open.second.second < num_arms && members_.contains(open.second.subject);
         });
}

}  // namespace duel
