// The folders of judged data and click logs beside the tree, where they exist.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/places.h"

namespace duel {

inline std::optional<std::string> shared_file(const std::string& name) {
  std::string path = shared_dir() + "/data/" + name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

}  // namespace duel

// Leaves the test, saying so, where the file is absent.
#define DUEL_SHARED_FILE(variable, name)         \
  const auto variable = duel::shared_file(name); \
  if (!variable) GTEST_SKIP() << "NOT CHECKED: the shared data file " name " is absent"
