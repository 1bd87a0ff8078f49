// Successive halving of random points.
// N points drawn uniformly, the one in use among them, N the largest power of two with 6 N <= T and
// at most 256. In each of log2 N rounds T / log2 N answers are heard: the survivor that was asked
// least meets another by lot; then the better half by share of wins stays.
// Worth having where the budget is known, in up to 3 dimensions, when nothing is known about the
// utility. Answers to pairs that somebody else chose are not heard.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "duel/continuous/tuner.h"
#include "duel/core/check.h"

namespace duel {
namespace {

struct HalvingOptions {
  std::uint64_t horizon = 0;
};

class Halving final : public Tuner {
 public:
  Halving(const HalvingOptions& options, const TunerSetting& setting)
      : lots_(setting.stream("halving/pair")) {
    std::size_t size = 2;
    while (size < 256 && 6 * 2 * size <= options.horizon) size *= 2;
    std::size_t rounds = 0;
    for (std::size_t left = size; left > 1; left /= 2) ++rounds;
    answers_per_round_ = std::max<std::uint64_t>(1, options.horizon / rounds);
    RoundRng rng = setting.stream("halving/points").at(1);
    points_.push_back({.at = setting.in_use()});
    while (points_.size() < size) {
      std::vector<double> point(setting.space->size());
      for (double& x : point) x = rng.uniform();
      setting.space->round_to_steps(point);
      // On few steps there may be no more different points than some; two there are.
      if (points_.size() == 1 && point == points_.front().at) continue;
      points_.push_back({.at = std::move(point)});
    }
    for (std::size_t k = 0; k < size; ++k) survivors_.push_back(k);
  }

  PointPair ask() override {
    RoundRng rng = lots_.at(++asked_);
    // The last survivor meets those that it left behind.
    std::vector<std::size_t> rivals = survivors_.size() > 1 ? survivors_ : behind_;
    const std::size_t first = *std::min_element(
        survivors_.begin(), survivors_.end(),
        [&](std::size_t a, std::size_t b) { return points_[a].asked < points_[b].asked; });
    std::erase_if(rivals, [&](std::size_t k) { return points_[k].at == points_[first].at; });
    if (rivals.empty()) {  // the survivors are one point, by its steps
      for (std::size_t k = 0; k < points_.size(); ++k) {
        if (points_[k].at != points_[first].at) rivals.push_back(k);
      }
    }
    const std::size_t second = rivals[rng.below(rivals.size())];
    ++points_[first].asked;
    ++points_[second].asked;
    out_.push_back({asked_, first, second});
    return {points_[first].at, points_[second].at, asked_};
  }

  void tell(const PointPair& pair, Outcome outcome) override {
    const auto found = std::find_if(out_.begin(), out_.end(),
                                    [&](const Out& out) { return out.ticket == pair.ticket; });
    if (found == out_.end()) return;
    Point& first = points_[found->first];
    Point& second = points_[found->second];
    out_.erase(found);
    if (outcome == Outcome::skip || outcome == Outcome::none) {
      --first.asked;
      --second.asked;
      return;
    }
    const double won = outcome == Outcome::first_wins    ? 1
                       : outcome == Outcome::second_wins ? 0
                                                         : 0.5;
    first.won += won;
    second.won += 1 - won;
    ++first.played;
    ++second.played;
    if (survivors_.size() > 1 && ++answers_ == answers_per_round_) halve();
  }

  std::span<const double> recommend() const override {
    return points_[*std::max_element(
                       survivors_.begin(), survivors_.end(),
                       [&](std::size_t a, std::size_t b) { return share(a) < share(b); })]
        .at;
  }
  std::optional<double> belief(std::span<const double> /*a*/,
                               std::span<const double> /*b*/) const override {
    return std::nullopt;
  }

 private:
  struct Point {
    std::vector<double> at{};
    std::uint64_t asked = 0;
    std::uint64_t played = 0;
    double won = 0;
  };
  struct Out {
    std::uint64_t ticket;
    std::size_t first, second;
  };

  double share(std::size_t k) const {
    const Point& point = points_[k];
    return point.played == 0 ? 0.5 : point.won / static_cast<double>(point.played);
  }

  void halve() {
    answers_ = 0;
    std::stable_sort(survivors_.begin(), survivors_.end(),
                     [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
    const auto half = survivors_.begin() + static_cast<std::ptrdiff_t>(survivors_.size() / 2);
    behind_.assign(half, survivors_.end());
    survivors_.erase(half, survivors_.end());
    std::sort(survivors_.begin(), survivors_.end());
  }

  Stream lots_;
  std::vector<Point> points_;
  std::vector<std::size_t> survivors_, behind_;
  std::vector<Out> out_;
  std::uint64_t answers_per_round_ = 1;
  std::uint64_t answers_ = 0;  // of this round
  std::uint64_t asked_ = 0;
};

OptionTable<HalvingOptions> halving_options() {
  OptionTable<HalvingOptions> table;
  table.horizon(&HalvingOptions::horizon);
  return table;
}

TunerKind::Made configure_halving(const CallSpec& call, const std::uint64_t& horizon) {
  const OptionTable<HalvingOptions> table = halving_options();
  DUEL_ASSIGN(const HalvingOptions options,
              table.parse(call, HalvingOptions{.horizon = horizon}, "tuner"));
  if (options.horizon < 12) {
    return Error::invalid_argument(
               fmt::format("halving needs to know the number of answers, at least 12, not {}",
                           options.horizon))
        .with_hint("set horizon, or limit the duels");
  }
  return std::make_shared<const ConfiguredTuner>(
      table.canonical(call.name, options), [options](const TunerSetting& setting) {
        return std::make_unique<Halving>(options, setting);
      });
}

bool register_halving() {
  TunerFacts facts{.name = "halving",
                   .title = "Successive halving of random points",
                   .paper =
                       "after Jamieson, Talwalkar; Non-stochastic best arm identification and "
                       "hyperparameter optimization; AISTATS 2016",
                   .setting = "a known budget, 1 to 3 dimensions, nothing known about the utility",
                   .departs = "points meet each other, and shares of wins are compared",
                   .status = "tested",
                   .needs_horizon = true};
  return tuner_catalogue().add(
      TunerKind{std::move(facts), halving_options().facts(), configure_halving});
}
const bool halving_is_registered = register_halving();

}  // namespace
}  // namespace duel
