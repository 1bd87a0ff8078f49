// One result page that was shown to somebody, as a log tells of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

// All views live until the next impression is read.
struct LoggedImpression {
  struct Item {
    std::string_view object_id;
    std::uint64_t ordinal = 0;  // 0 where the log does not say
    Team team = Team::none;
  };

  void clear() {
    id = user = query = time = names[0] = names[1] = {};
    has_lists = teams_of_clicks = false;
    lists[0].clear();
    lists[1].clear();
    items.clear();
  }

  std::string_view id;
  std::string_view user;   // empty where the log names nobody
  std::string_view query;  // the text that was searched for
  std::string_view time;   // as it was written
  std::string_view names[2];
  bool has_lists = false;
  // The log names the team of an item only where somebody acted on it: an item without a team may
  // belong to either ranking.
  bool teams_of_clicks = false;
  std::vector<std::string_view> lists[2];
  std::vector<Item> items;
};

// Why a part of a log cannot be used, how often, and an example.
struct Unusable {
  std::string why;  // after the count and the noun, as in "without a query_id"
  std::uint64_t count = 0;
  std::string example;
};

inline void note_unusable(std::vector<Unusable>& all, std::string_view why,
                          std::string_view example) {
  for (Unusable& one : all) {
    if (one.why != why) continue;
    ++one.count;
    return;
  }
  all.push_back({std::string(why), 1, std::string(example)});
}

// Where impressions come from, one after the other.
class Impressions {
 public:
  virtual ~Impressions() = default;

  // False after the last; errors name file and line.
  virtual Result<bool> next(LoggedImpression& impression) = 0;
  virtual std::uint64_t line_number() const = 0;
  virtual std::string here() const = 0;
  // Pages that `next` passed over because nothing can be learned from them, and why; complete after
  // the last.
  virtual std::vector<Unusable> unusable() const = 0;
};

}  // namespace duel
