#include "duel/verdict/repeated_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duel/core/numbers.h"

namespace duel {
namespace {

constexpr const char* kName = "fresh_answers";
// Answers that are kept. A circle is seen as soon as it has been gone through a few times.
constexpr std::size_t kMostKept = 4096;
constexpr std::uint64_t kLongestCircle = 512;
// Two answers are enough to repeat, and six of one kind by chance are common enough: 1 in 32.
constexpr std::uint64_t kFewestRepeats = 5;
// ln of the probability that some circle fits answers that are drawn afresh, over all lengths.
constexpr double kChance = -13.8;  // 1e-6

}  // namespace

std::uint32_t RepeatedAnswers::number_of(const std::string& arm) {
  return arms_.try_emplace(arm, static_cast<std::uint32_t>(arms_.size())).first->second;
}

void RepeatedAnswers::take(const LogEntry& entry) {
  if (const auto* first = std::get_if<ExperimentRecord>(&entry.record)) {
    tasks_ = first->tasks.count;
  } else if (const auto* serve = std::get_if<ServeRecord>(&entry.record)) {
    if (!serve->subject.empty()) subjects_ = true;
    if (!serve->task.empty()) tasks_ = std::max<std::uint64_t>(tasks_, 1);
    const Pair pair{number_of(serve->first), number_of(serve->second)};
    const std::uint64_t turn = served_++;
    if (pair.first == pair.second) return;
    const std::uint64_t meeting = meetings_[std::minmax(pair.first, pair.second)]++;
    if (answers_.size() + open_.size() < kMostKept) {
      open_.insert_or_assign(serve->duel_id, Open{pair, turn, meeting});
    }
  } else if (const auto* outcome = std::get_if<OutcomeRecord>(&entry.record)) {
    const auto found = open_.find(outcome->duel_id);
    if (found == open_.end()) return;
    const Open open = found->second;
    open_.erase(found);
    const Answer& answer = outcome->answer;
    if (answer.result == Answered::skip || answer.result == Answered::invalid) return;
    const bool is_first =
        answer.result == Answered::win && number_of(answer.winner) == open.pair.first;
    const bool is_graded = answer.result == Answered::graded;
    const Saying said{is_first ? -1 : static_cast<int>(answer.result),
                      is_graded ? answer.score.value_or(0) : 0};
    answers_.push_back({open.pair, open.turn, open.meeting, said});
  } else if (const auto* expired = std::get_if<ExpiredRecord>(&entry.record)) {
    open_.erase(expired->duel_id);
  }
}

// A circle of length n fits where any two answers about one pair, n turns or a multiple apart, are
// the same. Each answer that had to be the same as one before would be so by chance with the
// probability that two answers about its pair agree, which is estimated from all of them. A pair
// whose answers are all the same says nothing: it fits every circle.
template <class Place>
std::uint64_t RepeatedAnswers::circle(const Place& place) const {
  std::map<Pair, std::map<Saying, double>> counts;
  for (const Reply& answer : answers_) counts[answer.pair][answer.said] += 1;
  std::map<Pair, double> agree;  // ln of the probability
  for (const auto& [pair, times] : counts) {
    double all = 0, squares = 0;
    for (const auto& [saying, count] : times) {
      all += count;
      squares += count * count;
    }
    agree[pair] = std::log(squares / (all * all));
  }
  const std::uint64_t longest = std::min<std::uint64_t>(kLongestCircle, answers_.size() / 2);
  for (std::uint64_t length = 2; length <= longest; ++length) {
    std::map<std::pair<Pair, std::uint64_t>, Saying> said;
    double chance = std::log(static_cast<double>(longest));
    bool fits = true;
    for (const Reply& answer : answers_) {
      const auto [known, is_new] =
          said.try_emplace({answer.pair, place(answer) % length}, answer.said);
      if (is_new) continue;
      fits = known->second == answer.said;
      if (!fits) break;
      chance += agree[answer.pair];
    }
    if (fits && chance < kChance) return length;
  }
  return 0;
}

std::uint64_t RepeatedAnswers::exact_repeats() const {
  if (tasks_ > 0 || subjects_) return 0;
  std::map<Pair, Saying> said;
  std::uint64_t repeats = 0;
  for (const Reply& answer : answers_) {
    const auto [known, is_new] = said.try_emplace(answer.pair, answer.said);
    repeats += is_new ? 0 : 1;
    if (known->second != answer.said) return 0;
  }
  return repeats < kFewestRepeats ? 0 : repeats;
}

HealthCheck RepeatedAnswers::check() const {
  if (tasks_ > 0) return judged_check(kName, false, "each duel is about a task of its own");
  if (subjects_) return judged_check(kName, false, "each duel says who was asked");
  if (const std::uint64_t repeats = exact_repeats(); repeats > 0) {
    return unknown_check(
        kName, fmt::format(
                   "all {} repeated answers were the same: a judge that says the same about a pair "
                   "each time has said it once; if it answers about questions, give them as tasks",
                   repeats));
  }
  std::uint64_t length = circle([](const Reply& answer) { return answer.turn; });
  if (length == 0) length = circle([](const Reply& answer) { return answer.meeting; });
  if (length > 0) {
    return judged_check(kName, true,
                        fmt::format("the answers repeat every {} duels, as if there were {} "
                                    "questions; give them as tasks, so that each counts once",
                                    length, length));
  }
  return unknown_check(
      kName,
      "nothing says what the answers are about: they must be drawn afresh and have nothing to do "
      "with each other; a judge that chooses among questions needs them as tasks");
}

}  // namespace duel
