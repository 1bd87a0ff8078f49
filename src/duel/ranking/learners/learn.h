// Learning a ranker online as a user asks for it: names and numbers in; trials, measures, JSON and
// the files of a run that can go on later out. The command line, the server and Python differ only
// in how they take the fields and show the result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/count_range.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/jobs/jobs.h"
#include "duel/ranking/learners/learn_results.h"
#include "duel/ranking/learners/learning_curve.h"

namespace duel {

struct LearnSpec {
  static constexpr CountRange kImpressions{1, 1'000'000'000'000};
  static constexpr CountRange kBatch{1, 1'000'000'000};
  static constexpr CountRange kTrials{1, 100'000};
  static constexpr CountRange kLength{1, 1000};

  std::string data;     // judged queries to learn from: a LETOR file or synthetic(..)
  std::string heldout;  // those to measure the ranker on; empty: the same
  std::string learner = "dbgd(delta=1,gamma=0.01)";
  std::string interleave;  // empty: the learner's own
  std::string clicks = "perfect";
  std::string compare = "clicks";  // or ndcg-logistic: what answers a duel (AnswerBasis)
  std::string normalise = "none";
  std::uint64_t impressions = 10'000;
  std::uint64_t batch = 0;  // duels per update, the learner's option of that name; 0: its own
  std::uint64_t trials = 5;
  std::uint64_t length = 10;  // documents shown, and the k of NDCG@k
  double discount = 0.9995;
  std::uint64_t grades = 0;  // 0: as many as the data has
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;  // 0: one per core
};

struct LearnData {
  JudgedQueries training;
  std::optional<JudgedQueries> heldout;

  const JudgedQueries& judged() const { return heldout ? *heldout : training; }
};

// Reads and scales both; the held-out documents get the features of the others.
Result<std::shared_ptr<const LearnData>> read_learn_data(const LearnSpec& spec);

// The files of a directory of learned rankers.
struct LearnFiles {
  explicit LearnFiles(std::filesystem::path where) : directory(std::move(where)) {}

  std::filesystem::path directory;
  std::filesystem::path summary() const { return directory / "learn.json"; }
  std::filesystem::path curve() const { return directory / "curve.csv"; }
  std::filesystem::path model() const { return directory / "model.json"; }
  std::filesystem::path weights() const { return directory / "weights.txt"; }
  std::filesystem::path rankers() const { return directory / "rankers.txt"; }
  std::filesystem::path states() const { return directory / "states.bin"; }
};

// `spec` with what the run in the directory was made of; impressions and threads stay.
Result<LearnSpec> resumed_spec(const LearnFiles& files, LearnSpec spec);

class LearnRun {
 public:
  // Errors name the field.
  static Result<LearnRun> create(LearnSpec spec, std::shared_ptr<const LearnData> data);

  // Learner, method and user as they name themselves.
  const LearnSpec& spec() const { return spec_; }
  const LearningSetting& setting() const { return setting_; }

  // All trials as the run in the directory left them. An error where that was another run, or came
  // further than this one shall.
  Status restore(const LearnFiles& files);
  // Plays up to the impressions of the spec; tells how many trials came there. Progress counts
  // trials.
  Result<std::uint64_t> play(const JobHooks& hooks = {});

  LearnResults results() const;
  // The ranker of each trial.
  std::vector<std::vector<double>> weights() const;
  Status write(const LearnFiles& files, const LearnResults& results) const;

 private:
  Json settings() const;

  LearnSpec spec_;
  std::shared_ptr<const LearnData> data_;  // the setting and the trials point to it
  LearningSetting setting_;
  std::vector<RecordedTrial> trials_;
  std::vector<double> start_;  // offline NDCG before the first impression
};

// The baseline that sees the grades (LearnerFacts::sees_grades): `ranking-svm` as the learner. No
// impressions, one ranker.
bool learns_from_grades(const LearnSpec& spec);

struct LearnedFromGrades {
  std::string learner;  // as it names itself
  std::uint64_t pairs = 0;
  double offline_ndcg = 0;
  std::vector<double> weights;
  LearnSpec spec;

  Json to_json() const;
  Status write(const LearnFiles& files) const;
};

// REQUIRES: learns_from_grades(spec).
Result<LearnedFromGrades> learn_from_grades(const LearnSpec& spec, const LearnData& data);

}  // namespace duel
