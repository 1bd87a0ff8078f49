// A command that several ranks run together, as `mpirun -n 64 duel simulate study.toml -o DIR`
// does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "duel/jobs/ranks.h"

namespace duel::cli {

// What the launcher's variables say of this process.
struct Launch {
  unsigned rank = 0;
  unsigned size = 1;
};
// From the variables of Open MPI, of MPICH and its relatives, or of Slurm with PMIx. Nothing where
// there is one process, or where DUEL_MPI=0 says that the variables mean somebody else: a program
// under mpirun that starts `duel` as its own helper.
std::optional<Launch> find_launch();

class RankSession {
 public:
  // Alone, where `find_launch` finds nothing. Otherwise loads MPI; where that cannot be, rank 0
  // does all the work and the others end at once.
  explicit RankSession(std::string_view command);
  ~RankSession();
  RankSession(const RankSession&) = delete;
  RankSession& operator=(const RankSession&) = delete;

  // Whether this process has nothing to do: rank 0 works alone.
  bool is_idle() const { return idle_; }
  // Why rank 0 works alone, for a warning; or empty.
  const std::string& warning() const { return warning_; }

 private:
  bool idle_ = false;
  std::string warning_;
  std::unique_ptr<RankTransport> transport_;
  std::optional<Ranks> ranks_;
  std::optional<RanksScope> scope_;
};

// Ends the work that this process shares with other ranks, where there are any. Returns what to
// exit with, and whether this process is the one to say what went wrong.
Ranks::Farewell end_all_ranks(int code);
// The same with an error, which is printed once: by the first of the ranks that met one.
int end_with_error(std::string_view error, int code);

}  // namespace duel::cli
