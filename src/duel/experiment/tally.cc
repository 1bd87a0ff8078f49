#include "duel/experiment/tally.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "duel/core/rng.h"

namespace duel {
namespace {

void count_answer(ShownCounts& counts, const LedgerDuel& duel, Outcome counted) {
  if (duel.result == Answered::graded) {
    counts.graded = 1;
    counts.score_sum = duel.score;
    return;
  }
  ++(counted == Outcome::first_wins    ? counts.first_wins
     : counted == Outcome::second_wins ? counts.second_wins
     : counted == Outcome::tie         ? counts.ties
     : counted == Outcome::both_bad    ? counts.both_bad
     : counted == Outcome::skip        ? counts.skips
                                       : counts.invalid);
}

// How much an answer is for the arm shown first: from -1/2 to 1/2.
double leaning_of(const Judgement& judgement) {
  if (judgement.answer.score) return *judgement.answer.score - 0.5;
  if (judgement.answer.result != Answered::win) return 0;
  return judgement.answer.winner == judgement.first ? 0.5 : -0.5;
}

double leaning_of(const LedgerDuel& duel) {
  if (duel.result == Answered::graded) return duel.score - 0.5;
  return duel.outcome == Outcome::first_wins    ? 0.5
         : duel.outcome == Outcome::second_wins ? -0.5
                                                : 0;
}

int side_of(double leaning) { return leaning > 0 ? 1 : leaning < 0 ? -1 : 0; }

// Where no answer came in the end, the last try that failed is the loss itself.
std::uint64_t tries_before(std::uint64_t failed_tries, bool lost) {
  return failed_tries - (lost && failed_tries > 0 ? 1 : 0);
}

}  // namespace

ShownCounts& ShownCounts::operator+=(const ShownCounts& other) {
  served += other.served;
  first_wins += other.first_wins;
  second_wins += other.second_wins;
  ties += other.ties;
  both_bad += other.both_bad;
  skips += other.skips;
  invalid += other.invalid;
  expired += other.expired;
  failed_tries += other.failed_tries;
  moot += other.moot;
  silent_ties += other.silent_ties;
  clickless += other.clickless;
  graded += other.graded;
  score_sum += other.score_sum;
  program_alone += other.program_alone;
  return *this;
}

ShownCounts mirrored(const ShownCounts& counts) {
  ShownCounts other = counts;
  std::swap(other.first_wins, other.second_wins);
  other.score_sum = static_cast<double>(counts.graded) - counts.score_sum;
  return other;
}

ShownCounts Tally::pair(Arm i, Arm j) const {
  ShownCounts counts = shown(i, j);
  counts += mirrored(shown(j, i));
  return counts;
}

void Tally::add(Serving serving, Arm first, Arm second, const ShownCounts& counts) {
  if (serving == Serving::aa) {
    aa_ += counts;
    return;
  }
  shown_[first * num_arms_ + second] += counts;
  add_to_sums(first, second, counts);
}

void Tally::add_to_sums(Arm first, Arm second, const ShownCounts& counts) {
  total_ += counts;
  if (first == second) return;
  of_arm_[first] += counts;
  of_arm_[second] += mirrored(counts);
}

void Tally::sum_up() {
  total_ = {};
  of_arm_.assign(num_arms_, {});
  for (Arm i = 0; shown_.size() == num_arms_ * num_arms_ && i < num_arms_; ++i) {
    for (Arm j = 0; j < num_arms_; ++j) add_to_sums(i, j, shown(i, j));
  }
}

std::uint64_t Tally::hash(std::uint64_t hash) const {
  const auto add = [&](const ShownCounts& counts) {
    for (const std::uint64_t value :
         {counts.served, counts.first_wins, counts.second_wins, counts.ties, counts.both_bad,
          counts.skips, counts.invalid, counts.expired, counts.failed_tries, counts.moot}) {
      hash = mix64(hash ^ value);
    }
    // A count of zero is not hashed: logs from before there were silent ties keep their hashes.
    if (counts.silent_ties > 0) hash = mix64(hash ^ counts.silent_ties);
    if (counts.clickless > 0) hash = mix64(hash ^ counts.clickless);
    if (counts.graded > 0) hash = mix64(hash ^ counts.graded);
    if (counts.program_alone > 0) hash = mix64(hash ^ counts.program_alone);
  };
  std::ranges::for_each(shown_, add);
  std::ranges::for_each(compared_, add);
  add(aa_);
  return hash;
}

void Tally::set_arms(std::size_t num_arms) {
  if (num_arms == num_arms_) return;
  const std::size_t kept = std::min(num_arms, num_arms_);
  for (std::vector<ShownCounts>* table : {&shown_, &compared_}) {
    std::vector<ShownCounts> resized(num_arms * num_arms);
    for (std::size_t i = 0; i < kept; ++i) {
      std::copy_n(table->begin() + static_cast<std::ptrdiff_t>(i * num_arms_), kept,
                  resized.begin() + static_cast<std::ptrdiff_t>(i * num_arms));
    }
    *table = std::move(resized);
  }
  of_arm_.resize(num_arms);
  num_arms_ = num_arms;
}

void Tally::served(const ServeRecord& record, Arm first, Arm second) {
  if (record.by == ServedBy::exclude) ++excluded_;
  if (record.serving == Serving::exploit) {
    ++exploited_;
  } else {
    add(record.serving, first, second, {.served = 1});
  }
}

void Tally::answered(const OutcomeRecord& record, const LedgerDuel& duel, Outcome counted) {
  ShownCounts counts;
  count_answer(counts, duel, counted);
  counts.failed_tries = tries_before(record.failed_tries, counted == Outcome::none);
  add(duel.serving, duel.first, duel.second, counts);
  judged(record, duel, counted);
}

void Tally::judged(const OutcomeRecord& record, const LedgerDuel& duel, Outcome said) {
  count_source(record.source);
  count_costs(record);
  if (duel.serving == Serving::aa) return;
  count_judge(record, duel, said);
  count_judges(record, duel);
  // Those of several judges may contradict each other without any bias of places.
  if (record.judgements.size() != 2 || !record.judgements[0].judge.empty()) return;
  ++flips_.judged;
  const auto place_won = [](const Judgement& judgement) {
    if (judgement.answer.score && *judgement.answer.score != 0.5) {
      return *judgement.answer.score > 0.5 ? 1 : 2;
    }
    if (judgement.answer.result != Answered::win) return 0;
    return judgement.answer.winner == judgement.first ? 1 : 2;
  };
  const int once = place_won(record.judgements[0]), again = place_won(record.judgements[1]);
  if (once == again && once == 1) ++flips_.to_first;
  if (once == again && once == 2) ++flips_.to_second;
}

void Tally::not_drawn(const LedgerDuel& duel) {
  add(duel.serving, duel.first, duel.second, {.program_alone = 1});
}

void Tally::lost(const LedgerDuel& duel) {
  add(duel.serving, duel.first, duel.second, {.expired = 1});
}

void Tally::expired(const ExpiredRecord& record, const LedgerDuel& duel, Outcome counted, bool moot,
                    bool clickless) {
  ShownCounts counts{.clickless = clickless && !moot ? 1U : 0U};
  if (counted == Outcome::tie) {
    counts.ties = counts.silent_ties = 1;
  } else {
    counts.expired = 1;
    counts.moot = moot ? 1 : 0;
  }
  counts.failed_tries = tries_before(record.failed_tries, true);
  add(duel.serving, duel.first, duel.second, counts);
}

void Tally::compare(const ComparisonRecord& record, const LedgerDuel& made, Outcome counted,
                    bool shown) {
  ShownCounts counts{.served = 1};
  count_answer(counts, made, counted);
  ++comparisons_;
  compared_[made.first * num_arms_ + made.second] += counts;
  if (shown) add(Serving::explore, made.first, made.second, counts);
  count_source(record.source);
}

void Tally::count_source(const Source& source) {
  if (source == Source{}) return;
  std::string who = source.type;
  who += ':';
  who += source.id;
  ++by_source_[std::move(who)];
}

void Tally::count_judge(const OutcomeRecord& record, const LedgerDuel& duel, Outcome counted) {
  if (record.source.type != "judge") return;
  auto& [low, high] = judges_[record.source.id][std::minmax(duel.first, duel.second)];
  const bool in_order = duel.first < duel.second;
  if (counted == Outcome::first_wins) ++(in_order ? low : high);
  if (counted == Outcome::second_wins) ++(in_order ? high : low);
}

void Tally::count_costs(const OutcomeRecord& record) {
  if (record.cost > 0 || record.tokens > 0) ++costs_.answers;
  costs_.cost += record.cost;
  costs_.tokens += record.tokens;
  if (record.cached) ++costs_.cached;
}

void Tally::count_judges(const OutcomeRecord& record, const LedgerDuel& duel) {
  if (record.source.type != "judge" || record.answer.result == Answered::invalid) return;
  struct Leaning {
    std::optional<double> shown{}, turned{};  // to the first place, in either order
  };
  std::map<std::string, Leaning> said;
  if (record.judgements.empty()) said[record.source.id].shown = leaning_of(duel);
  for (const Judgement& judgement : record.judgements) {
    if (judgement.answer.result == Answered::invalid) continue;
    Leaning& of = said[judgement.judge.empty() ? record.source.id : judgement.judge];
    auto& sum = judgement.first == record.judgements.front().first ? of.shown : of.turned;
    sum = sum.value_or(0) + leaning_of(judgement);
  }
  for (const auto& [judge, of] : said) {
    JudgeCounts& counts = judge_counts_[judge];
    for (const auto& leaning : {of.shown, of.turned}) {
      if (!leaning) continue;
      ++counts.answers;
      if (*leaning > 0) ++counts.first;
      if (*leaning < 0) ++counts.second;
    }
    if (!of.shown || !of.turned) continue;
    ++counts.both_orders;
    if (side_of(*of.shown) != -side_of(*of.turned)) ++counts.flips;
  }
  const auto arm_of = [](const Leaning& of) {
    return side_of(of.shown.value_or(0) - of.turned.value_or(0));
  };
  for (auto one = said.begin(); one != said.end(); ++one) {
    for (auto other = std::next(one); other != said.end(); ++other) {
      const int sides = arm_of(one->second) * arm_of(other->second);
      if (sides == 0) continue;
      auto& [agree, differ] = agreements_[{one->first, other->first}];
      ++(sides > 0 ? agree : differ);
    }
  }
}

bool Tally::restored(std::size_t num_arms) const {
  return num_arms_ == num_arms && shown_.size() == num_arms * num_arms &&
         compared_.size() == num_arms * num_arms;
}

}  // namespace duel
