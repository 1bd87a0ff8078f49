#include "duel/experiment/panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "duel/core/rng.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/local_experiment.h"
#include "duel/inference/panel_evidence.h"
#include "duel/log/experiment_log.h"
#include "duel/store/memory_store.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/panel_standing.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

ExperimentRecord panel_of(std::size_t num_arms, PanelRule rule) {
  ExperimentRecord record;
  record.experiment_id = "e";
  for (std::size_t k = 0; k < num_arms; ++k) {
    record.arms.push_back({std::string(1, static_cast<char>('a' + k)), "", ""});
  }
  record.about = Audience::these_people;
  record.panel = std::move(rule);
  record.policy = canonical_policy(record, num_arms).value();
  return record;
}

std::string member(std::size_t k) { return "p" + std::to_string(100 + k); }

std::vector<std::string> members(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(member(k));
  return all;
}

// A panel that is asked in memory, or in a log of its own.
class Vote {
 public:
  explicit Vote(const ExperimentRecord& record)
      : local_(std::move(LocalExperiment::in_memory(record)).value()) {}
  Vote(const ExperimentRecord& record, const std::string& file)
      : local_(std::move(LocalExperiment::create({.store = log_files(), .name = file}, record))
                   .value()) {}

  // Nothing where the subject has nothing left to say.
  std::optional<ServeRecord> ask(const std::string& subject) {
    auto offer = local_.serve({.subject = subject});
    EXPECT_TRUE(offer.ok()) << offer.error().to_string();
    if (auto* served = std::get_if<Served>(&*offer)) return served->serve;
    EXPECT_EQ(std::get<Fallback>(*offer).why, Fallback::Why::done);
    EXPECT_EQ(std::get<Fallback>(*offer).arm, "");
    return std::nullopt;
  }
  Reported::What say(const ServeRecord& serve, const Answer& answer) {
    auto told = local_.report({.duel_id = serve.duel_id, .answer = answer});
    EXPECT_TRUE(told.ok()) << told.error().to_string();
    return told->what;
  }
  // 1: the arm whose name comes first in the alphabet.
  void prefer(const ServeRecord& serve, int answer) {
    const auto& [low, high] = std::minmax(serve.first, serve.second);
    say(serve,
        answer == 0 ? Answer{Answered::tie} : Answer{Answered::win, answer > 0 ? low : high});
  }
  // The subject answers all that comes, preferring arms that come earlier in `order`.
  std::size_t answer_all(const std::string& subject, const std::string& order) {
    std::size_t questions = 0;
    while (const auto serve = ask(subject)) {
      const bool first = order.find(serve->first) < order.find(serve->second);
      say(*serve, {Answered::win, first ? serve->first : serve->second});
      ++questions;
    }
    return questions;
  }
  LocalExperiment& operator*() { return local_; }
  LocalExperiment* operator->() { return &local_; }
  const Panel& panel() const { return *local_.ledger().panel(); }
  const Ledger& ledger() const { return local_.ledger(); }
  std::string winner() const {
    const auto& given = ledger().certificate();
    return !given ? "undecided" : given->winner ? ledger().id_of(*given->winner) : "none";
  }

 private:
  LocalExperiment local_;
};

// A sample of people who may each be evidence once per pair would never be certified by six.
TEST(Panel, of_six_who_agree_finishes) {
  Vote vote(panel_of(4, {.size = 6}));
  std::size_t questions = 0, people = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    const std::size_t asked = vote.answer_all(member(k), k == 3 ? "bacd" : "abcd");
    questions += asked;
    people += asked > 0 ? 1 : 0;
  }
  EXPECT_EQ(vote.winner(), "a");
  // Every pair of the winner needs four of six, or five where one is against it.
  EXPECT_LE(people, 6U);
  EXPECT_LE(questions, 26U);
  EXPECT_TRUE(is_by_counting(vote.ledger()));
  EXPECT_FALSE(vote.ask(member(0)));
  EXPECT_FALSE(vote.ask(member(9)));
}

TEST(Panel, nobody_is_asked_about_a_pair_twice) {
  Vote vote(panel_of(4, {.size = 3}));
  std::map<std::string, int> times;
  for (const char* subject : {"ann", "bob"}) {
    while (const auto serve = vote.ask(subject)) {
      const auto& [low, high] = std::minmax(serve->first, serve->second);
      EXPECT_EQ(++times[std::string(subject) + low + high], 1);
      vote.prefer(*serve, 1);
    }
  }
  EXPECT_FALSE(vote.ask("ann"));
  EXPECT_FALSE(vote.ask("bob"));
}

// What is on the screen is not asked on a second one, and the seat stays theirs.
TEST(Panel, an_open_duel_holds_the_seat_and_its_pair) {
  Vote vote(panel_of(2, {.size = 2}));
  const auto first = vote.ask("ann");
  ASSERT_TRUE(first);
  EXPECT_FALSE(vote.ask("ann"));
  const auto second = vote.ask("bob");
  ASSERT_TRUE(second);
  EXPECT_FALSE(vote.ask("cem"));
  ASSERT_TRUE(vote->settle({LocalExperiment::Lost{second->duel_id, "gone"}}).ok());
  const auto third = vote.ask("cem");
  ASSERT_TRUE(third);
  EXPECT_FALSE(vote.ask("bob"));
  vote.say(*third, {Answered::skip});
  EXPECT_EQ(vote.panel().answered(), 1U);
  vote.prefer(*first, 1);
  EXPECT_EQ(vote.winner(), "a");  // 1 : 0, and both were asked
}

TEST(Panel, an_answer_without_sense_is_asked_again) {
  Vote vote(panel_of(2, {.size = 1}));
  vote.say(*vote.ask("ann"), {Answered::invalid});
  EXPECT_EQ(vote.panel().answered(), 0U);
  const auto again = vote.ask("ann");
  ASSERT_TRUE(again);
  vote.prefer(*again, -1);
  EXPECT_EQ(vote.winner(), "b");
}

// Two people asked one after the other: at S = U the other arm cannot win, but this one does not
// beat it yet.
TEST(Panel, two_who_disagree_end_in_a_tie) {
  Vote vote(panel_of(2, {.size = 2}));
  vote.prefer(*vote.ask("ann"), 1);
  EXPECT_EQ(vote.winner(), "undecided");
  vote.prefer(*vote.ask("bob"), -1);
  EXPECT_EQ(vote.winner(), "none");
  EXPECT_EQ(certificate_statement(vote.ledger()),
            "No arm is preferred to every other by these 2 people: 'a' and 'b' tie; all 2 of 2 "
            "asked.");
}

TEST(Panel, a_cycle_is_a_result) {
  Vote vote(panel_of(3, {.size = 3}));
  vote.answer_all("ann", "abc");
  vote.answer_all("bob", "bca");
  vote.answer_all("cem", "cab");
  EXPECT_EQ(vote.winner(), "none");
  const std::string said = certificate_statement(vote.ledger());
  EXPECT_TRUE(said.find("'a' > 'b' > 'c' > 'a'") != std::string::npos ||
              said.find("'b' > 'c' > 'a' > 'b'") != std::string::npos ||
              said.find("'c' > 'a' > 'b' > 'c'") != std::string::npos)
      << said;
}

TEST(Panel, without_a_size_is_those_who_answered_when_it_is_closed) {
  Vote vote(panel_of(2, {}));
  EXPECT_FALSE(vote->close_panel().ok());
  vote.prefer(*vote.ask("ann"), 1);
  vote.prefer(*vote.ask("bob"), 1);
  const auto slow = vote.ask("cem");
  ASSERT_TRUE(slow);
  EXPECT_EQ(vote.winner(), "undecided");
  ASSERT_TRUE(vote->close_panel().ok());
  EXPECT_EQ(vote.winner(), "a");
  EXPECT_EQ(vote.panel().size(), 2U);
  ASSERT_TRUE(vote->close_panel().ok());
  vote.prefer(*slow, -1);  // kept, no evidence
  EXPECT_EQ(vote.panel().answered(), 2U);
  EXPECT_FALSE(vote.ask("dia"));
  EXPECT_EQ(certificate_statement(vote.ledger()),
            "More of the 2 who answered prefer 'a' to the other arm than the other way round.");
}

TEST(Panel, of_a_list_asks_nobody_else) {
  Vote vote(panel_of(2, {.members = {"ann", "bob"}}));
  EXPECT_FALSE(vote.ask("cem"));
  vote.prefer(*vote.ask("bob"), 1);
  vote.prefer(*vote.ask("ann"), 1);
  EXPECT_EQ(vote.winner(), "a");
}

TEST(Panel, asks_each_member_about_each_task) {
  ExperimentRecord record = panel_of(2, {.size = 2});
  record.tasks = {.count = 3, .sha256 = std::string(64, '0'), .about = TaskScope::these_tasks};
  LocalExperiment local = std::move(LocalExperiment::in_memory(record, {"t1", "t2", "t3"})).value();
  std::map<std::string, int> met;
  for (const char* subject : {"ann", "bob"}) {
    while (true) {
      auto offer = local.serve({.subject = subject});
      ASSERT_TRUE(offer.ok()) << offer.error().to_string();
      const auto* served = std::get_if<Served>(&*offer);
      if (served == nullptr) break;
      EXPECT_EQ(++met[subject + served->serve.task], 1);
      ASSERT_TRUE(
          local.report({.duel_id = served->serve.duel_id, .answer = Answer{Answered::win, "a"}})
              .ok());
    }
  }
  // Four of six units decide it.
  EXPECT_EQ(local.ledger().served(), 4U);
  EXPECT_EQ(certificate_statement(local.ledger()),
            "More of these 2 people prefer 'a' to the other arm than the other way round, over all "
            "3 tasks; all 2 of 2 asked.");
}

// Whatever people think, in whatever order they come, leave, skip and come back: what is certified
// is the truth about them, and when nobody is asked any more there is a certificate.
TEST(Panel, certifies_the_truth_in_every_order) {
  for (std::uint64_t round = 0; round < 400; ++round) {
    RoundRng rng(5, 0, round + 1);
    const std::size_t num_arms = 2 + rng.below(4), people = 1 + rng.below(6);
    ExperimentRecord record = panel_of(num_arms, {.size = people});
    record.seed = round;
    Vote vote(record);
    // Of each member and pair, for the earlier arm.
    std::vector<std::vector<int>> opinions(people, std::vector<int>(num_arms * num_arms));
    for (auto& opinion : opinions) {
      for (int& one : opinion) one = static_cast<int>(rng.below(3)) - 1;
    }
    const auto index = [](const std::string& arm) {
      return static_cast<std::size_t>(arm[0] - 'a');
    };
    std::vector<std::size_t> left(people);
    for (std::size_t k = 0; k < people; ++k) left[k] = k;
    while (!left.empty()) {
      const std::size_t at = rng.below(left.size());
      const auto serve = vote.ask(member(left[at]));
      if (!serve) {
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
        continue;
      }
      if (rng.below(5) == 0) {
        ASSERT_TRUE(vote->settle({LocalExperiment::Lost{serve->duel_id, "gone"}}).ok());
        continue;
      }
      const auto& [low, high] = std::minmax(serve->first, serve->second);
      vote.prefer(*serve, opinions[left[at]][index(low) * num_arms + index(high)]);
    }
    std::string truth = "none";
    for (std::size_t i = 0; i < num_arms; ++i) {
      bool beats_all = true;
      for (std::size_t j = 0; j < num_arms; ++j) {
        int sum = 0;
        for (const auto& opinion : opinions) {
          sum += i < j ? opinion[i * num_arms + j] : -opinion[j * num_arms + i];
        }
        beats_all = beats_all && (i == j || sum > 0);
      }
      if (beats_all) truth = vote.ledger().id_of(static_cast<Arm>(i));
    }
    ASSERT_EQ(vote.winner(), truth) << "round " << round;
  }
}

// The evidence takes the members in their drawn order, whenever they come.
TEST(Panel, early_evidence_is_that_of_the_drawn_order) {
  constexpr std::size_t kPeople = 30;
  ExperimentRecord record = panel_of(2, {.members = members(kPeople), .early = true});
  std::vector<double> orders;
  for (std::uint64_t round = 0; round < 20; ++round) {
    RoundRng rng(3, 0, round + 1);
    Vote vote(record);
    std::vector<std::size_t> coming(12);
    for (std::size_t k = 0; k < coming.size(); ++k) coming[k] = k;
    for (std::size_t k = coming.size(); k > 1; --k) std::swap(coming[k - 1], coming[rng.below(k)]);
    PanelEvidence forth(kPeople), back(kPeople);
    const auto opinion = [](std::size_t k) { return k % 4 == 3 ? -1 : k % 5 == 4 ? 0 : 1; };
    for (const std::size_t k : coming) {
      if (const auto serve = vote.ask(member(k))) vote.prefer(*serve, opinion(k));
    }
    for (std::size_t k = 0; k < coming.size(); ++k) {
      forth.observe(opinion(k));
      back.observe(-opinion(k));
    }
    EXPECT_EQ(vote.panel().log_evidence(0, 1), forth.log_maximum());
    EXPECT_EQ(vote.panel().log_evidence(1, 0), back.log_maximum());
  }
}

TEST(Panel, an_early_verdict_comes_before_counting_is_certain) {
  const TemporaryDirectory directory;
  const std::string log = (directory / "early.duel.jsonl").string();
  Vote vote(panel_of(2, {.members = members(100), .early = true}), log);
  std::size_t asked = 0;
  for (std::size_t k = 0; k < 100 && vote.winner() == "undecided"; ++k, ++asked) {
    vote.prefer(*vote.ask(member(k)), k % 10 == 9 ? -1 : 1);
  }
  EXPECT_EQ(vote.winner(), "a");
  EXPECT_LT(asked, 30U);  // by counting it would take 57
  EXPECT_FALSE(is_by_counting(vote.ledger()));
  EXPECT_EQ(certificate_statement(vote.ledger()),
            "More of these 100 people prefer 'a' to the other arm than the other way round. With " +
                std::to_string(asked) +
                " of 100 asked, such a statement is false with probability at most 0.05.");
  std::optional<Ledger> ledger;
  std::optional<Certificate> certificate;
  const auto take = [&](const LogEntry& entry) -> Status {
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(ledger, Ledger::make(*experiment));
      return Done{};
    }
    DUEL_RETURN_IF_ERROR(ledger->apply(entry));
    if (ledger->certificate() && !certificate) certificate = certificate_of(*ledger);
    return Done{};
  };
  ASSERT_TRUE(read_log(std::filesystem::path(log), take).ok());
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->by, "evidence");
  EXPECT_EQ(certificate->alpha, 0.05);
}

// Who is absent no longer holds up those who come later in the order, and speaks for neither arm.
TEST(Panel, the_absent_only_lower_the_evidence) {
  Vote vote(panel_of(2, {.members = members(40), .early = true}));
  const auto open = vote.ask(member(0));
  ASSERT_TRUE(open);
  for (std::size_t k = 1; k < 6; ++k) vote.prefer(*vote.ask(member(k)), 1);
  EXPECT_EQ(vote.panel().log_evidence(0, 1), 0);
  ASSERT_TRUE(vote->miss({member(0)}).ok());
  ASSERT_TRUE(vote->miss({member(0)}).ok());
  PanelEvidence forth(40), back(40);
  forth.observe(-1);
  back.observe(-1);
  for (int k = 1; k < 6; ++k) {
    forth.observe(1);
    back.observe(-1);
  }
  EXPECT_EQ(vote.panel().log_evidence(0, 1), forth.log_maximum());
  EXPECT_EQ(vote.panel().log_evidence(1, 0), back.log_maximum());
  EXPECT_EQ(vote.say(*open, {Answered::win, "b"}), Reported::What::late);
  EXPECT_FALSE(vote.ask(member(0)));
  EXPECT_EQ(vote.panel().count().unknown(0, 1), 35U);
  EXPECT_FALSE(vote->miss({"nobody"}).ok());
  EXPECT_FALSE(vote->close_panel().ok());
}

// Every way of asking is in the log: read up to any record it gives the state that was lived
// through, and its policy would have asked the same.
TEST(Panel, a_log_can_be_cut_at_every_record) {
  TemporaryDirectory directory;
  const std::string file = (directory / "panel.duel.jsonl").string();
  std::map<std::uint64_t, std::uint64_t> hashes;
  std::uint64_t last = 0;
  {
    Vote vote(panel_of(3, {}), file);
    RoundRng rng(9, 0, 1);
    const auto note = [&] {
      hashes[vote.ledger().sequence()] = vote->experiment().live().state_hash();
      last = vote.ledger().sequence();
    };
    note();
    for (int k = 0; k < 14; ++k) {
      const auto serve = vote.ask(member(rng.below(4)));
      note();
      if (!serve) continue;
      if (rng.below(6) == 0) {
        ASSERT_TRUE(vote->settle({LocalExperiment::Lost{serve->duel_id, "gone"}}).ok());
      } else if (rng.below(5) > 0) {
        vote.prefer(*serve, static_cast<int>(rng.below(3)) - 1);
      }
      note();
    }
    ASSERT_TRUE(vote->close_panel().ok());
    note();
  }
  const std::string text = read_whole_file(file, 1 << 20).value();
  std::uint64_t sequence = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos;
       end = text.find('\n', end + 1)) {
    ++sequence;
    const std::string cut = (directory / "cut.duel.jsonl").string();
    std::ofstream(cut) << text.substr(0, end + 1);
    auto read = LocalExperiment::resume({.store = log_files(), .name = cut});
    ASSERT_TRUE(read.ok()) << read.error().to_string();
    if (const auto known = hashes.find(sequence); known != hashes.end()) {
      EXPECT_EQ(read->experiment().live().state_hash(), known->second) << sequence;
    }
    const auto checked = check_log(cut);
    EXPECT_TRUE(checked.ok()) << checked.error().to_string();
    const auto replayed = replay_log(cut);
    ASSERT_TRUE(replayed.ok());
    EXPECT_FALSE(replayed->has_value()) << replayed->value().to_string();
  }
  EXPECT_EQ(sequence, last);
}

TEST(Panel, a_saved_state_goes_on_as_the_one_that_was_lived_through) {
  for (const bool early : {false, true}) {
    const ExperimentRecord record =
        early ? panel_of(3, {.members = members(26), .early = true}) : panel_of(3, {.size = 5});
    Vote vote(record);
    RoundRng rng(4, 0, 1);
    for (int k = 0; k < 20; ++k) {
      if (const auto serve = vote.ask(member(rng.below(5))); serve && rng.below(4) > 0) {
        vote.prefer(*serve, static_cast<int>(rng.below(3)) - 1);
      }
      if (early && k == 10) {
        ASSERT_TRUE(vote->miss({member(20)}).ok());
      }
      const LiveExperiment& live = vote->experiment().live();
      const auto saved = live.save();
      ASSERT_TRUE(saved);
      auto made = LiveExperiment::make(record);
      ASSERT_TRUE(made.ok());
      ASSERT_TRUE(made->restore(*saved).ok());
      EXPECT_EQ(made->state_hash(), live.state_hash());
    }
  }
}

TEST(Panel, refuses_what_does_not_go_with_it) {
  const auto field_of = [](ExperimentRecord record) {
    const auto made = Ledger::make(record);
    EXPECT_FALSE(made.ok());
    return made.ok() ? std::string() : made.error().field;
  };
  ExperimentRecord record = panel_of(3, {.size = 5});
  EXPECT_TRUE(Ledger::make(record).ok());
  record.goal = Goal::borda;
  EXPECT_EQ(field_of(record), "goal");
  record = panel_of(3, {.size = 5});
  record.stopping.min_decisive_per_pair = 3;
  EXPECT_EQ(field_of(record), "stopping.min_decisive_per_pair");
  record = panel_of(3, {.size = 5});
  record.stopping.arms_fixed = false;
  EXPECT_EQ(field_of(record), "stopping.arms_fixed");
  record = panel_of(3, {.size = 5});
  record.aa_rate = 0.1;
  EXPECT_EQ(field_of(record), "aa_rate");
  record = panel_of(3, {.size = 5});
  record.about = Audience::people_like_these;
  EXPECT_EQ(field_of(record), "about");
  EXPECT_EQ(field_of(panel_of(3, {.size = 5, .members = {"ann"}})), "panel.size");
  EXPECT_EQ(field_of(panel_of(3, {.members = {"ann", "ann"}})), "panel.members");
  EXPECT_EQ(field_of(panel_of(3, {.members = members(24), .early = true})), "panel.early");
  std::vector<std::string> chosen = members(30);
  std::swap(chosen[0], chosen[29]);
  EXPECT_EQ(field_of(panel_of(3, {.members = chosen, .early = true})), "panel.members");
  record = panel_of(3, {.size = 5});
  record.policy = "rucb";
  EXPECT_FALSE(canonical_policy(record, 3).ok());
}

// Answers that are evidence about people like these name their subjects, and the same log says of a
// panel something else: a serve to somebody without a seat must not count.
TEST(Panel, a_log_in_which_a_stranger_counts_is_refused) {
  auto ledger = std::move(Ledger::make(panel_of(2, {.members = {"ann"}}))).value();
  ServeRecord serve{.duel_id = "d1", .first = "a", .second = "b", .subject = "eve"};
  EXPECT_FALSE(ledger.check(serve).ok());
  serve.evidence = false;
  EXPECT_TRUE(ledger.check(serve).ok());
  serve.evidence = true;
  serve.subject = "ann";
  ASSERT_TRUE(ledger.apply({2, 0, serve, "2"}).ok());
  serve.duel_id = "d2";
  serve.ordinal = 1;
  EXPECT_FALSE(ledger.check(serve).ok());  // of one pair they are asked once
  EXPECT_FALSE(ledger.check(PanelClosedRecord{1}).ok());
  EXPECT_FALSE(ledger.check(AbsentRecord{"ann"}).ok());
}

}  // namespace
}  // namespace duel
