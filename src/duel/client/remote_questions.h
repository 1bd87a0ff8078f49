// The questions of an experiment that a server holds, or the store on this machine. Several may
// answer the same experiment at the same time.
//
// Duels are asked for under ids of our own and reports repeat the same body, so that whatever is
// lost on the way can be sent again: a serve is one serve, an answer one answer. While the server
// is out of reach, answers wait in the outbox.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "duel/client/patient_client.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/experiment/questions.h"

namespace duel {

class RemoteQuestions final : public Questions {
 public:
  // `subject`: the person who is shown the duels; "": none. By a share link the server makes the
  // subject instead. REQUIRES: `client` lives longer.
  RemoteQuestions(PatientClient& client, std::string experiment_id, std::string subject = "");

  // Looks at the configuration, where the token allows it, and gets the first duel, by which is
  // known whether there are tasks. An error where clicks decide and nobody is to be asked. Where
  // the server stays out of reach or `stop` says so, the loop finds out.
  Status open(const std::function<bool()>& stop);
  bool both_orders() const { return both_orders_; }
  bool has_tasks() const { return !ready_.empty() && ready_.front().task.has_value(); }

  Result<Next> next() override;
  Result<Taken> answer(std::vector<Given> given) override;
  Result<Taken> flush() override;
  QuestionsProgress progress() const override { return progress_; }
  std::uint64_t unsent() const { return outbox_.size(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Report {
    std::string duel_id;
    Json body;
    bool answers = false;   // rather than says that there is no answer
    std::string next_id{};  // under which the next duel is asked for with it; "": none
  };

  std::string target(const std::string& rest) const;
  // The body that asks for a duel; the same one until it has come.
  Json wanted();
  void take_duel(const Json& duel);
  // Sends the oldest answer; false where the server does not answer now.
  bool send_one(bool wants_next);
  // Whether a duel may come later although none was given now: others hold some. Nothing where the
  // server does not answer.
  Result<std::optional<bool>> may_ask_later();
  Next not_now() const;

  PatientClient& client_;
  std::string experiment_id_;
  std::string subject_;
  bool is_voter_ = false;  // asks by a share link
  bool readable_ = false;  // the token may see the configuration
  bool both_orders_ = false;
  std::deque<Question> ready_;                 // served, and not asked yet
  std::map<std::string, std::string> tokens_;  // that prove a serve, by the duels that are out
  std::deque<Report> outbox_;
  std::string wanted_id_;  // of the duel that was asked for and has not come yet
  bool nothing_to_ask_ = false;
  RunEnding ending_ = RunEnding::undecided;  // where it is for good
  Clock::time_point ask_again_{};
  QuestionsProgress progress_;
  std::optional<Error> ends_;  // a report was refused for a reason that the next one will meet too
};

}  // namespace duel
