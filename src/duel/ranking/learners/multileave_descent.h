// Multileave Gradient Descent (MGD).
// Schuth, Oosterhuis, Whiteson and de Rijke, WSDM 2016. With one candidate it is P-DBGD (Hofmann,
// Whiteson and de Rijke 2011; Oosterhuis and de Rijke 2018). Each impression tries n unit
// directions u_k around w, multileaves the rankings of w and of all w + delta u_k, and steps along
// the candidates that clicks prefer to w: their mean (mean winner), or one of them at random
// (winner takes all). Weights are not renormalised and start at 0.
// Assumes    nothing proved.                          Guarantee  none.
// Cost       O(n d + n d documents) per impression.
// Departs    preferences by probabilistic multileaving are exact instead of sampled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "duel/core/options.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/learners/learner_catalogue.h"
#include "duel/ranking/learners/ranker_learner.h"
#include "duel/ranking/letor/document_order.h"

namespace duel {

enum class Winners { mean, one };

struct MultileaveDescentOptions {
  std::uint64_t candidates = 0;  // 0: 9, or 49 with probabilistic multileaving
  double delta = 1;
  double eta = 0.01;
  double decay = 0.9999977;
  Winners winners = Winners::mean;
};

// The options that all descents on candidates have; a learner's own come after them.
template <class Options>
OptionTable<Options> descent_options(std::uint64_t fewest_candidates = 1,
                                     std::string candidates_doc = "directions tried at a time") {
  return OptionTable<Options>()
      .count("candidates", &Options::candidates, fewest_candidates, 1000, std::move(candidates_doc))
      .number("delta", &Options::delta, {.above = 0}, "distance of the candidates")
      .number("eta", &Options::eta, {.least = 0}, "length of a step")
      .number("decay", &Options::decay, {.above = 0, .most = 1},
              "factor on eta after every impression");
}

class MultileaveDescent : public RankerLearner {
 public:
  // REQUIRES: options.candidates >= 1.
  MultileaveDescent(std::string identity, const MultileaveDescentOptions& options,
                    std::shared_ptr<const Multileaver> multileaver, std::size_t num_features,
                    std::size_t length);

  std::span<const Document> show(const QueryDocuments& documents, Round round,
                                 const LearnerStreams& streams) override;
  void observe(std::span<const Position> clicks) override;
  std::span<const double> weights() const override { return state_.weights; }
  std::string save() const override { return state_.save(); }
  Status restore(std::string_view saved) override { return state_.restore(saved); }

  // Direction k of the last list.
  std::span<const double> direction(std::size_t k) const {
    return std::span(directions_).subspan(k * state_.weights.size(), state_.weights.size());
  }

 protected:
  // What a learner derived from it may change. First, the directions to try, [candidate x feature]:
  // uniform ones here.
  virtual void draw_directions(RoundRng& choice, std::span<double> directions);
  // Then, after clicks, the winners among the candidates, ascending; and it may remember.
  virtual void choose_winners(std::span<const Position> /*clicks*/,
                              const MultileaveCredit& /*credit*/,
                              std::vector<std::size_t>& /*winners*/) {}
  // Last, the step, of which `step` is the mean direction of the winners. `false`: no step.
  virtual bool shape_step(std::span<const Position> /*clicks*/, std::span<double> /*step*/) {
    return true;
  }
  // The last impression: its number, its list, its query.
  Round round() const { return round_; }
  std::span<const Document> list() const { return shown_.documents; }
  const QueryDocuments& documents() const { return *documents_; }
  // A draw of its own for one choice among the winners.
  std::uint64_t winner_draw() const { return winner_draw_; }
  WeightState& state() { return state_; }
  const WeightState& state() const { return state_; }

 private:
  MultileaveDescentOptions options_;
  std::shared_ptr<const Multileaver> multileaver_;
  std::size_t length_;
  WeightState state_;
  std::vector<double> directions_;        // [candidate x feature]
  std::vector<double> scores_, changes_;  // of w, and of one direction
  DocumentOrder order_;
  std::vector<Document> listed_;                     // [ranker x length]
  std::vector<std::span<const Document>> rankings_;  // into listed_
  Multileaving shown_;
  MultileaveCredit credit_;
  std::vector<std::size_t> winners_;
  Round round_ = 0;
  std::uint64_t winner_draw_ = 0;
  std::vector<double> step_;
  std::optional<QueryDocuments> documents_;
};

// --- for the sources of such learners -----------------------------------------------------------

// The method of the setting, or `otherwise`. `team-draft(..)` and `team-draft-multileave(..)` both
// mean the latter.
MultileaverKind::Made multileaver_of(const RankerLearnerSetting& setting,
                                     const std::string& otherwise = "probabilistic");

template <class Learner, class Options>
std::shared_ptr<const ConfiguredRankerLearner> configured_descent(
    const std::string& canonical, const Options& options,
    const std::shared_ptr<const Multileaver>& multileaver, const RankerLearnerSetting& setting) {
  return std::make_shared<const ConfiguredRankerLearner>(
      canonical, multileaver->canonical(), false, [=](RoundRng) {
        return std::make_unique<Learner>(identity_of(canonical, setting), options, multileaver,
                                         setting.num_features, setting.length);
      });
}

}  // namespace duel
