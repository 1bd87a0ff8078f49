// Where a space stands that is tuned: what its learner recommends, where the search is, and how far
// a candidate is from its proof. Only a certificate says "beats"; until then there is a best guess.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/ledger.h"
#include "duel/experiment/point_choice.h"

namespace duel {

struct DimensionStanding {
  std::string name;
  double low = 0, high = 1, step = 0;
  Scale scale = Scale::linear;
  double in_use = 0, recommended = 0;
  std::optional<double> spread_low{}, spread_high{};

  static constexpr std::string_view schema = "Dimension";
  static constexpr FieldList fields{
      required("name", &DimensionStanding::name),
      required("low", &DimensionStanding::low),
      required("high", &DimensionStanding::high),
      required("scale", &DimensionStanding::scale),
      optional("step", &DimensionStanding::step),
      required("in_use", &DimensionStanding::in_use),
      required("recommended", &DimensionStanding::recommended),
      optional("spread_low", &DimensionStanding::spread_low,
               "the middle half of the last points that the search asked about begins here"),
      optional("spread_high", &DimensionStanding::spread_high, "and ends here")};
};

struct CandidateStanding {
  std::uint64_t number = 0, generation = 1;
  std::string point_id;
  Json point;
  std::string state;  // standing | beaten | better_guess | certified
  std::uint64_t wins = 0, losses = 0;
  double level = 0;
  std::optional<double> log_evidence{}, log_threshold{};

  static constexpr std::string_view schema = "Candidate";
  static constexpr FieldList fields{
      required("number", &CandidateStanding::number, "1, 2, .. against the same point in use"),
      required("generation", &CandidateStanding::generation, "of the points in use"),
      required("point_id", &CandidateStanding::point_id),
      required("point", &CandidateStanding::point),
      required("state", &CandidateStanding::state,
               "`beaten` and `better_guess` say why it was given up",
               OneOf("standing", "beaten", "better_guess", "certified")),
      required("wins", &CandidateStanding::wins, "against the point in use, that are evidence"),
      required("losses", &CandidateStanding::losses),
      required("level", &CandidateStanding::level, "its share of alpha"),
      optional("log_evidence", &CandidateStanding::log_evidence,
               "that it beats the point in use, of the one that stands"),
      optional("log_threshold", &CandidateStanding::log_threshold, "what that has to reach")};
};

struct RecommendationStanding {
  std::uint64_t served = 0;
  Json point;
  std::optional<double> beats_in_use{};

  static constexpr std::string_view schema = "Recommendation";
  static constexpr FieldList fields{
      required("served", &RecommendationStanding::served, "duels before it"),
      required("point", &RecommendationStanding::point),
      optional("beats_in_use", &RecommendationStanding::beats_in_use,
               "with what probability, by the learner's belief; it proves nothing")};
};

struct SpaceStanding {
  std::vector<DimensionStanding> dimensions;
  std::string in_use;
  Json in_use_point;
  RecommendationStanding recommended;
  std::optional<CandidateStanding> candidate{};
  std::vector<CandidateStanding> tried{};
  std::vector<RecommendationStanding> path{};
  std::uint64_t warmup = 0;

  static constexpr std::string_view schema = "SpaceStanding";
  static constexpr FieldList fields{
      required("dimensions", &SpaceStanding::dimensions),
      required("in_use", &SpaceStanding::in_use, "the id of the point in use"),
      required("in_use_point", &SpaceStanding::in_use_point),
      required("recommended", &SpaceStanding::recommended,
               "the best guess so far; the point in use before there is one"),
      required("candidate", &SpaceStanding::candidate, "that is being proved; null while none is"),
      required("tried", &SpaceStanding::tried, "candidates before, the newest last"),
      required("path", &SpaceStanding::path, "of the recommendation; of a long one some"),
      required("warmup", &SpaceStanding::warmup, "duels before the first candidate")};
};

// REQUIRES: ledger.tuned(), of all the functions below.
SpaceStanding space_standing(const Ledger& ledger);
// "Point p17 (weight 0.62) beats the point in use (weight 0.5) ..": the certificate's sentence.
std::string point_statement(const Ledger& ledger);
// "Undecided after 80 duels: the best guess so far is weight 0.62 ..".
std::string space_verdict(const Ledger& ledger);
// A number of a point for people: four digits that count.
std::string coordinate_text(double value);
// "weight 0.62, k1 1.3".
std::string point_text(const Space& space, const std::vector<double>& values);
std::string point_text(const Json& point);
// What stands between the answers and a certificate.
std::string why_not_proved(const Ledger& ledger);

// The standard normal distribution function: what a belief of so many standard deviations is worth.
double probability_of(double standard_deviations);

// What the learner believes along a dimension, through its recommendation: with what probability a
// point with this number beats the point in use. Nothing where the learner has no belief.
struct SlicePoint {
  double value = 0, beats_in_use = 0.5;

  static constexpr std::string_view schema = "SlicePoint";
  static constexpr FieldList fields{
      required("value", &SlicePoint::value),
      required("beats_in_use", &SlicePoint::beats_in_use,
               "with what probability a point with it beats the point in use")};
};
std::optional<std::vector<SlicePoint>> slice_of(const PointChoice& points, const TunedSpace& space,
                                                std::size_t dimension, std::size_t steps);

struct ShownSlice {
  std::string name;
  std::vector<SlicePoint> points;

  static constexpr std::string_view schema = "Slice";
  static constexpr FieldList fields{required("name", &ShownSlice::name, "of the dimension"),
                                    required("points", &ShownSlice::points, "from low to high")};
};
// A space of two dimensions is shown whole.
struct PlanePoint {
  double first = 0, second = 0, beats_in_use = 0.5;

  static constexpr std::string_view schema = "PlanePoint";
  static constexpr FieldList fields{
      required("first", &PlanePoint::first, "the number of the first dimension"),
      required("second", &PlanePoint::second),
      required("beats_in_use", &PlanePoint::beats_in_use,
               "with what probability it beats the point in use")};
};
struct ShownSlices {
  Json through;
  std::vector<ShownSlice> slices;
  std::optional<std::vector<PlanePoint>> plane{};

  static constexpr std::string_view schema = "Slices";
  static constexpr FieldList fields{
      required("through", &ShownSlices::through, "what the learner recommends now"),
      required("slices", &ShownSlices::slices,
               "what the learner believes along each dimension; none where it holds no belief"),
      optional("plane", &ShownSlices::plane, "of a space of two dimensions: a grid of points")};
};
// REQUIRES: two dimensions.
std::optional<std::vector<PlanePoint>> plane_of(const PointChoice& points, const TunedSpace& space,
                                                std::size_t steps);
// For pictures: slices of all dimensions, and the plane where there are two, with `steps` points
// each way.
ShownSlices slices_of(const PointChoice& points, const TunedSpace& space, std::size_t steps);

}  // namespace duel
