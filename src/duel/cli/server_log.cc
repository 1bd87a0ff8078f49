#include "duel/cli/server_log.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "duel/core/timestamp.h"

namespace duel::cli {
namespace {

// Of lines that wait for their reader; some 30 000 requests.
constexpr std::size_t kMostWaiting = std::size_t{8} << 20;

Json line_of(std::int64_t at_ms, std::string_view level, std::string_view message) {
  Json line;
  line["time"] = format_timestamp(at_ms);
  line["level"] = level;
  line["message"] = message;
  return line;
}

}  // namespace

std::string log_line(std::int64_t at_ms, std::string_view level, std::string_view message) {
  return line_of(at_ms, level, message).dump() + "\n";
}

std::string log_line(std::int64_t at_ms, const AnsweredRequest& request) {
  Json line = line_of(at_ms, "info", "request");
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) line[name] = value;
  };
  const std::string_view method = to_word(request.method);
  line["method"] = method.empty() ? "other" : method;
  line["path"] = request.path;
  line["route"] = request.route;
  line["status"] = request.status;
  line["duration_ms"] = std::round(request.seconds * 1e6) / 1e3;
  if (request.streams) {
    line["stream"] = true;
  } else {
    line["bytes"] = request.bytes;
  }
  add("client", request.client);
  if (request.from_node) line["from_node"] = true;
  add("experiment_id", request.experiment_id);
  add("token_id", request.token_id);
  if (request.trace) {
    add("trace_id", request.trace->trace_id);
    add("span_id", request.trace->span_id);
    add("parent_span_id", request.trace->parent_id);
  }
  return line.dump() + "\n";
}

ServerLog::ServerLog(bool json, const CommandContext& context) : json_(json), context_(context) {
  if (json_) writer_ = std::thread([this] { write_lines(); });
}

ServerLog::~ServerLog() {
  if (!json_) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  writer_.join();
}

void ServerLog::note(const std::string& message) {
  if (!json_) return context_.note(message);
  std::fflush(stdout);  // the address, which a program may wait for
  if (context_.quiet) return;
  const std::lock_guard lock(mutex_);
  waiting_ += log_line(current_time_ms(), "info", message);
  changed_.notify_all();
}

void ServerLog::answered(const AnsweredRequest& request) {
  std::string line = log_line(current_time_ms(), request);
  const std::lock_guard lock(mutex_);
  if (waiting_.size() > kMostWaiting) {
    ++left_out_;
    return;
  }
  waiting_ += line;
  changed_.notify_all();
}

OnAnswered ServerLog::on_answered() {
  if (!json_) return {};
  return [this](const AnsweredRequest& request) { answered(request); };
}

void ServerLog::write_lines() {
  std::unique_lock lock(mutex_);
  while (!ends_ || !waiting_.empty()) {
    changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    std::string lines = std::exchange(waiting_, {});
    if (left_out_ > 0) {
      lines += log_line(current_time_ms(), "warning",
                        fmt::format("{} requests are not in the log: it is read too slowly",
                                    std::exchange(left_out_, 0)));
    }
    lock.unlock();
    say(lines);
    lock.lock();
  }
}

}  // namespace duel::cli
