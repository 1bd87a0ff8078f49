// Nothing is certified on a log that was not read: an experiment comes back from its snapshot, and
// what lies below it is checked while it is served.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duel/core/digest.h"
#include "duel/store/line.h"
#include "duel/store/sqlite.h"
#include "tests/server/served_api.h"
#include "tests/store/faulty_store.h"

namespace duel {
namespace {

const std::string kE = "/v1/experiments/e";

// Waits for an event of another thread; the limit is for a server that never gets there.
template <class Happened>
bool comes_about(const Happened& happened) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!happened()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

void create(ServedApi& api) {
  ASSERT_EQ(api.put(kE, R"({"arms":[{"arm_id":"a"},{"arm_id":"b"}],"seed":7,)"
                        R"("stopping":{"alpha":0.2,"min_decisive_per_pair":8}})")
                .status,
            201);
  ASSERT_EQ(api.post(kE + "/start").status, 200);
}

Told answer(ServedApi& api, int number, const std::string& winner = "a") {
  const std::string duel = kE + "/duels/q" + std::to_string(number) + "/outcome";
  const Told served =
      api.post(kE + "/duels", R"({"duel_id":"q)" + std::to_string(number) + R"("})");
  if (served.status != 201) return served;
  return api.put(duel, win_of(winner));
}

std::vector<std::string> lines_of(ServedApi& api) {
  std::vector<std::string> lines;
  const auto read = api.engine().store().read("e", 0, [&](std::string_view line) -> Status {
    lines.emplace_back(line);
    return Done{};
  });
  EXPECT_TRUE(read.ok());
  return lines;
}

bool says_certified(ServedApi& api) {
  auto raw = SqliteConnection::open(api.store_file(), SQLITE_OPEN_READWRITE).value();
  return raw.number("SELECT count(*) FROM lines WHERE text LIKE '%\"record\":\"certified\"%'")
             .value() > 0;
}

// How many answers bring the certificate.
int answers_needed() {
  static const int needed = [] {
    ServedApi api;
    create(api);
    int number = 0;
    while (number < 100 && !says_certified(api)) answer(api, number++);
    return number;
  }();
  return needed;
}

std::string out_of_service(ServedApi& api) {
  const Told ready = api.get("/readyz");
  EXPECT_EQ(ready.status, 200);
  const Json* names = ready.body.find("out_of_service");
  return names == nullptr || names->items().empty()
             ? ""
             : names->items()[0].at("experiment_id").get<std::string>();
}

TEST(Audit, certificate_waits_until_the_log_below_the_snapshot_was_read) {
  ServedApi api;
  create(api);
  const int needed = answers_needed();
  ASSERT_LT(needed, 100);
  for (int k = 0; k < needed - 1; ++k) ASSERT_EQ(answer(api, k).status, 200);
  std::promise<void> opens;
  const std::shared_future<void> opened = opens.get_future().share();
  api.around_store = [&](std::unique_ptr<Store> disk) {
    auto store = std::make_unique<FaultyStore>(std::move(disk));
    // The load reads no line between the second and its snapshot.
    store->before_line = [opened](const std::string&, std::uint64_t line) {
      if (line == 3) opened.wait();
    };
    return store;
  };
  api.restart();
  EXPECT_EQ(answer(api, needed - 1).status, 200) << "serving goes on meanwhile";
  EXPECT_EQ(answer(api, needed).status, 200);
  api.pass(1000);
  api.engine().wait_for_all();
  EXPECT_FALSE(says_certified(api));
  opens.set_value();
  ASSERT_TRUE(comes_about([&] {
    api.pass(1000);
    return says_certified(api);
  }));
  EXPECT_EQ(api.get(kE + "/certificate").status, 200);
  EXPECT_EQ(out_of_service(api), "");
}

// A change to the lines of a store, which has them from the first to the snapshot's.
struct Damage {
  std::string what;
  std::vector<std::string> statements;
};

std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::vector<Damage> damages_of(const std::vector<std::string>& lines) {
  std::vector<Damage> damages;
  const auto set = [](std::size_t number, const std::string& text) {
    return fmt::format("UPDATE lines SET text = {} WHERE sequence = {} AND experiment = 1",
                       quoted(text), number);
  };
  std::string before(kHexDigits, '0');
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string& line = lines[k];
    const std::size_t number = k + 1;
    // A byte at another place in each line.
    std::string flipped = line;
    char& byte = flipped[(17 * number) % line.size()];
    byte = byte == 'x' ? 'y' : 'x';
    damages.push_back({fmt::format("byte of line {}", number), {set(number, flipped)}});
    if (number < lines.size()) {
      damages.push_back({fmt::format("lines {} and {} swapped", number, number + 1),
                         {set(number, lines[number]), set(number + 1, line)}});
      damages.push_back(
          {fmt::format("line {} gone", number),
           {fmt::format("DELETE FROM lines WHERE sequence = {} AND experiment = 1", number)}});
    }
    // Another answer with the hash that fits it: only the next line shows that it was changed.
    const std::size_t winner = line.find("\"winner\":\"a\"");
    if (winner != std::string::npos && number < lines.size()) {
      std::string changed(split_line(line)->body);
      changed.replace(winner, 12, "\"winner\":\"b\"");
      Sha256 sha;
      close_line(changed, sha.hex(before, changed));
      damages.push_back(
          {fmt::format("line {} with a hash of its own", number), {set(number, changed)}});
    }
    before = split_line(line)->hash;
  }
  return damages;
}

void apply(const Damage& damage, const std::filesystem::path& file) {
  auto raw = SqliteConnection::open(file, SQLITE_OPEN_READWRITE).value();
  for (const std::string& statement : damage.statements) {
    ASSERT_TRUE(raw.execute(statement.c_str()).ok()) << statement;
  }
}

class Damaged : public testing::Test {
 protected:
  // A store whose experiment has a snapshot at its end, one answer before the certificate or
  // after it.
  void make(bool certified) {
    create(api);
    const int answers = answers_needed() - (certified ? 0 : 1);
    for (int k = 0; k < answers; ++k) ASSERT_EQ(answer(api, k).status, 200);
    lines = lines_of(api);
    ASSERT_EQ(api.put("/v1/experiments/other", kThreeArms).status, 201);
    ASSERT_EQ(api.post("/v1/experiments/other/start").status, 200);
    api.stop();
    std::filesystem::copy_file(api.store_file(), whole);
    api.say = [this](const std::string& message) {
      const std::lock_guard lock(mutex);
      said += message + "\n";
    };
  }
  void start_with(const Damage& damage) {
    api.stop();
    std::filesystem::copy_file(whole, api.store_file(),
                               std::filesystem::copy_options::overwrite_existing);
    apply(damage, api.store_file());
    said.clear();
    api.start();
  }

  ServedApi api;
  std::filesystem::path whole = api.directory() / "whole.db";
  std::vector<std::string> lines;
  std::mutex mutex;
  std::string said;
};

TEST_F(Damaged, log_below_a_snapshot_certifies_nothing_and_is_out_of_service) {
  make(false);
  const std::vector<Damage> damages = damages_of(lines);
  ASSERT_GT(damages.size(), 40U);
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.what);
    start_with(damage);
    // It may come before the check has ended, or after.
    (void)answer(api, answers_needed() - 1);
    ASSERT_TRUE(comes_about([&] { return out_of_service(api) == "e"; }));
    api.pass(1000);
    api.engine().wait_for_all();
    EXPECT_FALSE(says_certified(api));
    const Told refused = api.post(kE + "/duels");
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.text("detail").find("damaged"), std::string::npos) << refused.text("detail");
    EXPECT_EQ(api.get(kE + "/result").status, 503);
    EXPECT_EQ(api.get(kE + "/certificate").status, 503);
    EXPECT_EQ(api.post("/v1/experiments/other/duels").status, 201) << "others are served";
    const std::lock_guard lock(mutex);
    EXPECT_NE(said.find("'e' is out of service"), std::string::npos) << said;
  }
}

TEST_F(Damaged, log_below_a_snapshot_that_holds_a_certificate_does_not_give_it) {
  make(true);
  const std::vector<Damage> damages = damages_of(lines);
  for (std::size_t k = 0; k < damages.size(); k += 5) {
    SCOPED_TRACE(damages[k].what);
    start_with(damages[k]);
    EXPECT_EQ(api.get(kE + "/certificate").status, 503) << "asked for at once";
    EXPECT_EQ(api.get(kE + "/result").status, 503);
    // The load that was refused and the reading of the whole log are not in step.
    EXPECT_TRUE(comes_about([&] { return out_of_service(api) == "e"; }));
  }
}

TEST(Audit, loss_of_power_is_no_damage) {
  ServedApi api;
  create(api);
  for (int k = 0; k < 5; ++k) ASSERT_EQ(answer(api, k).status, 200);
  api.stop();
  {
    auto raw = SqliteConnection::open(api.store_file(), SQLITE_OPEN_READWRITE).value();
    ASSERT_TRUE(raw.execute("UPDATE state SET value = 'another boot' WHERE name = 'stop';"
                            "UPDATE experiments SET mark = 4")
                    .ok());
  }
  api.start();
  EXPECT_EQ(answer(api, 5).status, 200);
  EXPECT_TRUE(api.engine().audits().check("e").ok());
  // The record of the loss is in the log now, and the snapshot is from before it.
  api.engine().audits().forget("e");
  EXPECT_TRUE(api.engine().audits().check("e").ok());
  EXPECT_EQ(out_of_service(api), "");
}

}  // namespace
}  // namespace duel
