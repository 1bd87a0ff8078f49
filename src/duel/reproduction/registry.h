// What reproductions there are. Each registers itself from its own source.
#pragma once

#include <functional>
#include <string>

#include "duel/core/catalogue.h"
#include "duel/core/result.h"
#include "duel/reproduction/reproduction.h"

namespace duel {

struct ReproductionFacts {
  std::string name;         // "rmed-arxiv"
  std::string paper;        // "Komiyama et al., COLT 2015"
  std::string what;         // "Figure 2 (a)"
  std::string description;  // a line
  // What it takes from the user, or empty: "--matrix sushi=FILE: 16 kinds of sushi".
  std::string needs{};
  // Whether its numbers depend on --matrix and --data.
  bool uses_matrices = false;
  bool uses_data = false;
};

struct ReproductionKind {
  ReproductionFacts facts;
  std::function<Result<Reproduction>(const ReproductionContext&)> run;
};

Catalogue<ReproductionKind>& reproduction_catalogue();

// For a reproduction's own source.
bool register_reproduction(ReproductionFacts facts,
                           std::function<Result<Reproduction>(const ReproductionContext&)> run);

}  // namespace duel
