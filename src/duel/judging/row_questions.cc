#include "duel/judging/row_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/id.h"

namespace duel {
namespace {

ShownArm arm_of(const std::string& name, const std::string& text) {
  return {.arm_id = id_from(name), .path = "", .payload = Json(text.empty() ? name : text)};
}

}  // namespace

RowQuestions::RowQuestions(const std::vector<JudgedRow>& rows, RowAsking asking)
    : rows_(rows),
      asking_(asking),
      of_each_(1 + (asking.turned ? 1 : 0) + asking.repeats),
      replies_(rows.size() * of_each_) {}

Result<Questions::Next> RowQuestions::next() {
  if (next_ == all()) return Next(Over{RunEnding::asked_all});
  const std::size_t number = next_++;
  const JudgedRow& row = rows_[number / of_each_];
  const std::size_t of_row = number % of_each_;
  Question question{.duel_id = fmt::format("q{}", number + 1),
                    .first = arm_of(row.first, row.first_text),
                    .second = arm_of(row.second, row.second_text),
                    .task = std::nullopt,
                    .evidence = !asking_.from_cache};
  if (row.task.is_object()) question.task = row.task;
  if (is_turned(number)) {
    question = turned_round(std::move(question));
  } else if (of_row > 0) {
    // Another answer than the first is asked for, also of a cache.
    question.vote = of_row - (asking_.turned ? 1 : 0);
  }
  out_.emplace(question.duel_id, number);
  return Next(std::move(question));
}

Result<Taken> RowQuestions::answer(std::vector<Given> given) {
  for (const Given& one : given) {
    const auto asked = out_.extract(one.question.duel_id);
    DUEL_CHECK(!asked.empty());
    Reply& reply = replies_[asked.mapped()];
    reply.is_in = true;
    ++answered_;
    if (one.judgements.empty()) continue;
    const Said& said = one.judgements.front();
    reply.outcome = is_turned(asked.mapped()) ? mirrored(said.side()) : said.side();
    reply.cost = said.cost;
    reply.tokens = said.tokens;
    reply.cached = said.cached;
  }
  return Taken{};
}

std::uint64_t RowQuestions::rows() const {
  std::uint64_t rows = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) rows += replies_[k * of_each_].is_in ? 1 : 0;
  return rows;
}

JudgeFigures RowQuestions::figures(const std::string& judge, std::uint64_t least_of_pair) const {
  JudgeCheck check(judge, least_of_pair);
  for (const Reply& reply : replies_) {
    if (reply.is_in) check.add_price(reply.cost, reply.tokens, reply.cached);
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Reply* const replies = &replies_[k * of_each_];
    if (!replies[0].is_in) continue;
    check.add(rows_[k], replies[0].outcome);
    std::size_t again = 1;
    if (asking_.turned) check.add_turned(replies[0].outcome, replies[again++].outcome);
    std::vector<Outcome> repeats;
    for (; again < of_each_; ++again) repeats.push_back(replies[again].outcome);
    check.add_repeats(replies[0].outcome, repeats);
  }
  return check.figures();
}

}  // namespace duel
