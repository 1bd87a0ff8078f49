// What the length or the style of answers explains of who is preferred: the strengths that a fit
// without and one with covariates give, beside each other. A view: nothing rests on it, and the
// certificate is about what was preferred, for whatever reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/experiment/comparison_table.h"
#include "duel/verdict/interval_fields.h"

namespace duel {

struct StyleEffect {
  std::string name;
  double typical = 0;  // difference
  double effect = 0;   // in log-odds
  Interval interval;

  static constexpr std::string_view schema = "StyleEffect";
  static constexpr FieldList fields{
      required("name", &StyleEffect::name),
      required("typical", &StyleEffect::typical, "the root mean square of the differences"),
      required("effect", &StyleEffect::effect,
               "on the log-odds that the first is preferred, of a typical difference"),
      required("interval", &StyleEffect::interval, "95 %, for a number of answers fixed before")};
};

struct StyleStrength {
  std::string arm_id;
  double plain = 0, styled = 0;

  static constexpr std::string_view schema = "StyleStrength";
  static constexpr FieldList fields{
      required("arm_id", &StyleStrength::arm_id),
      required("plain", &StyleStrength::plain, "log-odds against an average arm"),
      required("styled", &StyleStrength::styled, "the same, where the covariates are alike")};
};

// A pair of which the fit without covariates says that `arm_id` is ahead, and the one with them
// does not.
struct StyleChange {
  std::string arm_id, other;
  Interval plain, styled;  // of the difference of their strengths
  bool reversed = false;

  static constexpr std::string_view schema = "StyleChange";
  static constexpr FieldList fields{
      required("arm_id", &StyleChange::arm_id, "ahead without the covariates"),
      required("other", &StyleChange::other),
      required("plain", &StyleChange::plain, "of the difference of their strengths, 95 %"),
      required("styled", &StyleChange::styled),
      required("reversed", &StyleChange::reversed, "the other arm is ahead with them")};
};

struct StyleView {
  std::uint64_t answers = 0, left_out = 0, clusters = 0;
  std::string clustered_by;
  std::vector<StyleEffect> effects;
  std::vector<StyleStrength> strengths;  // the strongest with covariates first
  std::vector<StyleChange> changes;

  static constexpr std::string_view schema = "StyleView";
  static constexpr FieldList fields{
      required("answers", &StyleView::answers),
      required("left_out", &StyleView::left_out, "answers without a number for each covariate"),
      required("clusters", &StyleView::clusters),
      required("clustered_by", &StyleView::clustered_by,
               "`task` or `source`, whose answers may depend on each other, or `answer`"),
      required("effects", &StyleView::effects),
      required("strengths", &StyleView::strengths),
      required("changes", &StyleView::changes, "what would be said otherwise of a pair")};
};

// `names`: of numbers that a judge sent with its answers (`features`), or of columns: `length` is
// the pair `first_length` and `second_length`, `length_first` and `length_second`, or `length_a`
// and `length_b`.
Result<StyleView> style_view_of(const ComparisonTable& table,
                                const std::vector<std::string>& names);

}  // namespace duel
