// The options of whatever is written `name(option=value)`, listed for people and programs.
#pragma once

#include <span>
#include <string>

#include "duel/core/json.h"
#include "duel/core/options.h"
#include "duel/core/table.h"

namespace duel::cli {

// An array with name, type, default, allowed and doc of each.
Json options_json(std::span<const OptionFact> options);

// One table of the options of many owners.
class OptionsTable {
 public:
  OptionsTable();
  void add(const std::string& owner, std::span<const OptionFact> options);
  std::string to_string() const { return table_.to_string(); }

 private:
  Table table_;
};

}  // namespace duel::cli
