#include "duel/ranking/interleaving/methods.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "duel/core/spelling.h"
#include "duel/ranking/interleaving/balanced.h"
#include "duel/ranking/interleaving/optimised.h"
#include "duel/ranking/interleaving/pairwise_preference_multileave.h"
#include "duel/ranking/interleaving/probabilistic.h"
#include "duel/ranking/interleaving/probabilistic_multileave.h"
#include "duel/ranking/interleaving/sample_scored_multileave.h"
#include "duel/ranking/interleaving/team_draft.h"
#include "duel/ranking/interleaving/team_draft_multileave.h"

namespace duel {
namespace {

constexpr std::string_view kKind = "method";

struct NoOptions {};

template <class Base>
using Made = Result<std::shared_ptr<const Base>>;

struct Method {
  InterleavingMethodFact fact;
  std::function<Made<Interleaver>(const CallSpec&)> interleaver;
  std::function<Made<Multileaver>(const CallSpec&)> multileaver;
};

template <class Base, class Concrete, class Options>
Made<Base> make(const OptionTable<Options>& table, const CallSpec& call) {
  DUEL_ASSIGN(const Options options, table.parse(call, Options{}, kKind));
  if constexpr (std::is_same_v<Options, NoOptions>) {
    return std::shared_ptr<const Base>(std::make_shared<Concrete>());
  } else {
    return std::shared_ptr<const Base>(std::make_shared<Concrete>(options));
  }
}

template <class Concrete, class Options>
Method method(InterleavingMethodFact fact, const OptionTable<Options>& table) {
  Method made;
  made.fact = std::move(fact);
  made.fact.options = table.facts();
  if constexpr (std::is_base_of_v<Interleaver, Concrete>) {
    made.interleaver = [&table](const CallSpec& call) {
      return make<Interleaver, Concrete>(table, call);
    };
  } else {
    made.fact.multileaves = true;
    made.multileaver = [&table](const CallSpec& call) {
      return make<Multileaver, Concrete>(table, call);
    };
  }
  return made;
}

const std::vector<Method>& methods() {
  static const OptionTable<NoOptions> none;
  static const std::vector<Method> all{
      method<BalancedInterleaver>({"balanced",
                                   "turns by depth after one coin; biased for some pairs",
                                   "Joachims, KDD 2002; Radlinski et al., CIKM 2008",
                                   false,
                                   {}},
                                  none),
      method<TeamDraftInterleaver>(
          {"team-draft",
           "each round both pick their best document left, in random order",
           "Radlinski, Kurup, Joachims, CIKM 2008",
           false,
           {}},
          none),
      method<ProbabilisticInterleaver>(
          {"probabilistic",
           "draws from softmaxes over ranks; credit over all coins that fit the list",
           "Hofmann, Whiteson, de Rijke, CIKM 2011",
           false,
           {}},
          probabilistic_options()),
      method<OptimisedInterleaver>(
          {"optimised",
           "list probabilities from a linear programme: unbiased, then most sensitive",
           "Radlinski, Craswell, WSDM 2013",
           false,
           {}},
          optimised_options()),
      method<TeamDraftMultileaver>({"team-draft-multileave",
                                    "each round all pick their best document left, in random order",
                                    "Schuth et al., CIKM 2014",
                                    true,
                                    {}},
                                   team_draft_multileave_options()),
      method<ProbabilisticMultileaver>(
          {"probabilistic-multileave",
           "draws from softmaxes over ranks; exact credit over all assignments",
           "Schuth et al., SIGIR 2015",
           true,
           {}},
          probabilistic_multileave_options()),
      method<SampleScoredMultileaver>({"sample-scored-multileave",
                                       "a random ranking adds its best; clicks score all by rank",
                                       "Brost, Cox, Seldin, Lioma, SIGIR 2016",
                                       true,
                                       {}},
                                      sample_scored_multileave_options()),
      method<PairwisePreferenceMultileaver>(
          {"pairwise-preference-multileave",
           "clicks prefer documents to those passed over; weighted pairs score the rankings",
           "Oosterhuis, de Rijke, CIKM 2017",
           true,
           {}},
          pairwise_preference_multileave_options())};
  return all;
}

Result<const Method*> find(const std::string& name, bool multileaves) {
  std::vector<std::string> same_kind;
  for (const Method& method : methods()) {
    if (method.fact.multileaves == multileaves) same_kind.push_back(method.fact.name);
  }
  for (const Method& method : methods()) {
    if (method.fact.name != name) continue;
    if (method.fact.multileaves == multileaves) return &method;
    return Error::invalid_argument(
               multileaves ? fmt::format("method '{}' merges exactly two rankings", name)
                           : fmt::format("method '{}' multileaves; two rankings that duel need "
                                         "one that interleaves",
                                         name))
        .with_hint(spelling_hint(name + (multileaves ? "-multileave" : ""), same_kind));
  }
  return Error::invalid_argument(fmt::format("there is no method named '{}'", name))
      .with_hint(spelling_hint(name, interleaving_method_names()));
}

}  // namespace

const std::vector<InterleavingMethodFact>& interleaving_method_facts() {
  static const std::vector<InterleavingMethodFact> facts = [] {
    std::vector<InterleavingMethodFact> all;
    for (const Method& method : methods()) all.push_back(method.fact);
    return all;
  }();
  return facts;
}

std::vector<std::string> interleaving_method_names() {
  std::vector<std::string> names;
  for (const InterleavingMethodFact& fact : interleaving_method_facts()) {
    names.push_back(fact.name);
  }
  return names;
}

Result<std::shared_ptr<const Interleaver>> configure_interleaver(const CallSpec& call) {
  DUEL_ASSIGN(const Method* method, find(call.name, false));
  return method->interleaver(call);
}

Result<std::shared_ptr<const Interleaver>> configure_interleaver(std::string_view text) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  return configure_interleaver(call);
}

Result<std::shared_ptr<const Multileaver>> configure_multileaver(const CallSpec& call) {
  DUEL_ASSIGN(const Method* method, find(call.name, true));
  return method->multileaver(call);
}

Result<std::shared_ptr<const Multileaver>> configure_multileaver(std::string_view text) {
  DUEL_ASSIGN(const CallSpec call, parse_call(text));
  return configure_multileaver(call);
}

}  // namespace duel
