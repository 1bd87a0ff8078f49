#include "tests/support/thread_ranks.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace duel {
namespace {

// What the ranks share.
struct Switchboard {
  explicit Switchboard(unsigned size) : mailboxes(size), said(size) {}

  // Returns once all ranks are here, with what they said.
  std::vector<std::string> gather(unsigned rank, const std::string& mine) {
    std::unique_lock lock(mutex);
    said[rank] = mine;
    const unsigned meeting = meetings;
    if (++here == said.size()) {
      heard = said;
      here = 0;
      ++meetings;
      changed.notify_all();
    }
    // The next meeting cannot begin before all have left this one with a copy: `heard` is replaced
    // only when all ranks are in again.
    changed.wait(lock, [&] { return meetings != meeting; });
    return heard;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::deque<RankTransport::Message>> mailboxes;
  std::vector<std::string> said;
  std::vector<std::string> heard;
  std::size_t here = 0;
  unsigned meetings = 0;
};

class ThreadTransport final : public RankTransport {
 public:
  ThreadTransport(Switchboard& board, unsigned rank) : board_(board), rank_(rank) {}

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return static_cast<unsigned>(board_.said.size()); }
  std::vector<std::string> gather(const std::string& mine) override {
    return board_.gather(rank_, mine);
  }
  std::string broadcast(std::string text) override {
    return board_.gather(rank_, rank_ == 0 ? text : std::string()).front();
  }
  void send(unsigned to, std::string text) override {
    const std::scoped_lock lock(board_.mutex);
    board_.mailboxes[to].push_back({rank_, std::move(text)});
  }
  std::optional<Message> receive() override {
    const std::scoped_lock lock(board_.mutex);
    auto& mine = board_.mailboxes[rank_];
    if (mine.empty()) return std::nullopt;
    Message message = std::move(mine.front());
    mine.pop_front();
    return message;
  }

 private:
  Switchboard& board_;
  unsigned rank_;
};

}  // namespace

std::vector<Ranks::Farewell> on_ranks(unsigned size, const std::function<int(Ranks&)>& program) {
  Switchboard board(size);
  std::vector<Ranks::Farewell> farewells(size);
  {
    std::vector<std::jthread> threads;
    for (unsigned rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        ThreadTransport transport(board, rank);
        Ranks ranks(transport);
        const RanksScope scope(ranks);
        farewells[rank] = ranks.leave(program(ranks));
      });
    }
  }
  return farewells;
}

}  // namespace duel
