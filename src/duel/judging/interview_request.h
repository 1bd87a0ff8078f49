// An interview as its user asks for it, in words and files: what is compared, by whom the pairs are
// chosen, when it stops.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "duel/core/result.h"
#include "duel/judging/interview.h"

namespace duel {

struct InterviewRequest {
  std::vector<std::string> arms;  // items of list_arms
  std::string arms_file;
  std::string features{};  // a CSV file, a line for each arm; "": arms have none
  // In the place of arms: the dimensions of a space, as Space::from_json takes them. The policy is
  // then a learner of points.
  Json space{};
  std::uint64_t warmup = 0;               // duels before a point may be proved; 0: the default
  bool open_arms = false;                 // arms may join and leave a log that begins now
  std::vector<std::string> add_arm{};     // items of list_arms that join the log
  std::vector<std::string> retire_arm{};  // ids that leave it
  std::string tasks;                      // file; "": none
  // What is certified: "people-like-these", "these-people"; with tasks "tasks-like-these" (also if
  // it is empty) or "these-tasks".
  std::string about{};
  std::string panel{};  // of these people: how many, or their names with commas between; "": any
  std::vector<std::string> members{};  // their names one by one, in the place of `panel`
  bool early = false;                  // a verdict before counting is certain
  VotingRule voting{};
  std::string name;    // "": the folder of the files, or "duel"
  std::string log;     // "": NAME.duel.jsonl
  std::string policy;  // "": auto
  std::string goal = "condorcet";
  std::uint64_t top = 0;  // of the goals set and order
  double epsilon = 0;     // of the goal epsilon
  std::string assume = "none";
  std::string order = "random";
  double alpha = 0.05;
  std::uint64_t max_duels = 10'000;
  std::uint64_t seed = 0;
  JudgeEntry judge;  // empty where people answer
  // Where people audit the judge: by which program they are asked (empty: by us), the share of
  // duels, the prices of both kinds of answers (0: the share is fixed), and when one is given up.
  bool audited = false;
  JudgeEntry auditor{};
  double audits = 0.1;
  double least_audits = 0.05;
  AuditPrice price{};
  std::uint64_t give_up_after = 0;
  bool audit_from_seed = false;
  bool allows_new_judge = false;
};

// What the statement is about, as a user says it: "tasks-like-these" or "these-tasks", also with
// underscores. An error names the field `about`.
Result<TaskScope> task_scope_of(std::string about, bool has_tasks);

// What the certificate is about, and whose preferences it counts: reads `about`, `panel`, `members`
// and `early` into the plan. REQUIRES: the plan has its id, its seed and its tasks.
Status read_about(const InterviewRequest& request, InterviewPlan& plan);

// Reads what the request names. An error names the field at fault.
Result<InterviewPlan> plan_interview(const InterviewRequest& request);

// A panel as people write it: a number, or names with commas between. `subject_of` makes subjects
// of names, in whose order the members are listed.
Result<PanelRule> panel_of(const std::string& text, bool early,
                           const std::function<std::string(const std::string&)>& subject_of);
Result<PanelRule> panel_of(const std::vector<std::string>& names, bool early,
                           const std::function<std::string(const std::string&)>& subject_of);

// Where the certificate of a log goes unless somebody says otherwise: beside it.
std::string certificate_beside(const std::string& log);

}  // namespace duel
