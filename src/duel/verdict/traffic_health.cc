#include "duel/verdict/traffic_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/numbers.h"
#include "duel/experiment/experiment.h"
#include "duel/log/record_reader.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/store/line.h"

namespace duel {
namespace {

constexpr double kFar = 3.5;                   // standard errors
constexpr std::uint64_t kFewestDuels = 20;     // below it a share means nothing
constexpr double kMostReplaced = 0.05;         // of the duels, by `exclude` or after a loss
constexpr double kLargestSubject = 0.2;        // of the answers, with kFewestSubjects or more
constexpr std::uint64_t kFewestSubjects = 10;  // fewer people may well answer unevenly
// New voters by one link in a minute: a link on a slide or in a mail brings fewer, a loop brings
// more.
constexpr std::uint64_t kMostNewInAMinute = 60;
constexpr double kTooFastMs = 300;     // nobody compares two things in less
constexpr double kMostTooFast = 0.05;  // of the answers
constexpr double kMostOverrun = 0.01;  // of the pages with clicks
constexpr std::int64_t kMostPeriods = 32;

// A sum of squared standard scores against its degrees of freedom. Its variance is twice those.
bool is_far(double squares, double degrees) {
  return squares > degrees + kFar * std::sqrt(2 * degrees);
}

}  // namespace

void TrafficHealth::Moments::add(double value) {
  ++n;
  const double before = value - mean;
  mean += before / static_cast<double>(n);
  squares += before * (value - mean);
}

std::uint32_t TrafficHealth::number_of(const std::string& arm) {
  return arms_.try_emplace(arm, static_cast<std::uint32_t>(arms_.size())).first->second;
}

void TrafficHealth::take(const LogEntry& entry) {
  const auto take_one = [&]<class Kind>(const Kind& record) {
    if constexpr (std::is_same_v<Kind, ExperimentRecord>) {
      mode_ = record.service.mode;
      page_length_ = record.service.interleave.length;
      floor_ = record.service.guardrails.explore_floor;
      first_ms_ = entry.time_ms;
      for (const ArmEntry& arm : record.arms) number_of(arm.id);
    } else if constexpr (std::is_same_v<Kind, ConfiguredRecord>) {
      floor_ = record.guardrails.explore_floor;
    } else if constexpr (std::is_same_v<Kind, ServeRecord>) {
      take_serve(record, entry.time_ms);
    } else if constexpr (std::is_same_v<Kind, OutcomeRecord>) {
      take_outcome(record, entry.time_ms);
    } else if constexpr (std::is_same_v<Kind, ExpiredRecord>) {
      settle(record.duel_id);
    } else if constexpr (std::is_same_v<Kind, InterleavedRecord>) {
      const auto found = open_.find(record.duel_id);
      if (found == open_.end()) return;
      // Which items are competitive depends on the lists alone, so any seed will do.
      const DraftedPage page =
          draft_page(0, record.duel_id, record.first, record.second, 0, page_length_);
      found->second.items = page.items.size();
      ++pages_;
      coverage_ += duel::competitive_coverage(page.items);
    } else if constexpr (std::is_same_v<Kind, EventRecord>) {
      if (const auto found = open_.find(record.duel_id); found != open_.end()) {
        ++found->second.events;
      }
    }
  };
  std::visit(take_one, entry.record);
}

void TrafficHealth::take_serve(const ServeRecord& serve, std::int64_t time_ms) {
  if (serve.serving == Serving::exploit) {
    // A page of one arm is a choice of the policy, too, and the draw for the floor came before it.
    // After a certificate there was no draw: the winner is shown with probability 1.
    if (serve.propensity < 1) take_choice();
    return;
  }
  const std::uint32_t first = number_of(serve.first), second = number_of(serve.second);
  if (serve.by == ServedBy::recovered) {
    ++chosen_;
    ++replaced_;
  } else if (serve.serving == Serving::explore || serve.serving == Serving::contest) {
    take_choice();
    by_floor_ += serve.by == ServedBy::floor ? 1 : 0;
    replaced_ += serve.by == ServedBy::exclude ? 1 : 0;
  }
  open_[serve.duel_id] = {.served_ms = time_ms,
                          .low = std::min(first, second),
                          .high = std::max(first, second),
                          .subject = serve.subject};
  const std::string_view by = link_of(serve.subject);
  if (by.empty()) return;
  Link& link = links_[std::string(by)];
  if (!link.subjects.insert(serve.subject).second) return;
  if (const std::int64_t minute = time_ms / 60'000; minute != link.minute) {
    link.minute = minute;
    link.new_now = 0;
  }
  link.most_new = std::max(link.most_new, ++link.new_now);
}

void TrafficHealth::take_choice() {
  ++chosen_;
  floor_expected_ += floor_;
  floor_variance_ += floor_ * (1 - floor_);
}

void TrafficHealth::settle(const std::string& duel_id) {
  const auto found = open_.find(duel_id);
  if (found == open_.end()) return;
  const Open& duel = found->second;
  if (duel.events > 0) {
    ++clicked_pages_;
    most_events_ = std::max(most_events_, duel.events);
    if (duel.events > std::max<std::uint64_t>(duel.items, 2)) ++overrun_pages_;
  }
  open_.erase(found);
}

void TrafficHealth::take_outcome(const OutcomeRecord& outcome, std::int64_t time_ms) {
  const auto found = open_.find(outcome.duel_id);
  if (found == open_.end()) return;  // late, or told again
  const Open& duel = found->second;
  if (!duel.subject.empty()) {
    ++answers_of_[duel.subject];
    ++answers_with_subject_;
  }
  if (const auto by = links_.find(std::string(link_of(duel.subject))); by != links_.end()) {
    ++by->second.answers;
  }
  const auto age_ms = static_cast<double>(time_ms - duel.served_ms);
  const bool person = outcome.source.type != "judge" && outcome.source.type != "clicks";
  if (person && mode_ == Mode::duel) {
    const double took = outcome.response_ms ? static_cast<double>(*outcome.response_ms) : age_ms;
    ++timed_;
    too_fast_ += took < kTooFastMs ? 1 : 0;
    seconds_.add(took / 1000);
  }
  if (outcome.answer.result == Answered::win && duel.low != duel.high) {
    const Pair pair{duel.low, duel.high};
    const bool low_won = number_of(outcome.answer.winner) == duel.low;
    count_in_period(pair, low_won, time_ms);
    // Only if the caller closed the page has somebody chosen the moment.
    if (outcome.note == "closed") {
      PairAges& ages = ages_[pair];
      (low_won ? ages.low_won : ages.high_won).add(std::log1p(std::max(0.0, age_ms)));
    }
  }
  settle(outcome.duel_id);
}

void TrafficHealth::count_in_period(const Pair& pair, bool low_won, std::int64_t time_ms) {
  std::int64_t period = (time_ms - first_ms_) / period_ms_;
  while (period >= kMostPeriods) {
    // Periods become twice as long, so that two neighbours become one.
    period_ms_ *= 2;
    period /= 2;
    for (auto& [of, by_period] : periods_) {
      std::map<std::int64_t, Wins> merged;
      for (const auto& [number, wins] : by_period) {
        merged[number / 2].low += wins.low;
        merged[number / 2].high += wins.high;
      }
      by_period = std::move(merged);
    }
  }
  Wins& wins = periods_[pair][period];
  ++(low_won ? wins.low : wins.high);
}

std::vector<HealthCheck> TrafficHealth::checks() const {
  return {sample_ratio(),   competitive_coverage(), votes_per_subject(), drift(),
          time_to_answer(), close_times(),          many_subjects(),     share_links()};
}

// Were the duels served that the policy chose? A random draw may take its place as often as the
// exploration floor says; `exclude` should be rare.
HealthCheck TrafficHealth::sample_ratio() const {
  const std::string name = "sample_ratio";
  if (chosen_ < kFewestDuels) return unknown_check(name, "too few duels to tell");
  const auto all = static_cast<double>(chosen_);
  const double replaced = static_cast<double>(replaced_) / all;
  const double off = static_cast<double>(by_floor_) - floor_expected_;
  const double far = floor_variance_ > 0 ? std::abs(off) / std::sqrt(floor_variance_)
                     : by_floor_ > 0     ? kFar + 1
                                         : 0;
  std::string detail = fmt::format(
      "{:.1f} % of {} choices were not the policy's: {} drawn for the exploration floor, where "
      "{:.1f} were due, and {} in place of what could not be shown or was lost",
      100 * (static_cast<double>(by_floor_) / all + replaced), chosen_, by_floor_, floor_expected_,
      replaced_);
  return judged_check(name, far > kFar || replaced > kMostReplaced, std::move(detail));
}

// If the two rankings are nearly the same, many pages are needed for a result: tells the user.
HealthCheck TrafficHealth::competitive_coverage() const {
  const std::string name = "competitive_coverage";
  if (mode_ != Mode::interleave) return unknown_check(name, "no pages are drafted");
  if (pages_ < kFewestDuels) return unknown_check(name, "too few pages to tell");
  const double mean = coverage_ / static_cast<double>(pages_);
  return judged_check(
      name, mean < kLowCoverage,
      fmt::format("{:.1f} % of the items on {} pages are competitive", 100 * mean, pages_));
}

HealthCheck TrafficHealth::votes_per_subject() const {
  const std::string name = "votes_per_subject";
  if (answers_with_subject_ == 0) return unknown_check(name, "nobody is named");
  std::uint64_t largest = 0;
  for (const auto& [subject, answers] : answers_of_) largest = std::max(largest, answers);
  const double share = static_cast<double>(largest) / static_cast<double>(answers_with_subject_);
  std::string detail =
      fmt::format("{}, the busiest gave {:.1f} % of {}", counted(answers_of_.size(), "subject"),
                  100 * share, counted(answers_with_subject_, "answer"));
  if (answers_with_subject_ < kFewestDuels || answers_of_.size() < kFewestSubjects) {
    return unknown_check(name, std::move(detail));
  }
  return judged_check(name, share > kLargestSubject, std::move(detail));
}

// A link may be in anybody's hands, and one person can begin to vote again and again.
HealthCheck TrafficHealth::share_links() const {
  const std::string name = "share_links";
  if (links_.empty()) return unknown_check(name, "nobody votes by a share link");
  const auto busiest =
      std::ranges::max_element(links_, {}, [](const auto& one) { return one.second.answers; });
  const auto quickest =
      std::ranges::max_element(links_, {}, [](const auto& one) { return one.second.most_new; });
  std::uint64_t answers = 0;
  for (const auto& [id, link] : links_) answers += link.answers;
  const double share =
      answers == 0 ? 0
                   : static_cast<double>(busiest->second.answers) / static_cast<double>(answers);
  return judged_check(
      name, quickest->second.most_new > kMostNewInAMinute,
      fmt::format("{} gave {}; the busiest, {}, {:.1f} % of them from {}; most new voters in a "
                  "minute: {}, by {}",
                  counted(links_.size(), "link"), counted(answers, "vote"), busiest->first,
                  100 * share, counted(busiest->second.subjects.size(), "voter"),
                  quickest->second.most_new, quickest->first));
}

// Does a pair's rate stay the same over time? The statistic is the sum of squared deviations of
// each period from the pair's own rate.
HealthCheck TrafficHealth::drift() const {
  constexpr std::uint64_t kFewestOfPeriod = 5;
  const std::string name = "drift";
  double squares = 0, degrees = 0;
  for (const auto& [pair, by_period] : periods_) {
    double low = 0, all = 0, periods = 0;
    for (const auto& [number, wins] : by_period) {
      if (wins.low + wins.high < kFewestOfPeriod) continue;
      low += static_cast<double>(wins.low);
      all += static_cast<double>(wins.low + wins.high);
      periods += 1;
    }
    if (periods < 2 || low == 0 || low == all) continue;
    const double rate = low / all;
    for (const auto& [number, wins] : by_period) {
      const auto n = static_cast<double>(wins.low + wins.high);
      if (n < static_cast<double>(kFewestOfPeriod)) continue;
      const double off = static_cast<double>(wins.low) - n * rate;
      squares += off * off / (n * rate * (1 - rate));
    }
    degrees += periods - 1;
  }
  if (degrees == 0) return unknown_check(name, "too few decisive duels in two periods of one pair");
  const bool far = is_far(squares, degrees);
  return judged_check(
      name, far,
      fmt::format("rates of periods of {:.0f} minutes {} (chi-squared {:.1f}, {:.0f} "
                  "degrees of freedom){}",
                  static_cast<double>(period_ms_) / 60'000, far ? "differ within pairs" : "agree",
                  squares, degrees,
                  // The policy of this experiment stays; another one can have this.
                  far ? "; where preferences change, the policy watch(inner=imed) begins again "
                        "when the arm it shows is beaten"
                      : ""));
}

HealthCheck TrafficHealth::time_to_answer() const {
  const std::string name = "time_to_answer";
  if (mode_ == Mode::interleave) return unknown_check(name, "clicks decide pages");
  if (timed_ < kFewestDuels) return unknown_check(name, "too few answers of people to tell");
  const double share = static_cast<double>(too_fast_) / static_cast<double>(timed_);
  return judged_check(
      name, share > kMostTooFast,
      fmt::format("{:.1f} s on average; {:.1f} % of {} answers came in less than 0.3 s",
                  seconds_.mean, 100 * share, timed_));
}

// A caller that closes pages must not wait until the arm that it wants is ahead. So the ages at
// which pages were closed are compared between the two winners of each pair (Welch, on logarithms).
HealthCheck TrafficHealth::close_times() const {
  constexpr std::uint64_t kFewestOfWinner = 10;
  const std::string name = "close_times";
  if (mode_ != Mode::interleave) return unknown_check(name, "no pages are closed");
  double squares = 0, degrees = 0;
  for (const auto& [pair, ages] : ages_) {
    const Moments &low = ages.low_won, &high = ages.high_won;
    if (low.n < kFewestOfWinner || high.n < kFewestOfWinner) continue;
    const auto variance_of_mean = [](const Moments& of) {
      const auto n = static_cast<double>(of.n);
      return of.squares / (n - 1) / n;
    };
    const double variance = variance_of_mean(low) + variance_of_mean(high);
    const double off = low.mean - high.mean;
    if (variance == 0 && off == 0) {
      degrees += 1;
      continue;
    }
    squares += variance > 0 ? off * off / variance : 2 * kFar * kFar;
    degrees += 1;
  }
  if (degrees == 0) return unknown_check(name, "too few closed pages to tell");
  const bool far = is_far(squares, degrees);
  return judged_check(
      name, far,
      fmt::format("the ages of closed pages {} the winner (chi-squared {:.1f}, {:.0f} "
                  "degrees of freedom)",
                  far ? "depend on" : "do not depend on", squares, degrees));
}

// If a cache gives one page to many people, it collects more clicks than one person makes.
HealthCheck TrafficHealth::many_subjects() const {
  const std::string name = "many_subjects";
  if (mode_ != Mode::interleave) return unknown_check(name, "no pages are shown");
  if (clicked_pages_ < kFewestDuels)
    return unknown_check(name, "too few pages with clicks to tell");
  const double share = static_cast<double>(overrun_pages_) / static_cast<double>(clicked_pages_);
  return judged_check(
      name, share > kMostOverrun,
      fmt::format("{} of {} pages with clicks got more clicks than they have items; the "
                  "most on one page are {}",
                  overrun_pages_, clicked_pages_, most_events_));
}

Result<std::vector<HealthCheck>> TrafficHealths::checks(Store& store,
                                                        const std::string& experiment_id) {
  constexpr std::size_t kMostFolds = 64;
  std::shared_ptr<Fold> fold;
  {
    const std::lock_guard lock(mutex_);
    auto& held = folds_[experiment_id];
    if (!held) held = std::make_shared<Fold>();
    held->used = ++uses_;
    fold = held;
    if (folds_.size() > kMostFolds) {
      folds_.erase(
          std::ranges::min_element(folds_, {}, [](const auto& one) { return one.second->used; }));
    }
  }
  const std::lock_guard lock(fold->mutex);
  RecordReader reader;
  std::string padded;
  const auto sink = [&](std::string_view line) -> Status {
    padded = line;
    padded.resize(line.size() + kReadableAfterLine);
    LogEntry entry;
    DUEL_RETURN_IF_ERROR(reader.read(std::string_view(padded).substr(0, line.size()), entry));
    fold->health.take(entry);
    fold->sequence = entry.sequence;
    return Done{};
  };
  DUEL_RETURN_IF_ERROR(store.read(experiment_id, fold->sequence, sink));
  return fold->health.checks();
}

}  // namespace duel
