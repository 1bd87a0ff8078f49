// Click models by name, as policies are: `navigational`, `position-based(eta=2)`,
// `dependent-click(click=0.1/0.9,stop=0/0.5)`. Lists give one value per grade, from grade 0,
// separated by slashes. docs/click-models.md has the models, their parameters and sources.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/options.h"
#include "duel/core/result.h"
#include "duel/ranking/click_models/click_model.h"

namespace duel {

struct ClickModelFact {
  std::string name;
  std::string doc;     // what the user does, in a line
  std::string source;  // where it is from
  std::vector<OptionFact> options;
};

const std::vector<ClickModelFact>& click_model_facts();
std::vector<std::string> click_model_names();

// A user for documents of grades 0 .. num_grades - 1. The published tables have 2, 3 or 5 grades;
// what is left `auto` takes the smallest that has all grades of the data, so that data with grades
// 0 .. 3 meet the five-grade user. An error for an unknown name or option, for a list shorter than
// the grades, and for more than 5 grades where a table is asked for. REQUIRES: 1 <= num_grades <=
// 256.
Result<std::shared_ptr<const ClickModel>> configure_click_model(const CallSpec& call,
                                                                std::size_t num_grades);
Result<std::shared_ptr<const ClickModel>> configure_click_model(std::string_view text,
                                                                std::size_t num_grades);

}  // namespace duel
