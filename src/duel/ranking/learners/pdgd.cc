#include "duel/ranking/learners/pdgd.h"

#include <algorithm>

#include "duel/continuous/link.h"
#include "duel/core/check.h"
#include "duel/core/exponential.h"
#include "duel/core/logarithm.h"
#include "duel/ranking/learners/learner_catalogue.h"

namespace duel {

double pdgd_weight(std::span<const double> shown, double rest, double largest, Position clicked,
                   Position unclicked) {
  const Position upper = std::min(clicked, unclicked), lower = std::max(clicked, unclicked);
  const auto share = [&](std::size_t i) { return exponential(shown[i] - largest); };
  // P(R) is the product over places i of exp(f_i)/D_i, D_i the sum over what is not yet placed. The
  // swap keeps the numerators and changes D_i only for upper < i <= lower, where the upper document
  // is still to be placed instead of the lower one.
  double others = rest;  // what comes after place i, without the two
  for (std::size_t i = shown.size(); i-- > lower + std::size_t{1};) others += share(i);
  const double upper_share = share(upper), lower_share = share(lower);
  double log_ratio = 0;  // ln P(R*)/P(R)
  for (std::size_t i = lower; i > upper; --i) {
    if (i < lower) others += share(i);
    const double before = others + lower_share, after = others + upper_share;
    // Both vanish only where the two scores lie some 700 below the largest; then nothing is known.
    if (before > 1e-300 && after > 1e-300) log_ratio += natural_log(before) - natural_log(after);
  }
  const double rho = win_probability(Link::logistic, log_ratio);
  const double difference = shown[clicked] - shown[unclicked];
  return rho * win_probability(Link::logistic, difference) *
         win_probability(Link::logistic, -difference);
}

Pdgd::Pdgd(std::string identity, const PdgdOptions& options, std::size_t num_features,
           std::size_t length)
    : options_(options),
      length_(length),
      state_{std::move(identity), std::vector<double>(num_features, 0.0), options.eta, {}} {
  DUEL_CHECK(num_features >= 1);
}

std::span<const Document> Pdgd::show(const QueryDocuments& documents, Round round,
                                     const LearnerStreams& streams) {
  const std::size_t count = documents.num_documents();
  documents_ = documents;
  scores_.resize(count);
  noisy_.resize(count);
  score_documents(documents, state_.weights, scores_);
  // Gumbel noise (Yellott 1977): sorted by f - ln(-ln u), documents follow Plackett-Luce.
  RoundRng rng = streams.list.at(round);
  for (std::size_t d = 0; d < count; ++d) {
    noisy_[d] = scores_[d] - natural_log(-natural_log(rng.uniform_open()));
  }
  const auto top = order_.top(noisy_, length_);
  list_.assign(top.begin(), top.end());

  largest_ = *std::max_element(scores_.begin(), scores_.end());
  is_shown_.assign(count, 0);
  shown_scores_.clear();
  for (const Document d : list_) {
    is_shown_[d] = 1;
    shown_scores_.push_back(scores_[d]);
  }
  rest_ = 0;
  for (std::size_t d = 0; d < count; ++d) {
    if (is_shown_[d] == 0) rest_ += exponential(scores_[d] - largest_);
  }
  return list_;
}

void Pdgd::observe(std::span<const Position> clicks) {
  DUEL_CHECK(documents_.has_value());
  const double step = state_.step;
  state_.step *= options_.decay;
  if (clicks.empty()) return;
  const std::size_t included = std::min<std::size_t>(clicks.back() + std::size_t{2}, list_.size());
  coefficients_.assign(included, 0.0);
  auto next_click = clicks.begin();
  for (Position l = 0; l < included; ++l) {
    if (next_click != clicks.end() && *next_click == l) {
      ++next_click;
      continue;
    }
    for (const Position k : clicks) {
      const double weight = pdgd_weight(shown_scores_, rest_, largest_, k, l);
      coefficients_[k] += weight;
      coefficients_[l] -= weight;
    }
  }
  for (std::size_t i = 0; i < included; ++i) {
    if (coefficients_[i] == 0) continue;
    add_document(*documents_, list_[i], step * coefficients_[i], state_.weights);
  }
}

namespace {

RankerLearnerKind::Made configure_pdgd(const PdgdOptions& options, const std::string& canonical,
                                       const RankerLearnerSetting& setting) {
  if (!setting.interleave.empty()) {
    return Error::invalid_argument("pdgd merges no rankings")
        .with_hint("leave interleave out")
        .in_field("interleave");
  }
  return std::make_shared<const ConfiguredRankerLearner>(canonical, "", false, [=](RoundRng) {
    return std::make_unique<Pdgd>(identity_of(canonical, setting), options, setting.num_features,
                                  setting.length);
  });
}

const bool pdgd_is_registered = ranker_learner_catalogue().add(
    {.name = "pdgd",
     .title = "Pairwise Differentiable Gradient Descent",
     .paper = "Oosterhuis, de Rijke; CIKM 2018",
     .setting = "continuous: linear rankers learned from clicks (duel learn)",
     .guarantee = "unbiased towards pairwise preferences; none on regret",
     .departs = "nowhere",
     .status = "tested"},
    OptionTable<PdgdOptions>()
        .number("eta", &PdgdOptions::eta, {.least = 0}, "length of a step")
        .number("decay", &PdgdOptions::decay, {.above = 0, .most = 1},
                "factor on eta after every impression"),
    configure_pdgd);

}  // namespace
}  // namespace duel
