// Results of parts of the duels (experiment/slices.h): a board, checks and perhaps a certificate
// for each value of each slice.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/experiment/comparison_table.h"
#include "duel/experiment/slices.h"
#include "duel/store/store.h"
#include "duel/verdict/experiment_result.h"

namespace duel {

struct SliceResult : ExperimentResult {
  double alpha = 0;

  static constexpr std::string_view schema = "SliceResult";
  static constexpr auto fields = joined(
      ExperimentResult::fields,
      FieldList{required("alpha", &SliceResult::alpha,
                         "of this statement: the experiment's over the number of all values; 0 of "
                         "`other`, which has no statement")});
};

// By slice, and in it by value, both as they were declared; `other` is the last, where there is
// any.
using BySlice =
    std::vector<std::pair<std::string, std::vector<std::pair<std::string, SliceResult>>>>;

BySlice by_slice(const SliceLedgers& slices);
// Of an experiment in a store; empty where it declares none.
Result<BySlice> by_slice_of_log(Store& store, const std::string& experiment_id);
// Of comparisons made elsewhere, by columns of their file. The values are those that occur;
// `alpha`, `in_order` and `goal` are as in answers_of.
Result<BySlice> by_slice_of_table(const ComparisonTable& table,
                                  const std::vector<std::string>& columns, double alpha,
                                  bool in_order, const Goal& goal);

// A whole with its parts.
struct SlicedResult : ExperimentResult {
  std::optional<BySlice> by_slice{};
  std::vector<std::string> slices_differ{};

  static constexpr std::string_view schema = "SlicedResult";
  static constexpr FieldList own{
      optional("by_slice", &SlicedResult::by_slice,
               "where slices are declared: a result for each value, by slice"),
      optional(
          "slices_differ", &SlicedResult::slices_differ,
          "a sentence for each slice of which two values have certificates of different arms")};
  static constexpr auto fields = joined(ExperimentResult::fields, own);
};

// "The winner differs by language: a (de), b (en)." Said only where two values have certificates of
// different arms, so that it is false with probability at most the experiment's alpha.
std::vector<std::string> slices_that_differ(const BySlice& by_slice);

SlicedResult sliced(ExperimentResult whole, BySlice by_slice);

}  // namespace duel
