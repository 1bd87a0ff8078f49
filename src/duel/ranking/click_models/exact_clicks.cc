#include "duel/ranking/click_models/exact_clicks.h"

#include <algorithm>
#include <numeric>

namespace duel {
namespace {

// Masses of users who look on, by state and by what they have earned so far, pushed down the list.
// `Earned` is an index 0 .. width - 1.
class Forward {
 public:
  Forward(UserState num_states, std::size_t width, std::size_t start)
      : width_(width), alive_(num_states * width), next_(alive_.size()), stopped_(width) {
    alive_[start] = 1;
  }

  // A click moves what was earned by `credit`. The mass of those who click here.
  double push(const ClickModel& model, Position position, Grade grade, int credit) {
    double clicked_here = 0;
    std::fill(next_.begin(), next_.end(), 0.0);
    const std::size_t num_states = alive_.size() / width_;
    for (std::size_t state = 0; state < num_states; ++state) {
      const double* row = &alive_[state * width_];
      if (std::all_of(row, row + width_, [](double mass) { return mass == 0; })) continue;
      const UserStep step = model.step(static_cast<UserState>(state), position, grade);
      for (std::size_t earned = 0; earned < width_; ++earned) {
        const double mass = row[earned];
        if (mass == 0) continue;
        if (const double clicked = mass * step.click; clicked > 0) {
          clicked_here += clicked;
          const std::size_t now = earned + static_cast<std::size_t>(credit);
          stopped_[now] += clicked * step.stop_after_click;
          next_[step.after_click * width_ + now] += clicked * (1 - step.stop_after_click);
        }
        const double skipped = mass * (1 - step.click);
        stopped_[earned] += skipped * step.stop_after_skip;
        next_[step.after_skip * width_ + earned] += skipped * (1 - step.stop_after_skip);
      }
    }
    std::swap(alive_, next_);
    return clicked_here;
  }

  std::vector<double> finish() && {
    for (std::size_t i = 0; i < alive_.size(); ++i) stopped_[i % width_] += alive_[i];
    return std::move(stopped_);
  }

 private:
  std::size_t width_;
  std::vector<double> alive_;
  std::vector<double> next_;
  std::vector<double> stopped_;
};

}  // namespace

double click_pattern_probability(const ClickModel& model, std::span<const Grade> grades,
                                 std::span<const Position> clicks) {
  // `alive`: this pattern so far and looking on. `stopped`: this pattern so far and stopped, which
  // the next click contradicts.
  double alive = 1;
  double stopped = 0;
  UserState state = 0;
  std::size_t next_click = 0;
  for (Position k = 0; k < grades.size(); ++k) {
    const UserStep step = model.step(state, k, grades[k]);
    if (next_click < clicks.size() && clicks[next_click] == k) {
      ++next_click;
      const double clicked = alive * step.click;
      stopped = clicked * step.stop_after_click;
      alive = clicked * (1 - step.stop_after_click);
      state = step.after_click;
    } else {
      const double skipped = alive * (1 - step.click);
      stopped += skipped * step.stop_after_skip;
      alive = skipped * (1 - step.stop_after_skip);
      state = step.after_skip;
    }
  }
  DUEL_CHECK(next_click == clicks.size());
  return alive + stopped;
}

std::vector<double> click_probabilities(const ClickModel& model, std::span<const Grade> grades) {
  Forward forward(model.num_states(grades.size()), 1, 0);
  std::vector<double> marginals;
  for (Position k = 0; k < grades.size(); ++k) {
    marginals.push_back(forward.push(model, k, grades[k], 0));
  }
  return marginals;
}

CreditDistribution click_credit_distribution(const ClickModel& model, std::span<const Grade> grades,
                                             std::span<const int> credits) {
  DUEL_CHECK(credits.size() == grades.size());
  int low = 0;
  int high = 0;
  for (const int credit : credits) (credit < 0 ? low : high) += credit;
  Forward forward(model.num_states(grades.size()), static_cast<std::size_t>(high - low) + 1,
                  static_cast<std::size_t>(-low));
  for (Position k = 0; k < grades.size(); ++k) forward.push(model, k, grades[k], credits[k]);
  return {low, std::move(forward).finish()};
}

std::vector<double> click_count_distribution(const ClickModel& model,
                                             std::span<const Grade> grades) {
  const std::vector<int> ones(grades.size(), 1);
  return click_credit_distribution(model, grades, ones).share;
}

double CreditDistribution::probability_of_positive() const {
  const auto begin = share.begin() + std::min<std::ptrdiff_t>(1 - low, std::ssize(share));
  return std::accumulate(begin, share.end(), 0.0);
}

double CreditDistribution::probability_of_negative() const {
  return std::accumulate(share.begin(), share.begin() - low, 0.0);
}

double CreditDistribution::probability_of_zero() const {
  return share[static_cast<std::size_t>(-low)];
}

double CreditDistribution::mean() const {
  double sum = 0;
  for (std::size_t i = 0; i < share.size(); ++i) {
    sum += (static_cast<double>(low) + static_cast<double>(i)) * share[i];
  }
  return sum;
}

}  // namespace duel
