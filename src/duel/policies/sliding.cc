#include "duel/policies/sliding.h"

#include <cmath>

#include "duel/core/checkpoints.h"
#include "duel/core/logarithm.h"

namespace duel {
namespace {

constexpr std::uint64_t kSteps = 8;  // in a window
constexpr double kLn2 = 0x1.62e42fefa39efp-1;

}  // namespace

template <class Given>
Forgetting<Given>::Forgetting(const Options& options, std::size_t num_arms, RoundRng rng)
    : num_arms_(num_arms), inner_(options.configured, rng) {
  if constexpr (requires { options.window; }) {
    length_ = memory_length_ = options.window;
  } else {
    length_ = options.half_life;
    decay_ = kLn2 / static_cast<double>(length_);
    // 1/(1 - e^-x) = 1/x + 1/2 + x/12 - ..
    memory_length_ = static_cast<std::uint64_t>(std::ceil(1.0 / decay_ + 0.5));
  }
  step_ = std::max<std::uint64_t>(length_ / kSteps, 1);
  // A window forgets nothing before it is full.
  due_ = decay_ > 0 ? step_ : length_ + step_;
}

template <class Given>
Round Forgetting<Given>::remembered_until(Round round, RoundRng& rng) const {
  if (!(decay_ > 0)) return round + length_;
  // P(more than n rounds) = 2^(-n/h). No run is as long as the longest of these.
  return round + static_cast<Round>(std::floor(-natural_log(rng.uniform_open()) / decay_));
}

template <class Given>
void Forgetting<Given>::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  const bool own = !duel.foreign && duel.round > rebuilt_;
  if (own) {
    inner_.observe(duel, outcome, rng);
  } else {
    inner_.heard(duel.first, duel.second, outcome, rng);
  }
  (void)rng.coin();  // the inner policy may have decided a tie by it
  if (!duel.is_self() && outcome != Outcome::none && outcome != Outcome::skip) {
    const Round round = duel.foreign ? last_round_ : duel.round;
    memory_.push_back({duel.first, duel.second, outcome, remembered_until(round, rng)});
  }
  if (last_round_ >= due_) rebuild(rng);
}

template <class Given>
void Forgetting<Given>::rebuild(RoundRng rng) {
  const Round now = last_round_;
  std::erase_if(memory_, [now](const Answer& answer) { return answer.until <= now; });
  inner_.restart(now - std::min<Round>(now, memory_length_), rng);
  for (const Answer& answer : memory_) {
    (void)rng.coin();  // another one for each tie
    inner_.heard(answer.first, answer.second, answer.outcome, rng);
  }
  rebuilt_ = now;
  due_ = now + step_;
}

template <class Given>
Jump Forgetting<Given>::jump(Round round, Round limit, RoundRng rng) const {
  // The self-duel before was that of the policy before it was rebuilt.
  if (round == rebuilt_ + 1) return {round};
  const Jump jump = inner_.jump(round, std::min(limit, std::max(round, due_)), rng);
  return jump.idle_until < due_ ? jump : Jump{jump.idle_until};
}

template <class Given>
bool Forgetting<Given>::restored() const {
  return inner_.restored() && rebuilt_ <= last_round_ &&
         std::ranges::all_of(memory_, [&](const Answer& answer) {
           return answer.first < num_arms_ && answer.second < num_arms_ &&
                  answer.first != answer.second && answer.outcome <= Outcome::both_bad;
         });
}

template class Forgetting<SlidingOptions>;
template class Forgetting<DiscountOptions>;

namespace {

const char* const kPaper =
    "ours; after Garivier, Moulines: On Upper-Confidence Bound Policies for Switching Bandit "
    "Problems. ALT 2011";

const bool sliding_is_registered = register_wrapper<Sliding>(
    {.name = "sliding",
     .title = "A policy that knows the answers of the last rounds only",
     .paper = kPaper,
     .setting = "preferences that drift; a policy that counts duels",
     .guarantee = "none",
     .departs = "the window moves in steps of an eighth of its length",
     .status = "tested",
     .jumping = Jumping::in_law},
    wrapper_options<SlidingOptions>().count("window", &SlidingOptions::window, 1, kMaxRounds,
                                            "rounds whose answers are known", Shown::always));

const bool discount_is_registered = register_wrapper<Discount>(
    {.name = "discount",
     .title = "A policy that forgets each answer after a random time",
     .paper = kPaper,
     .setting = "preferences that drift; a policy that counts duels",
     .guarantee = "none",
     .departs = "counts are whole numbers, which have the discounted value on average",
     .status = "tested",
     .jumping = Jumping::in_law},
    wrapper_options<DiscountOptions>().count(
        "half_life", &DiscountOptions::half_life, 1, 1'000'000'000'000'000,
        "rounds after which half of the answers are forgotten", Shown::always));

}  // namespace
}  // namespace duel
