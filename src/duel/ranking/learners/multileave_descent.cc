#include "duel/ranking/learners/multileave_descent.h"

#include <algorithm>

#include "duel/continuous/direction.h"
#include "duel/core/check.h"
#include "duel/core/vectors.h"

namespace duel {

MultileaveDescent::MultileaveDescent(std::string identity, const MultileaveDescentOptions& options,
                                     std::shared_ptr<const Multileaver> multileaver,
                                     std::size_t num_features, std::size_t length)
    : options_(options),
      multileaver_(std::move(multileaver)),
      length_(length),
      state_{std::move(identity), std::vector<double>(num_features, 0.0), options.eta, {}},
      directions_(options.candidates * num_features),
      step_(num_features) {
  DUEL_CHECK(options.candidates >= 1 && num_features >= 1);
}

std::span<const Document> MultileaveDescent::show(const QueryDocuments& documents, Round round,
                                                  const LearnerStreams& streams) {
  const std::size_t rankers = options_.candidates + 1;
  const std::size_t listed = std::min(length_, documents.num_documents());
  documents_ = documents;
  round_ = round;
  scores_.resize(documents.num_documents());
  changes_.resize(documents.num_documents());
  listed_.resize(rankers * listed);
  rankings_.resize(rankers);
  RoundRng choice = streams.choice.at(round), rng = streams.list.at(round);
  const std::uint64_t ties = rng.bits();
  winner_draw_ = rng.bits();
  draw_directions(choice, directions_);
  score_documents(documents, state_.weights, scores_);
  for (std::size_t k = 0; k < rankers; ++k) {
    if (k > 0) {
      // w.x + delta u.x: the scores of w are not computed again.
      score_documents(documents, direction(k - 1), changes_);
      add_scaled(scores_, options_.delta, changes_, changes_);
    }
    const auto ranking = order_.top(k == 0 ? scores_ : changes_, length_, ties);
    std::copy(ranking.begin(), ranking.end(), listed_.data() + k * listed);
    rankings_[k] = {listed_.data() + k * listed, listed};
  }
  multileaver_->multileave(rankings_, length_, rng, shown_);
  return shown_.documents;
}

void MultileaveDescent::draw_directions(RoundRng& choice, std::span<double> directions) {
  const std::size_t d = state_.weights.size();
  for (std::size_t begin = 0; begin < directions.size(); begin += d) {
    draw_direction(choice, directions.subspan(begin, d));
  }
}

void MultileaveDescent::observe(std::span<const Position> clicks) {
  const double step = state_.step;
  state_.step *= options_.decay;
  if (clicks.empty()) return;
  multileaver_->credit(shown_, clicks, credit_);
  winners_.clear();
  for (std::size_t k = 0; k < options_.candidates; ++k) {
    if (credit_.outcome(k + 1, 0) == ClickOutcome::first_wins) winners_.push_back(k);
  }
  choose_winners(clicks, credit_, winners_);
  if (winners_.empty()) return;
  if (options_.winners == Winners::one) {
    RoundRng pick(winner_draw_, 0, 0);
    winners_ = {winners_[pick.below(winners_.size())]};
  }
  std::fill(step_.begin(), step_.end(), 0.0);
  const double share = 1.0 / static_cast<double>(winners_.size());
  for (const std::size_t k : winners_) add_scaled(step_, share, direction(k), step_);
  if (shape_step(clicks, step_)) add_scaled(state_.weights, step, step_, state_.weights);
}

MultileaverKind::Made multileaver_of(const RankerLearnerSetting& setting,
                                     const std::string& otherwise) {
  DUEL_ASSIGN(CallSpec call,
              parse_call(setting.interleave.empty() ? otherwise : setting.interleave));
  if (call.name == "team-draft" || call.name == "probabilistic") call.name += "-multileave";
  return configure_multileaver(call);
}

namespace {

OptionTable<MultileaveDescentOptions> multileave_descent_options() {
  return descent_options<MultileaveDescentOptions>(
             0,
             "directions tried at a time; 0: 9, or 49 with probabilistic multileaving; 1 is P-DBGD")
      .choice<Winners>("winners", &MultileaveDescentOptions::winners,
                       {{"mean", Winners::mean}, {"one", Winners::one}},
                       "step along the mean of all winners, or along one winner at random");
}

RankerLearnerKind::Made configure_multileave_descent(MultileaveDescentOptions options,
                                                     const std::string&,
                                                     const RankerLearnerSetting& setting) {
  DUEL_ASSIGN(const auto multileaver, multileaver_of(setting));
  if (options.candidates == 0) {
    options.candidates = multileaver->canonical().starts_with("probabilistic") ? 49 : 9;
  }
  return configured_descent<MultileaveDescent>(
      multileave_descent_options().canonical("mgd", options), options, multileaver, setting);
}

const bool multileave_descent_is_registered = ranker_learner_catalogue().add(
    {.name = "mgd",
     .title = "Multileave Gradient Descent",
     .paper = "Schuth, Oosterhuis, Whiteson, de Rijke; WSDM 2016; with candidates=1 it is P-DBGD",
     .setting = "continuous: linear rankers learned from clicks (duel learn)",
     .guarantee = "none",
     .departs = "preferences by probabilistic multileaving are exact instead of sampled",
     .status = "tested"},
    multileave_descent_options(), configure_multileave_descent);

}  // namespace
}  // namespace duel
