#include "duel/policies/iir.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "duel/core/logarithm.h"
#include "duel/core/radius.h"
#include "duel/policies/stopping.h"

namespace duel {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kQ = 15.0 / 16;
constexpr double kRootOfQ = 0.96824583655185422129;   // Q^(1/2)
constexpr double kCubeRootOfQ = 0.97871689591226706;  // Q^(1/3)

// ln(pi^2 t^2/(3 q)).
double log_term(double t, double q) {
  return natural_log(kPi * kPi / 3) + 2.0 * natural_log(t) - natural_log(q);
}

}  // namespace

std::uint64_t iir_most_duels(double epsilon, double error) {
  return static_cast<std::uint64_t>(std::ceil(natural_log(2.0 / error) / (2 * epsilon * epsilon)));
}

std::uint64_t iir_steps(std::size_t sorted, double error) {
  // ceil(log2(1 + m)) is the number of bits of m.
  const auto height = static_cast<double>(1 + std::bit_width(sorted));
  return static_cast<std::uint64_t>(
      std::ceil(std::max(4.0 * height, 512.0 / 25 * natural_log(2.0 / error))));
}

IirTournament::IirTournament(const Options& options, std::size_t num_arms, RoundRng& rng)
    : delta_(options.delta), order_(all_arms(num_arms)) {
  shuffle(order_, rng);
  sorted_.push_back(order_.front());
  begin_insertion();
}

void IirTournament::set_levels() {
  const auto stage = static_cast<double>(stage_);
  epsilon_ = std::ldexp(1.0, -static_cast<int>(stage_) - 1);
  error_ = 6.0 * (delta_ / static_cast<double>(order_.size())) / (kPi * kPi * stage * stage);
  most_steps_ = iir_steps(sorted_.size(), error_);
  comparison_error_ = 1.0 - (is_root() ? kQ : is_leaf() ? kRootOfQ : kCubeRootOfQ);
  most_duels_ = iir_most_duels(epsilon_, comparison_error_);
}

void IirTournament::begin_insertion() {
  stage_ = 1;
  begin_stage();
}

void IirTournament::begin_stage() {
  step_ = 1;
  path_ = {0, static_cast<std::uint32_t>(sorted_.size() + 1)};
  counters_.assign(sorted_.size() + 1, 0);
  comparison_ = kMiddle;
  set_levels();
}

// The step is over; the walk stands where the next begins.
void IirTournament::end_step() {
  if (++step_ > most_steps_) {
    const double least = 1.0 + 5.0 / 16 * static_cast<double>(most_steps_);
    for (std::uint32_t leaf = 0; leaf < counters_.size(); ++leaf) {
      if (static_cast<double>(counters_[leaf]) >= least) return accept(leaf);
    }
    ++stage_;
    return begin_stage();
  }
  comparison_ = is_root() ? kMiddle : kLeft;
  set_levels();
}

void IirTournament::accept(std::uint32_t leaf) {
  sorted_.insert(sorted_.begin() + leaf, inserted());
  if (sorted_.size() < order_.size()) {
    begin_insertion();
  } else {
    path_.clear();
  }
}

void IirTournament::to_child(bool beats_middle) {
  const std::uint32_t left = this->left(), right = this->right(), middle = (left + right) / 2;
  path_.push_back(beats_middle ? middle : left);
  path_.push_back(beats_middle ? right : middle);
}

void IirTournament::compared(bool wins) {
  if (comparison_ == kMiddle) {
    to_child(wins);
    return end_step();
  }
  if (comparison_ == kLeft && wins) {
    comparison_ = kRight;
    return;
  }
  const bool fits = comparison_ == kRight && !wins;
  if (!is_leaf()) {
    if (fits) {
      comparison_ = kMiddle;
      return;
    }
    to_parent();
    return end_step();
  }
  std::uint64_t& counter = counters_[left()];
  if (fits) {
    ++counter;
    const auto t = static_cast<double>(step_);
    if (static_cast<double>(counter) > 1.0 + t / 2 + std::sqrt(t / 2 * log_term(t, error_))) {
      return accept(left());
    }
  } else if (counter > 0) {
    --counter;
  } else {
    to_parent();
  }
  end_step();
}

std::vector<Match> IirTournament::walk() {
  while (sorted_.size() < order_.size()) {
    const std::uint32_t place = comparison_ == kLeft    ? left()
                                : comparison_ == kRight ? right()
                                                        : (left() + right()) / 2;
    if (place == 0) {
      compared(true);  // everybody beats the lower end
    } else if (place > sorted_.size()) {
      compared(false);
    } else {
      return {{.first = inserted(), .second = sorted_[place - 1]}};
    }
  }
  return {};
}

// ATC.
std::uint8_t IirTournament::judge(const Match& match, RoundRng& rng) const {
  const double t = match.duels();
  const double beyond = match.mean() - 0.5;
  const double radius = hoeffding_radius(log_term(t, comparison_error_), t);
  if (beyond > radius) return Match::first_wins;
  if (beyond < -radius) return Match::second_wins;
  if (t < static_cast<double>(most_duels_)) return Match::undecided;
  if (match.first_points == match.second_points) {
    return rng.coin() ? Match::first_wins : Match::second_wins;
  }
  return beyond > 0 ? Match::first_wins : Match::second_wins;
}

std::vector<Match> IirTournament::played(std::span<const Match> matches, RoundRng& /*rng*/) {
  compared(matches.front().verdict == Match::first_wins);
  return walk();
}

bool IirTournament::restored(std::size_t num_arms, std::span<const Match> matches) {
  const auto distinct = [&](const std::vector<Arm>& arms) {
    std::vector<std::uint8_t> seen(num_arms);
    return std::all_of(arms.begin(), arms.end(),
                       [&](Arm arm) { return arm < num_arms && seen[arm]++ == 0; });
  };
  if (order_.size() != num_arms || !distinct(order_) || sorted_.empty() ||
      sorted_.size() > num_arms || !distinct(sorted_)) {
    return false;
  }
  if (sorted_.size() == num_arms) return matches.empty();
  const auto ends = static_cast<std::uint32_t>(sorted_.size() + 1);
  if (matches.size() != 1 || path_.size() < 2 || path_.size() % 2 != 0 || path_[0] != 0 ||
      path_[1] != ends || counters_.size() != ends || comparison_ > kMiddle || stage_ < 1 ||
      stage_ > 500) {
    return false;
  }
  for (std::size_t k = 2; k < path_.size(); k += 2) {
    if (path_[k] < path_[k - 2] || path_[k + 1] > path_[k - 1] || path_[k] >= path_[k + 1]) {
      return false;
    }
  }
  if (is_leaf() && comparison_ == kMiddle) return false;
  set_levels();
  return step_ >= 1 && step_ <= most_steps_;
}

namespace {

const bool iir_is_registered = register_stopping_policy<Iir>(
    {.name = "iir",
     .title = "Iterative insertion ranking, the whole order",
     .paper = "Ren, Liu, Shroff: On Sample Complexity Upper and Lower Bounds for Exact Ranking "
              "from Noisy Comparisons. NeurIPS 2019, Algorithm IIR",
     .setting = "total order",
     .guarantee = "stops on the exact order of all arms with probability >= 1 - delta; optimal up "
                  "to constants",
     .status = "tested",
     .jumping = Jumping::exact,
     .keeps_pairs = false},
    Finds::order,
    OptionTable<IirOptions>().number(
        "delta", &IirOptions::delta, {.above = 0, .below = 1},
        "probability of stopping on another order; a run that certifies gives its level",
        Shown::always));

}  // namespace
}  // namespace duel
