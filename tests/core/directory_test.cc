#include "duel/core/directory.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

TEST(DirectoryEntries, are_sorted_and_hold_folders_too) {
  const TemporaryDirectory directory;
  for (const char* name : {"b.csv", "a.txt", ".hidden"}) write_content(directory / name, "");
  std::filesystem::create_directory(directory / "c");
  const auto entries = directory_entries(directory.path().string());
  ASSERT_TRUE(entries.ok()) << entries.error().to_string();
  std::vector<std::string> names;
  for (const std::filesystem::path& entry : *entries) names.push_back(entry.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{".hidden", "a.txt", "b.csv", "c"}));
}

TEST(DirectoryEntries, of_no_directory_is_an_error_that_names_it) {
  const auto entries = directory_entries("/no/such/place");
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().code, ErrorCode::not_found);
  EXPECT_EQ(entries.error().where, "/no/such/place");
}

}  // namespace
}  // namespace duel
