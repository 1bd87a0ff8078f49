// Impressions as a search system logs them, one JSON object per line, in one of three forms:
//
//   {"query_id":"q1","lists":{"bm25":["d1","d2"],"hybrid":["d2","d9"]}}
//   {"query_id":"q1","rankings":["bm25","hybrid"],
//    "items":[{"object_id":"d2","ordinal":1,"team":null},
//             {"object_id":"d1","ordinal":2,"team":"bm25"}]}
//
//   {"responseHeader":{..},"response":{"docs":[{"id":"d2","[interleaving]":"modelA"}, ..]}}
//
// The first has the two lists, from which the page follows (impression_draft.h); the second has
// the page, as `append_page_line` writes it; the third is what Solr answers (solr_response.h). An
// object may also take several lines, of which the first holds nothing but `{`. The first two may
// have `user_id` (or `client_id`, `session_id`), `user_query` and `timestamp` (or `served_at`,
// `time`). Other fields are passed over.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/ranking/click_credit/logged_impression.h"
#include "duel/ranking/interleaving/impression_draft.h"

namespace duel {

class ImpressionLines final : public Impressions {
 public:
  // `path` may be "-", standard input.
  static Result<ImpressionLines> open(const std::string& path);
  static ImpressionLines of_text(std::string name, std::string_view text);
  ImpressionLines(ImpressionLines&&) noexcept;
  ~ImpressionLines() override;

  Result<bool> next(LoggedImpression& impression) override;
  std::uint64_t line_number() const override;
  std::string here() const override;
  std::vector<Unusable> unusable() const override;
  // How many impressions had no id and were numbered instead, which only responses of Solr may.
  std::uint64_t num_numbered() const;

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
