// Statements about a part of the duels: those in German, those on a phone. The first record
// declares what duels are told apart by and with which values, for good; a serve names the value of
// each, so that it is fixed before the answer is known.
//
// Each declared value has a ledger of its own, folded from the same log, of the duels with that
// value alone: their evidence in serving order among themselves, and the experiment's thresholds at
// alpha over the number of all declared values. By the union bound a certificate of any of them is
// false with probability at most alpha, however they overlap. The whole has its own alpha, and
// nothing about a value follows from the whole, nor the reverse. What may be evidence is decided
// once, by the whole: a subject is asked about a pair once over all values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/log/record.h"

namespace duel {

// The value of duels that name none, or one that was not declared. It has counts and no
// certificate.
inline constexpr std::string_view kOtherValue = "other";
inline constexpr std::size_t kMostSlices = 8;
inline constexpr std::size_t kMostSliceValues = 64;  // of all slices together

std::size_t num_values(const Slices& slices);
// The level of each of so many statements: alpha over their number, rounded down to four digits, so
// that people can read it.
double alpha_of_each(double alpha, std::size_t statements);
// Whether an experiment may declare them. An error names the field.
Status check_slices(const ExperimentRecord& experiment);
// Whether a duel of the experiment may have them: each slice is declared, and named once.
Status check_slice_values(const Slices& slices, const SliceValues& values);

class SliceLedgers {
 public:
  struct Part {
    std::string slice;
    std::string value;  // declared, or `other`
    Ledger ledger;
  };

  // One for each declared value, and one for the others of each slice.
  static Result<SliceLedgers> make(const ExperimentRecord& experiment);
  // REQUIRES: the entries come in order, from the second on, and the ledger of the whole has taken
  // each.
  void note(const LogEntry& entry);

  const std::vector<Part>& parts() const { return parts_; }

 private:
  Slices declared_;
  std::vector<Part> parts_;
};

}  // namespace duel
