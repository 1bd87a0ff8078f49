#include "duel/server/recent_duels.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <variant>

#include "duel/core/text_map.h"
#include "duel/experiment/result_pages.h"
#include "duel/log/record_reader.h"

namespace duel {
namespace {

// A duel has about this many lines: its serve, its outcome and clicks in between. If they hold too
// few duels, kTimesMore as many lines are read in the next try.
constexpr std::uint64_t kLinesPerDuel = 8;
constexpr std::uint64_t kTimesMore = 4;

// Folds the lines of an experiment from any of them on.
class DuelLines {
 public:
  Status take(std::string_view line) {
    DUEL_RETURN_IF_ERROR(reader_.read(line, entry_));
    std::visit([this](const auto& record) { take_record(record); }, entry_.record);
    return Done{};
  }
  std::vector<RecentDuel> finish() { return std::move(duels_); }

 private:
  void take_record(const auto&) {}
  void take_record(const ServeRecord& serve) {
    places_[serve.duel_id] = duels_.size();
    RecentDuel& duel = duels_.emplace_back();
    duel.duel_id = serve.duel_id;
    duel.first = serve.first;
    duel.second = serve.second;
    duel.serving = serve.serving;
    duel.task_id = serve.task;
    duel.served_at = {entry_.time_ms};
    // One arm shown alone gets no answer.
    if (serve.serving == Serving::exploit) duel.state = "closed";
  }
  void take_record(const InterleavedRecord& page) { with_page_.insert(page.duel_id); }
  void take_record(const OutcomeRecord& outcome) {
    RecentDuel* const duel = open(outcome.duel_id);
    if (duel == nullptr) return;
    duel->state = "reported";
    duel->result = to_word(outcome.answer.result);
    duel->winner = outcome.answer.winner;
    duel->place = outcome.answer.place;
    duel->note = outcome.note;
    duel->reason = outcome.reason;
    duel->response_ms = outcome.response_ms;
    duel->reported_at = Timestamp{entry_.time_ms};
  }
  void take_record(const ExpiredRecord& expired) {
    RecentDuel* const duel = open(expired.duel_id);
    if (duel == nullptr) return;
    duel->state = "expired";
    if (!with_page_.contains(expired.duel_id) || !is_page_ending(expired.note)) return;
    duel->state = "closed";
    duel->result = expired.note;
    duel->reported_at = Timestamp{entry_.time_ms};
  }

  // The duel if it has no answer yet, since only the first one counts; null if it was served before
  // the lines that were read.
  RecentDuel* open(const std::string& duel_id) {
    const auto place = places_.find(duel_id);
    if (place == places_.end() || duels_[place->second].state != "served") return nullptr;
    return &duels_[place->second];
  }

  RecordReader reader_;
  LogEntry entry_;
  std::vector<RecentDuel> duels_;
  TextMap<std::size_t> places_;
  std::unordered_set<std::string> with_page_;
};

}  // namespace

Result<std::vector<RecentDuel>> recent_duels(Store& store, const std::string& experiment_id,
                                             std::size_t limit) {
  DUEL_ASSIGN(const Head head, store.head(experiment_id));
  if (head.sequence == 0) {
    return Error::not_found("there is no experiment '" + experiment_id + "'");
  }
  const std::uint64_t most = std::min(head.sequence, kMostRecentLines);
  for (std::uint64_t lines = limit * kLinesPerDuel;; lines *= kTimesMore) {
    lines = std::min(lines, most);
    DuelLines read;
    DUEL_RETURN_IF_ERROR(store.read(experiment_id, head.sequence - lines,
                                    [&](std::string_view line) { return read.take(line); }));
    std::vector<RecentDuel> duels = read.finish();
    if (duels.size() < limit && lines < most) continue;
    std::ranges::reverse(duels);
    duels.resize(std::min(limit, duels.size()));
    return duels;
  }
}

}  // namespace duel
