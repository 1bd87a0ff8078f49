// Cascade model: the user scans to the first click and stops there. Craswell, Zoeter, Taylor,
// Ramsey, WSDM 2008.
#include <utility>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/published_users.h"
#include "duel/ranking/click_models/scanning_user.h"

namespace duel {
namespace {

struct CascadeOptions {
  std::vector<double> attraction;
};

ClickModelKind::Made cascade_user(const CascadeOptions& options, std::string canonical,
                                  std::size_t num_grades) {
  DUEL_ASSIGN(const auto attraction, per_grade(options.attraction, &UserTable::click, "perfect",
                                               num_grades, "attraction", "cascade"));
  std::vector<Reaction> reactions;
  for (const double a : attraction) reactions.push_back({a, 1, 0});
  return std::shared_ptr<const ClickModel>(
      std::make_shared<const ScanningUser>(std::move(canonical), std::move(reactions)));
}

const bool cascade_is_registered = click_model_catalogue().add(
    {"cascade", "scans to the first click, and stops there",
     "Craswell, Zoeter, Taylor, Ramsey, WSDM 2008"},
    OptionTable<CascadeOptions>().numbers("attraction", &CascadeOptions::attraction, kProbability,
                                          "chance of a click by grade; auto: the perfect user's"),
    cascade_user);

}  // namespace
}  // namespace duel
