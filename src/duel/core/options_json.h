// Options of policies, learners, matrices and the like as every list of them shows them.
#pragma once

#include <span>

#include "duel/core/json.h"
#include "duel/core/options.h"

namespace duel {

inline Json options_json(std::span<const OptionFact> options) {
  Json json = Json::array();
  for (const OptionFact& option : options) {
    json.push_back({{"name", option.name},
                    {"type", option.type},
                    {"default", option.default_value},
                    {"allowed", option.allowed},
                    {"doc", option.doc}});
  }
  return json;
}

}  // namespace duel
