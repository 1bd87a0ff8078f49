// How the chance that a user looks at a place falls with its rank or its distance.
#pragma once

#include <cstdint>
#include <vector>

namespace duel {

// theta_n for n = 1, 2, ..: either n^-eta, or a list whose last value holds for all larger n.
class Examination {
 public:
  // n^-eta. For eta = 1 that is 1/n, the same bits everywhere; other powers come from the C
  // library.
  // REQUIRES: eta >= 0.
  static Examination power(double eta);
  // REQUIRES: at least one value, each in [0, 1].
  static Examination listed(std::vector<double> values);

  // REQUIRES: n >= 1.
  double operator()(std::uint32_t n) const {
    return n <= values_.size() ? values_[n - 1] : beyond(n);
  }

 private:
  Examination(std::vector<double> values, double eta, bool listed)
      : values_(std::move(values)), eta_(eta), listed_(listed) {}

  double beyond(std::uint32_t n) const;

  std::vector<double> values_;
  double eta_;
  bool listed_;
};

}  // namespace duel
