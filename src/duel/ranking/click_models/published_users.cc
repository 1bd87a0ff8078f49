#include "duel/ranking/click_models/published_users.h"

#include <fmt/format.h>

namespace duel {

const std::vector<PublishedUser>& published_users() {
  // Guo, Liu, Wang (WSDM 2009) for the model; Hofmann, Whiteson, de Rijke (CIKM 2011; TOIS 2013)
  // and Schuth et al. (CIKM 2014) for the numbers. The 3-grade almost random user is not published:
  // it takes grades 0, 2, 4 of the five, as the 3-grade navigational and informational users do.
  static const std::vector<PublishedUser> users{
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

Result<UserTable> published_table(std::string_view user, std::size_t num_grades) {
  for (const PublishedUser& known : published_users()) {
    if (known.name != user) continue;
    for (const UserTable& scale : known.scales) {
      if (scale.click.size() >= num_grades) return scale;
    }
  }
  return Error::unsupported(fmt::format("the {} user is known for 2, 3 and 5 grades, not for {}",
                                        user, num_grades))
      .with_hint(
          "give a probability per grade, as in dependent-click(click=0/0.5/1,stop=0/0/0.5), or "
          "merge grades");
}

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

}  // namespace duel
