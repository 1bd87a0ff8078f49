// What the users share whose chance of looking falls with the rank or the distance of a document:
// their options, and their registration.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/examination.h"
#include "duel/ranking/click_models/published_users.h"

namespace duel {

struct ExaminationOptions {
  double eta = 1;
  std::vector<double> examination;
  std::vector<double> attraction;
};

// `place` is what the chance of looking depends on: "rank".
template <class User>
bool register_examining_user(const ClickModelFacts& facts, const std::string& place) {
  OptionTable<ExaminationOptions> table;
  table
      .number("eta", &ExaminationOptions::eta, {.least = 0},
              fmt::format("{} n is examined with chance n^-eta", place))
      .numbers("examination", &ExaminationOptions::examination, kProbability,
               fmt::format("chances for {} 1, 2, .. instead of n^-eta; the last holds for the rest",
                           place))
      .numbers("attraction", &ExaminationOptions::attraction, kProbability,
               "chance of a click by grade where examined; auto: the perfect user's");
  return click_model_catalogue().add(
      facts, std::move(table),
      [model = facts.name](const ExaminationOptions& options, std::string canonical,
                           std::size_t num_grades) -> ClickModelKind::Made {
        DUEL_ASSIGN(auto attraction, per_grade(options.attraction, &UserTable::click, "perfect",
                                               num_grades, "attraction", model));
        return std::shared_ptr<const ClickModel>(std::make_shared<const User>(
            std::move(canonical), std::move(attraction),
            options.examination.empty() ? Examination::power(options.eta)
                                        : Examination::listed(options.examination)));
      });
}

}  // namespace duel
