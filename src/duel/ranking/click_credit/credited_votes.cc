#include "duel/ranking/click_credit/credited_votes.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "duel/core/csv.h"
#include "duel/core/whole_file.h"

namespace duel {
namespace {

// Those that comparison_table.h reads, and what the credit was.
constexpr std::string_view kColumns =
    "first,second,result,winner,source_type,source_id,made_at,query_id,presentation,"
    "serving_order,evidence,outcome,first_credit,second_credit\n";

// With the comma that follows it.
void append_field(std::string& text, std::string_view field) {
  if (field.find_first_of(",\"\n\r") == std::string_view::npos) {
    text += field;
  } else {
    text += csv_field(field);
  }
  text += ',';
}

void append_row(std::string& text, const CreditedVote& vote) {
  append_field(text, vote.first);
  append_field(text, vote.second);
  append_field(text, vote.result);
  append_field(text, vote.winner.value_or(""));
  append_field(text, vote.user.empty() ? "" : "user");
  append_field(text, vote.user);
  append_field(text, vote.time);
  append_field(text, vote.id);
  append_field(text, "interleaved");
  if (vote.serving_order) fmt::format_to(std::back_inserter(text), "{}", *vote.serving_order);
  fmt::format_to(std::back_inserter(text), ",{},{},{},{}\n", vote.evidence, to_string(vote.outcome),
                 vote.first_credit, vote.second_credit);
}

}  // namespace

CreditedVote vote_of(const CreditedLog& log, std::size_t k) {
  const CreditedImpression& impression = log.impressions[k];
  CreditedVote vote{.first = log.rankers[impression.first],
                    .second = log.rankers[impression.second],
                    .result = "skip",
                    .id = log.id_of(impression),
                    .user = log.user_of(impression),
                    .time = log.time_of(impression),
                    .evidence = impression.evidence,
                    .outcome = impression.outcome,
                    .first_credit = impression.first_credit,
                    .second_credit = impression.second_credit};
  if (log.in_order) vote.serving_order = k + 1;
  const Outcome answer = as_answer(impression.outcome);
  if (answer == Outcome::tie) vote.result = "tie";
  if (answer == Outcome::first_wins || answer == Outcome::second_wins) {
    vote.result = "win";
    vote.winner = answer == Outcome::first_wins ? vote.first : vote.second;
  }
  return vote;
}

Status write_votes(const CreditedLog& log, const std::filesystem::path& file, bool skips) {
  DUEL_ASSIGN(AtomicFile votes, AtomicFile::create(file));
  std::string text(kColumns);
  for (std::size_t k = 0; k < log.impressions.size(); ++k) {
    const bool answered = as_answer(log.impressions[k].outcome) != Outcome::none;
    if (answered || skips) append_row(text, vote_of(log, k));
    if (text.size() < (std::size_t{1} << 20)) continue;
    DUEL_RETURN_IF_ERROR(votes.write(text));
    text.clear();
  }
  DUEL_RETURN_IF_ERROR(votes.write(text));
  return votes.commit();
}

}  // namespace duel
