#include "duel/judging/jury.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/digest.h"
#include "duel/core/rng.h"

namespace duel {
namespace {

// With several judges one must not keep the others waiting.
constexpr auto kTurnOfJuror = std::chrono::milliseconds(10);

// A failed answer is left out, and the reasons say whose they are.
void add_voice(Judged& so_far, const std::string& judge, Judged judged) {
  so_far.failed_tries += judged.failed_tries;
  if (!judged.failure.empty()) so_far.failure = fmt::format("{}: {}", judge, judged.failure);
  so_far.made_no_sense = so_far.made_no_sense || judged.made_no_sense;
  if (judged.ends && !so_far.ends) so_far.ends = std::move(judged.ends);
  if (judged.response_ms) {
    so_far.response_ms = std::max(so_far.response_ms.value_or(0), *judged.response_ms);
  }
  if (!judged.outcome) return;
  if (!so_far.outcome) so_far.outcome.emplace();
  Said& all = *so_far.outcome;
  const Said& said = *judged.outcome;
  all.cost += said.cost;
  all.tokens += said.tokens;
  all.cached = all.cached || said.cached;
  if (!said.answers()) return;
  all.voices.push_back({judge, said.outcome, said.score});
  if (all.features.is_null()) all.features = said.features;
  if (said.reason.empty()) return;
  all.reason += fmt::format("{}{}: {}", all.reason.empty() ? "" : "\n", judge, said.reason);
}

}  // namespace

JudgeEntry entry_of_jury(const std::vector<JudgeCommand>& judges, JuryRule rule) {
  if (judges.size() == 1) return judges.front().entry();
  std::vector<std::string> commands;
  std::string hashes;
  for (const JudgeCommand& judge : judges) {
    commands.push_back(judge.text());
    hashes += judge.entry().sha256 + "\n";
  }
  return {.command = fmt::format("{}{}", rule == JuryRule::mean ? "mean of: " : kOneDrawnOf,
                                 fmt::join(commands, " ; ")),
          .sha256 = sha256_hex(hashes)};
}

Jury::Jury(std::vector<JudgeCommand> judges, const JudgeOptions& options, JuryRule rule,
           std::uint64_t seed)
    : places_(options.parallel), rule_(rule), seed_(seed) {
  DUEL_CHECK(!judges.empty());
  for (JudgeCommand& judge : judges) {
    const std::string name = judge.name(), sha256 = judge.entry().sha256;
    jurors_.push_back({.name = name,
                       .sha256 = sha256,
                       .pool = std::make_unique<JudgePool>(std::move(judge), options)});
  }
}

Status Jury::remember(const std::string& directory, const std::vector<ListedArm>& arms,
                      const std::function<void(const std::string&)>& tell) {
  for (Juror& juror : jurors_) {
    DUEL_ASSIGN(AnswerCache cache, AnswerCache::open(directory, juror.sha256, arms, tell));
    juror.answers = std::make_unique<AnswerCache>(std::move(cache));
    juror.cached = std::make_unique<CachedJudges>(*juror.pool, *juror.answers);
  }
  return Done{};
}

bool Jury::knows(const Question& question) {
  return std::ranges::any_of(jurors_, [&](const Juror& juror) {
    return juror.answers != nullptr && juror.answers->knows(question);
  });
}

std::string Jury::name() const {
  std::vector<std::string> names;
  for (const Juror& juror : jurors_) names.push_back(juror.name);
  return fmt::format("{}", fmt::join(names, "+"));
}

// The same for all that is asked about a duel.
const Jury::Juror& Jury::drawn_for(const std::string& duel_id) const {
  if (jurors_.size() == 1) return jurors_.front();
  RoundRng rng = Stream(seed_, 0, Purpose::choice, "live/jury/" + duel_id).at(0);
  return jurors_[static_cast<std::size_t>(rng.below(jurors_.size()))];
}

// Of duels, not of places at one juror: two jurors may each be done with another duel, and both
// duels come back to every juror in the other order.
std::size_t Jury::free() const { return places_ - std::min(places_, out()); }

std::size_t Jury::out() const {
  if (all_answer()) return open_.size();
  std::size_t out = 0;
  for (const Juror& juror : jurors_) out += places_ - juror.judges().free();
  return out;
}

void Jury::ask(Question question) {
  if (!all_answer()) return drawn_for(question.duel_id).judges().ask(std::move(question));
  open_[question.duel_id] = {.so_far = {.question = question}, .out = jurors_.size()};
  for (const Juror& juror : jurors_) juror.judges().ask(question);
}

std::optional<Judged> Jury::add(const Juror& juror, Judged judged) {
  if (jurors_.size() == 1) return judged;
  if (!all_answer()) {
    judged.judge = juror.name;
    return judged;
  }
  const auto open = open_.find(judged.question.duel_id);
  DUEL_CHECK(open != open_.end());
  add_voice(open->second.so_far, juror.name, std::move(judged));
  if (--open->second.out > 0) return std::nullopt;
  Judged all = std::move(open->second.so_far);
  open_.erase(open);
  // Jurors are recorded in the order in which they were named, whoever was faster.
  if (all.outcome) {
    const auto place_of = [&](const Voice& voice) {
      return std::ranges::find(jurors_, voice.judge, &Juror::name) - jurors_.begin();
    };
    std::ranges::sort(all.outcome->voices, {}, place_of);
  }
  return all;
}

std::vector<Judged> Jury::wait(std::chrono::milliseconds most) {
  const auto turn = jurors_.size() == 1 ? most : std::min(most, kTurnOfJuror);
  std::vector<Judged> done;
  for (const Juror& juror : jurors_) {
    for (Judged& judged : juror.judges().wait(turn)) {
      if (auto whole = add(juror, std::move(judged))) done.push_back(std::move(*whole));
    }
  }
  return done;
}

std::vector<Judged> Jury::abandon() {
  std::vector<Judged> lost;
  for (const Juror& juror : jurors_) {
    for (Judged& judged : juror.judges().abandon()) {
      if (!all_answer()) lost.push_back(std::move(judged));
    }
  }
  // A duel that some have answered is lost all the same: who is slow may have another opinion.
  for (auto& [duel_id, open] : open_) {
    open.so_far.outcome.reset();
    lost.push_back(std::move(open.so_far));
  }
  open_.clear();
  return lost;
}

JudgeTroubles Jury::troubles() const {
  JudgeTroubles all;
  for (const Juror& juror : jurors_) {
    all.timeouts += juror.pool->troubles().timeouts;
    all.crashes += juror.pool->troubles().crashes;
    all.senseless += juror.pool->troubles().senseless;
  }
  return all;
}

std::uint64_t Jury::times_busy() const {
  std::uint64_t times = 0;
  for (const Juror& juror : jurors_) times += juror.pool->times_busy();
  return times;
}

bool Jury::stayed_busy() const {
  return std::ranges::any_of(jurors_, [](const Juror& juror) { return juror.pool->stayed_busy(); });
}

std::string Jury::busy_now() const {
  for (const Juror& juror : jurors_) {
    if (std::string busy = juror.pool->busy_now(); !busy.empty()) return busy;
  }
  return "";
}

void Jury::finish() {
  for (const Juror& juror : jurors_) juror.pool->finish();
}

std::uint64_t Jury::remembered() const {
  std::uint64_t answers = 0;
  for (const Juror& juror : jurors_) answers += juror.cached ? juror.cached->remembered() : 0;
  return answers;
}

}  // namespace duel
