// Methods of inter- and multileaving by name, `probabilistic(tau=3,credit=assignment)`, as policies
// are named. Each registers itself from its own source.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/catalogue.h"
#include "duel/ranking/interleaving/interleaver.h"
#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

struct InterleavingMethodFacts {
  std::string name;
  std::string doc;  // what it is, in a line
  std::string paper;
  int year = 0;  // of the paper; lists go by it
};

using InterleaverKind = CatalogueKind<InterleavingMethodFacts, std::shared_ptr<const Interleaver>>;
using MultileaverKind = CatalogueKind<InterleavingMethodFacts, std::shared_ptr<const Multileaver>>;

// The methods for two rankings, and those for any number.
Catalogue<InterleaverKind>& interleaver_catalogue();
Catalogue<MultileaverKind>& multileaver_catalogue();
// First those for two rankings.
std::vector<std::string> interleaving_method_names();

// An unknown name or option is an error with the nearest spelling, and so is a method of the other
// kind.
InterleaverKind::Made configure_interleaver(const CallSpec& call);
InterleaverKind::Made configure_interleaver(std::string_view text);
MultileaverKind::Made configure_multileaver(const CallSpec& call);
MultileaverKind::Made configure_multileaver(std::string_view text);

// --- for a method's own source ------------------------------------------------------------------

// Enters a method, made of its canonical text and its options, in the catalogue of its kind.
template <class Method, class Kind, class Options>
bool register_method(Catalogue<Kind>& catalogue, InterleavingMethodFacts facts,
                     const OptionTable<Options>& table) {
  const int year = facts.year;
  return catalogue.add(
      std::move(facts), table,
      [](const Options& options, std::string canonical) {
        return typename Kind::Made(std::make_shared<const Method>(std::move(canonical), options));
      },
      year);
}

}  // namespace duel
