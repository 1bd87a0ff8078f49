// The options of whatever is written `name(option=value)`, listed for people.
#pragma once

#include <span>
#include <string>

#include "duel/core/options.h"
#include "duel/core/table.h"

namespace duel::cli {

// One table of the options of many owners.
inline Table options_table() {
  return Table("option of,name,default,allowed,meaning", Align::left);
}
inline void add_options(Table& table, const std::string& owner,
                        std::span<const OptionFact> options) {
  for (const OptionFact& option : options) {
    table.row({owner, option.name, option.default_value, option.allowed, option.doc});
  }
}

}  // namespace duel::cli
