#include "duel/core/archive_containers.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace duel {
namespace {

struct Box {
  std::optional<std::uint64_t> some, none;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::string>> nested;
  std::unordered_map<std::string, std::uint64_t> counts;
  std::unordered_set<std::string> names;
  std::pair<std::uint64_t, std::string> pair;

  template <class Archive>
  void fields(Archive& archive) {
    archive_fields(archive, some, none, nested, counts, names, pair);
  }
  friend bool operator==(const Box&, const Box&) = default;
};

Box full() {
  Box box;
  box.some = 7;
  box.nested = {{{1, 2}, {"x", "y"}}, {{0, 9}, {}}};
  for (int k = 0; k < 100; ++k) box.counts["n" + std::to_string(k)] = static_cast<unsigned>(k);
  box.names = {"b", "a", std::string("\0", 1)};
  box.pair = {3, "three"};
  return box;
}

std::string saved(const Box& box) {
  StateWriter writer;
  writer(box);
  return writer.finish();
}

TEST(ArchiveContainers, gives_back_what_was_saved) {
  const std::string bytes = saved(full());
  Box read;
  read.none = 5;  // what was there before is replaced
  read.names = {"old"};
  StateReader reader = StateReader::open(bytes).value();
  reader(read);
  EXPECT_TRUE(reader.complete());
  EXPECT_EQ(read, full());
}

TEST(ArchiveContainers, writes_equal_states_as_equal_bytes) {
  Box other = full();
  // The same members, inserted in another order into a table of another size.
  std::unordered_map<std::string, std::uint64_t> counts(5000);
  for (int k = 99; k >= 0; --k) counts["n" + std::to_string(k)] = static_cast<unsigned>(k);
  other.counts = std::move(counts);
  EXPECT_EQ(saved(full()), saved(other));
  other.counts["n3"] = 4;
  EXPECT_NE(saved(full()), saved(other));
}

TEST(ArchiveContainers, does_not_believe_a_size_that_is_not_there) {
  StateWriter writer;
  writer(~std::uint64_t{0});
  const std::string bytes = writer.finish();
  StateReader reader = StateReader::open(bytes).value();
  std::map<std::string, std::uint64_t> read;
  archive_fields(reader, read);
  EXPECT_FALSE(reader.complete());
  EXPECT_TRUE(read.empty());
}

}  // namespace
}  // namespace duel
