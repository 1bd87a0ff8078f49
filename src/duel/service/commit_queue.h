// Who commits, where several owners have groups of lines for one store: as in LevelDB's write
// queue. An owner lays its groups down. If nobody is committing, it commits all that lie there;
// otherwise the owner that is committing passes the turn on to the owner of the oldest group. So
// one busy owner commits at once, on its own thread, and several share a commit.
//
// A group names its owner: `group.owner` is copied, and nothing else is known of it. Any thread may
// call.
#pragma once

#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace duel {

template <class Group>
class CommitQueue {
 public:
  // Lays the groups down, which may be none. Gives what the caller must now commit; if that is not
  // empty, it must call `finish` afterwards.
  std::vector<Group> lay(std::vector<Group> groups) {
    const std::lock_guard lock(mutex_);
    laid_.insert(laid_.end(), std::make_move_iterator(groups.begin()),
                 std::make_move_iterator(groups.end()));
    if (committing_) return {};
    committing_ = !laid_.empty();
    return std::exchange(laid_, {});
  }

  // Ends the caller's commit. Gives the owner who must call `lay` now, because groups have been
  // laid down meanwhile; nothing if there are none.
  auto finish() -> std::optional<decltype(Group::owner)> {
    const std::lock_guard lock(mutex_);
    committing_ = false;
    if (laid_.empty()) return std::nullopt;
    return laid_.front().owner;
  }

 private:
  std::mutex mutex_;
  std::vector<Group> laid_;
  bool committing_ = false;
};

}  // namespace duel
