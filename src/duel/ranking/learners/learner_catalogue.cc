#include "duel/ranking/learners/learner_catalogue.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "duel/continuous/direction.h"
#include "duel/core/spelling.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/learners/document_space_descent.h"
#include "duel/ranking/learners/multileave_descent.h"
#include "duel/ranking/learners/null_space_descent.h"
#include "duel/ranking/learners/pairwise_dbgd.h"
#include "duel/ranking/learners/pdgd.h"
#include "duel/ranking/learners/ranking_svm.h"

namespace duel {
namespace {

using Made = Result<std::shared_ptr<const ConfiguredRankerLearner>>;

class Configured final : public ConfiguredRankerLearner {
 public:
  using Make = std::function<std::unique_ptr<RankerLearner>(RoundRng)>;
  Configured(std::string canonical, std::string interleave, bool duels, Make make)
      : canonical_(std::move(canonical)),
        interleave_(std::move(interleave)),
        duels_(duels),
        make_(std::move(make)) {}

  const std::string& canonical() const override { return canonical_; }
  const std::string& interleave() const override { return interleave_; }
  bool learns_from_duels() const override { return duels_; }
  std::unique_ptr<RankerLearner> make(RoundRng rng) const override { return make_(rng); }

 private:
  std::string canonical_;
  std::string interleave_;
  bool duels_;
  Make make_;
};

Made configured(std::string canonical, std::string interleave, bool duels, Configured::Make make) {
  return std::shared_ptr<const ConfiguredRankerLearner>(std::make_shared<Configured>(
      std::move(canonical), std::move(interleave), duels, std::move(make)));
}

std::string identity_of(const std::string& canonical, const RankerLearnerSetting& setting) {
  return fmt::format("{} on {} features", canonical, setting.num_features);
}

// --- dbgd
// -------------------------------------------------------------------------------------------

Made configure_dbgd(const CallSpec& call, const RankerLearnerSetting& setting) {
  DUEL_ASSIGN(const PointSetPtr sphere, make_unit_sphere(setting.num_features));
  DUEL_ASSIGN(const PointLearnerKind* kind, find_point_learner("dbgd"));
  DUEL_ASSIGN(const std::shared_ptr<const ConfiguredPointLearner> points,
              kind->configure(call, sphere, setting.impressions));
  DUEL_ASSIGN(
      const std::shared_ptr<const Interleaver> interleaver,
      configure_interleaver(setting.interleave.empty() ? "team-draft" : setting.interleave));
  return configured(points->canonical(), interleaver->canonical(), true, [=](RoundRng rng) {
    std::vector<double> start(sphere->dimension());
    draw_direction(rng, start);
    return std::make_unique<PairwiseDbgd>(points->make(std::move(start)), interleaver,
                                          setting.length);
  });
}

// --- mgd
// --------------------------------------------------------------------------------------------

// `team-draft(..)` and `team-draft-multileave(..)` both mean the latter.
Result<std::shared_ptr<const Multileaver>> multileaver_of(
    const std::string& text, const std::string& otherwise = "probabilistic") {
  DUEL_ASSIGN(CallSpec call, parse_call(text.empty() ? otherwise : text));
  if (call.name == "team-draft" || call.name == "probabilistic") call.name += "-multileave";
  return configure_multileaver(call);
}

Made configure_mgd(const CallSpec& call, const RankerLearnerSetting& setting) {
  const OptionTable<MultileaveDescentOptions> table = multileave_descent_options();
  DUEL_ASSIGN(MultileaveDescentOptions options, table.parse(call, {}, "learner"));
  DUEL_ASSIGN(const std::shared_ptr<const Multileaver> multileaver,
              multileaver_of(setting.interleave));
  if (options.candidates == 0) {
    options.candidates = multileaver->canonical().starts_with("probabilistic") ? 49 : 9;
  }
  const std::string canonical = table.canonical(call.name, options);
  return configured(canonical, multileaver->canonical(), false, [=](RoundRng) {
    return std::make_unique<MultileaveDescent>(identity_of(canonical, setting), options,
                                               multileaver, setting.num_features, setting.length);
  });
}

// --- dsp
// --------------------------------------------------------------------------------------------

Made configure_dsp(const CallSpec& call, const RankerLearnerSetting& setting) {
  const OptionTable<DocumentSpaceOptions> table = document_space_options();
  DUEL_ASSIGN(const DocumentSpaceOptions options, table.parse(call, {}, "learner"));
  DUEL_ASSIGN(const std::shared_ptr<const Multileaver> multileaver,
              multileaver_of(setting.interleave));
  const std::string canonical = table.canonical(call.name, options);
  return configured(canonical, multileaver->canonical(), false, [=](RoundRng) {
    return std::make_unique<DocumentSpaceDescent>(identity_of(canonical, setting), options,
                                                  multileaver, setting.num_features,
                                                  setting.length);
  });
}

// --- nsgd
// -------------------------------------------------------------------------------------------

Made configure_nsgd(const CallSpec& call, const RankerLearnerSetting& setting) {
  const OptionTable<NullSpaceOptions> table = null_space_options();
  DUEL_ASSIGN(const NullSpaceOptions options, table.parse(call, {}, "learner"));
  if (options.sampled != 0 && options.sampled < options.candidates) {
    return Error::invalid_argument(fmt::format("sampled is {}, but there are {} candidates",
                                               options.sampled, options.candidates),
                                   "learner 'nsgd'",
                                   "allowed: at least as many, or 0 for 2 (candidates + 1)");
  }
  DUEL_ASSIGN(const std::shared_ptr<const Multileaver> multileaver,
              multileaver_of(setting.interleave, "team-draft"));
  const std::string canonical = table.canonical(call.name, options);
  return configured(canonical, multileaver->canonical(), false, [=](RoundRng) {
    return std::make_unique<NullSpaceDescent>(identity_of(canonical, setting), options, multileaver,
                                              setting.num_features, setting.length);
  });
}

// --- pdgd
// -------------------------------------------------------------------------------------------

Made configure_pdgd(const CallSpec& call, const RankerLearnerSetting& setting) {
  const OptionTable<PdgdOptions> table = pdgd_options();
  DUEL_ASSIGN(const PdgdOptions options, table.parse(call, {}, "learner"));
  if (!setting.interleave.empty()) {
    return Error::invalid_argument("pdgd merges no rankings").with_hint("leave --interleave out");
  }
  const std::string canonical = table.canonical(call.name, options);
  return configured(canonical, "", false, [=](RoundRng) {
    return std::make_unique<Pdgd>(identity_of(canonical, setting), options, setting.num_features,
                                  setting.length);
  });
}

}  // namespace

const std::vector<RankerLearnerFact>& ranker_learner_facts() {
  static const std::vector<RankerLearnerFact> facts = {
      {{.name = "dsp",
        .title = "Gradient descent projected on the document space",
        .paper =
            "Wang, Kim, McCord-Snook, Wu, Wang; Variance reduction in gradient exploration for "
            "online learning to rank; SIGIR 2019",
        .setting = "continuous: linear rankers learned from clicks (duel learn)",
        .guarantee = "variance of the gradient estimate not above that of the unprojected one",
        .departs = "preferences by probabilistic multileaving are exact instead of sampled",
        .status = "tested"},
       document_space_options().facts()},
      {{.name = "mgd",
        .title = "Multileave Gradient Descent",
        .paper =
            "Schuth, Oosterhuis, Whiteson, de Rijke; WSDM 2016; with candidates=1 it is P-DBGD",
        .setting = "continuous: linear rankers learned from clicks (duel learn)",
        .guarantee = "none",
        .departs = "preferences by probabilistic multileaving are exact instead of sampled",
        .status = "tested"},
       multileave_descent_options().facts()},
      {{.name = "nsgd",
        .title = "Null Space Gradient Descent",
        .paper =
            "Wang, Langley, Kim, McCord-Snook, Wang; Efficient exploration of gradient space for "
            "online learning to rank; SIGIR 2018",
        .setting = "continuous: linear rankers learned from clicks (duel learn)",
        .guarantee = "none",
        .departs =
            "at most half of the dimensions are left out; equal winners are drawn at random; "
            "difficult queries leave when they grow too old, not when the next one comes",
        .status = "tested"},
       null_space_options().facts()},
      {{.name = "pdgd",
        .title = "Pairwise Differentiable Gradient Descent",
        .paper = "Oosterhuis, de Rijke; CIKM 2018",
        .setting = "continuous: linear rankers learned from clicks (duel learn)",
        .guarantee = "unbiased towards pairwise preferences; none on regret",
        .departs = "nowhere",
        .status = "tested"},
       pdgd_options().facts()},
      {{.name = "ranking-svm",
        .title = "Ranking support vector machine, a baseline that sees the grades",
        .paper = "Herbrich, Graepel, Obermayer; 1999; Joachims; KDD 2002",
        .setting = "continuous: linear rankers learned from judged queries (duel learn)",
        .guarantee = "the minimum of its convex objective",
        .departs = "squared hinge loss; beyond a number of pairs a random choice of them",
        .status = "tested"},
       ranking_svm_options().facts()}};
  return facts;
}

Made configure_ranker_learner(const CallSpec& call, const RankerLearnerSetting& setting) {
  if (setting.num_features == 0) {
    return Error::invalid_data("the documents have no features to learn from");
  }
  if (call.name == "dbgd") return configure_dbgd(call, setting);
  if (call.name == "dsp") return configure_dsp(call, setting);
  if (call.name == "mgd") return configure_mgd(call, setting);
  if (call.name == "nsgd") return configure_nsgd(call, setting);
  if (call.name == "pdgd") return configure_pdgd(call, setting);
  if (call.name == "ranking-svm") {
    return Error::invalid_argument("ranking-svm learns from grades, not from clicks");
  }
  std::vector<std::string> names = {"dbgd"};
  for (const RankerLearnerFact& fact : ranker_learner_facts()) names.push_back(fact.facts.name);
  return Error::invalid_argument(fmt::format("there is no learner of rankers '{}'", call.name))
      .with_hint(spelling_hint(call.name, names));
}

}  // namespace duel
