#include "duel/ranking/metrics/click_log.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "duel/core/numbers.h"
#include "duel/core/text_lines.h"

namespace duel {
namespace {

constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();
constexpr std::uint64_t kMostRank = 1'000'000;

std::vector<std::string_view> cut(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find_first_of(separators);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The non-empty entries of a list inside a field.
std::vector<std::string_view> entries_of(std::string_view field) {
  auto entries = cut(field, ";, ");
  std::erase_if(entries, [](std::string_view entry) { return entry.empty(); });
  return entries;
}

class LogReader {
 public:
  explicit LogReader(TextLines& lines) : lines_(lines) {}

  Result<ClickLog> read() {
    DUEL_ASSIGN(const auto header, lines_.next());
    if (!header) return error("the log is empty", kHeader);
    DUEL_RETURN_IF_ERROR(take_header(*header));
    for (;;) {
      DUEL_ASSIGN(const auto line, lines_.next());
      if (!line) break;
      if (trimmed(*line).empty()) continue;
      DUEL_RETURN_IF_ERROR(take_query(*line));
    }
    if (log_.queries.empty()) return error("there are no queries", "");
    log_.has_times = time_ != kAbsent;
    return std::move(log_);
  }

 private:
  static constexpr const char* kHeader = "begin with a line such as user,time,query,ranks,seconds";

  Error error(std::string message, std::string hint) const {
    return Error::invalid_data(std::move(message), lines_.here(), std::move(hint));
  }

  Status take_header(std::string_view line) {
    separator_ = line.find('\t') != std::string_view::npos ? "\t" : ",";
    const auto columns = cut(line, separator_);
    num_columns_ = columns.size();
    const std::vector<std::pair<std::string, std::size_t*>> known{{"user", &user_},
                                                                  {"time", &time_},
                                                                  {"ranks", &ranks_},
                                                                  {"seconds", &seconds_},
                                                                  {"clicked", &clicked_}};
    for (const auto& [name, place] : known) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] != name) continue;
        if (*place != kAbsent) return error(fmt::format("two columns named '{}'", name), "");
        *place = i;
      }
    }
    if ((ranks_ == kAbsent) == (clicked_ == kAbsent)) {
      return error(ranks_ == kAbsent ? "no column says what was clicked"
                                     : "both 'ranks' and 'clicked' say what was clicked",
                   "either a column 'ranks' (2;5) or a column 'clicked' (0;1;0;0;1)");
    }
    if (seconds_ != kAbsent && ranks_ == kAbsent) {
      return error("a column 'seconds' without a column 'ranks'", "");
    }
    return Done{};
  }

  Status take_query(std::string_view line) {
    const auto fields = cut(line, separator_);
    if (fields.size() != num_columns_) {
      return error(fmt::format("{} instead of {}", counted(fields.size(), "field"), num_columns_),
                   "");
    }
    LoggedQuery query;
    query.user = user_ == kAbsent ? log_.num_users++ : number_of_user(fields[user_]);
    if (time_ != kAbsent) {
      const auto time = parse_number(fields[time_]);
      if (!time.ok()) {
        return error(fmt::format("'{}' is not a time", fields[time_]), "a number of seconds");
      }
      query.time = *time;
    }
    DUEL_RETURN_IF_ERROR(ranks_ != kAbsent ? take_ranks(fields, query)
                                           : take_clicked(fields[clicked_], query));
    log_.queries.push_back(std::move(query));
    return Done{};
  }

  Status take_ranks(const std::vector<std::string_view>& fields, LoggedQuery& query) const {
    for (const std::string_view entry : entries_of(fields[ranks_])) {
      const auto rank = parse_count(entry);
      if (!rank.ok() || *rank < 1 || *rank > kMostRank) {
        return error(fmt::format("'{}' is not a rank", entry),
                     fmt::format("a whole number, 1 to {}", kMostRank));
      }
      query.clicks.push_back({static_cast<std::uint32_t>(*rank), std::nullopt});
    }
    if (seconds_ == kAbsent) return Done{};
    const auto seconds = entries_of(fields[seconds_]);
    if (seconds.size() != query.clicks.size()) {
      return error(
          fmt::format("{} clicks and {} of their seconds", query.clicks.size(), seconds.size()),
          "one for each click");
    }
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      const auto value = parse_number(seconds[i]);
      if (!value.ok() || *value < 0) {
        return error(fmt::format("'{}' is not a number of seconds", seconds[i]), "0 or more");
      }
      query.clicks[i].seconds = *value;
    }
    return Done{};
  }

  // 0 or 1 for each rank.
  Status take_clicked(std::string_view field, LoggedQuery& query) const {
    std::uint32_t rank = 0;
    for (const std::string_view entry : entries_of(field)) {
      ++rank;
      if (entry != "0" && entry != "1") {
        return error(fmt::format("'{}' is not 0 or 1 at rank {}", entry, rank), "");
      }
      if (entry == "1") query.clicks.push_back({rank, std::nullopt});
    }
    return Done{};
  }

  std::uint32_t number_of_user(std::string_view name) {
    const auto [entry, added] = users_.emplace(name, log_.num_users);
    if (added) ++log_.num_users;
    return entry->second;
  }

  TextLines& lines_;
  std::string_view separator_;
  std::size_t num_columns_ = 0;
  std::size_t user_ = kAbsent;
  std::size_t time_ = kAbsent;
  std::size_t ranks_ = kAbsent;
  std::size_t seconds_ = kAbsent;
  std::size_t clicked_ = kAbsent;
  std::unordered_map<std::string, std::uint32_t> users_;
  ClickLog log_;
};

}  // namespace

Result<ClickLog> read_click_log_file(const std::string& path) {
  DUEL_ASSIGN(TextLines lines, TextLines::open(path));
  return LogReader(lines).read();
}

Result<ClickLog> read_click_log_text(std::string name, std::string_view text) {
  TextLines lines = TextLines::of_text(std::move(name), text);
  return LogReader(lines).read();
}

}  // namespace duel
