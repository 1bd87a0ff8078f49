// Why there is no certificate yet: what stands between the answers that are in and a decision, each
// with a count. What people read beside a verdict that says "undecided".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/described.h"
#include "duel/core/timestamp.h"
#include "duel/core/words.h"
#include "duel/experiment/ledger.h"
#include "duel/verdict/health.h"
#include "duel/verdict/standing.h"

namespace duel {

enum class Obstacle {
  not_running,         // no duels are served
  max_duels,           // as many were served as there may be
  tasks_used_up,       // pairs in the way of a certificate have met about every task
  no_decisive_answer,  // nobody has named a winner
  answers_wait,        // for open duels that were served before them
  subject_again,       // duels that cannot be evidence: the subject had been asked about the pair
  task_again,          // .. the pair had met about the task
  lost_serves,         // .. served when the machine lost power
  recovered,           // .. their serve was lost, and a report brought it back
  not_admitted,        // .. the statement takes no such duel
  late,                // answers that came after their duel had expired
  minimum_per_pair,    // pairs with fewer decisive answers than min_decisive_per_pair
  none_first,          // every arm is ruled out of first place
  rivals,              // arms, or pairs of a set or an order, that are open
  panel_open,          // a panel without a size has not been closed
  people,              // members of a panel who have not answered
  point_open,          // no point of a space is proved to beat the one in use
  health,              // checks that failed
};
template <>
struct Words<Obstacle> {
  static constexpr std::string_view noun = "reason why there is no certificate yet";
  static constexpr auto all =
      words_table<Obstacle>({{"not_running", Obstacle::not_running},
                             {"max_duels", Obstacle::max_duels},
                             {"tasks_used_up", Obstacle::tasks_used_up},
                             {"no_decisive_answer", Obstacle::no_decisive_answer},
                             {"answers_wait", Obstacle::answers_wait},
                             {"subject_again", Obstacle::subject_again},
                             {"task_again", Obstacle::task_again},
                             {"lost_serves", Obstacle::lost_serves},
                             {"recovered", Obstacle::recovered},
                             {"not_admitted", Obstacle::not_admitted},
                             {"late", Obstacle::late},
                             {"minimum_per_pair", Obstacle::minimum_per_pair},
                             {"none_first", Obstacle::none_first},
                             {"rivals", Obstacle::rivals},
                             {"panel_open", Obstacle::panel_open},
                             {"people", Obstacle::people},
                             {"point_open", Obstacle::point_open},
                             {"health", Obstacle::health}});
};

struct WhyNotYet {
  Obstacle reason = Obstacle::rivals;
  std::uint64_t count = 0;
  std::optional<Timestamp> until{};
  std::string detail;

  static constexpr std::string_view schema = "WhyNotYet";
  static constexpr FieldList fields{
      required("reason", &WhyNotYet::reason),
      required("count", &WhyNotYet::count, "of duels, answers, arms, pairs, people or checks"),
      optional("until", &WhyNotYet::until,
               "of `answers_wait`: when the last of the open duels expires"),
      required("detail", &WhyNotYet::detail, "a sentence")};
};

// None once there is a certificate. `standing` and `health` are the ledger's.
std::vector<WhyNotYet> why_not_yet(const Ledger& ledger, const Standing& standing,
                                   const std::vector<HealthCheck>& health);

}  // namespace duel
