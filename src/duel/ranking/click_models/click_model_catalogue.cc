#include "duel/ranking/click_models/click_model_catalogue.h"

#include "duel/core/check.h"

namespace duel {

Catalogue<ClickModelKind>& click_model_catalogue() {
  static Catalogue<ClickModelKind> all("click model");
  return all;
}

ClickModelKind::Made configure_click_model(const CallSpec& call, std::size_t num_grades) {
  DUEL_CHECK(num_grades >= 1 && num_grades <= 256);
  return click_model_catalogue().configure(call, num_grades);
}

ClickModelKind::Made configure_click_model(std::string_view text, std::size_t num_grades) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  return configure_click_model(call, num_grades);
}

}  // namespace duel
