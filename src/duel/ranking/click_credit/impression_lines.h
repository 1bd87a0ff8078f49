// Impressions as a search system logs them, one JSON object per line, in one of two forms:
//
//   {"query_id":"q1","lists":{"bm25":["d1","d2"],"hybrid":["d2","d9"]}}
//   {"query_id":"q1","rankings":["bm25","hybrid"],
//    "items":[{"object_id":"d2","ordinal":1,"team":null},
//             {"object_id":"d1","ordinal":2,"team":"bm25"}]}
//
// The first has the two lists, from which the page follows (impression_draft.h); the second has the
// page, as `append_page_line` writes it. Both may have `user_id` (or `client_id`, `session_id`),
// `user_query` and `timestamp` (or `served_at`, `time`). Other fields are passed over.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/ranking/interleaving/impression_draft.h"
#include "duel/ranking/interleaving/interleaver.h"

namespace duel {

// All views live until the next impression is read.
struct LoggedImpression {
  struct Item {
    std::string_view object_id;
    std::uint64_t ordinal = 0;
    Team team = Team::none;
  };

  std::string_view id;
  std::string_view user;   // empty where the log names nobody
  std::string_view query;  // the text that was searched for
  std::string_view time;   // as it was written
  std::string_view names[2];
  bool has_lists = false;
  std::vector<std::string_view> lists[2];
  std::vector<Item> items;
};

class ImpressionLines {
 public:
  // `path` may be "-", standard input.
  static Result<ImpressionLines> open(const std::string& path);
  static ImpressionLines of_text(std::string name, std::string_view text);
  ImpressionLines(ImpressionLines&&) noexcept;
  ~ImpressionLines();

  // False after the last; errors name file and line.
  Result<bool> next(LoggedImpression& impression);
  std::uint64_t line_number() const;
  std::string here() const;

 private:
  struct State;
  explicit ImpressionLines(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A line of the second form, with its end: the page that PageDrafter made of the impression's lists
// from the seed.
void append_page_line(std::string& text, const LoggedImpression& impression, std::uint64_t seed,
                      std::span<const PageDrafter::Item> page);

}  // namespace duel
