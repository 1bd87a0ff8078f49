// Methods of inter- and multileaving by name, `probabilistic(tau=3,credit=assignment)`, as policies
// are named.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/options.h"
#include "duel/core/result.h"
#include "duel/ranking/interleaving/interleaver.h"
#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

struct InterleavingMethodFact {
  std::string name;
  std::string doc;  // what it is, in a line
  std::string paper;
  bool multileaves = false;  // takes any number of rankings, not only two
  std::vector<OptionFact> options;
};

// First the methods for two rankings, then those for any number.
const std::vector<InterleavingMethodFact>& interleaving_method_facts();
std::vector<std::string> interleaving_method_names();

// An unknown name or option is an error with the nearest spelling, and so is a method of the other
// kind.
Result<std::shared_ptr<const Interleaver>> configure_interleaver(const CallSpec& call);
Result<std::shared_ptr<const Interleaver>> configure_interleaver(std::string_view text);
Result<std::shared_ptr<const Multileaver>> configure_multileaver(const CallSpec& call);
Result<std::shared_ptr<const Multileaver>> configure_multileaver(std::string_view text);

}  // namespace duel
