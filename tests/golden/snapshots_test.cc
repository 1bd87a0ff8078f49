// What a store keeps beside its lines is never more than they say: a snapshot and the rest of the
// log give the state of the whole log. The bytes of a snapshot are of one version of Duel only, so
// that none is recorded.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "tests/golden/golden.h"
#include "tests/golden/routes_door.h"
#include "tests/golden/script.h"

namespace duel::golden {
namespace {

TEST(SnapshotGolden, with_the_rest_of_the_log_has_the_state_of_the_whole_log) {
  RoutesDoor door;
  std::map<std::uint64_t, std::uint64_t> found;  // records after the snapshot, and how often
  std::string before;
  for (const Step& step : read_script(script_file("routes", "snapshots"))) {
    SCOPED_TRACE(step.text);
    door.play(step);
    const std::string log = door.log();
    if (log.empty() || log == before) continue;
    before = log;
    const FoldedStore folded = door.fold_copy_of_store();
    EXPECT_EQ(folded.log, log);
    EXPECT_EQ(folded.state_hash, last_state_of(log));
    EXPECT_EQ(door.state_hash(), last_state_of(log));
    if (folded.snapshot != 0) ++found[folded.sequence - folded.snapshot];
  }
  // Some right at the end of the log, and some before it.
  EXPECT_GT(found[0], 0U);
  EXPECT_GT(found.size(), 2U);
}

}  // namespace
}  // namespace duel::golden
