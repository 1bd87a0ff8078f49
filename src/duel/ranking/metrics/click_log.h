// A log of queries and the clicks on their results: comma- or tab-separated text whose first line
// names the columns. docs/judged-data.md has the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// A click on a result.
struct LoggedClick {
  std::uint32_t rank = 1;         // 1-based
  std::optional<double> seconds;  // since the query, where the log has it

  friend bool operator==(const LoggedClick&, const LoggedClick&) = default;
};

// One query of one user: one page of results.
struct LoggedQuery {
  std::uint32_t user = 0;      // 0-based number of the user
  std::optional<double> time;  // in seconds, from any origin
  std::vector<LoggedClick> clicks;
};

struct ClickLog {
  std::uint32_t num_users = 0;
  std::vector<LoggedQuery> queries;  // as in the file
  bool has_times = false;            // of queries
};

// The whole log or an error with file and line. `path` may be "-", standard input.
Result<ClickLog> read_click_log_file(const std::string& path);
Result<ClickLog> read_click_log_text(std::string name, std::string_view text);

}  // namespace duel
