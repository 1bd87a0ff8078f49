// Users whose chance of looking at a document falls with its rank or its distance; an examined
// document of grade g is clicked with probability a_g.
//   position-based   rank r is examined with probability theta_r, independently of everything else.
//                    Richardson, Dominowska, Ragno. WWW 2007; Craswell et al. WSDM 2008.
//   user-browsing    what counts is the distance d to the last click above (to the top of the list,
//                    rank 0, where there was none). Dupret, Piwowarski. SIGIR 2008.
// Departs    from the user browsing model's gamma_{r,d}, fitted for every rank r and distance d, in
//            that gamma depends on d alone.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/published_users.h"

namespace duel {
namespace {

struct ExaminationOptions {
  double eta = 1;
  std::vector<double> examination;
  std::vector<double> attraction;
};

// theta_n for n = 1, 2, ..: either n^-eta, or a list whose last value holds for all larger n.
class Examination {
 public:
  explicit Examination(const ExaminationOptions& options)
      : values_(options.examination), eta_(options.eta), listed_(!values_.empty()) {
    constexpr std::uint32_t kTabled = 256;  // deeper places are computed when asked
    for (std::uint32_t n = 1; !listed_ && n <= kTabled; ++n) values_.push_back(power(n));
  }

  // REQUIRES: n >= 1.
  double operator()(std::uint32_t n) const {
    return n <= values_.size() ? values_[n - 1] : listed_ ? values_.back() : power(n);
  }

 private:
  // For eta = 1 that is 1/n, the same bits everywhere; other powers come from the C library.
  double power(std::uint32_t n) const {
    return eta_ == 1 ? 1.0 / static_cast<double>(n) : std::pow(static_cast<double>(n), -eta_);
  }

  std::vector<double> values_;
  double eta_;
  bool listed_;
};

enum class Place { rank, distance };

class ExaminingUser final : public ClickModel {
 public:
  // `attraction`: a_g for each grade.
  ExaminingUser(std::string canonical, std::vector<double> attraction, Examination examination,
                Place place)
      : ClickModel(std::move(canonical), attraction.size()),
        attraction_(std::move(attraction)),
        examination_(std::move(examination)),
        by_distance_(place == Place::distance) {}

  // Takes one draw per document.
  void click(std::span<const Grade> grades, RoundRng& rng,
             std::vector<Position>& clicks) const override {
    clicks.clear();
    UserState last_rank = 0;
    for (Position k = 0; k < grades.size(); ++k) {
      DUEL_CHECK(grades[k] < attraction_.size());
      if (rng.bernoulli(examination_(k + 1 - last_rank) * attraction_[grades[k]])) {
        clicks.push_back(k);
        if (by_distance_) last_rank = k + 1;
      }
    }
  }

  // The state is the rank of the last click, 0 before the first, where that matters.
  UserState num_states(std::size_t length) const override {
    return by_distance_ ? static_cast<UserState>(length) + 1 : 1;
  }

  UserStep step(UserState state, Position position, Grade grade) const override {
    DUEL_CHECK(state <= (by_distance_ ? position : 0) && grade < attraction_.size());
    return {.click = examination_(position + 1 - state) * attraction_[grade],
            .after_click = by_distance_ ? position + 1 : 0,
            .after_skip = state};
  }

 private:
  std::vector<double> attraction_;
  Examination examination_;
  bool by_distance_;
};

bool register_examining_user(const ClickModelFacts& facts, Place place) {
  const std::string noun = place == Place::rank ? "rank" : "distance";
  OptionTable<ExaminationOptions> table;
  table
      .number("eta", &ExaminationOptions::eta, {.least = 0},
              fmt::format("{} n is examined with chance n^-eta", noun))
      .numbers("examination", &ExaminationOptions::examination, kProbability,
               fmt::format("chances for {} 1, 2, .. instead of n^-eta; the last holds for the rest",
                           noun))
      .numbers("attraction", &ExaminationOptions::attraction, kProbability,
               "chance of a click by grade where examined; auto: the perfect user's");
  return click_model_catalogue().add(
      facts, std::move(table),
      [place, model = facts.name](const ExaminationOptions& options, std::string canonical,
                                  std::size_t num_grades) -> ClickModelKind::Made {
        DUEL_ASSIGN(auto attraction, per_grade(options.attraction, &UserTable::click, "perfect",
                                               num_grades, "attraction", model));
        return ClickModelKind::Made(std::make_shared<const ExaminingUser>(
            std::move(canonical), std::move(attraction), Examination(options), place));
      });
}

const bool examining_users_are_registered =
    register_examining_user({"position-based", "examines each rank independently of the others",
                             "Craswell, Zoeter, Taylor, Ramsey, WSDM 2008"},
                            Place::rank) &&
    register_examining_user({"user-browsing", "examines by the distance to the last click",
                             "Dupret, Piwowarski, SIGIR 2008"},
                            Place::distance);

}  // namespace
}  // namespace duel
