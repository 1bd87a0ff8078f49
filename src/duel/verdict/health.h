// Whether the answers of an experiment can be trusted: a list of checks, also those that passed.
// Whether a check fails is decided by plain arithmetic on the counts, so that every machine
// agrees.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/words.h"
#include "duel/experiment/ledger.h"

namespace duel {

enum class HealthVerdict { passed, failed, unknown };  // unknown: too little is known to tell
template <>
struct Words<HealthVerdict> {
  static constexpr std::string_view noun = "verdict on health";
  static constexpr auto all = words_table<HealthVerdict>({{"passed", HealthVerdict::passed},
                                                          {"failed", HealthVerdict::failed},
                                                          {"unknown", HealthVerdict::unknown}});
};

struct HealthCheck {
  std::string name;  // missing_answers, position_balance, ..
  HealthVerdict verdict = HealthVerdict::unknown;
  std::string detail;

  static constexpr std::string_view schema = "HealthCheck";
  static constexpr FieldList fields{
      required("name", &HealthCheck::name),
      required("verdict", &HealthCheck::verdict, "`unknown`: too little to tell"),
      required("detail", &HealthCheck::detail, "the figure, and where it is worst")};
};
inline HealthCheck unknown_check(std::string name, std::string detail) {
  return {std::move(name), HealthVerdict::unknown, std::move(detail)};
}
inline HealthCheck judged_check(std::string name, bool failed, std::string detail) {
  return {std::move(name), failed ? HealthVerdict::failed : HealthVerdict::passed,
          std::move(detail)};
}

struct Health {
  HealthVerdict verdict = HealthVerdict::passed;
  std::vector<HealthCheck> checks;

  static constexpr std::string_view schema = "Health";
  static constexpr FieldList fields{
      required("verdict", &Health::verdict, "`failed` if any check failed",
               OneOf("passed", "failed")),
      required("checks", &Health::checks)};
};

// Always the same checks in the same order; a log of format 1 has fewer, as its certificate had,
// and one where people audit a judge has one more.
// Pages of results that ended without a click are not answers that were lost; certificates of
// format 1 took them for such.
enum class Clickless { set_aside, missing };
std::vector<HealthCheck> check_health(const Ledger& ledger,
                                      Clickless clickless = Clickless::set_aside);
// Failed if any failed, else passed.
HealthVerdict overall(const std::vector<HealthCheck>& checks);
// "position_bias: the first place won .." of each check that failed.
std::vector<std::string> failures(const std::vector<HealthCheck>& checks);
// "Health checks failed: ties, voters.", to stand beside a verdict; "" where none failed.
std::string failed_checks_sentence(const std::vector<HealthCheck>& checks);

}  // namespace duel
