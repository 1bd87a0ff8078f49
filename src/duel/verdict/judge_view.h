// How much each judge, voter or model goes by what the others see (inference/judge_reliability.h),
// and the strengths that follow where judges are weighed by it. A view: nothing rests on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/core/words.h"
#include "duel/experiment/comparison_table.h"
#include "duel/verdict/interval_fields.h"

namespace duel {

// unclear: its gamma may be 0, as a coin's is; against: it is below 0.
enum class JudgeLeaning { with_others, unclear, against_others };
template <>
struct Words<JudgeLeaning> {
  static constexpr std::string_view noun = "leaning";
  static constexpr auto all =
      words_table<JudgeLeaning>({{"with_others", JudgeLeaning::with_others},
                                 {"unclear", JudgeLeaning::unclear},
                                 {"against_others", JudgeLeaning::against_others}});
};

struct WeighedJudge {
  std::string judge;
  std::uint64_t answers = 0;
  double gamma = 1;
  Interval interval;
  JudgeLeaning leaning = JudgeLeaning::with_others;

  static constexpr std::string_view schema = "WeighedJudge";
  static constexpr FieldList fields{
      required("judge", &WeighedJudge::judge), required("answers", &WeighedJudge::answers),
      required("gamma", &WeighedJudge::gamma, "1: as sharp as the others; 0: a coin"),
      required("interval", &WeighedJudge::interval, "95 %, for a number of answers fixed before"),
      required("leaning", &WeighedJudge::leaning)};
};

struct WeighedStrength {
  std::string arm_id;
  double plain = 0, weighed = 0;

  static constexpr std::string_view schema = "WeighedStrength";
  static constexpr FieldList fields{
      required("arm_id", &WeighedStrength::arm_id),
      required("plain", &WeighedStrength::plain, "log-odds where all judges count alike"),
      required("weighed", &WeighedStrength::weighed, "where they are weighed by gamma")};
};

struct JudgeView {
  std::vector<WeighedJudge> judges;        // the sharpest first
  std::vector<WeighedStrength> strengths;  // the strongest first

  static constexpr std::string_view schema = "JudgeView";
  static constexpr FieldList fields{required("judges", &JudgeView::judges),
                                    required("strengths", &JudgeView::strengths)};
};

// What one judge said of two arms: `share` of the first is 1, 0, or a score between.
struct JudgedPair {
  std::string judge, first, second;
  double share = 0.5;
};

// Every answer of every judge: of a jury each judge's own, otherwise the source's.
std::vector<JudgedPair> judged_pairs_of(const ComparisonTable& table);
Result<std::vector<JudgedPair>> judged_pairs_in_log(const std::string& file);

Result<JudgeView> judge_view_of(const std::vector<JudgedPair>& pairs);

}  // namespace duel
