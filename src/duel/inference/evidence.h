// Evidence that one arm beats another, as an e-process: a non-negative process that starts at 1 and
// under the null hypothesis is expected never to grow. By Ville's inequality it ever reaches
// 1/alpha with probability at most alpha, whatever chose the pairs and whenever one looks.
//
// After s wins and f losses of i against j, against the null "i wins with probability at most q",
//     E = sum_k w_k (p_k/q)^s ((1 - p_k)/(1 - q))^f,     every p_k > q,  sum_k w_k = 1.
// The mean of one factor is at most 1 for every p <= q, and 1 at p = q. E depends on the counts
// alone, grows with each win and shrinks with each loss.
//
// An answer may also weigh less than a whole one: a unit u in [-1, 1], of which the null says that
// its mean is at most 0. Its factor is 1 + 2 gap_k u, which is p_k/q and (1 - p_k)/(1 - q) for u =
// 1 and -1. The logarithms of these factors are added up beside the counts (Logs).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace duel {

class PairEvidence {
 public:
  // Against "i wins at most half of the decisive duels"; with epsilon > 0 against "at most
  // 1/2 - epsilon of them". REQUIRES: 0 <= epsilon < 1/2.
  explicit PairEvidence(double epsilon = 0);

  // ln E. REQUIRES: counts below 2^53.
  double log_evidence(std::uint64_t wins, std::uint64_t losses) const;

  // The logarithm of each component's product over the units that are neither whole wins nor whole
  // losses, in serving order.
  using Logs = std::array<double, 8>;
  // REQUIRES: epsilon is 0; -1 <= unit <= 1 up to rounding.
  void add(Logs& logs, double unit) const;
  double log_evidence(std::uint64_t wins, std::uint64_t losses, const Logs& logs) const;

  // The largest ln E so far, and the counts that gave it.
  struct Maximum {
    double log_evidence = 0;  // E starts at 1
    std::uint64_t wins = 0;
    std::uint64_t losses = 0;
    std::uint64_t look_at = 0;  // wins below which no larger one is possible
  };
  // Takes the counts into the maximum; whether it rose. Counts never fall between calls. Most duels
  // reach no new maximum, and the wins and losses since the last tell so without exponentials.
  bool raise(Maximum& maximum, std::uint64_t wins, std::uint64_t losses) const {
    // Since the maximum each component has changed by ln(p/q) (won - r lost), r = -ln((1 - p)/(1 -
    // q))/ln(p/q), which is smallest for the smallest gap. Below that every component has fallen.
    if (wins < maximum.look_at) return false;
    const auto won = static_cast<double>(wins - maximum.wins);
    const auto lost = static_cast<double>(losses - maximum.losses);
    if (won - least_ratio_ * lost < -kFallen) return false;
    return raise_by(maximum, wins, losses, won, lost);
  }

  double null_probability() const { return null_; }

  // The gaps p_k - q and their weights. Few and log-spaced: a gap met within a factor of about 1.6
  // costs a few per cent, and each further gap costs its share of the weight. The median number of
  // duels to 1/alpha is below 1.7 times that of Wald's test which knows the gap, for gaps 0.02 to
  // 0.3 and alpha 0.1 to 0.001 (tested exactly). The four small gaps have little weight; they keep
  // evidence growing down to a true gap of 0.0004, below which no certificate comes. Weights are
  // multiples of 1/64 and sum to 1 exactly.
  struct Component {
    double gap;
    double weight;
  };
  static constexpr std::array<Component, 8> kComponents = {{{0.4, 16.0 / 64},
                                                            {0.2, 14.0 / 64},
                                                            {0.08, 12.0 / 64},
                                                            {0.032, 12.0 / 64},
                                                            {0.0128, 6.0 / 64},
                                                            {0.005, 2.0 / 64},
                                                            {0.002, 1.0 / 64},
                                                            {0.0008, 1.0 / 64}}};

 private:
  struct Rates {
    double log_weight;
    double win;   // ln(p_k/q)
    double loss;  // ln((1 - p_k)/(1 - q))
    double odds;  // p_k/q
  };
  using Terms = std::array<double, kComponents.size()>;  // logarithms of the mixture's terms
  static_assert(std::same_as<Terms, Logs>);
  Terms terms(double wins, double losses) const;
  // e^(term - largest), and their sum.
  struct Sum {
    Terms shares;
    double largest;
    double sum;
    double log() const;
  };
  static Sum sum_of(const Terms& terms);
  bool raise_by(Maximum& maximum, std::uint64_t wins, std::uint64_t losses, double won,
                double lost) const;

  // A fall of the smallest component by 1e-7, far above rounding: the smallest ln(p/q) is 0.0016.
  static constexpr double kFallen = 1e-7 / 0.0015;

  double null_;
  double least_ratio_ = 1;
  std::array<Rates, kComponents.size()> rates_;
};

// ln E of the uniform mixture over p in (q, 1], q = 1/2 - epsilon:
//     E = 1/(f + 1) sum_{k=0}^{s} prod_{m=k+1}^{s} m/(n + 2 - m) (1 - q)/q,   n = s + f,
// which for q = 1/2 is sum_{k=0}^{s} C(n+1, k) / ((n+1) C(n, s)). It has no smallest gap, but needs
// more duels than PairEvidence where the gap is small. O(s). REQUIRES: 0 <= epsilon < 1/2.
double uniform_log_evidence(std::uint64_t wins, std::uint64_t losses, double epsilon = 0);

// An e-value to 9 significant digits, from its logarithm: "186.090909", "1.23456789e+400". Correct
// where no double could hold the value.
std::string format_evidence(double log_evidence);

}  // namespace duel
