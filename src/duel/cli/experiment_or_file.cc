#include "duel/cli/experiment_or_file.h"

#include <filesystem>

#include "duel/client/store_location.h"
#include "duel/log/record.h"

namespace duel::cli {

bool names_experiment(const std::string& name, const ClientOptions& options) {
  if (options.server_option->on_command_line() || options.store_option->on_command_line()) {
    return true;
  }
  std::error_code unknown;
  if (name == "-" || std::filesystem::exists(name, unknown)) return false;
  if (!check_id("an experiment", name).ok()) return false;
  return options.uses_server() || store_may_exist(options.store);
}

}  // namespace duel::cli
