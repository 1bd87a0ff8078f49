// Scripts played as `duel run` and `duel vote` play them: a log in a file, and questions one after
// the other. The system's clock is read, so times in the log are made equal afterwards (golden.h).
//
// Steps that every door can do:
//   open {"arms":[..],"seed":..}   a new experiment `e`, or the one that is there; members: arms,
//                       seed, alpha, goal, top, epsilon, order, policy, open_arms, tasks, about,
//                       panel (a size), audits (a share) and audit_key (of a run; a server has one)
//   serve ID            the next duel; a run calls them d1, d2, .. itself
//   answer ID WORD      better | worse (by the ids of the arms) | first | second | tie | both_bad |
//                       skip | invalid | a score of the first; `first/second` where a judge saw
//                       both orders
//   expire ID           no answer came in time; it is the only duel that is out
//   play N d [from=K]   serves and answers N duels dK, .., as `said_about` says, until nothing is
//                       left to ask
//   audit WORD          a person is asked about the first duel that waits for one, and answers
//   close-panel
//   add-arm ID, retire-arm ID   while no duel is out
//   complete            the end of a certified experiment
//   close
// `subject=ann` beside `serve` and `play` says which member of a panel is asked.
// Steps of a run alone:
//   open                takes judge, new_judge, max_duels, add, retire and name, too
//   write FILE [..]     the lines of a file that `open` names
//   play N in_flight=M  the same with so many questions out at once
//   cut N               N bytes are missing at the end of the log, as after a kill; it is closed
//   begin LOG           the log begins as tests/golden/data/formats/LOG
// `tries=N` beside an answer says that so many failed before.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "duel/core/json.h"
#include "duel/judging/interview.h"
#include "tests/golden/script.h"
#include "tests/support/temporary_directory.h"

namespace duel::golden {

class LocalDoor {
 public:
  LocalDoor();
  ~LocalDoor();
  LocalDoor(const LocalDoor&) = delete;
  LocalDoor& operator=(const LocalDoor&) = delete;

  void play(const Step& step);

  const std::string& replies() const { return replies_; }
  std::string log() const;
  // Of the live experiment; nothing while none is open.
  std::optional<std::uint64_t> state_hash() const;

 private:
  void open(const Json& wanted);
  Interview& interview();  // throws while none is open
  std::optional<Question> ask(const std::string& subject);
  Status audit(const std::string& word);
  Status record_answer(const std::string& duel_id, const std::string& word, std::uint64_t tries);
  Status give(Given given);
  void play_many(const Step& step);
  void cut(std::size_t bytes);

  bool quick_;
  TemporaryDirectory directory_;
  std::filesystem::path before_;  // the process's directory, until the end
  Json wanted_;                   // what was opened last
  std::optional<Interview> interview_;
  std::map<std::string, Question> asked_;
  bool needs_more_tasks_ = false;  // said by the last question that did not come
  std::size_t kept_ = 0;           // lines that the log began with
  std::string replies_;
};

}  // namespace duel::golden
