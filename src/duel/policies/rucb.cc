#include "duel/policies/rucb.h"

#include <cmath>

#include "duel/core/rows.h"
#include "duel/core/wake_up.h"
#include "duel/policies/parts/arms.h"
#include "duel/policies/registry.h"

namespace duel {
namespace {

constexpr double kBelowAnyScore = -1e300;
constexpr double kNeverMet = 1e300;  // swallows any width: S + kNeverMet == kNeverMet

// r of a pair that never met, by UnplayedBound, so that r (S + kNeverMet) is u - 1/2: 3/2, 1/2, or
// out of reach.
constexpr double kNeverMetR[] = {1.5e-300, 0.5e-300, 1.0};

}  // namespace

template <RucbForm form>
Rucb<form>::Rucb(const Options& options, std::size_t num_arms, RoundRng /*rng*/)
    : options_(options),
      counts_(num_arms),
      stride_(padded_row(num_arms)),
      r_(num_arms * stride_, kNeverMetR[static_cast<std::size_t>(options.unplayed)]),
      z_(num_arms * stride_, kNeverMet),
      row_max_(num_arms),
      candidates_(num_arms) {
  for (std::size_t i = 0; i < num_arms; ++i) {
    for (std::size_t k = 0; k < stride_; ++k) {
      if (k == i || k >= num_arms) {
        z_[i * stride_ + k] = kBelowAnyScore;
        r_[i * stride_ + k] = 1.0;
      }
    }
    row_max_[i] = row_max_of(&z_[i * stride_]);
  }
}

template <RucbForm form>
double Rucb<form>::row_max_of(const double* z) const {
  const DoubleLanes zero = {0.0, 0.0};
  const DoubleLanes never_met = {kNeverMet, kNeverMet};
  return largest(stride_, [&](std::size_t k) -> DoubleLanes {
    const DoubleLanes lanes = load_lanes<DoubleLanes>(z + k);
    return lanes == never_met ? zero : lanes;
  });
}

template <RucbForm form>
void Rucb<form>::set_z(Arm i, Arm j, double z) {
  double& entry = z_[i * stride_ + j];
  const double before = entry == kNeverMet ? 0.0 : entry;
  entry = z;
  if (z >= row_max_[i]) {
    row_max_[i] = z;
  } else if (before == row_max_[i]) {
    row_max_[i] = row_max_of(&z_[i * stride_]);
  } else {
    return;
  }
  candidates_.changed(i, row_max_[i]);
}

template <RucbForm form>
void Rucb<form>::refresh_pair(Arm i, Arm j) {
  const double root_n = std::sqrt(counts_.duels(i, j));
  r_[i * stride_ + j] = r_[j * stride_ + i] = 1.0 / root_n;
  const double z = bound_deficit(counts_, i, j, root_n);
  set_z(i, j, z);
  set_z(j, i, -z);
}

template <RucbForm form>
Arm Rucb<form>::choose_champion(std::span<const Arm> candidates, const double* row_max,
                                double width, RoundRng& rng, Arm& hypothesis) const {
  hypothesis = kNoArm;
  // Step 2: no candidate. B n C is empty as well.
  if (candidates.empty()) return static_cast<Arm>(rng.below(counts_.num_arms()));
  if constexpr (form == RucbForm::icml) {
    // Step 3: the only candidate becomes the hypothesis.
    if (candidates.size() == 1) return hypothesis = candidates[0];
    // Steps 3 and 4: B <- B n C; a coin between B and C \ B, uniform on C where B is empty.
    if (hypothesis_ != kNoArm && width >= row_max[hypothesis_]) {
      hypothesis = hypothesis_;
      if (rng.coin()) return hypothesis;
      const std::uint64_t n = rng.below(candidates.size() - 1);
      return candidates[n] < hypothesis ? candidates[n] : candidates[n + 1];
    }
  }
  return candidates.size() == 1 ? candidates[0] : candidates[rng.below(candidates.size())];
}

template <RucbForm form>
Arm Rucb<form>::choose_challenger(const double* r, const double* z, double width,
                                  RoundRng& rng) const {
  const DoubleLanes widths = {width, width};
  return static_cast<Arm>(pick_largest(
      stride_,
      [&](std::size_t k) -> DoubleLanes {
        return load_lanes<DoubleLanes>(r + k) * (load_lanes<DoubleLanes>(z + k) + widths);
      },
      [&](std::size_t tied) { return pick_tied(tied, options_.deterministic_ties, rng); }));
}

template <RucbForm form>
typename Rucb<form>::Choice Rucb<form>::choose_at_width(Round round, double width,
                                                        std::span<const Arm> candidates,
                                                        RoundRng& rng) const {
  // Steps 2 to 4: the champion.
  Arm hypothesis = kNoArm;
  const Arm c = choose_champion(candidates, row_max_.data(), width, rng, hypothesis);
  // Step 5: the challenger. (c,c) iff nobody's bound against c reaches 1/2. Then C = {c}: S >= Z_j
  // >= z_jc >= -Z_c.
  if (width < -row_max_[c]) return {{c, c, round}, hypothesis};
  const Arm d = choose_challenger(&r_[c * stride_], &z_[c * stride_], width, rng);
  return {{c, d, round}, hypothesis};
}

template <RucbForm form>
typename Rucb<form>::Choice Rucb<form>::choose(Round round, RoundRng rng) const {
  const double s = width(round);
  if (!pending_.empty()) return choose_with_pending(round, s, rng);
  if (candidates_.covers(s)) return choose_at_width(round, s, candidates_.members(), rng);
  ThresholdSet candidates(counts_.num_arms());
  candidates.rebuild(s, row_max());
  return choose_at_width(round, s, candidates.members(), rng);
}

template <RucbForm form>
Duel Rucb<form>::take(Round round, RoundRng rng) {
  Choice choice;
  // Step 1, as far as the clock moves it; the data's share is kept up by `observe`.
  const double s = width(round);
  if (pending_.empty()) {
    // Step 2: C, which covers a stretch of rounds.
    if (candidates_.covers(s)) {
      candidates_.rise(s);
    } else {
      candidates_.rebuild(s, row_max());
    }
    choice = choose_at_width(round, s, candidates_.members(), rng);
  } else {
    choice = choose_with_pending(round, s, rng);
  }
  commit(choice);
  return choice.duel;
}

template <RucbForm form>
typename Rucb<form>::Choice Rucb<form>::choose_with_pending(Round round, double width,
                                                            RoundRng& rng) const {
  // A pair with duels outstanding counts them in its width, not in its mean: of p on top of n,
  // r = 1/sqrt(n + p) and z = (1/2 - mean) sqrt(n + p).
  const auto row_with_pending = [&](Arm i, std::vector<double>& r, std::vector<double>& z) {
    const auto begin = static_cast<std::ptrdiff_t>(i * stride_);
    const auto end = begin + static_cast<std::ptrdiff_t>(stride_);
    r.assign(r_.begin() + begin, r_.begin() + end);
    z.assign(z_.begin() + begin, z_.begin() + end);
    for (const PendingPairs::Pair& pair : pending_.pairs()) {
      if (pair.low != i && pair.high != i) continue;
      const Arm j = pair.low == i ? pair.high : pair.low;
      const double root_n = std::sqrt(counts_.duels(i, j) + pending_.count(i, j));
      r[j] = 1.0 / root_n;
      z[j] = (0.5 - counts_.mean(i, j)) * root_n;
    }
  };
  std::vector<double> row_max = row_max_;
  std::vector<double> r, z;
  for (const PendingPairs::Pair& pair : pending_.pairs()) {
    for (const Arm i : {pair.low, pair.high}) {
      row_with_pending(i, r, z);
      row_max[i] = row_max_of(z.data());
    }
  }
  ThresholdSet candidates(counts_.num_arms());
  candidates.rebuild(width, row_max);
  Arm hypothesis = kNoArm;
  const Arm c = choose_champion(candidates.members(), row_max.data(), width, rng, hypothesis);
  if (width < -row_max[c]) return {{c, c, round}, hypothesis};
  row_with_pending(c, r, z);
  return {{c, choose_challenger(r.data(), z.data(), width, rng), round}, hypothesis};
}

template <RucbForm form>
void Rucb<form>::observe(const Duel& duel, Outcome outcome, RoundRng rng) {
  if (duel.is_self()) return;
  if (!duel.foreign) pending_.settled(duel.first, duel.second);
  // Step 6.
  if (const auto points = points_of(outcome, options_.ties, rng)) {
    counts_.add(duel.first, duel.second, *points);
    refresh_pair(duel.first, duel.second);
  }
}

template <RucbForm form>
Jump Rucb<form>::jump(Round round, Round limit, RoundRng /*rng*/) const {
  const double s = width(round);
  if (!pending_.empty()) return {round};
  // The arm of the last self-duel is the only one whose Z lies so far below.
  for (Arm c = 0; c < counts_.num_arms(); ++c) {
    const double needed = -row_max_[c];
    if (s < needed) {
      const double level = needed * needed / options_.alpha;
      return {wake_up_round(level, round, limit, [&](Round t) { return width(t) >= needed; })};
    }
  }
  return {round};
}

template <RucbForm form>
bool Rucb<form>::restored() {
  const std::size_t num_arms = counts_.num_arms();
  if (!counts_.consistent() || !pending_.valid_for(num_arms)) return false;
  if (hypothesis_ != kNoArm && hypothesis_ >= num_arms) return false;
  Rucb rebuilt(options_, num_arms, RoundRng(0, 0, 0));
  rebuilt.counts_ = counts_;
  counts_.for_each_met_pair([&](Arm i, Arm j) { rebuilt.refresh_pair(i, j); });
  rebuilt.hypothesis_ = hypothesis_;
  rebuilt.pending_ = pending_;
  *this = std::move(rebuilt);
  return true;
}

template class Rucb<RucbForm::icml>;
template class Rucb<RucbForm::seed>;

namespace {

OptionTable<RucbOptions> rucb_options() {
  return OptionTable<RucbOptions>()
      .number("alpha", &RucbOptions::alpha, {.above = 0},
              "width of the confidence bounds; the theory needs alpha > 1/2", Shown::always)
      .choice<UnplayedBound>(
          "unplayed", &RucbOptions::unplayed,
          {{"2", UnplayedBound::two}, {"1", UnplayedBound::one}, {"inf", UnplayedBound::infinite}},
          "upper bound of a pair that never met");
}

const bool rucb_icml_is_registered = register_policy<Rucb<RucbForm::icml>>(
    {.name = "rucb",
     .title = "Relative Upper Confidence Bound, ICML form",
     .paper = "Zoghi, Whiteson, Munos, de Rijke: Relative Upper Confidence Bound for the K-Armed "
              "Dueling Bandit Problem. ICML 2014, Algorithm 1",
     .setting = "Condorcet winner",
     .guarantee = "O(K^2 + K log T) for alpha > 1/2",
     .status = "reproduced",
     .jumping = Jumping::exact},
    rucb_options());

const bool rucb_seed_is_registered = register_policy<Rucb<RucbForm::seed>>(
    {.name = "rucb-seed",
     .title = "Relative Upper Confidence Bound, first form",
     .paper = "Zoghi, Whiteson, Munos, de Rijke: arXiv 1312.3393, Algorithm 1",
     .setting = "Condorcet winner",
     .guarantee = "O(K^2 log T) for alpha > 1/2",
     .status = "reproduced",
     .jumping = Jumping::exact},
    rucb_options());

}  // namespace
}  // namespace duel
