// Users without memory: what happens at a document depends on its grade alone. The models of the
// literature that scan are this user with different numbers, and so are the field's four users.
//   cascade            scans to the first click and stops there. Craswell, Zoeter, Taylor, Ramsey,
//                      WSDM 2008.
//   dependent-click    an examined document is clicked with a probability by its grade, and after a
//                      click the user stops with another. Guo, Liu, Wang, WSDM 2009. The field's
//                      four users are this model with published numbers.
//   dynamic-bayesian   an attractive document is clicked, a clicked one may satisfy and end the
//                      search, and a user who is not satisfied goes on with probability gamma.
//                      Chapelle, Zhang, WWW 2009.
// Departs    `dependent-click-stop-anywhere`, and stop=always of the four users, also stop where
//            nothing was clicked, as simulators of online learning to rank do.
#include <algorithm>
#include <utility>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/published_users.h"

namespace duel {
namespace {

// The user's behaviour at an examined document of one grade; all three are probabilities.
struct Reaction {
  double click = 0;
  double stop_after_click = 0;
  double stop_after_skip = 0;
};

class ScanningUser final : public ClickModel {
 public:
  // One reaction per grade. REQUIRES: at least one, and probabilities in [0, 1].
  ScanningUser(std::string canonical, std::vector<Reaction> reactions)
      : ClickModel(std::move(canonical), reactions.size()), reactions_(std::move(reactions)) {
    for (const Reaction& r : reactions_) {
      for (const double p : {r.click, r.stop_after_click, r.stop_after_skip}) {
        DUEL_CHECK(p >= 0 && p <= 1);
      }
      // A product may round up to its factor's neighbour, never beyond the factor; the last cut is
      // written so that certainty (1) and impossibility (0) are met exactly.
      const double skip_and_stop =
          r.stop_after_skip == 1 ? 1.0 : r.click + (1 - r.click) * r.stop_after_skip;
      cuts_.push_back({r.click * r.stop_after_click, r.click, skip_and_stop});
    }
  }

  // Takes one draw per examined document.
  void click(std::span<const Grade> grades, RoundRng& rng,
             std::vector<Position>& clicks) const override {
    clicks.clear();
    for (Position k = 0; k < grades.size(); ++k) {
      DUEL_CHECK(grades[k] < cuts_.size());
      const Cut& cut = cuts_[grades[k]];
      const double u = rng.uniform();
      if (u < cut.click) {
        clicks.push_back(k);
        if (u < cut.click_and_stop) return;
      } else if (u < cut.skip_and_stop) {
        return;
      }
    }
  }

  UserState num_states(std::size_t) const override { return 1; }

  UserStep step(UserState state, Position /*position*/, Grade grade) const override {
    DUEL_CHECK(state == 0 && grade < reactions_.size());
    const Reaction& r = reactions_[grade];
    return {r.click, r.stop_after_click, r.stop_after_skip, 0, 0};
  }

 private:
  // The unit interval cut in four: click and stop | click | skip and stop | skip.
  struct Cut {
    double click_and_stop;
    double click;
    double skip_and_stop;
  };

  std::vector<Reaction> reactions_;
  std::vector<Cut> cuts_;
};

using Reactions = Result<std::vector<Reaction>>;

// `reactions_of(options, num_grades)` are the numbers of the model.
template <class Options, class ReactionsOf>
bool register_scanning_user(ClickModelFacts facts, OptionTable<Options> table,
                            ReactionsOf reactions_of, int place = kByName) {
  return click_model_catalogue().add(
      std::move(facts), std::move(table),
      [reactions_of](const Options& options, std::string canonical,
                     std::size_t num_grades) -> ClickModelKind::Made {
        DUEL_ASSIGN(std::vector<Reaction> reactions, reactions_of(options, num_grades));
        return ClickModelKind::Made(
            std::make_shared<const ScanningUser>(std::move(canonical), std::move(reactions)));
      },
      place);
}

// --- cascade ------------------------------------------------------------------------------------

struct CascadeOptions {
  std::vector<double> attraction;
};

const bool cascade_is_registered = register_scanning_user(
    {"cascade", "scans to the first click, and stops there",
     "Craswell, Zoeter, Taylor, Ramsey, WSDM 2008"},
    OptionTable<CascadeOptions>().numbers("attraction", &CascadeOptions::attraction, kProbability,
                                          "chance of a click by grade; auto: the perfect user's"),
    [](const CascadeOptions& options, std::size_t num_grades) -> Reactions {
      DUEL_ASSIGN(const auto attraction, per_grade(options.attraction, &UserTable::click, "perfect",
                                                   num_grades, "attraction", "cascade"));
      std::vector<Reaction> reactions;
      for (const double a : attraction) reactions.push_back({a, 1, 0});
      return reactions;
    });

// --- dependent click ----------------------------------------------------------------------------

// Which documents may end the scan.
enum class Stop { after_click, always };

// Grades that only one of two lists has are dropped: both hold all grades of the data.
std::vector<Reaction> dependent_reactions(const std::vector<double>& click,
                                          const std::vector<double>& stop, Stop convention) {
  std::vector<Reaction> reactions;
  for (std::size_t g = 0; g < std::min(click.size(), stop.size()); ++g) {
    reactions.push_back({click[g], stop[g], convention == Stop::always ? stop[g] : 0});
  }
  return reactions;
}

struct PublishedUserOptions {
  Stop stop = Stop::after_click;
};

bool register_published_users() {
  int place = 0;
  for (const PublishedUser& user : published_users()) {
    register_scanning_user(
        {user.name, user.doc,
         "dependent click model with the numbers of Hofmann, Whiteson, de Rijke (TOIS 2013)"},
        OptionTable<PublishedUserOptions>().choice<Stop>(
            "stop", &PublishedUserOptions::stop,
            {{"click", Stop::after_click}, {"always", Stop::always}},
            "may stop only after a click, or after every examined document"),
        [name = user.name](const PublishedUserOptions& options,
                           std::size_t num_grades) -> Reactions {
          DUEL_ASSIGN(const UserTable numbers, published_table(name, num_grades));
          return dependent_reactions(numbers.click, numbers.stop, options.stop);
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
  return register_scanning_user(
      facts,
      OptionTable<DependentOptions>()
          .numbers("click", &DependentOptions::click, kProbability,
                   "chance of a click by grade; auto: the navigational user's")
          .numbers("stop", &DependentOptions::stop, kProbability,
                   "chance of stopping by grade; auto: the navigational user's"),
      [convention, model = facts.name](const DependentOptions& options,
                                       std::size_t num_grades) -> Reactions {
        DUEL_ASSIGN(const auto click, per_grade(options.click, &UserTable::click, "navigational",
                                                num_grades, "click", model));
        DUEL_ASSIGN(const auto stop, per_grade(options.stop, &UserTable::stop, "navigational",
                                               num_grades, "stop", model));
        return dependent_reactions(click, stop, convention);
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

// --- dynamic Bayesian network -------------------------------------------------------------------

struct BayesianOptions {
  std::vector<double> attraction;
  std::vector<double> satisfaction;
  double gamma = 0.9;
};

const bool dynamic_bayesian_is_registered = register_scanning_user(
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
    [](const BayesianOptions& options, std::size_t num_grades) -> Reactions {
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
      return reactions;
    });

}  // namespace
}  // namespace duel
