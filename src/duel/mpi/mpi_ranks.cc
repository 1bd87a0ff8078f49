// Ranks over MPI. The only source that knows MPI: a module of its own, which the program loads when
// it finds itself started by mpirun (cli/rank_session.cc), so that a machine without MPI runs the
// same program.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/jobs/ranks.h"
#include "duel/mpi/rank_module.h"

namespace duel {
namespace {

constexpr int kTag = 1;
// A count of MPI is an int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

// MPI's own waiting takes a whole core, and there may be more ranks than cores. This one sleeps,
// for a short time first.
void wait_for(MPI_Request& request) {
  auto pause = std::chrono::microseconds(10);
  while (true) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(1000));
  }
}

class MpiTransport final : public RankTransport {
 public:
  MpiTransport() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiTransport() override {
    for (Sending& sending : sendings_) wait_for(sending.request);
    MPI_Finalize();
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  unsigned rank() const override { return static_cast<unsigned>(rank_); }
  unsigned size() const override { return static_cast<unsigned>(size_); }

  std::vector<std::string> gather(const std::string& mine) override {
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(size());
    MPI_Request request{};
    MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
    wait_for(request);
    std::vector<int> offsets(size());
    std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
    std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
    MPI_Iallgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                    MPI_CHAR, MPI_COMM_WORLD, &request);
    wait_for(request);
    std::vector<std::string> texts;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
      texts.push_back(all.substr(static_cast<std::size_t>(offsets[rank]),
                                 static_cast<std::size_t>(lengths[rank])));
    }
    return texts;
  }

  std::string broadcast(std::string text) override {
    std::uint64_t length = text.size();
    MPI_Request request{};
    MPI_Ibcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    wait_for(request);
    text.resize(length);
    for (std::size_t begin = 0; begin < length; begin += kMostBytes) {
      const auto size = static_cast<int>(std::min<std::size_t>(kMostBytes, length - begin));
      MPI_Ibcast(text.data() + begin, size, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
      wait_for(request);
    }
    return text;
  }

  // REQUIRES: less than 2 GB, which the results of 50 ms are far from.
  void send(unsigned to, std::string text) override {
    clear_sent();
    sendings_.push_back({std::make_unique<std::string>(std::move(text)), MPI_Request{}});
    Sending& sending = sendings_.back();
    MPI_Isend(sending.text->data(), static_cast<int>(sending.text->size()), MPI_CHAR,
              static_cast<int>(to), kTag, MPI_COMM_WORLD, &sending.request);
  }

  std::optional<Message> receive() override {
    clear_sent();
    int there = 0;
    MPI_Message handle{};
    MPI_Status status{};
    MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &handle, &status);
    if (there == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    Message message{static_cast<unsigned>(status.MPI_SOURCE),
                    std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Request request{};
    MPI_Imrecv(message.text.data(), size, MPI_CHAR, &handle, &request);
    wait_for(request);
    return message;
  }

 private:
  struct Sending {
    std::unique_ptr<std::string> text;  // stays where it is until MPI has sent it
    MPI_Request request;
  };

  void clear_sent() {
    while (!sendings_.empty()) {
      int done = 0;
      MPI_Test(&sendings_.front().request, &done, MPI_STATUS_IGNORE);
      if (done == 0) return;
      sendings_.pop_front();
    }
  }

  int rank_ = 0;
  int size_ = 1;
  std::deque<Sending> sendings_;
};

}  // namespace
}  // namespace duel

// What the program looks up. The version comes first: the rest means something only to a program
// that was built from the same sources.
extern "C" __attribute__((visibility("default"))) const char* duel_mpi_version() {
  static const std::string build = duel::rank_module_version();
  return build.c_str();
}

// Null where MPI cannot be started. Deleting it ends MPI.
extern "C" __attribute__((visibility("default"))) duel::RankTransport* duel_mpi_start() {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    return nullptr;
  }
  return new duel::MpiTransport;
}
