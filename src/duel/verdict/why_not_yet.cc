#include "duel/verdict/why_not_yet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/experiment/tasks_left.h"
#include "duel/verdict/verdict.h"

namespace duel {
namespace {

constexpr std::size_t kMostListed = 4;

// "a, b, c, d and 3 more".
std::string some_of(const std::vector<std::string>& items) {
  std::string text = fmt::format(
      "{}",
      fmt::join(items.begin(),
                items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), kMostListed)),
                ", "));
  if (items.size() > kMostListed) text += fmt::format(" and {} more", items.size() - kMostListed);
  return text;
}

// "about 120 more duels", or what to say where the rates do not lead there.
std::string what_it_needs(const std::optional<std::uint64_t>& duels_left, const char* otherwise) {
  if (!duels_left) return otherwise;
  return fmt::format("about {} more duel{}", approximate_count(*duels_left),
                     *duels_left == 1 ? "" : "s");
}

class Reasons {
 public:
  Reasons(const Ledger& ledger, const Standing& standing) : ledger_(ledger), standing_(standing) {}

  std::vector<WhyNotYet> collect(const std::vector<HealthCheck>& health) && {
    no_more_duels();
    if (standing_.space) {
      what_answers_lack(ledger_.total().decisive());
      duels_in_vain();
      add(Obstacle::point_open, 1, why_not_proved(ledger_));
    } else if (standing_.panel) {
      who_has_not_answered(*standing_.panel);
    } else {
      what_a_sample_lacks();
    }
    const std::vector<std::string> failed = failures(health);
    if (!failed.empty()) {
      add(Obstacle::health, failed.size(),
          fmt::format("{} failed: {}.", counted(failed.size(), "health check"),
                      fmt::join(failed, "; ")));
    }
    return std::move(reasons_);
  }

 private:
  void add(Obstacle reason, std::uint64_t count, std::string detail) {
    reasons_.push_back({.reason = reason, .count = count, .detail = std::move(detail)});
  }

  void what_answers_lack(std::uint64_t decisive) {
    if (decisive == 0 && standing_.waiting.answers == 0) {
      add(Obstacle::no_decisive_answer, 1, "No answer names a winner yet.");
    }
    answers_that_wait();
  }

  void what_a_sample_lacks() {
    what_answers_lack(ledger_.certifier().decisive());
    duels_in_vain();
    minimum_per_pair();
    what_is_open();
  }

  // What an owner can do about those who have not answered: otherwise a panel waits for ever.
  static std::string if_they_do_not_come(const PanelStanding& panel) {
    if (panel.early) return " The owner can declare absent who will not come.";
    if (panel.answered == 0) return "";
    return fmt::format(
        " If they will not come, the owner can close the panel: it is then the {}.",
        counted(panel.answered, "person who has answered", "people who have answered"));
  }

  void who_has_not_answered(const PanelStanding& panel) {
    if (!panel.size) {
      add(Obstacle::panel_open, panel.answered,
          fmt::format("The panel has no size, and {} answered so far. Close it when everybody "
                      "who counts has answered.",
                      counted(panel.answered, "person has", "people have")));
    } else if (const std::uint64_t others = *panel.size - panel.answered; others > 0) {
      add(Obstacle::people, others,
          fmt::format("{} of {} {} not answered yet{}.{}", others,
                      counted(*panel.size, "person", "people"), others == 1 ? "has" : "have",
                      panel.absent > 0 ? fmt::format(", {} of them absent", panel.absent) : "",
                      if_they_do_not_come(panel)));
    }
    duels_in_vain();
    if (!standing_.leader || !panel.size) return;
    std::vector<std::string> open;
    for (const PanelPair& pair : panel.pairs) {
      open.push_back(fmt::format("{} ({} : {}, {} to come)",
                                 ledger_.name_of(*ledger_.find_arm(pair.second)), pair.for_first,
                                 pair.for_second, counted(*pair.unknown, "answer")));
    }
    if (open.empty()) return;
    add(Obstacle::rivals, open.size(),
        fmt::format("{} has still to be shown to beat {}: {}.", ledger_.name_of(*standing_.leader),
                    counted(open.size(), "rival"), some_of(open)));
  }

  void no_more_duels() {
    if (ledger_.state() != ExperimentState::running) {
      add(Obstacle::not_running, 1,
          fmt::format("The experiment is {}: no duels are served.", to_word(ledger_.state())));
    }
    const std::uint64_t limit = ledger_.experiment().stopping.max_duels;
    if (limit > 0 && ledger_.served() >= limit) {
      add(Obstacle::max_duels, limit, fmt::format("max_duels = {} is reached.", limit));
    }
    if (ledger_.parts().tasks_end) tasks();
  }

  // The pairs in the way of a certificate that have met about every task.
  void tasks() {
    if (standing_.space) return tasks_of_proof();
    std::vector<std::string> pairs;
    const auto look_at = [&](Arm i, Arm j) {
      if (!needs_more_tasks(ledger_, i, j)) return;
      pairs.push_back(fmt::format("{} and {}", ledger_.name_of(i), ledger_.name_of(j)));
    };
    if (standing_.order) {
      for (const NeededPair& pair : standing_.order->needed) look_at(pair.first, pair.second);
    } else if (standing_.leader) {
      for (const ArmStanding& rival : standing_.arms) {
        if (rival.beaten) look_at(*standing_.leader, rival.arm);
      }
    }
    if (pairs.empty()) return;
    add(Obstacle::tasks_used_up, pairs.size(),
        fmt::format("{} met about each of the {}, and a task is evidence about a pair once: {}. "
                    "Add tasks.",
                    counted(pairs.size(), "pair has", "pairs have"),
                    counted(ledger_.tasks().count, "task"), some_of(pairs)));
  }

  // A task is evidence about a candidate once, and no other candidate gets it again.
  void tasks_of_proof() {
    if (!proof_needs_more_tasks(ledger_)) return;
    const TunedSpace& tuned = *ledger_.tuned();
    add(Obstacle::tasks_used_up, 1,
        fmt::format("'{}' has no task left for its proof: of the {}, those kept for proofs were "
                    "all asked about. Add tasks.",
                    tuned.candidate().id(), counted(ledger_.tasks().count, "task")));
  }

  void answers_that_wait() {
    const WaitingAnswers& waiting = standing_.waiting;
    if (waiting.answers == 0) return;
    const std::string until =
        waiting.until ? fmt::format(", until {} at the latest", format_timestamp(waiting.until->ms))
                      : std::string();
    add(Obstacle::answers_wait, waiting.answers,
        fmt::format("{} {} for {} served before {} {}{}.", counted(waiting.answers, "answer"),
                    waiting.answers == 1 ? "waits" : "wait",
                    counted(waiting.open_duels, "open duel"), waiting.answers == 1 ? "it" : "them",
                    standing_.space ? "about the same candidate" : "on the same pair", until));
    reasons_.back().until = waiting.until;
  }

  const char* why_not_admitted() const {
    if (ledger_.parts().panel) return "whoever was asked has no seat in the panel";
    if (ledger_.parts().one_look) {
      return "the experiment is decided by one look at comparisons made elsewhere";
    }
    if (ledger_.costs().cached > 0) return "the judge's answers to them came from a cache";
    return "a task may reach several pairs, which are declared to be independent";
  }

  void duels_in_vain() {
    const NoEvidence& in_vain = ledger_.statement().no_evidence();
    const std::uint64_t served = ledger_.total().served;
    const auto in_vain_for = [&](Obstacle reason, std::uint64_t count, const char* why) {
      if (count == 0) return;
      add(reason, count,
          fmt::format("{} of {} cannot be evidence: {}.", count, counted(served, "duel"), why));
    };
    in_vain_for(Obstacle::subject_again, in_vain.subject_again,
                "their subject had been asked about the pair before, and counts once");
    in_vain_for(Obstacle::task_again, in_vain.task_again,
                "their pair had met about the task before, and a task counts once");
    in_vain_for(Obstacle::lost_serves, in_vain.lost_serves,
                "they were served when the machine lost power");
    in_vain_for(Obstacle::recovered, in_vain.recovered,
                "the record of their serve was lost, and a report brought it back");
    in_vain_for(Obstacle::not_admitted, in_vain.other, why_not_admitted());
    if (const std::uint64_t late = ledger_.late(); late > 0) {
      add(Obstacle::late, late,
          fmt::format("{} came after {} had expired.", counted(late, "answer"),
                      late == 1 ? "its duel" : "their duels"));
    }
  }

  void minimum_per_pair() {
    const std::uint64_t least = ledger_.experiment().stopping.min_decisive_per_pair;
    if (least == 0 || !standing_.leader) return;
    std::vector<std::string> pairs;
    const auto look_at = [&](Arm i, Arm j) {
      const Certifier& certifier = ledger_.certifier();
      const std::uint64_t decisive = certifier.wins(i, j) + certifier.wins(j, i);
      if (decisive >= least) return;
      pairs.push_back(
          fmt::format("{} and {} ({})", ledger_.name_of(i), ledger_.name_of(j), decisive));
    };
    if (standing_.order) {
      for (const NeededPair& pair : standing_.order->needed) look_at(pair.first, pair.second);
    } else {
      for (const ArmStanding& rival : standing_.arms) {
        if (rival.beaten) look_at(*standing_.leader, rival.arm);
      }
    }
    if (pairs.empty()) return;
    add(Obstacle::minimum_per_pair, pairs.size(),
        fmt::format("{} fewer than min_decisive_per_pair = {} decisive answers: {}.",
                    counted(pairs.size(), "pair has", "pairs have"), least, some_of(pairs)));
  }

  // What has not reached its threshold, with what it needs.
  void what_is_open() {
    std::vector<std::string> open;
    if (standing_.order) {
      for (const NeededPair& pair : standing_.order->needed) {
        if (pair.shown) continue;
        open.push_back(fmt::format("{} over {} ({})", ledger_.name_of(pair.first),
                                   ledger_.name_of(pair.second),
                                   what_it_needs(pair.duels_left, "it is not ahead")));
      }
      if (open.empty()) return;
      return add(Obstacle::rivals, open.size(),
                 fmt::format("{} not decided: {}.", counted(open.size(), "pair is", "pairs are"),
                             some_of(open)));
    }
    if (!standing_.leader) {
      if (ledger_.total().decisive() == 0) return;
      return add(Obstacle::none_first, ledger_.num_active(),
                 "Every arm is ruled out of first place by another. The certificate that no arm "
                 "beats every other asks for more evidence.");
    }
    for (const ArmStanding& rival : standing_.arms) {
      if (!rival.beaten || *rival.beaten >= 1) continue;
      const bool met = ledger_.pair(*standing_.leader, rival.arm).decisive() > 0;
      open.push_back(fmt::format("{} ({})", ledger_.name_of(rival.arm),
                                 what_it_needs(rival.duels_left, met ? "no lead over it so far"
                                                                     : "no decisive duel so far")));
    }
    if (open.empty()) return;
    add(Obstacle::rivals, open.size(),
        fmt::format("{} has still to be shown to beat {}: {}.", ledger_.name_of(*standing_.leader),
                    counted(open.size(), "rival"), some_of(open)));
  }

  const Ledger& ledger_;
  const Standing& standing_;
  std::vector<WhyNotYet> reasons_;
};

}  // namespace

std::vector<WhyNotYet> why_not_yet(const Ledger& ledger, const Standing& standing,
                                   const std::vector<HealthCheck>& health) {
  if (ledger.certificate()) return {};
  return Reasons(ledger, standing).collect(health);
}

}  // namespace duel
