// The field's four users, the numbers that most simulations of clicks use, and whose columns other
// models take where nothing is said.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/options.h"
#include "duel/core/result.h"

namespace duel {

inline constexpr NumberRange kProbability{.least = 0, .most = 1};

// Probabilities of a click and of stopping, by grade.
struct UserTable {
  std::vector<double> click;
  std::vector<double> stop;
};

// A published user in its scales of 2, 3 and 5 grades.
struct PublishedUser {
  std::string name;
  std::string doc;
  std::vector<UserTable> scales;
};

const std::vector<PublishedUser>& published_users();

// The smallest published scale that has all grades.
Result<UserTable> published_table(std::string_view user, std::size_t num_grades);

// The values of an option of a model, one per grade at least: those written, or where there are
// none those of a published user.
Result<std::vector<double>> per_grade(const std::vector<double>& written,
                                      std::vector<double> UserTable::* column,
                                      std::string_view user, std::size_t num_grades,
                                      std::string_view option, std::string_view model);

}  // namespace duel
