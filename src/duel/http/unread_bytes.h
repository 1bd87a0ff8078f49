// The bytes of answers that wait until their clients read them. A client that does not read keeps
// its answer in memory until a timeout, and many of them could fill it. So there is a limit for all
// together. Beyond it clients are cut off: of the network that keeps the most waiting the one that
// has taken nothing for the longest time. A new answer is never refused, so that clients who do not
// read cannot shut out others who do. Any thread may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace duel {

class UnreadBytes {
 public:
  explicit UnreadBytes(std::size_t most) : most_(most) {}

  // What one client has not read. REQUIRES: the whole outlives it.
  class Share {
   public:
    explicit Share(UnreadBytes& all);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // `cut_off` is called at most once for each answer, on any thread, without a lock: it must not
    // block, and does not call the share. REQUIRES: called before anything else.
    void belongs_to(std::string network, std::function<void()> cut_off);
    // So many bytes more wait. Those of a text that several clients share count once. The caller
    // itself is not cut off for them.
    void add(std::size_t bytes, std::shared_ptr<const std::string> shared = nullptr);
    // The client has read something, and so many bytes are no longer in memory.
    void took(std::size_t freed);
    // Nothing waits any more.
    void done();

   private:
    friend class UnreadBytes;

    UnreadBytes* all_;
    std::string network_;
    std::function<void()> cut_off_;
    std::size_t bytes_ = 0;  // without those of the shared text
    std::shared_ptr<const std::string> shared_;
    bool is_cut_ = false;  // and counts no more
    bool waits_ = false;
    std::list<Share*>::iterator place_;
  };

  std::size_t bytes() const;
  std::uint64_t cut_off() const;  // ever

 private:
  // REQUIRES, for all of these: mutex_ is held.
  void forget(Share& share);
  // The share to be cut off, so that `asking` has room; null if there is none.
  Share* next_to_cut(const Share& asking) const;

  const std::size_t most_;
  mutable std::mutex mutex_;  // guards what follows, and the shares
  std::size_t bytes_ = 0;
  std::uint64_t cut_off_ = 0;
  std::list<Share*> waiting_;  // in the order in which they last took something
  std::list<Share*> others_;   // a share moves between the two, so that none needs memory to wait
  std::unordered_map<const std::string*, std::size_t> readers_;  // of shared texts
};

}  // namespace duel
