#include "duel/cli/option_report.h"

#include "duel/core/json.h"

namespace duel::cli {

Json options_json(std::span<const OptionFact> options) {
  auto json = Json::array();
  for (const OptionFact& option : options) {
    json.push_back({{"name", option.name},
                    {"type", option.type},
                    {"default", option.default_value},
                    {"allowed", option.allowed},
                    {"doc", option.doc}});
  }
  return json;
}

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
