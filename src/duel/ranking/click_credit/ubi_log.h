// A dump of the indices of User Behavior Insights as impressions and clicks at once. The page of a
// query is what its `impression` events say, or else the `query_response_hit_ids` of its query; the
// ranking that an item comes from is what a field of its impression or click names.
//
// The whole dump is held, since the events of a page are scattered over it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/core/text_numbers.h"
#include "duel/ranking/click_credit/click_events.h"
#include "duel/ranking/click_credit/credit_rule.h"
#include "duel/ranking/click_credit/logged_impression.h"
#include "duel/ranking/click_credit/ubi_document.h"

namespace duel {

class UbiLog final : public Impressions {
 public:
  // The files are parts of one dump, as of two indices. "-" is standard input.
  static Result<UbiLog> read(std::span<const std::string> files, const CreditRule& rule,
                             Ordinals ordinals = {}, std::string_view team_field = kUbiTeamField);
  static Result<UbiLog> read_text(std::string name, std::string_view text, const CreditRule& rule,
                                  Ordinals ordinals = {},
                                  std::string_view team_field = kUbiTeamField);

  ClickEvents& clicks() { return clicks_; }
  std::uint64_t num_documents() const { return documents_; }
  // Queries of which nothing says what was shown.
  std::uint64_t num_without_page() const { return without_page_; }

  Result<bool> next(LoggedImpression& impression) override;
  std::uint64_t line_number() const override { return next_ == 0 ? 0 : pages_[next_ - 1].line; }
  std::string here() const override { return name_; }
  std::vector<Unusable> unusable() const override { return unusable_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Item {
    std::uint32_t object = kNone;  // in objects_
    std::uint32_t team = kNone;    // in teams_
    std::uint64_t ordinal = 0;     // as it was written
    bool has_ordinal = false;
    bool shown = false;          // by an impression, and not only clicked on
    std::uint32_t next = kNone;  // in items_
  };
  struct Page {
    std::uint64_t line = 0;
    std::uint32_t first = kNone, last = kNone;  // in items_, as events showed them
    std::uint32_t user = kNone, query = kNone;  // in texts_
    std::string time;                           // of the query, or of the earliest event
    bool has_query = false;                     // the query's own document was met
    std::vector<std::uint32_t> hits;            // in objects_
  };

  Status take_lines(class TextLines& lines, const CreditRule& rule, std::string_view team_field);
  void take(const UbiDocument& document, const CreditRule& rule, std::uint64_t line);
  Page& page_of(const UbiDocument& document, std::uint64_t line);
  void show(Page& page, const Item& item);
  std::uint32_t team_number(std::string_view team);
  Status check_teams() const;
  std::string fill(const Page& page, LoggedImpression& impression);

  std::string name_, team_field_;
  ClickEvents clicks_;
  TextNumbers ids_;  // number k is page k
  TextNumbers objects_, teams_, texts_;
  std::vector<Page> pages_;
  std::vector<Item> items_;
  std::vector<Item> on_page_;  // of the page that is filled
  std::vector<Unusable> unusable_;
  std::uint64_t documents_ = 0, without_page_ = 0;
  std::size_t next_ = 0;
};

}  // namespace duel
