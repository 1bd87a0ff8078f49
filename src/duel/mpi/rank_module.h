// What the program and the module that knows MPI agree on.
#pragma once

#include <string>

#include "duel/core/git_commit.h"
#include "duel/jobs/ranks.h"
#include "duel/version_info.h"

namespace duel {

inline constexpr const char* kRankModuleFile = "libduel_mpi.so";
inline constexpr const char* kRankModuleVersion = "duel_mpi_version";
inline constexpr const char* kRankModuleStart = "duel_mpi_start";

using RankModuleVersion = const char* (*)();
using RankModuleStart = RankTransport* (*)();

// A class passes between the two, so both have to be of one build.
inline std::string rank_module_version() {
  return std::string(kVersion) + " " + std::string(git_commit()) + " " + std::string(kCompiler);
}

}  // namespace duel
