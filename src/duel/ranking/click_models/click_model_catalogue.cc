#include "duel/ranking/click_models/click_model_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "duel/core/spelling.h"
#include "duel/ranking/click_models/position_based.h"
#include "duel/ranking/click_models/scanning_user.h"
#include "duel/ranking/click_models/user_browsing.h"

namespace duel {
namespace {

using Made = Result<std::shared_ptr<const ClickModel>>;

constexpr NumberRange kProbability{.least = 0, .most = 1};

// --- the field's four users ---------------------------------------------------------------------

// Probabilities of a click and of stopping, by grade.
struct UserTable {
  std::vector<double> click;
  std::vector<double> stop;
};

// A published user in its scales of 2, 3 and 5 grades.
struct NamedUser {
  std::string name;
  std::string doc;
  std::vector<UserTable> scales;
};

const std::vector<NamedUser>& named_users() {
  // Guo, Liu, Wang (WSDM 2009) for the model; Hofmann, Whiteson, de Rijke (CIKM 2011; TOIS 2013)
  // and Schuth et al. (CIKM 2014) for the numbers. The 3-grade almost random user is not published:
  // it takes grades 0, 2, 4 of the five, as the 3-grade navigational and informational users do.
  static const std::vector<NamedUser> users{
      {"perfect",
       "clicks in proportion to relevance and never stops early",
       {{{0, 1}, {0, 0}}, {{0, .5, 1}, {0, 0, 0}}, {{0, .2, .4, .8, 1}, {0, 0, 0, 0, 0}}}},
      {"navigational",
       "looks for one good document and stops when it is found",
       {{{.05, .95}, {.2, .9}},
        {{.05, .5, .95}, {.2, .5, .9}},
        {{.05, .3, .5, .7, .95}, {.2, .3, .5, .7, .9}}}},
      {"informational",
       "collects documents, clicks on many, stops late",
       {{{.4, .9}, {.1, .5}},
        {{.4, .7, .9}, {.1, .3, .5}},
        {{.4, .6, .7, .8, .9}, {.1, .2, .3, .4, .5}}}},
      {"almost-random",
       "hardly minds relevance",
       {{{.4, .6}, {.5, .5}},
        {{.4, .5, .6}, {.5, .5, .5}},
        {{.4, .45, .5, .55, .6}, {.5, .5, .5, .5, .5}}}},
  };
  return users;
}

// The smallest published scale that has all grades.
Result<UserTable> published_table(std::string_view user, std::size_t num_grades) {
  for (const NamedUser& named : named_users()) {
    if (named.name != user) continue;
    for (const UserTable& scale : named.scales) {
      if (scale.click.size() >= num_grades) return scale;
    }
  }
  return Error::unsupported(fmt::format("the {} user is known for 2, 3 and 5 grades, not for {}",
                                        user, num_grades))
      .with_hint(
          "give a probability per grade, as in dependent-click(click=0/0.5/1,stop=0/0/0.5), or "
          "merge grades");
}

// The values written by the user, or the published ones; one per grade at least.
Result<std::vector<double>> per_grade(const std::vector<double>& written,
                                      std::vector<double> UserTable::* column,
                                      std::string_view user, std::size_t num_grades,
                                      std::string_view option, std::string_view model) {
  if (written.empty()) {
    DUEL_ASSIGN(UserTable table, published_table(user, num_grades));
    return std::move(table.*column);
  }
  if (written.size() < num_grades) {
    return Error::invalid_argument(
        fmt::format("{} values for {} grades", written.size(), num_grades),
        fmt::format("option '{}' of click model '{}'", option, model),
        "one value per grade, from grade 0, separated by slashes");
  }
  return written;
}

// Which documents may end the scan.
enum class Stop { after_click, always };

// Grades that only one of two lists has are dropped: both hold all grades of the data.
std::vector<Reaction> reactions_of(const std::vector<double>& click,
                                   const std::vector<double>& stop, Stop convention) {
  std::vector<Reaction> reactions;
  for (std::size_t g = 0; g < std::min(click.size(), stop.size()); ++g) {
    reactions.push_back({click[g], stop[g], convention == Stop::always ? stop[g] : 0});
  }
  return reactions;
}

template <class User, class... Arguments>
Made made(Arguments&&... arguments) {
  return std::shared_ptr<const ClickModel>(
      std::make_shared<const User>(std::forward<Arguments>(arguments)...));
}

struct ClickModelKind {
  ClickModelFact fact;
  std::function<Made(const CallSpec&, std::size_t)> make;
};

// `build(options, canonical, num_grades)` makes the model.
template <class Options, class Build>
ClickModelKind kind_of(ClickModelFact fact, OptionTable<Options> table, Build build) {
  fact.options = table.facts();
  return {fact,
          [table, build, name = fact.name](const CallSpec& call, std::size_t num_grades) -> Made {
            DUEL_ASSIGN(const Options options, table.parse(call, Options{}, "click model"));
            return build(options, table.canonical(name, options), num_grades);
          }};
}

struct NamedUserOptions {
  Stop stop = Stop::after_click;
};

ClickModelKind named_user(const NamedUser& user) {
  OptionTable<NamedUserOptions> table;
  table.choice<Stop>("stop", &NamedUserOptions::stop,
                     {{"click", Stop::after_click}, {"always", Stop::always}},
                     "may stop only after a click, or after every examined document");
  return kind_of(
      {user.name,
       user.doc,
       "dependent click model with the numbers of Hofmann, Whiteson, de Rijke (TOIS 2013)",
       {}},
      std::move(table),
      [name = user.name](const NamedUserOptions& options, std::string canonical,
                         std::size_t num_grades) -> Made {
        DUEL_ASSIGN(const UserTable numbers, published_table(name, num_grades));
        return made<ScanningUser>(std::move(canonical),
                                  reactions_of(numbers.click, numbers.stop, options.stop));
      });
}

struct DependentOptions {
  std::vector<double> click;
  std::vector<double> stop;
};

ClickModelKind dependent(ClickModelFact fact, Stop convention) {
  OptionTable<DependentOptions> table;
  table
      .numbers("click", &DependentOptions::click, kProbability,
               "chance of a click by grade; auto: the navigational user's")
      .numbers("stop", &DependentOptions::stop, kProbability,
               "chance of stopping by grade; auto: the navigational user's");
  const std::string model = fact.name;
  return kind_of(
      std::move(fact), std::move(table),
      [convention, model](const DependentOptions& options, std::string canonical,
                          std::size_t num_grades) -> Made {
        DUEL_ASSIGN(const auto click, per_grade(options.click, &UserTable::click, "navigational",
                                                num_grades, "click", model));
        DUEL_ASSIGN(const auto stop, per_grade(options.stop, &UserTable::stop, "navigational",
                                               num_grades, "stop", model));
        return made<ScanningUser>(std::move(canonical), reactions_of(click, stop, convention));
      });
}

struct CascadeOptions {
  std::vector<double> attraction;
};

ClickModelKind cascade() {
  OptionTable<CascadeOptions> table;
  table.numbers("attraction", &CascadeOptions::attraction, kProbability,
                "chance of a click by grade; auto: the perfect user's");
  return kind_of(
      {"cascade",
       "scans to the first click, and stops there",
       "Craswell, Zoeter, Taylor, Ramsey, WSDM 2008",
       {}},
      std::move(table),
      [](const CascadeOptions& options, std::string canonical, std::size_t num_grades) -> Made {
        DUEL_ASSIGN(const auto attraction,
                    per_grade(options.attraction, &UserTable::click, "perfect", num_grades,
                              "attraction", "cascade"));
        std::vector<Reaction> reactions;
        for (const double a : attraction) reactions.push_back({a, 1, 0});
        return made<ScanningUser>(std::move(canonical), reactions);
      });
}

struct BayesianOptions {
  std::vector<double> attraction;
  std::vector<double> satisfaction;
  double gamma = 0.9;
};

ClickModelKind dynamic_bayesian() {
  OptionTable<BayesianOptions> table;
  table
      .numbers("attraction", &BayesianOptions::attraction, kProbability,
               "chance of a click by grade; auto: the perfect user's")
      .numbers("satisfaction", &BayesianOptions::satisfaction, kProbability,
               "chance that a clicked document ends the search; auto: the navigational user's stop")
      .number("gamma", &BayesianOptions::gamma, kProbability,
              "chance of going on after every document that did not satisfy");
  return kind_of(
      {"dynamic-bayesian",
       "clicks what attracts, stops when satisfied, else goes on with chance gamma",
       "Chapelle, Zhang, WWW 2009",
       {}},
      std::move(table),
      [](const BayesianOptions& options, std::string canonical, std::size_t num_grades) -> Made {
        DUEL_ASSIGN(const auto attraction,
                    per_grade(options.attraction, &UserTable::click, "perfect", num_grades,
                              "attraction", "dynamic-bayesian"));
        DUEL_ASSIGN(const auto satisfaction,
                    per_grade(options.satisfaction, &UserTable::stop, "navigational", num_grades,
                              "satisfaction", "dynamic-bayesian"));
        std::vector<Reaction> reactions;
        const double tired = 1 - options.gamma;
        for (std::size_t g = 0; g < std::min(attraction.size(), satisfaction.size()); ++g) {
          const double s = satisfaction[g];
          reactions.push_back({attraction[g], s + (1 - s) * tired, tired});
        }
        return made<ScanningUser>(std::move(canonical), reactions);
      });
}

struct ExaminationOptions {
  double eta = 1;
  std::vector<double> examination;
  std::vector<double> attraction;
};

template <class User>
ClickModelKind examining(ClickModelFact fact, const std::string& place) {
  OptionTable<ExaminationOptions> table;
  table
      .number("eta", &ExaminationOptions::eta, {.least = 0},
              fmt::format("{} n is examined with chance n^-eta", place))
      .numbers("examination", &ExaminationOptions::examination, kProbability,
               fmt::format("chances for {} 1, 2, .. instead of n^-eta; the last holds for the rest",
                           place))
      .numbers("attraction", &ExaminationOptions::attraction, kProbability,
               "chance of a click by grade where examined; auto: the perfect user's");
  const std::string model = fact.name;
  return kind_of(
      std::move(fact), std::move(table),
      [model](const ExaminationOptions& options, std::string canonical,
              std::size_t num_grades) -> Made {
        DUEL_ASSIGN(auto attraction, per_grade(options.attraction, &UserTable::click, "perfect",
                                               num_grades, "attraction", model));
        return made<User>(std::move(canonical), std::move(attraction),
                          options.examination.empty() ? Examination::power(options.eta)
                                                      : Examination::listed(options.examination));
      });
}

const std::vector<ClickModelKind>& kinds() {
  static const std::vector<ClickModelKind> all = [] {
    std::vector<ClickModelKind> list;
    for (const NamedUser& user : named_users()) list.push_back(named_user(user));
    list.push_back(cascade());
    list.push_back(dependent({"dependent-click",
                              "clicks by grade, and may stop only after a click",
                              "Guo, Liu, Wang, WSDM 2009",
                              {}},
                             Stop::after_click));
    list.push_back(dependent({"dependent-click-stop-anywhere",
                              "clicks by grade, and may stop after every examined document",
                              "the convention of simulators of online learning to rank",
                              {}},
                             Stop::always));
    list.push_back(dynamic_bayesian());
    list.push_back(examining<PositionBasedUser>({"position-based",
                                                 "examines each rank independently of the others",
                                                 "Craswell, Zoeter, Taylor, Ramsey, WSDM 2008",
                                                 {}},
                                                "rank"));
    list.push_back(examining<UserBrowsingUser>({"user-browsing",
                                                "examines by the distance to the last click",
                                                "Dupret, Piwowarski, SIGIR 2008",
                                                {}},
                                               "distance"));
    return list;
  }();
  return all;
}

}  // namespace

const std::vector<ClickModelFact>& click_model_facts() {
  static const std::vector<ClickModelFact> facts = [] {
    std::vector<ClickModelFact> all;
    for (const ClickModelKind& kind : kinds()) all.push_back(kind.fact);
    return all;
  }();
  return facts;
}

std::vector<std::string> click_model_names() {
  std::vector<std::string> names;
  for (const ClickModelFact& fact : click_model_facts()) names.push_back(fact.name);
  return names;
}

Result<std::shared_ptr<const ClickModel>> configure_click_model(const CallSpec& call,
                                                                std::size_t num_grades) {
  DUEL_CHECK(num_grades >= 1 && num_grades <= 256);
  for (const ClickModelKind& kind : kinds()) {
    if (kind.fact.name == call.name) return kind.make(call, num_grades);
  }
  return Error::invalid_argument(fmt::format("there is no click model '{}'", call.name))
      .with_hint(spelling_hint(call.name, click_model_names()));
}

Result<std::shared_ptr<const ClickModel>> configure_click_model(std::string_view text,
                                                                std::size_t num_grades) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  return configure_click_model(call, num_grades);
}

}  // namespace duel
