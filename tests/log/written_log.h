// Records as the lines of a log in a store, without an experiment that checks them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duel/log/experiment_log.h"
#include "duel/log/line_chain.h"
#include "duel/store/store.h"

namespace duel {

class WrittenLog {
 public:
  // Goes on at `head`.
  WrittenLog(std::shared_ptr<Store> store, std::string name, Head head)
      : store_(std::move(store)), name_(std::move(name)), head_(std::move(head)) {}
  // A new log with its first record.
  static Result<WrittenLog> create(std::shared_ptr<Store> store, const std::string& name,
                                   const ExperimentRecord& experiment, std::int64_t time_ms) {
    WrittenLog log(std::move(store), name, {0, std::string(kHexDigits, '0')});
    DUEL_RETURN_IF_ERROR(log.store_->create(name));
    DUEL_RETURN_IF_ERROR(log.append({experiment}, time_ms));
    return log;
  }

  // As one group.
  Status append(const std::vector<Record>& records, std::int64_t time_ms) {
    Head head = head_;
    std::vector<std::string> texts;
    for (const Record& record : records) {
      DUEL_ASSIGN(std::string line, log_line(++head.sequence, time_ms, record, head.hash, sha_));
      line.pop_back();  // ends of lines are the store's
      texts.push_back(std::move(line));
    }
    std::vector<Line> lines;
    for (const std::string& text : texts) lines.push_back({text});
    DUEL_RETURN_IF_ERROR(store_->append_to(name_, head_, lines));
    head_ = head;
    return Done{};
  }
  const Head& head() const { return head_; }

 private:
  std::shared_ptr<Store> store_;
  std::string name_;
  Head head_;  // of what is in the store
  Sha256 sha_;
};

}  // namespace duel
