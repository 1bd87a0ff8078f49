#include "duel/cli/rank_session.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "duel/cli/command.h"
#include "duel/core/result.h"
#include "duel/mpi/rank_module.h"

namespace duel::cli {
namespace {

std::optional<unsigned> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view whole(text);
  unsigned value = 0;
  const auto [end, code] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (code != std::errc() || end != whole.data() + whole.size()) return std::nullopt;
  return value;
}

// Where the module may be: named by a variable, beside the program as in a build tree, or where it
// is installed.
std::vector<std::filesystem::path> module_places() {
  if (const char* given = std::getenv("DUEL_MPI_MODULE"); given != nullptr && *given != '\0') {
    return {given};
  }
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  const std::filesystem::path folder = program.parent_path();
  return {folder / kRankModuleFile, folder / ".." / "lib" / "duel" / kRankModuleFile};
}

Result<std::unique_ptr<RankTransport>> start_mpi() {
  std::string tried;
  for (const std::filesystem::path& place : module_places()) {
    tried += (tried.empty() ? "" : ", ") + place.lexically_normal().string();
    std::error_code ignored;
    if (!std::filesystem::exists(place, ignored)) continue;
    // Global: MPI loads parts of its own, which look for its symbols. It stays loaded.
    void* module = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    if (module == nullptr) {
      const char* reason = dlerror();
      return Error::unsupported(reason != nullptr ? reason : "cannot be loaded", place.string());
    }
    const auto version = reinterpret_cast<RankModuleVersion>(dlsym(module, kRankModuleVersion));
    const auto start = reinterpret_cast<RankModuleStart>(dlsym(module, kRankModuleStart));
    if (version == nullptr || start == nullptr || version() != rank_module_version()) {
      return Error::unsupported("belongs to another build of duel", place.string());
    }
    std::unique_ptr<RankTransport> transport(start());
    if (transport == nullptr) return Error::unsupported("MPI could not be started");
    return transport;
  }
  return Error::not_found("the MPI module is not installed", "", "looked for " + tried);
}

// Whether a command shares its jobs among ranks.
bool shares_jobs(std::string_view command) {
  constexpr std::array<std::string_view, 4> kCommands = {"simulate", "league", "reproduce", "plan"};
  return std::ranges::find(kCommands, command) != kCommands.end();
}

}  // namespace

std::optional<Launch> find_launch() {
  if (const char* wish = std::getenv("DUEL_MPI");
      wish != nullptr && std::string_view(wish) == "0") {
    return std::nullopt;
  }
  constexpr std::array<std::array<const char*, 2>, 3> kVariables = {{
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // Open MPI
      {"PMI_RANK", "PMI_SIZE"},                          // MPICH, Intel MPI, srun --mpi=pmi2
      {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},             // srun --mpi=pmix
  }};
  for (const auto& [rank_name, size_name] : kVariables) {
    const auto rank = number_in(rank_name);
    const auto size = number_in(size_name);
    if (rank && size && *size > 1 && *rank < *size) return Launch{*rank, *size};
  }
  return std::nullopt;
}

RankSession::RankSession(std::string_view command) {
  if (!shares_jobs(command)) return;
  const auto launch = find_launch();
  if (!launch) return;
  auto started = start_mpi();
  if (!started.ok()) {
    idle_ = launch->rank != 0;
    warning_ = fmt::format(
        "{} ranks were started, but rank 0 works alone, on the threads of one "
        "process: {}",
        launch->size, started.error().to_string());
    return;
  }
  transport_ = *std::move(started);
  if (transport_->size() < 2) return;
  ranks_.emplace(*transport_);
  scope_.emplace(*ranks_);
}

RankSession::~RankSession() {
  if (ranks_) ranks_->leave(kExitFailure);  // does nothing where it has left already
  scope_.reset();
}

Ranks::Farewell end_all_ranks(int code) {
  Ranks* ranks = current_ranks();
  return ranks != nullptr ? ranks->leave(code) : Ranks::Farewell{code, true};
}

int end_with_error(std::string_view error, int code) {
  const Ranks::Farewell farewell = end_all_ranks(code);
  if (farewell.speaks) print_error(error);
  return farewell.code;
}

}  // namespace duel::cli
