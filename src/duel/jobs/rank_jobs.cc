#include "duel/jobs/rank_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "duel/core/check.h"

namespace duel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRankTick = std::chrono::milliseconds(100);  // as in run_jobs
// How often a rank looks for messages. One that waits for work, or deals it out, looks more often.
constexpr auto kBusyLook = std::chrono::milliseconds(2);
constexpr auto kIdleLook = std::chrono::microseconds(200);
// A rank hands in its results so often, and when it asks for more work.
constexpr auto kHandIn = std::chrono::milliseconds(50);
constexpr std::size_t kBroadcastBytes = std::size_t{64} << 20;

// --- messages -----------------------------------------------------------------------------------

// The first byte of a message. From a rank to rank 0:
constexpr char kAsk = 'a';       // wants work
constexpr char kResults = 'r';   // of jobs: number, bytes; again and again
constexpr char kStop = 's';      // was told to stop
constexpr char kFailure = 'f';   // a job failed
constexpr char kFinished = 'd';  // will send nothing more in this run
// From rank 0 to a rank:
constexpr char kGrant = 'g';  // do these jobs: first, count; count 0: there are no more
constexpr char kHalt = 'x';   // give up what you are doing
constexpr char kBye = 'b';    // the run is over; all messages before it belong to the run

class Writer {
 public:
  explicit Writer(char kind) : text_(1, kind) {}
  template <class Number>
  Writer& number(Number value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Writer& bytes(std::string_view value) {
    number<std::uint64_t>(value.size());
    text_.append(value);
    return *this;
  }
  std::string take() { return std::move(text_); }
  std::size_t size() const { return text_.size(); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text.substr(1)) {}
  template <class Number>
  Number number() {
    Number value{};
    DUEL_CHECK(rest_.size() >= sizeof value);
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view bytes() {
    const auto size = number<std::uint64_t>();
    DUEL_CHECK(rest_.size() >= size);
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

void write_error(const Error& error, Writer& writer) {
  writer.number(static_cast<std::int32_t>(error.code));
  for (const std::string* part : {&error.message, &error.where, &error.hint, &error.field}) {
    writer.bytes(*part);
  }
}

Error read_error(Reader& reader) {
  Error error;
  error.code = static_cast<ErrorCode>(reader.number<std::int32_t>());
  for (std::string* part : {&error.message, &error.where, &error.hint, &error.field}) {
    *part = reader.bytes();
  }
  return error;
}

// --- the threads of one rank --------------------------------------------------------------------

struct RankFailure {
  std::uint64_t number = 0;
  Error error;
};

class Pool {
 public:
  Pool(unsigned threads, const Job& job, const JobTransfer& transfer, bool packs,
       const std::function<std::string(std::uint64_t)>& name_of)
      : job_(job), transfer_(transfer), packs_(packs), name_of_(name_of) {
    for (unsigned i = 0; i < threads; ++i) {
      try {
        pool_.emplace_back([this] { work(); });
      } catch (const std::exception&) {  // the system gives no more: go on with those we have
        if (pool_.empty()) throw;
        break;
      }
    }
  }
  ~Pool() {
    stop();
    close();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Of no jobs: there are no more.
  void add(std::uint64_t first, std::uint64_t count) {
    if (count == 0) return close();
    const std::scoped_lock lock(mutex_);
    queue_.push_back({first, first + count});
    work_there_.notify_all();
  }
  // No more work will be added.
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    work_there_.notify_all();
  }
  void stop() { stop_ = true; }

  // Waits until a thread begins to want work, or the last one ends, or the time is up. What was so
  // before does not end the wait.
  void wait(std::chrono::microseconds time) {
    std::unique_lock lock(mutex_);
    const auto now = [&] { return std::pair(ended_ == pool_.size(), wants_work()); };
    const auto before = now();
    changed_.wait_for(lock, time, [&] { return now() != before; });
  }
  // What the threads have come to.
  struct State {
    bool hungry = false;  // for work
    bool ended = false;
    std::optional<RankFailure> failure;
    std::exception_ptr check_failure;
    double cpu_seconds = 0;
  };
  State state() {
    const std::scoped_lock lock(mutex_);
    return {wants_work(), ended_ == pool_.size(), failure_, check_failure_, cpu_seconds_};
  }
  // Of the jobs that were finished since it was last called; without bytes where these are not
  // packed.
  std::vector<std::pair<std::uint64_t, std::string>> take_results() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(results_, {});
  }

 private:
  struct Piece {
    std::uint64_t next;
    std::uint64_t end;
  };

  // REQUIRES: the mutex is held.
  bool wants_work() const { return waiting_ > 0 && queue_.empty() && !closed_; }

  std::optional<std::uint64_t> next() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    if (queue_.empty()) changed_.notify_all();
    work_there_.wait(lock, [&] { return !queue_.empty() || closed_; });
    --waiting_;
    if (stop_.load(std::memory_order_relaxed) || queue_.empty()) return std::nullopt;
    Piece& piece = queue_.front();
    const std::uint64_t number = piece.next++;
    if (piece.next == piece.end) queue_.pop_front();
    return number;
  }

  void work() {
    const double cpu_start = thread_cpu_seconds();
    std::uint64_t number = 0;
    try {
      while (const auto given = next()) {
        number = *given;
        if (!job_(number, stop_)) break;
        std::string bytes = packs_ ? transfer_.pack(number) : std::string();
        const std::scoped_lock lock(mutex_);
        results_.emplace_back(number, std::move(bytes));
      }
    } catch (...) {
      fail(number, std::current_exception());
    }
    const std::scoped_lock lock(mutex_);
    cpu_seconds_ += thread_cpu_seconds() - cpu_start;
    ++ended_;
    changed_.notify_all();
  }

  void fail(std::uint64_t number, const std::exception_ptr& exception) {
    stop_ = true;
    Error error;
    std::exception_ptr check_failure;
    try {
      error = error_of_job(exception, name_of_(number));
    } catch (const CheckFailure& failed) {
      check_failure = std::current_exception();
      error = Error::unsupported(failed.what(), name_of_(number));
    }
    const std::scoped_lock lock(mutex_);
    if (failure_ && failure_->number <= number) return;
    failure_ = RankFailure{number, std::move(error)};
    check_failure_ = check_failure;
  }

  const Job& job_;
  const JobTransfer& transfer_;
  const bool packs_;  // results are wanted as bytes
  const std::function<std::string(std::uint64_t)>& name_of_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // guards what follows
  std::condition_variable work_there_;
  std::condition_variable changed_;
  std::deque<Piece> queue_;
  bool closed_ = false;
  std::size_t waiting_ = 0;
  std::size_t ended_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> results_;  // since they were last taken
  std::optional<RankFailure> failure_;
  std::exception_ptr check_failure_;
  double cpu_seconds_ = 0;
  std::vector<std::jthread> pool_;  // last: it is joined before the rest goes
};

// How a run ended, for all ranks.
struct JobsOutcome {
  std::uint64_t finished = 0;
  double cpu_seconds = 0;
  std::optional<Error> error;
};

// --- rank 0 -------------------------------------------------------------------------------------

class Dealer {
 public:
  Dealer(RankTransport& transport, std::uint64_t count, std::vector<std::uint64_t> threads,
         const JobHooks& hooks, const JobTransfer& transfer, Pool& pool)
      : transport_(transport),
        count_(count),
        threads_(std::move(threads)),
        hooks_(hooks),
        transfer_(transfer),
        pool_(pool),
        has_finished_(threads_.size()) {
    for (const std::uint64_t each : threads_) all_threads_ += each;
  }

  JobsOutcome run() {
    auto next_tick = Clock::now() + kRankTick;
    for (Pool::State own = pool_.state(); !own.ended || still_working() > 0; own = pool_.state()) {
      if (is_set(hooks_.stop) || own.failure) halt();
      if (own.hungry) {
        const auto [first, size] = deal(0);
        pool_.add(first, size);
      }
      while (auto message = transport_.receive()) {
        guarded([&] { handle(*message); });
      }
      if (Clock::now() >= next_tick) {
        guarded([&] { tick(); });
        next_tick = Clock::now() + kRankTick;
      }
      pool_.wait(kIdleLook);
    }
    for (unsigned rank = 1; rank < threads_.size(); ++rank) {
      transport_.send(rank, Writer(kBye).take());
    }
    guarded([&] { tick(); });
    const Pool::State own = pool_.state();
    if (own.failure) keep(*own.failure);
    outcome_.cpu_seconds += own.cpu_seconds;
    outcome_.finished = done_.size() + finished_unkept_;
    if (failure_) {
      outcome_.error = failure_->error;
    } else if (!tick_status_.ok()) {
      outcome_.error = tick_status_.error();
    }
    return outcome_;
  }

  // The jobs whose results are in place.
  const std::vector<std::uint64_t>& done() const { return done_; }

 private:
  std::size_t still_working() const {
    return threads_.size() - 1 -
           static_cast<std::size_t>(std::count(has_finished_.begin(), has_finished_.end(), true));
  }

  std::pair<std::uint64_t, std::uint64_t> deal(unsigned rank) {
    if (halted_) return {0, 0};
    const std::uint64_t size = piece_of(count_ - next_, threads_[rank], all_threads_);
    const std::uint64_t first = std::exchange(next_, next_ + size);
    return {first, size};
  }

  void halt() {
    if (std::exchange(halted_, true)) return;
    pool_.stop();
    pool_.close();
    for (unsigned rank = 1; rank < threads_.size(); ++rank) {
      if (!has_finished_[rank]) transport_.send(rank, Writer(kHalt).take());
    }
  }

  // The others wait for rank 0, so that nothing may end its part of the run early.
  template <class Work>
  void guarded(const Work& work) {
    try {
      work();
    } catch (const std::exception& exception) {
      keep({0, Error::unsupported(exception.what(), "rank 0")});
      halt();
    }
  }

  void keep(const RankFailure& failure) {
    if (!failure_ || failure.number < failure_->number) failure_ = failure;
  }

  void note(std::uint64_t number) {
    if (transfer_.shared) {
      done_.push_back(number);
    } else {
      ++finished_unkept_;
    }
  }

  void handle(const RankTransport::Message& message) {
    Reader reader(message.text);
    switch (message.text.front()) {
      case kAsk: {
        const auto [first, size] = deal(message.from);
        transport_.send(message.from, Writer(kGrant).number(first).number(size).take());
        return;
      }
      case kResults:
        while (!reader.at_end()) {
          const auto number = reader.number<std::uint64_t>();
          transfer_.unpack(number, reader.bytes());
          note(number);
        }
        return;
      case kStop:
        halt();
        return;
      case kFailure: {
        const auto number = reader.number<std::uint64_t>();
        keep({number, read_error(reader)});
        halt();
        return;
      }
      case kFinished:
        has_finished_[message.from] = true;
        outcome_.cpu_seconds += reader.number<double>();
        return;
      default:
        DUEL_CHECK(false);
    }
  }

  void tick() {
    for (const auto& [number, bytes] : pool_.take_results()) note(number);
    if (hooks_.on_progress) hooks_.on_progress(done_.size() + finished_unkept_);
    if (hooks_.on_tick && tick_status_.ok()) {
      tick_status_ = hooks_.on_tick();
      if (!tick_status_.ok()) halt();
    }
  }

  RankTransport& transport_;
  const std::uint64_t count_;
  const std::vector<std::uint64_t> threads_;  // of each rank
  const JobHooks& hooks_;
  const JobTransfer& transfer_;
  Pool& pool_;
  std::uint64_t all_threads_ = 0;
  std::uint64_t next_ = 0;
  bool halted_ = false;
  std::vector<bool> has_finished_;
  std::vector<std::uint64_t> done_;
  std::uint64_t finished_unkept_ = 0;
  std::optional<RankFailure> failure_;
  Status tick_status_ = Done{};
  JobsOutcome outcome_;
};

// --- the other ranks ----------------------------------------------------------------------------

void hand_in(RankTransport& transport, Pool& pool) {
  const auto results = pool.take_results();
  if (results.empty()) return;
  Writer writer(kResults);
  for (const auto& [number, bytes] : results) writer.number(number).bytes(bytes);
  transport.send(0, writer.take());
}

void work_for_first(RankTransport& transport, const JobHooks& hooks, Pool& pool) {
  bool asked = false;
  bool told_stop = false;
  bool told_failure = false;
  bool finished = false;
  auto next_hand_in = Clock::now() + kHandIn;
  while (true) {
    if (is_set(hooks.stop) && !std::exchange(told_stop, true)) {
      pool.stop();
      transport.send(0, Writer(kStop).take());
    }
    const Pool::State before = pool.state();
    if (before.failure && !std::exchange(told_failure, true)) {
      Writer writer(kFailure);
      writer.number(before.failure->number);
      write_error(before.failure->error, writer);
      transport.send(0, writer.take());
    }
    if (before.hungry || Clock::now() >= next_hand_in) {
      hand_in(transport, pool);
      next_hand_in = Clock::now() + kHandIn;
    }
    if (before.hungry && !std::exchange(asked, true)) transport.send(0, Writer(kAsk).take());
    while (const auto message = transport.receive()) {
      Reader reader(message->text);
      switch (message->text.front()) {
        case kGrant: {
          asked = false;
          const auto first = reader.number<std::uint64_t>();
          pool.add(first, reader.number<std::uint64_t>());
          break;
        }
        case kHalt:
          pool.stop();
          pool.close();
          break;
        case kBye:
          return;
        default:
          DUEL_CHECK(false);
      }
    }
    // An answer to `asked` may still come; rank 0's bye comes after it.
    if (const Pool::State now = pool.state(); now.ended && !finished) {
      // A thread that gave up by itself leaves the rest undone; rank 0 has to know why first.
      if (now.failure && !told_failure) continue;
      finished = true;
      hand_in(transport, pool);
      transport.send(0, Writer(kFinished).number(now.cpu_seconds).take());
    }
    pool.wait(asked || finished ? std::chrono::microseconds(kIdleLook)
                                : std::chrono::microseconds(kBusyLook));
  }
}

// --- the end ------------------------------------------------------------------------------------

JobsOutcome share_outcome(RankTransport& transport, const JobsOutcome& mine) {
  Writer writer(mine.error ? 'e' : 'o');
  writer.number(mine.finished).number(mine.cpu_seconds);
  if (mine.error) write_error(*mine.error, writer);
  const std::string text = transport.broadcast(writer.take());
  Reader reader(text);
  JobsOutcome outcome;
  outcome.finished = reader.number<std::uint64_t>();
  outcome.cpu_seconds = reader.number<double>();
  if (text.front() == 'e') outcome.error = read_error(reader);
  return outcome;
}

void share_results(RankTransport& transport, const JobTransfer& transfer,
                   std::span<const std::uint64_t> done) {
  const bool sends = transport.rank() == 0;
  std::size_t next = 0;
  while (true) {
    Writer writer(kResults);
    while (next < done.size() && writer.size() < kBroadcastBytes) {
      writer.number(done[next]).bytes(transfer.pack(done[next]));
      ++next;
    }
    const std::string text = transport.broadcast(writer.take());
    Reader reader(text);
    if (reader.at_end()) return;
    while (!sends && !reader.at_end()) {
      const auto number = reader.number<std::uint64_t>();
      transfer.unpack(number, reader.bytes());
    }
  }
}

}  // namespace

std::uint64_t piece_of(std::uint64_t left, std::uint64_t threads, std::uint64_t all_threads) {
  return std::min(left, std::max<std::uint64_t>(1, left / (4 * all_threads)) * threads);
}

Result<JobsRun> run_jobs_on_ranks(Ranks& ranks, std::uint64_t count, unsigned threads,
                                  const JobHooks& hooks, const Job& job,
                                  const std::function<std::string(std::uint64_t)>& name_of,
                                  const JobTransfer& transfer) {
  const auto start = Clock::now();
  RankTransport& transport = ranks.transport();
  const unsigned mine = resolve_threads(threads);
  // Before the meeting: a rank that gets no thread leaves, and the others notice.
  Pool pool(mine, job, transfer, !ranks.is_first(), name_of);
  DUEL_ASSIGN(const auto said, ranks.meet(fmt::format("{} jobs", count), std::to_string(mine)));
  std::vector<std::uint64_t> all_threads;
  for (const std::string& number : said) all_threads.push_back(std::stoull(number));

  JobsOutcome outcome;
  std::vector<std::uint64_t> done;
  if (ranks.is_first()) {
    Dealer dealer(transport, count, std::move(all_threads), hooks, transfer, pool);
    outcome = dealer.run();
    done = dealer.done();
  } else {
    work_for_first(transport, hooks, pool);
  }
  outcome = share_outcome(transport, outcome);
  if (const auto failed = pool.state().check_failure) std::rethrow_exception(failed);
  if (outcome.error) return *outcome.error;
  if (transfer.shared) share_results(transport, transfer, done);
  return JobsRun{outcome.finished, std::chrono::duration<double>(Clock::now() - start).count(),
                 outcome.cpu_seconds};
}

}  // namespace duel
