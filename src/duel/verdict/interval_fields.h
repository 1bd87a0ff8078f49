// An interval in JSON: an array of its ends.
#pragma once

#include "duel/core/described.h"
#include "duel/inference/interval.h"

namespace duel {

template <>
struct Described<Interval> {
  static constexpr bool as_array = true;
  static constexpr FieldList fields{required("lower", &Interval::lower),
                                    required("upper", &Interval::upper)};
};

}  // namespace duel
