// What `duel serve` says on stderr: notes for people, or with `--log-format json` one JSON object a
// line, and then also a line for every request.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "duel/cli/command.h"
#include "duel/core/json.h"
#include "duel/server/answered_request.h"

namespace duel::cli {

class ServerLog {
 public:
  ServerLog(bool json, const CommandContext& context);
  // Writes what waits.
  ~ServerLog();
  ServerLog(const ServerLog&) = delete;
  ServerLog& operator=(const ServerLog&) = delete;

  // Any thread may call these.
  void note(const std::string& message);
  // Never waits for the reader of the log: if it is too slow, requests are left out, and the log
  // says how many.
  void answered(const AnsweredRequest& request);
  // What the server is to call for each request; empty where the log has no requests.
  OnAnswered on_answered();

 private:
  void write_lines();

  const bool json_;
  const CommandContext& context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  std::uint64_t left_out_ = 0;
  bool ends_ = false;
  std::thread writer_;
};

// A line of the log, with its end.
std::string log_line(std::int64_t at_ms, std::string_view level, std::string_view message);
std::string log_line(std::int64_t at_ms, const AnsweredRequest& request);

}  // namespace duel::cli
