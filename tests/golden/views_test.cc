// A view of a log is at every record what the log says up to there, however it came by it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "duel/core/whole_file.h"
#include "duel/experiment/experiment.h"
#include "duel/log/experiment_log.h"
#include "duel/store/memory_store.h"
#include "duel/verdict/view.h"
#include "tests/golden/golden.h"
#include "tests/store/faulty_store.h"

namespace duel::golden {
namespace {

struct KeptLine {
  std::string text, key;
  std::uint64_t tag = 0;
};

std::vector<KeptLine> lines_of(const std::string& log) {
  std::vector<KeptLine> lines;
  std::size_t begin = 0;
  const auto sink = [&](const LogEntry& entry) -> Status {
    const std::size_t end = log.find('\n', begin);
    lines.push_back({log.substr(begin, end - begin), Experiment::key_of(entry.record),
                     Experiment::tag_of(entry.record)});
    begin = end + 1;
    return Done{};
  };
  EXPECT_TRUE(read_log_text(log, "log", sink).ok());
  return lines;
}

std::vector<std::filesystem::path> golden_logs() {
  std::vector<std::filesystem::path> logs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(golden_file(""))) {
    if (entry.path().extension() == ".log") logs.push_back(entry.path());
  }
  return logs;
}

// The ledger and the certificate that the first lines give, read at once.
struct Expected {
  std::uint64_t state = 0;
  std::string certificate;
};
Expected expected_of(const std::vector<KeptLine>& lines, std::size_t count) {
  std::string log;
  for (std::size_t k = 0; k < count; ++k) log += lines[k].text + "\n";
  Expected expected;
  std::optional<Ledger> ledger;
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* first = std::get_if<ExperimentRecord>(&entry.record)) {
      DUEL_ASSIGN(ledger, Ledger::make(*first));
    } else {
      DUEL_RETURN_IF_ERROR(ledger->apply(entry));
    }
    expected.state = ledger->state_hash();
    return Done{};
  };
  const auto read = read_log_text(log, "log", sink);
  EXPECT_TRUE(read.ok()) << read.error().to_string();
  expected.certificate = certificate_of(log);
  return expected;
}

std::unique_ptr<MemoryStore> store_of(const std::vector<KeptLine>& lines, std::size_t count) {
  auto store = std::make_unique<MemoryStore>();
  EXPECT_TRUE(store->create("e").ok());
  std::vector<Line> first;
  for (std::size_t k = 0; k < count; ++k) {
    first.push_back({lines[k].text, lines[k].key, lines[k].tag});
  }
  EXPECT_TRUE(store->append_to("e", {0, std::string(kHexDigits, '0')}, first).ok());
  return store;
}

// Where the view cannot go on it is loaded again, as its holder does. How often that was.
int bring_up(const std::shared_ptr<Store>& store, std::unique_ptr<View>& view) {
  if (view) {
    const Status status = view->catch_up();
    if (status.ok()) return 0;
    EXPECT_EQ(status.error().code, ErrorCode::conflict) << status.error().to_string();
  }
  auto loaded = View::load(store, "e");
  EXPECT_TRUE(loaded.ok()) << loaded.error().to_string();
  view = std::move(loaded).value();
  return 1;
}

void expect_shown(const View& view, const Expected& expected) {
  EXPECT_EQ(view.ledger().state_hash(), expected.state);
  const auto certificate = view.certificate();
  ASSERT_TRUE(certificate.ok()) << certificate.error().to_string();
  EXPECT_EQ(*certificate, expected.certificate);
}

TEST(ViewGolden, has_the_state_of_the_log_after_every_record) {
  ASSERT_GT(golden_logs().size(), 30U);
  for (const std::filesystem::path& file : golden_logs()) {
    SCOPED_TRACE(file.filename().string());
    const std::vector<KeptLine> lines =
        lines_of(std::move(read_whole_file(file, std::size_t{1} << 24)).value());
    const std::shared_ptr<Store> store = store_of(lines, 1);
    std::unique_ptr<View> view;
    int recovered = 0;
    for (std::size_t count = 1; count <= lines.size(); ++count) {
      SCOPED_TRACE(count);
      const KeptLine& line = lines[count - 1];
      if (count > 1) {
        const std::vector<Line> next{{line.text, line.key, line.tag}};
        ASSERT_TRUE(store->append_to("e", *store->head("e"), next).ok());
      }
      const bool takes_back = line.text.find("\"record\":\"recovered\"") != std::string::npos;
      recovered += takes_back ? 1 : 0;
      // Only such a record changes what was read before.
      EXPECT_EQ(bring_up(store, view), count == 1 || takes_back ? 1 : 0);
      EXPECT_EQ(view->head().sequence, count);
      expect_shown(*view, expected_of(lines, count));
    }
    EXPECT_EQ(recovered, file.stem() == "power" ? 2 : 0);
  }
}

TEST(ViewGolden, is_loaded_again_where_the_log_was_cut_and_grew_again) {
  const std::vector<KeptLine> lines = lines_of(recorded("routes/answers.log"));
  ASSERT_GT(lines.size(), 12U);
  for (std::size_t cut = 2; cut + 3 < lines.size(); ++cut) {
    SCOPED_TRACE(cut);
    auto faulty = std::make_shared<FaultyStore>(store_of(lines, cut + 3));
    std::unique_ptr<View> view;
    EXPECT_EQ(bring_up(faulty, view), 1);
    faulty->replace(store_of(lines, cut));
    EXPECT_EQ(bring_up(faulty, view), 1);
    expect_shown(*view, expected_of(lines, cut));
    faulty->replace(store_of(lines, lines.size()));
    EXPECT_EQ(bring_up(faulty, view), 0) << "the same lines again";
    expect_shown(*view, expected_of(lines, lines.size()));
  }
}

TEST(ViewGolden, is_loaded_again_where_other_lines_have_taken_the_place_of_lost_ones) {
  const std::vector<KeptLine> lines = lines_of(recorded("routes/answers.log"));
  const std::size_t shared = lines.size() - 4;
  std::vector<KeptLine> other(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shared));
  const std::string& last = other.back().text;
  std::string head = last.substr(last.size() - kHexDigits - 2, kHexDigits);
  constexpr std::int64_t kLater = 1'900'000'000'000;
  Sha256 sha;
  for (int k = 0; k < 6; ++k) {
    ConfiguredRecord changed;
    changed.name = fmt::format("name {}", k);
    std::string line = std::move(log_line(other.size() + 1, kLater, changed, head, sha)).value();
    line.pop_back();
    other.push_back({std::move(line), "", 0});
  }
  auto faulty = std::make_shared<FaultyStore>(store_of(lines, lines.size()));
  std::unique_ptr<View> view;
  EXPECT_EQ(bring_up(faulty, view), 1);
  faulty->replace(store_of(other, other.size()));
  EXPECT_EQ(bring_up(faulty, view), 1);
  expect_shown(*view, expected_of(other, other.size()));
  EXPECT_EQ(view->ledger().name(), "name 5");
}

}  // namespace
}  // namespace duel::golden
