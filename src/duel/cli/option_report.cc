#include "duel/cli/option_report.h"

namespace duel::cli {

OptionsTable::OptionsTable() {
  table_.column("option of", Align::left).column("name", Align::left);
  table_.column("default", Align::left).column("allowed", Align::left);
  table_.column("meaning", Align::left);
}

void OptionsTable::add(const std::string& owner, std::span<const OptionFact> options) {
  for (const OptionFact& option : options) {
    table_.row({owner, option.name, option.default_value, option.allowed, option.doc});
  }
}

}  // namespace duel::cli
