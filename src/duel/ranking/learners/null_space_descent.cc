#include "duel/ranking/learners/null_space_descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "duel/continuous/direction.h"
#include "duel/core/archive.h"
#include "duel/core/check.h"
#include "duel/core/vectors.h"

namespace duel {

void LosingDirections::add(std::span<const double> direction, double deficit) {
  if (most_ == 0) return;
  if (size() < most_) {
    directions_.insert(directions_.end(), direction.begin(), direction.end());
    deficits_.push_back(deficit);
  } else {
    std::copy(direction.begin(), direction.end(), directions_.data() + next_ * dimension_);
    deficits_[next_] = deficit;
  }
  next_ = (next_ + 1) % most_;
}

std::span<const std::size_t> LosingDirections::worst(std::size_t count) {
  order_.resize(size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // Steps back from the newest, 0 for itself.
  const auto age = [&](std::size_t i) { return (next_ + most_ - 1 - i) % most_; };
  std::sort(order_.begin(), order_.end(), [&](std::size_t i, std::size_t j) {
    return deficits_[i] != deficits_[j] ? deficits_[i] > deficits_[j] : age(i) < age(j);
  });
  return std::span(order_).first(std::min(count, order_.size()));
}

bool LosingDirections::fits() const {
  const auto finite = [](double x) { return std::isfinite(x); };
  return size() <= most_ && directions_.size() == size() * dimension_ &&
         (size() < most_ ? next_ == size() : next_ < std::max<std::size_t>(most_, 1)) &&
         std::all_of(directions_.begin(), directions_.end(), finite) &&
         std::all_of(deficits_.begin(), deficits_.end(), finite);
}

NullSpaceDescent::NullSpaceDescent(std::string identity, const NullSpaceOptions& options,
                                   std::shared_ptr<const Multileaver> multileaver,
                                   std::size_t num_features, std::size_t length)
    : MultileaveDescent(std::move(identity), options, std::move(multileaver), num_features, length),
      options_(options),
      losing_(options.kept, num_features),
      difficult_(options.queue, options.window),
      mean_document_(num_features),
      tried_(num_features) {
  if (options_.sampled == 0) options_.sampled = 2 * (options_.candidates + 1);
  DUEL_CHECK(options_.sampled >= options_.candidates);
  sampled_.resize(options_.sampled * num_features);
  spread_.resize(options_.sampled);
  chosen_.resize(options_.sampled);
}

std::size_t NullSpaceDescent::most_left_out() const {
  return std::min<std::size_t>(options_.worst, state().weights.size() / 2);
}

void NullSpaceDescent::draw_directions(RoundRng& choice, std::span<double> directions) {
  constexpr double kVanished = 1e-10;  // a draw within the span: redrawn, it has probability 0
  const std::size_t d = state().weights.size();
  if (basis_is_old_) {
    left_out_.clear();
    for (const std::size_t i : losing_.worst(most_left_out())) {
      left_out_.add(losing_.direction(i));
    }
    basis_is_old_ = false;
  }
  std::fill(mean_document_.begin(), mean_document_.end(), 0.0);
  const double share = 1 / static_cast<double>(documents().num_documents());
  for (Document document = 0; document < documents().num_documents(); ++document) {
    add_document(documents(), document, share, mean_document_);
  }
  for (std::size_t k = 0; k < options_.sampled; ++k) {
    const auto u = std::span(sampled_).subspan(k * d, d);
    draw_direction(choice, u);
    if (!left_out_.empty()) {
      left_out_.remove(u);
      double length = norm(u);
      while (length < kVanished) {
        draw_direction(choice, u);
        left_out_.remove(u);
        length = norm(u);
      }
      scale(u, 1 / length);
    }
    spread_[k] = std::fabs(dot(u, mean_document_));
  }
  // The candidates in the order of their draws, so that without a choice they are those of mgd.
  std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
  const auto last = chosen_.begin() + static_cast<std::ptrdiff_t>(options_.candidates);
  std::nth_element(chosen_.begin(), last - 1, chosen_.end(), [&](std::size_t i, std::size_t j) {
    return spread_[i] != spread_[j] ? spread_[i] > spread_[j] : i < j;
  });
  std::sort(chosen_.begin(), last);
  for (std::size_t k = 0; k < options_.candidates; ++k) {
    std::copy_n(sampled_.data() + chosen_[k] * d, d, directions.data() + k * d);
  }
}

void NullSpaceDescent::choose_winners(std::span<const Position> clicks,
                                      const MultileaveCredit& credit,
                                      std::vector<std::size_t>& winners) {
  keep_losers(credit);
  difficult_.offer(round(), documents(), list(), clicks);
  if (winners.size() > 1 && difficult_.size() > 0) rank_winners(winners);
}

void NullSpaceDescent::keep_losers(const MultileaveCredit& credit) {
  credits_.assign(credit.credits.begin(), credit.credits.end());
  const std::size_t place = std::min<std::size_t>(options_.losers, credits_.size()) - 1;
  std::nth_element(credits_.begin(), credits_.begin() + static_cast<std::ptrdiff_t>(place),
                   credits_.end());
  const double most = credits_[place];
  for (std::size_t k = 0; k < options_.candidates; ++k) {
    const double own = credit.credits[k + 1];
    if (own < credit.credits[0] && own <= most) {
      losing_.add(direction(k), credit.credits[0] - own);
      basis_is_old_ = true;
    }
  }
}

void NullSpaceDescent::rank_winners(std::vector<std::size_t>& winners) {
  double largest = 0;
  best_.clear();
  for (const std::size_t k : winners) {
    add_scaled(state().weights, options_.delta, direction(k), tried_);
    const double gain = difficult_.gain(tried_);
    if (best_.empty() || gain > largest) {
      best_.clear();
      largest = gain;
    }
    if (gain == largest) best_.push_back(k);
  }
  RoundRng pick(winner_draw(), 0, 0);
  winners.assign(1, best_[pick.below(best_.size())]);
}

std::string NullSpaceDescent::save() const {
  StateWriter writer;
  writer(MultileaveDescent::save(), losing_, difficult_);
  return writer.finish();
}

Status NullSpaceDescent::restore(std::string_view saved) {
  DUEL_ASSIGN(StateReader reader, StateReader::open(saved));
  std::string descent;
  LosingDirections losing(options_.kept, state().weights.size());
  DifficultQueries difficult(options_.queue, options_.window);
  reader(descent, losing, difficult);
  if (!reader.complete() || !losing.fits() || !difficult.fits(state().weights.size())) {
    return Error::invalid_data("the saved state does not fit the learner");
  }
  DUEL_RETURN_IF_ERROR(MultileaveDescent::restore(descent));
  losing_ = std::move(losing);
  difficult_ = std::move(difficult);
  basis_is_old_ = true;
  return Done{};
}

namespace {

RankerLearnerKind::Made configure_null_space_descent(const NullSpaceOptions& options,
                                                     const std::string& canonical,
                                                     const RankerLearnerSetting& setting) {
  if (options.sampled != 0 && options.sampled < options.candidates) {
    return Error::invalid_argument(fmt::format("sampled is {}, but there are {} candidates",
                                               options.sampled, options.candidates),
                                   "learner 'nsgd'",
                                   "allowed: at least as many, or 0 for 2 (candidates + 1)");
  }
  DUEL_ASSIGN(const auto multileaver, multileaver_of(setting, "team-draft"));
  return configured_descent<NullSpaceDescent>(canonical, options, multileaver, setting);
}

const bool null_space_descent_is_registered = ranker_learner_catalogue().add(
    {.name = "nsgd",
     .title = "Null Space Gradient Descent",
     .paper = "Wang, Langley, Kim, McCord-Snook, Wang; Efficient exploration of gradient space for "
              "online learning to rank; SIGIR 2018",
     .setting = "continuous: linear rankers learned from clicks (duel learn)",
     .guarantee = "none",
     .departs = "at most half of the dimensions are left out; equal winners are drawn at random; "
                "difficult queries leave when they grow too old, not when the next one comes",
     .status = "tested"},
    descent_options<NullSpaceOptions>()
        .count("kept", &NullSpaceOptions::kept, 0, 100'000,
               "directions that lost and are remembered")
        .count("worst", &NullSpaceOptions::worst, 0, 100'000,
               "of them, those to which new directions are orthogonal; at most half the features")
        .count("losers", &NullSpaceOptions::losers, 1, 1000,
               "a candidate is remembered if its clicks are among so many fewest")
        .count(
            "sampled", &NullSpaceOptions::sampled, 0, 100'000,
            "directions drawn, of which the candidates are those that the query tells apart best; "
            "0: 2 (candidates + 1)")
        .count("queue", &NullSpaceOptions::queue, 0, 1000,
               "difficult queries on which several winners are ranked; 0: step along their mean")
        .count("window", &NullSpaceOptions::window, 1, 1'000'000'000,
               "impressions after which a difficult query is forgotten"),
    configure_null_space_descent);

}  // namespace
}  // namespace duel
