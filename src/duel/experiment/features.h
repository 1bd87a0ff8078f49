// What policies are told of arms in numbers: the features of each arm, which it has for good, and
// the context of a duel, in which every arm has others.
//
// Nothing that is certified depends on them: they bear on which pair is asked, never on who won.
#pragma once

#include <memory>
#include <vector>

#include "duel/core/feature_rows.h"
#include "duel/core/result.h"
#include "duel/experiment/field.h"
#include "duel/log/record.h"

namespace duel {

// Whether arms may have their features: equally many numbers of each, or none of any.
Status check_features(const std::vector<ArmEntry>& arms);
// The same of an arm that joins the field.
Status check_features(const ArmField& field, const ArmEntry& joining);
// Whether a duel of the field may have the context: features of every active arm, as many as it has
// of its own. Others of the field may be in it.
Status check_context(const ArmField& field, const Context& context);

// The features of the arms, in their order; null where they have none. REQUIRES: they were checked.
std::shared_ptr<const FeatureRows> features_of(const std::vector<const ArmEntry*>& arms);

}  // namespace duel
