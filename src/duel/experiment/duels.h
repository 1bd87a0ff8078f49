// The duels of an experiment: their ids, their order and deadlines, which are open, and how often
// an answer came again, too late or as another one. Memory is bounded by what is open.
//
// Arms are numbers here, and what an answer means is decided elsewhere (heard.h). A part of the
// ledger: only the ledger changes it, with records that it has checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/core/text_map.h"
#include "duel/inference/evidence_answer.h"
#include "duel/log/record.h"

namespace duel {

enum class Fate { pending, answered, expired };

// The ordinal of a comparison that was made elsewhere: no duel has it.
inline constexpr std::uint64_t kMadeElsewhere = std::numeric_limits<std::uint64_t>::max();

// How far a duel is that people may audit. The fields of its LedgerDuel are those of the person's
// answer, if one comes, and of the program's if the duel is not drawn.
struct AuditState {
  enum class Step : std::uint8_t {
    none,     // nobody audits it
    asked,    // the program has not answered
    judged,   // it has, and is about to be drawn or not
    undrawn,  // its answer is all there will be
    drawn,    // a person is to answer, too
    lost,     // and nobody ever will
  };
  Step step = Step::none;
  double share = 0;     // the probability of being drawn
  double program = 0;   // the program's answer as a number
  bool silent = false;  // it gave none
  std::uint64_t offers = 0;

  // A person is waited for.
  bool waits() const { return step == Step::drawn; }
};

struct LedgerDuel {
  std::uint64_t ordinal = 0;
  Timestamp expires_at{};  // 0: never
  Round round = 0;
  Arm first = 0;  // as shown
  Arm second = 0;
  std::uint64_t first_point = 0;  // ordinals, where points are compared (tuned_space.h)
  std::uint64_t second_point = 0;
  Serving serving = Serving::explore;
  Fate fate = Fate::pending;
  Answered result = Answered::skip;  // where answered
  Outcome outcome = Outcome::none;   // what it says of (first, second); `none` until it is answered
  bool evidence = true;              // may its answer become evidence?
  std::uint64_t place_in_order = 0;  // then: among what may
  double score = 0.5;                // of `first`, where the answer is graded
  Outcome lot = Outcome::none;       // what a graded answer is for who hears only wins
  AuditState audit{};

  // The answer as a number from `first`'s side: 1 a win, -1 a loss, 0 neither.
  double y() const {
    return result == Answered::graded && fate == Fate::answered ? 2.0 * score - 1.0
                                                                : number_of(outcome);
  }
};

// The duels of an experiment that are settled: answered or expired. `Duels` holds only the open
// ones; what is told of a settled one again (a repeat, a late answer) is looked up here.
class SettledDuels {
 public:
  virtual ~SettledDuels() = default;
  virtual void add(std::string_view duel_id, const LedgerDuel& duel) = 0;
  // As of the records before number `before`. An error where the store cannot be read.
  virtual Result<std::optional<LedgerDuel>> find(std::string_view duel_id,
                                                 std::uint64_t before) const = 0;
  // Whether a new duel's id is looked for here. False where that costs much and the caller has
  // looked before it chose.
  virtual bool guards_ids() const { return true; }
};

// What a record did.
enum class Effect {
  applied,
  duplicate,    // an outcome that was known: nothing changed
  conflicting,  // an outcome that differs from the known one: kept in the log, the first counts
  late,         // an outcome after the duel expired: kept in the log, counts for nothing
};

class Duels {
 public:
  // Without `settled` they are kept in memory.
  explicit Duels(std::unique_ptr<SettledDuels> settled);

  std::uint64_t served() const { return served_; }  // the ordinal of the next one
  const LedgerDuel* find_open(std::string_view duel_id) const;
  // As of the records before number `before`.
  Result<std::optional<LedgerDuel>> find(std::string_view duel_id, std::uint64_t before) const;
  // Whether the serve may be the next one, by its id and its ordinal.
  Status check_next(const ServeRecord& record, std::uint64_t before) const;

  template <class Visit>
  void visit_open(Visit&& visit) const {
    for (const auto& [id, duel] : open_) visit(duel);
  }
  std::vector<std::string> pending() const;  // in serving order
  // Those that wait for a person who audits them.
  const std::map<std::uint64_t, std::string>& drawn() const { return drawn_; }
  std::size_t num_pending() const { return pending_.size(); }
  const std::map<std::uint64_t, std::string>& pending_by_ordinal() const { return pending_; }
  std::optional<std::int64_t> next_deadline() const;
  // REQUIRES: there is a next deadline.
  const std::string& first_to_expire() const { return pending_.at(deadlines_.begin()->second); }

  std::uint64_t duplicates() const { return duplicates_; }
  std::uint64_t conflicts() const { return conflicts_; }
  std::uint64_t late() const { return late_; }
  // Over all that became settled, in the order in which they did.
  std::uint64_t settled_hash() const { return settled_hash_; }

  // The next duel is out. REQUIRES: duel.ordinal == served().
  void open(const std::string& duel_id, const LedgerDuel& duel);
  // It has no question: one arm was shown alone, and nobody answers.
  void pass() { ++served_; }
  // Counts an answer to a duel that is settled, and says which of the three it is.
  Effect answered_again(const LedgerDuel& duel, const LedgerDuel& again);
  // Counts an answer that is kept and counts for nothing.
  Effect came_late() {
    ++late_;
    return Effect::late;
  }
  // The duel stays open. REQUIRES: it is open here, and its place and deadline stay.
  void change(std::string_view duel_id, const LedgerDuel& duel);
  // REQUIRES: the duel is open here; `duel` says what became of it.
  void settle(std::string_view duel_id, const LedgerDuel& duel);

  template <class Archive>
  void fields(Archive& archive);
  bool restored(std::size_t num_arms) const;

 private:
  void hold(const std::string& duel_id, const LedgerDuel& duel);

  TextMap<LedgerDuel> open_;
  std::map<std::uint64_t, std::string> pending_;                // id by ordinal
  std::map<std::uint64_t, std::string> drawn_;                  // the same, of those that wait
  std::set<std::pair<std::int64_t, std::uint64_t>> deadlines_;  // and ordinal
  std::unique_ptr<SettledDuels> settled_;
  std::uint64_t settled_hash_ = 0;
  std::uint64_t served_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t late_ = 0;
};

}  // namespace duel
