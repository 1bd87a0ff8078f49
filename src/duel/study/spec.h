// What a study is: policies x matrices, how long, how often, what is measured. Typed and validated,
// from a TOML file, from flags, or both; written back as canonical TOML.
//
//   policies = ["rucb", "rmed2fh"]          # policy strings
//   matrices = ["arxiv", "my/matrix.csv"]   # built-ins or files (relative to the current
//   directory) rounds = 1e6                            # also 1000000 or "1e6" trials = 100
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/checkpoints.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/truth/regret.h"

namespace duel {

inline constexpr std::uint64_t kMaxTrials = 0xffff'ffff;
inline constexpr std::uint64_t kMaxSeed = 0x7fff'ffff'ffff'ffff;
inline constexpr unsigned kMaxThreads = 4096;
// Rounds of a batch, and of a delay: so many answers are kept until they are heard.
inline constexpr std::uint64_t kMostOutstanding = 10'000'000;

// A complete, valid study.
struct StudySpec {
  std::string name;                   // for reports; may be empty
  std::vector<std::string> policies;  // `rucb(alpha=0.6)`; not empty
  std::vector<std::string> matrices;  // what `resolve_matrix` understands; not empty
  Round rounds = 100'000;
  std::uint32_t trials = 100;
  std::uint64_t seed = 0;
  std::vector<Round> checkpoints;  // empty: log-spaced; the final round is always added
  std::vector<RegretNotion> regrets = {RegretNotion::average};
  bool horizon_per_checkpoint = false;
  Round batch = 1;  // when answers are heard: policies/delayed_trial.h
  Round delay = 0;
  bool trials_csv = false;
  unsigned threads = 0;  // 0: one per core; changes no result

  friend bool operator==(const StudySpec&, const StudySpec&) = default;
};

// What one source (a file, the flags) says of a study. `over` one another, then `complete`.
struct StudyDraft {
  std::optional<std::string> name;
  std::optional<std::vector<std::string>> policies;
  std::optional<std::vector<std::string>> matrices;
  std::optional<Round> rounds;
  std::optional<std::uint32_t> trials;
  std::optional<std::uint64_t> seed;
  std::optional<std::vector<Round>> checkpoints;
  std::optional<std::vector<RegretNotion>> regrets;
  std::optional<bool> horizon_per_checkpoint;
  std::optional<Round> batch;
  std::optional<Round> delay;
  std::optional<bool> trials_csv;
  std::optional<unsigned> threads;

  // Sets one key from text as a flag gives it: `set("rounds", "1e6")`, `set("policies",
  // "rucb,rmed1")`, `set("checkpoints", "1e3,1e4")`, `set("trials_csv", "true")`. Lists are cut at
  // commas outside parentheses. A file name that holds a comma goes into `matrices` directly.
  Status set(std::string_view key, std::string_view text);
};

// What `upper` says, and where it is silent what `lower` says.
StudyDraft over(StudyDraft upper, StudyDraft lower);

// Fills in defaults, then `checked`.
Result<StudySpec> complete(const StudyDraft& draft);

// Checks what concerns several keys: something to run, checkpoints within the rounds (returned in
// order, with the final round), nothing twice. Whether policies and matrices exist is checked by
// the study.
Result<StudySpec> checked(StudySpec spec);

// `source` names the text in errors: "study.toml:7: ...".
Result<StudyDraft> parse_study_toml(std::string_view text, const std::string& source);
Result<StudyDraft> read_study_file(const std::filesystem::path& file);

// Every key that matters, in a fixed order; reads back to an equal spec.
std::string to_toml(const StudySpec& spec);

// What decides the results: all but name, threads and trials_csv.
StudySpec essence_of(StudySpec spec);

// Cuts at commas outside parentheses; pieces are trimmed. For flags.
std::vector<std::string> split_list(std::string_view text);

}  // namespace duel
