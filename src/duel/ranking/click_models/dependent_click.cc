// Dependent click model: an examined document is clicked with a probability by its grade, and after
// a click the user stops with another. Guo, Liu, Wang, WSDM 2009. The field's four users are this
// model with published numbers.
// Departs    `dependent-click-stop-anywhere`, and stop=always of the four users, also stop where
//            nothing was clicked, as simulators of online learning to rank do.
#include <algorithm>
#include <utility>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/published_users.h"
#include "duel/ranking/click_models/scanning_user.h"

namespace duel {
namespace {

// Which documents may end the scan.
enum class Stop { after_click, always };

// Grades that only one of two lists has are dropped: both hold all grades of the data.
std::shared_ptr<const ClickModel> dependent_user(std::string canonical,
                                                 const std::vector<double>& click,
                                                 const std::vector<double>& stop, Stop convention) {
  std::vector<Reaction> reactions;
  for (std::size_t g = 0; g < std::min(click.size(), stop.size()); ++g) {
    reactions.push_back({click[g], stop[g], convention == Stop::always ? stop[g] : 0});
  }
  return std::make_shared<const ScanningUser>(std::move(canonical), std::move(reactions));
}

struct PublishedUserOptions {
  Stop stop = Stop::after_click;
};

bool register_published_users() {
  OptionTable<PublishedUserOptions> table;
  table.choice<Stop>("stop", &PublishedUserOptions::stop,
                     {{"click", Stop::after_click}, {"always", Stop::always}},
                     "may stop only after a click, or after every examined document");
  int place = 0;
  for (const PublishedUser& user : published_users()) {
    click_model_catalogue().add(
        {user.name, user.doc,
         "dependent click model with the numbers of Hofmann, Whiteson, de Rijke (TOIS 2013)"},
        table,
        [name = user.name](const PublishedUserOptions& options, std::string canonical,
                           std::size_t num_grades) -> ClickModelKind::Made {
          DUEL_ASSIGN(const UserTable numbers, published_table(name, num_grades));
          return dependent_user(std::move(canonical), numbers.click, numbers.stop, options.stop);
        },
        place++);
  }
  return true;
}

struct DependentOptions {
  std::vector<double> click;
  std::vector<double> stop;
};

bool register_dependent(const ClickModelFacts& facts, Stop convention) {
  OptionTable<DependentOptions> table;
  table
      .numbers("click", &DependentOptions::click, kProbability,
               "chance of a click by grade; auto: the navigational user's")
      .numbers("stop", &DependentOptions::stop, kProbability,
               "chance of stopping by grade; auto: the navigational user's");
  return click_model_catalogue().add(
      facts, std::move(table),
      [convention, model = facts.name](const DependentOptions& options, std::string canonical,
                                       std::size_t num_grades) -> ClickModelKind::Made {
        DUEL_ASSIGN(const auto click, per_grade(options.click, &UserTable::click, "navigational",
                                                num_grades, "click", model));
        DUEL_ASSIGN(const auto stop, per_grade(options.stop, &UserTable::stop, "navigational",
                                               num_grades, "stop", model));
        return dependent_user(std::move(canonical), click, stop, convention);
      });
}

const bool dependent_click_is_registered =
    register_published_users() &&
    register_dependent({"dependent-click", "clicks by grade, and may stop only after a click",
                        "Guo, Liu, Wang, WSDM 2009"},
                       Stop::after_click) &&
    register_dependent({"dependent-click-stop-anywhere",
                        "clicks by grade, and may stop after every examined document",
                        "the convention of simulators of online learning to rank"},
                       Stop::always);

}  // namespace
}  // namespace duel
