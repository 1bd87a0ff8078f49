// Options of policies, learners, matrices and the like as every list of them shows them.
#pragma once

#include <string_view>

#include "duel/core/described_json.h"
#include "duel/core/options.h"

namespace duel {

template <>
struct Described<OptionFact> {
  static constexpr std::string_view schema = "PolicyOption";
  static constexpr FieldList fields{
      required("name", &OptionFact::name), required("type", &OptionFact::type),
      required("default", &OptionFact::default_value), required("allowed", &OptionFact::allowed),
      required("doc", &OptionFact::doc)};
};

}  // namespace duel
