// Rankers by one feature, by name: `feature(index=3)`.
#include "duel/ranking/letor/ranker_catalogue.h"

namespace duel {
namespace {

struct FeatureOptions {
  std::uint64_t index = 0;
};

RankerKind::Made configure_feature(const FeatureOptions& options, const std::string& /*canonical*/,
                                   const JudgedQueries& queries) {
  if (options.index == 0) {
    return Error::invalid_argument("no feature is given", "ranker 'feature'",
                                   "write feature(index=3)");
  }
  if (options.index > queries.num_features()) {
    return no_such_feature("feature", options.index, queries);
  }
  return RankerKind::Made(
      std::make_unique<FeatureRanker>(static_cast<std::uint32_t>(options.index - 1)));
}

const bool feature_ranker_is_registered = ranker_catalogue().add(
    {.name = "feature"},
    OptionTable<FeatureOptions>().count("index", &FeatureOptions::index, 1, kMostFeature,
                                        "1-based feature", Shown::always),
    configure_feature, 0);

}  // namespace
}  // namespace duel
