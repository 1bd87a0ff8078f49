// An experiment whose duels a server chooses, for those who answer them: `duel run --server` and
// `duel vote --server`. Several may work on one experiment at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "duel/cli/client_options.h"
#include "duel/client/patient_client.h"
#include "duel/core/duel.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/judging/judge_question.h"

namespace duel::cli {

enum class ServedEnding { certified, undecided, interrupted, out_of_reach };
std::string_view to_word(ServedEnding ending);

// Which experiment, where, and for how long to try.
struct ServedOptions {
  ClientOptions client;
  std::string experiment;
  double patience = 60;
  const Option* experiment_option = nullptr;

  // Whether the command is to work on an experiment of a server or store: by --server or
  // --experiment.
  bool asked_for() const;
  // Its id: --experiment, or the one argument.
  Result<std::string> experiment_id(const std::vector<std::string>& arguments) const;
};
void add_served_options(Command& command, ServedOptions& options);
// An error for an option that the experiment has decided already. `allowed` are the names of those
// that have their use.
Status check_served_options(const Command& command, const std::vector<std::string>& allowed);

// A served duel as those who answer see it. An arm without a payload is its own content.
struct ServedQuestion {
  Question question;
  std::string report_token;
  bool has_task = false;
};
// Nothing where one arm alone was given: there is nothing to ask.
std::optional<ServedQuestion> question_of(const Json& duel);

class ServedExperiment {
 public:
  // REQUIRES: `client` lives longer.
  ServedExperiment(PatientClient& client, std::string experiment_id);

  // Looks at the configuration where the token allows it. An error where clicks decide and nobody
  // is to be asked.
  Status open(const std::function<bool()>& stop);

  const std::string& id() const { return experiment_id_; }
  bool both_orders() const { return both_orders_; }
  PatientClient& client() { return client_; }

  std::string target(const std::string& rest) const {
    return experiment_target(experiment_id_, rest);
  }
  std::string outcome_target(const std::string& duel_id) const;
  // The body of a report: one answer as seen, or two of the order `both`, the second turned round.
  Json outcome_body(const ServedQuestion& asked, const std::vector<Outcome>& outcomes,
                    const std::string& source_type, const std::string& source_id,
                    double response_ms) const;

  // Whether a certificate was given; nothing where the token may not see that.
  Result<std::optional<bool>> certified(const std::function<bool()>& stop);
  // Whether a duel may come later although none was given now: others hold some.
  Result<bool> may_ask_later(const std::function<bool()>& stop);

 private:
  PatientClient& client_;
  std::string experiment_id_;
  bool readable_ = false;
  bool both_orders_ = false;
};

// The result as it stands, and what this command did.
struct ServedCounts {
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;
  std::uint64_t undelivered = 0;
  bool stopped = false;   // by whoever answers
  std::string verdict{};  // as the server said last, for those who may not see the result
};
Result<int> report_served(ServedEnding ending, const ServedCounts& counts,
                          ServedExperiment& experiment, bool json, int interrupted_code,
                          CommandContext& context);

}  // namespace duel::cli
