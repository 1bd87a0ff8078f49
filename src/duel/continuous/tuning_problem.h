// Hidden utilities over the unit cube, for trials of tuners. Answers are logistic in the difference
// of utilities, scaled so that the best point beats the one in use, the centre of the cube, with a
// given probability.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "duel/core/words.h"

namespace duel {

// flat: all points are equal. at_best: a bowl whose best point is the one in use. bowl: -|x - o|^2,
// o uniform, at least 0.15 sqrt(d) from the centre. ridge: the same, with squares that weigh 1 in
// one random direction and 0.1 in all others. peaks: the highest of five bumps of heights 1, 0.8,
// .., 0.2 and width 0.15 sqrt(d), centres uniform. plateau: one bump of width 0.1 sqrt(d), flat
// elsewhere. Peaks and plateau have their best point at least 0.25 sqrt(d) from the centre.
enum class Landscape { flat, at_best, bowl, ridge, peaks, plateau };

template <>
struct Words<Landscape> {
  static constexpr std::string_view noun = "landscape";
  static constexpr auto all = words_table<Landscape>({{"flat", Landscape::flat},
                                                      {"at_best", Landscape::at_best},
                                                      {"bowl", Landscape::bowl},
                                                      {"ridge", Landscape::ridge},
                                                      {"peaks", Landscape::peaks},
                                                      {"plateau", Landscape::plateau}});
};

class TuningProblem {
 public:
  // Instances of one landscape differ by `instance`. REQUIRES: 1/2 < best_wins < 1.
  TuningProblem(Landscape landscape, std::size_t dimension, std::uint64_t instance,
                double best_wins = 0.7);

  std::size_t dimension() const { return dimension_; }
  // In log-odds against the point in use.
  double utility(std::span<const double> point) const;
  double win_probability(std::span<const double> first, std::span<const double> second) const;
  // Against the point in use: what a recommendation is worth.
  double beats_in_use(std::span<const double> point) const;

 private:
  double height(std::span<const double> point) const;

  Landscape landscape_;
  std::size_t dimension_;
  double width_ = 0;
  std::vector<std::vector<double>> centres_;  // the best point first
  std::vector<double> direction_;
  double scale_ = 0;
  double in_use_height_ = 0;
};

}  // namespace duel
