// Dynamic Bayesian network model: an attractive document is clicked, a clicked one may satisfy and
// end the search, and a user who is not satisfied goes on with probability gamma. Chapelle, Zhang,
// WWW 2009.
#include <algorithm>
#include <utility>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/published_users.h"
#include "duel/ranking/click_models/scanning_user.h"

namespace duel {
namespace {

struct BayesianOptions {
  std::vector<double> attraction;
  std::vector<double> satisfaction;
  double gamma = 0.9;
};

ClickModelKind::Made bayesian_user(const BayesianOptions& options, std::string canonical,
                                   std::size_t num_grades) {
  DUEL_ASSIGN(const auto attraction, per_grade(options.attraction, &UserTable::click, "perfect",
                                               num_grades, "attraction", "dynamic-bayesian"));
  DUEL_ASSIGN(const auto satisfaction,
              per_grade(options.satisfaction, &UserTable::stop, "navigational", num_grades,
                        "satisfaction", "dynamic-bayesian"));
  std::vector<Reaction> reactions;
  const double tired = 1 - options.gamma;
  for (std::size_t g = 0; g < std::min(attraction.size(), satisfaction.size()); ++g) {
    const double s = satisfaction[g];
    reactions.push_back({attraction[g], s + (1 - s) * tired, tired});
  }
  return std::shared_ptr<const ClickModel>(
      std::make_shared<const ScanningUser>(std::move(canonical), std::move(reactions)));
}

const bool dynamic_bayesian_is_registered = click_model_catalogue().add(
    {"dynamic-bayesian",
     "clicks what attracts, stops when satisfied, else goes on with chance gamma",
     "Chapelle, Zhang, WWW 2009"},
    OptionTable<BayesianOptions>()
        .numbers("attraction", &BayesianOptions::attraction, kProbability,
                 "chance of a click by grade; auto: the perfect user's")
        .numbers(
            "satisfaction", &BayesianOptions::satisfaction, kProbability,
            "chance that a clicked document ends the search; auto: the navigational user's stop")
        .number("gamma", &BayesianOptions::gamma, kProbability,
                "chance of going on after every document that did not satisfy"),
    bayesian_user);

}  // namespace
}  // namespace duel
