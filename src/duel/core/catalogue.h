// What there is of one sort, by name: policies, learners, click models, methods of interleaving,
// matrices, reproductions. A kind enters itself from its own source,
//
//   const bool registered = click_model_catalogue().add({.name = "cascade", ..}, options, build);
//
// and whatever lists, parses, documents or makes such things asks the catalogue, so that one kind
// more is new files and no edit. The catalogue itself is a static of a function, which exists
// before the first entry whatever the order of linking; after the start of the program it is only
// read.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/options.h"
#include "duel/core/result.h"

namespace duel {

// The place of kinds that do not ask for one.
inline constexpr int kByName = std::numeric_limits<int>::max();

// The part of a catalogue that does not depend on what its kinds are.
class CatalogueNames {
 public:
  // `noun` is for messages about options, "option 'alpha' of policy 'rucb'"; `sought` for those
  // about names, "there is no learner of points 'dbdg'". By default both are the same.
  explicit CatalogueNames(std::string noun, std::string sought = "");

  const std::string& noun() const { return noun_; }
  // By place, then by name.
  std::vector<std::string> names() const;
  bool knows(std::string_view name) const { return position(name).has_value(); }
  // The error of a name that is none of `known`, with the nearest of them.
  Error unknown(std::string_view name, const std::vector<std::string>& known) const;

 protected:
  // REQUIRES: the name is new. Returns where it stands now.
  std::size_t insert(const std::string& name, int place);
  std::optional<std::size_t> position(std::string_view name) const;

 private:
  std::string noun_;
  std::string sought_;
  std::vector<std::pair<int, std::string>> entries_;  // sorted
};

// `Kind` has `facts` with a `name`.
template <class Kind>
class Catalogue : public CatalogueNames {
 public:
  using CatalogueNames::CatalogueNames;

  // Kinds with a place come first, in that order; the others follow by name.
  bool add(Kind kind, int place = kByName) {
    const auto at = static_cast<std::ptrdiff_t>(insert(kind.facts.name, place));
    kinds_.insert(kinds_.begin() + at, std::move(kind));
    return true;
  }

  // A kind whose options are those of `table`. `build(options, canonical, setting..)` makes what is
  // asked for; `canonical` is the call that asks for the same again.
  template <class Options, class Build>
  bool add(decltype(Kind::facts) facts, OptionTable<Options> table, Build build,
           int place = kByName) {
    Kind kind{std::move(facts), table.facts(), {}};
    kind.configure = [name = kind.facts.name, noun = noun(), table = std::move(table),
                      build = std::move(build)](const CallSpec& call, const auto&... setting) ->
        typename Kind::Made {
          DUEL_ASSIGN(const Options options, table.parse(call, Options{}, noun));
          return build(options, table.canonical(name, options), setting...);
        };
    return add(std::move(kind), place);
  }

  auto begin() const { return kinds_.begin(); }
  auto end() const { return kinds_.end(); }

  // An unknown name is an error with the nearest spelling.
  Result<const Kind*> find(std::string_view name) const {
    if (const auto at = position(name)) return &kinds_[*at];
    return unknown(name, names());
  }

  // `name(option=value)` in a setting.
  template <class K = Kind, class... Setting>
  typename K::Made configure(const CallSpec& call, const Setting&... setting) const {
    DUEL_ASSIGN(const K* kind, find(call.name));
    return kind->configure(call, setting...);
  }

 private:
  std::vector<Kind> kinds_;
};

// A kind that is written `name(option=value)`, and makes a `Product` of such a call.
template <class Facts, class Product, class... Setting>
struct CatalogueKind {
  using Made = Result<Product>;

  Facts facts;
  std::vector<OptionFact> options;
  std::function<Made(const CallSpec&, const Setting&...)> configure;
};

// For kinds without options.
struct NoOptions {};

// A text is either a call of a known name or the path of a file. If `name`, the part before its
// parentheses, is not known: whether a file is meant. It is if there is such a file, or if the text
// looks like a path: `-` for standard input, or a name with '/' or '.'.
bool means_file(std::string_view text, std::string_view name);

}  // namespace duel
