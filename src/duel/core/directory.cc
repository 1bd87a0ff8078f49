#include "duel/core/directory.h"

#include <algorithm>
#include <system_error>

#include "duel/core/whole_file.h"

namespace duel {

Result<std::vector<std::filesystem::path>> directory_entries(const std::string& directory) {
  std::error_code code;
  std::filesystem::directory_iterator entry(directory, code);
  if (code) return system_error("cannot read the directory", directory, code.value());
  std::vector<std::filesystem::path> entries;
  for (; entry != std::filesystem::directory_iterator(); entry.increment(code)) {
    entries.push_back(entry->path());
  }
  if (code) return system_error("cannot be read to its end", directory, code.value());
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace duel
