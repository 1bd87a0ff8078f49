// A panel: who its members are, what each has said, and what is certain of these people. The
// statement of an experiment that is `about` these people (statement.h).
//
// A member is a subject. A seat is held by a subject's first open duel, taken by the first answer
// (a skip, too), and free again if that duel ends without one. Of a listed panel each seat has its
// name. Without a size and a list the members are those who have answered when it is closed.
//
// A member answers each pair once, with tasks once about each of them; what comes back invalid, or
// not at all, may be asked again. What is certain by counting is certain whatever the others say
// (inference/panel_count.h). An early panel has evidence besides, from the answers in the drawn
// order of its list (inference/panel_evidence.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "duel/core/archive_containers.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/experiment/referee.h"
#include "duel/inference/panel_count.h"
#include "duel/inference/panel_evidence.h"
#include "duel/log/record.h"

namespace duel {

class Panel {
 public:
  static constexpr std::uint64_t kMostMembers = 100'000;
  static constexpr std::uint64_t kFewestForEarly = 25;

  // An error names the field that does not go with a panel.
  static Result<Panel> make(const ExperimentRecord& experiment);

  // --- Who ---------------------------------------------------------------------------------------
  // How many members it has, once that is known.
  const std::optional<std::uint64_t>& size() const { return size_; }
  bool listed() const { return !rule_.members.empty(); }
  bool early() const { return rule_.early; }
  bool closed() const { return closed_; }
  std::uint64_t answered() const { return answered_; }  // members with an answer
  std::uint64_t absent() const;
  // Whether the subject has a seat or would find one.
  bool seats(std::string_view subject) const;
  bool is_member(std::string_view subject) const;
  bool is_absent(std::string_view subject) const {
    const Member* const member = find(subject);
    return member != nullptr && member->absent;
  }
  // That may count, in the order of serving.
  std::vector<std::string> open_duels_of(std::string_view subject) const;
  // Whether the subject has neither answered this nor is being asked. REQUIRES: i != j.
  bool may_ask(std::string_view subject, Arm i, Arm j, const std::string& task) const;
  // The same for any task.
  bool may_ask(std::string_view subject, Arm i, Arm j) const;

  // --- What is known -----------------------------------------------------------------------------
  const PanelCount& count() const { return count_; }
  std::uint64_t tasks() const {
    return tasks_;
  }  // that each answer is about; 1 where there are none
  // The evidence of an early panel, and what it has to reach: logarithms.
  double log_evidence(Arm i, Arm j) const { return evidence_[at(i, j)].log_maximum(); }
  double log_threshold() const { return log_threshold_; }
  // Whether i beats j: by counting, or by that evidence.
  bool shown(Arm i, Arm j) const {
    return count_.beats(i, j) || (early() && log_evidence(i, j) >= log_threshold_);
  }
  // The winner, or that there is none. O(1) unless something was said since it was asked.
  std::optional<Decision> decision() const;
  std::optional<Arm> winner() const;
  // Every arm has one that it cannot beat, whatever the others say.
  bool no_winner() const;
  // Mean time of an answer, where answers say it.
  std::optional<double> answer_ms() const;

  // --- Records. The ledger has checked them. -----------------------------------------------------
  Status admits(const ServeRecord& serve, Arm first, Arm second) const;
  Status check(const PanelClosedRecord& record) const;
  Status check(const AbsentRecord& record) const;
  std::uint64_t served(const ServeRecord& serve, Arm first, Arm second);
  void final_answer(std::uint64_t place, Outcome outcome);
  void took(std::uint64_t response_ms);
  void close();
  void miss(const std::string& subject);
  // A draft's arms begin again with so many. REQUIRES: nothing was served.
  void set_arms(std::size_t num_arms);

  std::uint64_t hash(std::uint64_t hash) const;
  void fields(auto& archive) {
    archive_fields(archive, size_, closed_, answered_, places_, count_, members_, open_, evidence_,
                   next_, timed_, time_ms_);
  }
  bool restored(std::size_t num_arms) const;

 private:
  using Pair = std::pair<Arm, Arm>;  // low, high
  struct Said {
    std::set<std::string, std::less<>> tasks{};  // "" where there are none
    std::int64_t sum = 0;                        // for the lower arm
    void fields(auto& archive) { archive_fields(archive, tasks, sum); }
  };
  struct Member {
    bool absent = false;
    std::map<Pair, Said> said{};
    std::set<std::pair<Pair, std::string>> asked{};  // by open duels
    void fields(auto& archive) { archive_fields(archive, absent, said, asked); }
  };
  struct Open {
    std::string duel_id, subject;
    Arm first = 0, second = 0;
    std::string task;
    void fields(auto& archive) { archive(duel_id, subject, first, second, task); }
  };

  explicit Panel(const ExperimentRecord& experiment);

  std::size_t at(Arm i, Arm j) const { return i * count_.num_arms() + j; }
  const Member* find(std::string_view subject) const;
  void know_size(std::uint64_t size);
  void forget_open(std::string_view subject);
  void advance(const Pair& pair);

  PanelRule rule_;
  double alpha_;
  std::uint64_t tasks_;
  double log_threshold_ = 0;
  std::optional<std::uint64_t> size_;
  bool closed_ = false;
  std::uint64_t answered_ = 0;
  std::uint64_t places_ = 0;
  PanelCount count_;
  std::map<std::string, Member, std::less<>>
      members_;                         // who holds or has taken a seat, or is absent
  std::map<std::uint64_t, Open> open_;  // by place
  // Of an early panel, by ordered pair; and of each pair the first in the order without an answer.
  std::vector<PanelEvidence> evidence_;
  std::vector<std::uint64_t> next_;
  std::uint64_t timed_ = 0, time_ms_ = 0;
  mutable bool unseen_ = true;  // by `decision`
};

}  // namespace duel
