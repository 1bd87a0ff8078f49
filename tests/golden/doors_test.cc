// One script at several doors gives one experiment: after every record the ledgers are the same.
// What still differs is in two tables below, with the reason; a row that is no longer needed fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/experiment/live_experiment.h"
#include "duel/log/experiment_log.h"
#include "tests/golden/golden.h"
#include "tests/golden/local_door.h"
#include "tests/golden/routes_door.h"
#include "tests/golden/script.h"

namespace duel::golden {
namespace {

enum class Door { local, routes, python };
constexpr Door kDoors[] = {Door::local, Door::routes, Door::python};

std::string name_of(Door door) {
  if (door == Door::python) return "python";
  return door == Door::local ? "local" : "routes";
}

// What a door writes otherwise than the others, whatever the script. `keep` takes the difference
// out of a record; false: the record is the difference.
struct Known {
  const Ledger& before;
  std::map<std::string, std::string>& people;  // by the hash that the door made of each
};
struct Difference {
  Door door;
  const char* what;
  const char* why;
  bool (*keep)(Record& record, Known& known);
};

template <class Kind, class Change>
bool changed(Record& record, const Change& change) {
  if (auto* kind = std::get_if<Kind>(&record)) change(*kind);
  return true;
}

// People by the order in which they came.
bool with_numbered_people(Record& record, Known& known) {
  return changed<ServeRecord>(record, [&](auto& serve) {
    if (serve.subject.empty()) return;
    const std::string number = fmt::format("person {}", known.people.size() + 1);
    serve.subject = known.people.try_emplace(serve.subject, number).first->second;
  });
}

// A score that a word says as well.
bool without_whole_scores(Record& record, Known&) {
  return changed<OutcomeRecord>(record, [](auto& outcome) {
    std::optional<double>& score = outcome.answer.score;
    if (score && (*score == 0 || *score == 0.5 || *score == 1)) score.reset();
  });
}

bool without_tasks(Record& record, Known&) {
  return changed<ExperimentRecord>(record, [](auto& first) {
    first.tasks.items = {};
    first.tasks.sha256.clear();
  });
}

const std::vector<Difference> kDifferences{
    {Door::routes, "state", "an experiment of a server begins as a draft and is started",
     [](Record& record, Known&) { return !std::holds_alternative<StateRecord>(record); }},
    {Door::routes, "service", "the first record says what a server needs beside",
     [](Record& record, Known&) {
       return changed<ExperimentRecord>(record, [](auto& first) { first.service = {}; });
     }},
    {Door::routes, "expires_at", "a server waits so long, a run as long as its judge takes",
     [](Record& record, Known&) {
       return changed<ServeRecord>(record, [](auto& serve) { serve.expires_at = {}; });
     }},
    {Door::routes, "request", "what a caller has named can be asked for again with the same body",
     [](Record& record, Known&) {
       return changed<ServeRecord>(record, [](auto& serve) { serve.request.clear(); });
     }},
    {Door::routes, "tasks", "a server holds its tasks and hashes them as it was given them",
     without_tasks},
    {Door::local, "tasks", "a run holds a hash of the file alone", without_tasks},
    {Door::python, "tasks", "the same of the lines that Python writes", without_tasks},
    {Door::routes, "subject", "a server hashes names with its secret", with_numbered_people},
    {Door::local, "subject", "a run hashes names with nothing that is secret",
     with_numbered_people},
    {Door::python, "subject", "the same", with_numbered_people},
    {Door::local, "score", "Python says a win, a loss and a tie by words", without_whole_scores},
    {Door::routes, "score", "the same", without_whole_scores},
    {Door::local, "judge", "a run knows the program that it asks",
     [](Record& record, Known&) {
       return changed<ExperimentRecord>(record, [](auto& first) { first.judge = {}; });
     }},
    {Door::routes, "offer", "a server knows whom it asks, and waits so long",
     [](Record& record, Known&) {
       return changed<OfferRecord>(record, [](auto& offer) {
         offer.subject.clear();
         offer.expires_at = {};
       });
     }},
    {Door::python, "note", "what is out at the certificate is given up in other words",
     [](Record& record, Known& known) {
       return changed<ExpiredRecord>(record, [&](auto& expired) {
         if (known.before.certificate()) expired.note = "the certificate came before the answer";
       });
     }},
};

// Scripts that a door plays differently altogether, or not at all.
struct Exception {
  const char* script;
  Door door;
  bool can_play;
  const char* why;
};
const std::vector<Exception> kExceptions{
    {"audit", Door::python, false, "Python's people audit in duel.run: python/tests/test_audit.py"},
    {"arms", Door::python, false, "no arm joins or leaves in Python"},
    {"in_flight", Door::routes, true,
     "a run gives up what is out when the certificate comes; a server waits for it"},
};

const Exception* exception_of(const std::string& script, Door door) {
  const auto found = std::ranges::find_if(
      kExceptions, [&](const Exception& one) { return one.script == script && one.door == door; });
  return found == kExceptions.end() ? nullptr : &*found;
}

bool can_play(const std::string& script, Door door) {
  const Exception* exception = exception_of(script, door);
  return exception == nullptr || exception->can_play;
}

std::string played_log(const std::string& script, Door door) {
  // What Python wrote: python/tests/test_golden.py holds it to its script.
  if (door == Door::python) return recorded("doors/" + script + ".python.log");
  if (door == Door::local) {
    LocalDoor local;
    play_script(local, "doors", script);
    return local.log();
  }
  RoutesDoor routes;
  play_script(routes, "doors", script);
  return routes.log();
}

// The records of a log without what is known to differ, and the state after each.
struct Story {
  std::vector<std::string> lines;
  std::vector<std::uint64_t> states;
  std::string error;  // why it cannot be folded

  friend bool operator==(const Story&, const Story&) = default;
};

Story story_of(const std::string& log, Door door, const Difference* but = nullptr) {
  Story story;
  std::optional<LiveExperiment> there, here;
  std::map<std::uint64_t, std::uint64_t> numbers;  // of the records that stay
  std::map<std::string, std::string> people;
  const auto sink = [&](const LogEntry& entry) -> Status {
    LogEntry kept = entry;
    kept.sequence = story.lines.size() + 1;
    bool stays = true;
    const auto* first = std::get_if<ExperimentRecord>(&entry.record);
    if (first != nullptr) {
      DUEL_ASSIGN(there, LiveExperiment::make(*first));
    }
    for (const Difference& one : kDifferences) {
      if (one.door != door || &one == but) continue;
      Known known{there->ledger(), people};
      stays = one.keep(kept.record, known) && stays;
    }
    if (first == nullptr) DUEL_RETURN_IF_ERROR(there->apply(entry));
    if (!stays) return Done{};
    numbers[entry.sequence] = kept.sequence;
    if (auto* certified = std::get_if<CertifiedRecord>(&kept.record)) {
      certified->at = numbers.at(certified->at);
    }
    std::string line;
    DUEL_RETURN_IF_ERROR(append_fields(line, kept.record));
    story.lines.push_back(std::move(line));
    if (const auto* made = std::get_if<ExperimentRecord>(&kept.record)) {
      DUEL_ASSIGN(here, LiveExperiment::make(*made));
    } else {
      DUEL_RETURN_IF_ERROR(here->apply(kept));
    }
    story.states.push_back(here->state_hash());
    return Done{};
  };
  const auto read = read_log_text(log, name_of(door), sink);
  if (!read.ok()) story.error = read.error().to_string();
  return story;
}

std::string first_difference(const Story& one, const Story& other) {
  if (!one.error.empty()) return one.error;
  if (!other.error.empty()) return other.error;
  for (std::size_t k = 0; k < std::max(one.lines.size(), other.lines.size()); ++k) {
    const auto line = [&](const Story& story) {
      return k < story.lines.size() ? story.lines[k] : "(it ends before)";
    };
    if (line(one) != line(other)) {
      return fmt::format("record {}:\n  {}\n  {}", k + 1, line(one), line(other));
    }
    if (one.states[k] != other.states[k]) return fmt::format("the state after record {}", k + 1);
  }
  return {};
}

class Doors : public ::testing::TestWithParam<std::string> {};

TEST_P(Doors, give_the_same_experiment) {
  const Story expected = story_of(played_log(GetParam(), Door::local), Door::local);
  ASSERT_GT(expected.lines.size(), 10U);
  for (const Door door : {Door::routes, Door::python}) {
    if (!can_play(GetParam(), door)) continue;
    const std::string log = played_log(GetParam(), door);
    ASSERT_NE(log, "") << name_of(door);
    const std::string differs = first_difference(expected, story_of(log, door));
    if (exception_of(GetParam(), door) != nullptr) {
      EXPECT_NE(differs, "") << name_of(door) << " is no exception any more";
    } else {
      EXPECT_TRUE(differs.empty()) << name_of(door) << ", " << differs;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scripts, Doors, ::testing::ValuesIn(scripts_in("doors")),
                         [](const auto& one) { return one.param; });

TEST(DoorsTable, has_no_row_that_is_no_longer_needed) {
  std::map<std::pair<std::string, Door>, std::string> logs;
  for (const std::string& script : scripts_in("doors")) {
    for (const Door door : kDoors) {
      if (can_play(script, door)) logs[{script, door}] = played_log(script, door);
    }
  }
  for (const Difference& one : kDifferences) {
    const bool needed = std::ranges::any_of(scripts_in("doors"), [&](const std::string& script) {
      const auto log = logs.find({script, one.door});
      if (log == logs.end()) return false;
      return !(story_of(log->second, one.door, &one) == story_of(log->second, one.door));
    });
    EXPECT_TRUE(needed) << name_of(one.door) << ": " << one.what;
  }
}

}  // namespace
}  // namespace duel::golden
