// Click models by name, as policies are: `navigational`, `position-based(eta=2)`,
// `dependent-click(click=0.1/0.9,stop=0/0.5)`. Each registers itself from its own source. Lists
// give one value per grade, from grade 0, separated by slashes. docs/click-models.md has the
// models, their parameters and sources.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "duel/core/catalogue.h"
#include "duel/ranking/click_models/click_model.h"

namespace duel {

struct ClickModelFacts {
  std::string name;
  std::string doc;     // what the user does, in a line
  std::string source;  // where it is from
};

// Configured for a number of grades. The field's four users come first, then models by name.
using ClickModelKind =
    CatalogueKind<ClickModelFacts, std::shared_ptr<const ClickModel>, std::size_t>;
Catalogue<ClickModelKind>& click_model_catalogue();

// A user for documents of grades 0 .. num_grades - 1. The published tables have 2, 3 or 5 grades;
// what is left `auto` takes the smallest that has all grades of the data, so that data with grades
// 0 .. 3 meet the five-grade user. An error for an unknown name or option, for a list shorter than
// the grades, and for more than 5 grades where a table is asked for. REQUIRES: 1 <= num_grades <=
// 256.
ClickModelKind::Made configure_click_model(const CallSpec& call, std::size_t num_grades);
ClickModelKind::Made configure_click_model(std::string_view text, std::size_t num_grades);

}  // namespace duel
