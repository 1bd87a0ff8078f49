// Documents of User Behavior Insights (UBI 1.3) as files hold them: one JSON object per line, which
// may be
//
//   an event    {"action_name":"click","query_id":"q1","timestamp":1733789000000,
//                "event_attributes":{"object":{"object_id":"d2"},"position":{"ordinal":1}}}
//   a query     {"query_id":"q1","user_query":"toner","query_response_hit_ids":["d2","d9"]}
//   an action line of a `_bulk` request, {"index":{"_index":"ubi_events"}}, which is passed over
//   a document with its index, {"_index":"ubi_events","_source":{..}}, or `ubi_events TAB {..}`
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"

namespace duel {

// Where collectors put the name of the ranking that an item comes from.
inline constexpr std::string_view kUbiTeamField = "event_attributes.object.search_config";

// The standard counts positions from 1, and OpenSearch's own samples from 0. A stream of events is
// of one kind: one position 0 in it makes it one that counts from 0, unless it is stated.
class Ordinals {
 public:
  void state(std::uint64_t base) { stated_ = base; }
  void note(std::uint64_t ordinal) { zero_met_ = zero_met_ || ordinal == 0; }

  std::uint64_t base() const { return stated_.value_or(zero_met_ ? 0 : 1); }
  bool is_stated() const { return stated_.has_value(); }
  // The position from 1, or 0 for a position 0 where they are said to count from 1.
  std::uint64_t from_one(std::uint64_t ordinal) const { return ordinal + 1 - base(); }

 private:
  std::optional<std::uint64_t> stated_;
  bool zero_met_ = false;
};

// All views live until the next document is read.
struct UbiDocument {
  bool is_query = false;
  std::string_view action, query_id, object_id;
  std::optional<std::uint64_t> ordinal;  // as it was written
  double seconds = 0;                    // of dwell, `event_attributes.duel.seconds`
  std::string_view team;                 // the text in the field of teams
  std::string time;       // RFC 3339 where milliseconds were written, else as written
  std::string_view user;  // user_id before client_id, session_id
  std::string_view user_query;
  std::vector<std::string_view> hits;  // query_response_hit_ids
};

class UbiReader {
 public:
  // `team_field` is a path of names with dots between them; empty: teams are not read.
  explicit UbiReader(std::string team_field = {});
  ~UbiReader();

  // Where the object of a line begins, if it is one of UBI's kinds of lines: a JSON object, or the
  // name of an index and a tab before it.
  static std::optional<std::string_view> object_in(std::string_view line);

  // False for an action line. `where` is for errors.
  Result<bool> read(std::string_view object, const std::string& where, UbiDocument& document);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duel
