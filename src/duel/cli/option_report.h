// The options of whatever is written `name(option=value)`, listed for people.
#pragma once

#include <span>
#include <string>

#include "duel/core/options.h"
#include "duel/core/table.h"

namespace duel::cli {

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
