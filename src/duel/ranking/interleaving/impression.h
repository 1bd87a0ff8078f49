// An impression as a user asks for it: rankings of text ids become the list to show, clicked ids
// become credit and an outcome, and both become JSON. The same seed, id and rankings give the same
// list on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/count_range.h"
#include "duel/core/json.h"
#include "duel/core/result.h"
#include "duel/ranking/interleaving/interleaver.h"
#include "duel/ranking/interleaving/multileaver.h"

namespace duel {

using DocumentIds = std::vector<std::string>;

struct ImpressionSpec {
  static constexpr CountRange kLength{1, 1'000'000};
  static constexpr CountRange kOffset{0, 1'000'000};

  std::string method = "team-draft";
  std::string id;                     // of the impression
  std::vector<std::string> rankings;  // their names
  std::uint64_t length = 10;          // documents to show
  std::uint64_t offset = 0;           // documents shown on earlier pages; of team draft alone
  std::uint64_t seed = 0;
};

struct Impression {
  struct Item {
    std::string object_id;
    std::uint64_t ordinal = 0;         // from 1, over all pages
    std::vector<std::uint32_t> ranks;  // by ranking, from 1; not told by team draft
    std::optional<std::string> team;   // the ranking whose pick it is, where the method has picks
    std::optional<bool> competitive;   // told by team draft
    std::vector<double> credit;        // of a click, by ranking; empty where clicks do not add up
  };
  // The place of this page in its team draft.
  struct Page {
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> next_offset;  // none if the draft ends with this page
    double competitive_coverage = 0;
  };
  // What the clicks say of two rankings.
  struct Preference {
    std::size_t first = 0;
    std::size_t second = 1;
    double value = 0;
    ClickOutcome outcome = ClickOutcome::no_feedback;
  };
  struct Answer {
    DocumentIds clicks;
    std::vector<double> credit;           // by ranking
    std::vector<Preference> preferences;  // (0,1), (0,2), .., (1,2), ..
  };

  ImpressionSpec spec;  // the method as it names itself
  bool multileaved = false;
  std::vector<Item> items;
  std::optional<Page> page;
  std::optional<Answer> answer;  // where clicks were given, be there none

  bool has_teams() const;
  Json to_json() const;
};

// A spec that was checked, its method made. Errors name the field.
class ImpressionPlan {
 public:
  static Result<ImpressionPlan> create(ImpressionSpec spec);

  // The list and, where clicks are given, what they say; a click on what was not shown is an error.
  // `lists` holds each ranking's document ids, best first. REQUIRES: a list for every ranking.
  Result<Impression> show(const std::vector<DocumentIds>& lists,
                          const std::optional<DocumentIds>& clicks = {}) const;

 private:
  ImpressionSpec spec_;
  bool drafts_ = false;  // team draft, in its form for production (impression_draft.h)
  std::shared_ptr<const Interleaver> interleaver_;  // or else
  std::shared_ptr<const Multileaver> multileaver_;
};

}  // namespace duel
