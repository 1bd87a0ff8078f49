// What judged data cost: reading LETOR text against the reader that one writes first, users who
// click, and measures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "bench/workloads.h"
#include "duel/core/rng.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/click_models/exact_clicks.h"
#include "duel/ranking/letor/document_order.h"
#include "duel/ranking/letor/letor_reader.h"
#include "duel/ranking/letor/ranker_catalogue.h"
#include "duel/ranking/letor/synthetic.h"
#include "duel/ranking/metrics/judged_measures.h"
#include "tests/ranking/letor/literal_reader.h"

namespace duel {
namespace {

// CPU time of this thread: what one core spends, whatever else the machine does.
double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

double median_seconds(int times, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) seconds.push_back(seconds_of(work));
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

// Keeps the compiler from dropping a computed value.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// Resident memory of this process in MB: now (VmRSS) or at its peak (VmHWM).
double resident(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return 1024 / 1e6 * std::stod(line.substr(field.size() + 1));
  }
  return 0;
}

// Forgets the peak so far.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// A file as MSLR-WEB and Yahoo's have them: most values with six decimals, some whole, some 0 and,
// if sparse, left out.
std::string make_file(const std::string& name, std::uint64_t documents, std::uint64_t features,
                      bool sparse) {
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream out(path, std::ios::binary);
  const Stream stream(1, 0, Purpose::test, name);
  fmt::memory_buffer line;
  for (std::uint64_t d = 0; d < documents; ++d) {
    RoundRng rng = stream.at(d);
    line.clear();
    fmt::format_to(std::back_inserter(line), "{} qid:{}", rng.below(5), d / 120);
    for (std::uint64_t f = 1; f <= features; ++f) {
      const std::uint64_t kind = rng.below(3);
      if (kind == 0 && sparse) continue;
      if (kind == 0) {
        fmt::format_to(std::back_inserter(line), " {}:0", f);
      } else if (kind == 1) {
        fmt::format_to(std::back_inserter(line), " {}:{}", f, rng.below(1000));
      } else {
        fmt::format_to(std::back_inserter(line), " {}:{:.6f}", f, rng.uniform() * 30);
      }
    }
    line.push_back('\n');
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  }
  return path;
}

void read_table() {
  fmt::print(
      "\n| file | size | values | Duel's reader | getline and stringstream | ratio | peak memory "
      "added | dense floats |\n|---|---|---|---|---|---|---|---|\n");
  struct Case {
    std::string name;
    std::uint64_t documents;
    std::uint64_t features;
    bool sparse;
  };
  for (const Case& c : {Case{"136 features, dense", 30000, 136, false},
                        Case{"700 features, sparse", 8000, 700, true}}) {
    const std::string path = make_file("duel_letor_bench.txt", c.documents, c.features, c.sparse);
    const double bytes = static_cast<double>(std::filesystem::file_size(path));
    reset_peak();
    const double before = resident("VmRSS");
    std::size_t dense = 0;
    const auto read = [&] {
      const auto queries = read_letor_file(path);
      dense = queries->feature_bytes();
      keep(queries);
    };
    read();
    const double added = resident("VmHWM") - before;
    const double ours = median_seconds(5, read);
    const double literal = median_seconds(1, [&] {
      std::ifstream in(path);
      const auto documents = read_letor_literally(in);
      keep(documents);
    });
    fmt::print(
        "| {} | {:.1f} MB | {:.1f} M | {:.3f} s ({:.0f} MB/s) | {:.2f} s ({:.0f} MB/s) | {:.1f} | "
        "{:.1f} MB | {:.1f} MB |\n",
        c.name, bytes / 1e6, static_cast<double>(dense) / 4e6, ours, bytes / 1e6 / ours, literal,
        bytes / 1e6 / literal, literal / ours, added, static_cast<double>(dense) / 1e6);
    std::filesystem::remove(path);
  }
}

void click_table() {
  fmt::print(
      "\n| user, list of 10, 5 grades | per list, sampled | per list, exact marginals |\n"
      "|---|---|---|\n");
  constexpr std::uint64_t kLists = 1'000'000;
  // Lists of random grades, many zeros as in data.
  std::vector<Grade> grades(10 * 1024);
  RoundRng rng = Stream(1, 0, Purpose::test, "grades").at(0);
  for (Grade& g : grades) g = static_cast<Grade>(std::min(rng.below(5), rng.below(5)));
  for (const std::string& name : click_model_catalogue().names()) {
    const auto model = *configure_click_model(name, 5);
    const Stream stream(1, 0, Purpose::test, "clicks");
    std::vector<Position> clicks;
    const double sampled = median_seconds(3, [&] {
      for (std::uint64_t i = 0; i < kLists; ++i) {
        RoundRng draws = stream.at(i);
        model->click(std::span(grades).subspan(10 * (i % 1024), 10), draws, clicks);
        keep(clicks);
      }
    });
    const double exact = median_seconds(3, [&] {
      for (std::uint64_t i = 0; i < kLists / 100; ++i) {
        keep(click_probabilities(*model, std::span(grades).subspan(10 * (i % 1024), 10)));
      }
    });
    fmt::print("| {} | {:.0f} ns ({:.1f} M/s) | {:.2f} us |\n", name,
               sampled / static_cast<double>(kLists) * 1e9,
               static_cast<double>(kLists) / sampled / 1e6,
               exact / (static_cast<double>(kLists) / 100) * 1e6);
  }
}

void measure_table() {
  const auto queries =
      make_synthetic({.queries = 500, .documents = 120, .features = 136, .seed = 1});
  const auto rankers = *resolve_rankers("features", queries);
  DocumentOrder order;
  std::vector<double> scores(120);
  std::vector<Grade> ranked;
  double score_seconds = 0;
  double order_seconds = 0;
  double measure_seconds = 0;
  double sum = 0;
  // Each step over all queries by itself, for the clock is too coarse for one.
  const double all = median_seconds(3, [&] {
    for (std::size_t q = 0; q < queries.num_queries(); ++q) {
      rankers[q % rankers.size()]->score(queries, q, scores);
      const auto grades = queries.grades(q);
      ranked.clear();
      for (const Document d : order.top(scores, 10)) ranked.push_back(grades[d]);
      sum += ndcg(ranked, grades, 10);
    }
  });
  score_seconds = median_seconds(3, [&] {
    for (std::size_t q = 0; q < queries.num_queries(); ++q) {
      rankers[q % rankers.size()]->score(queries, q, scores);
      keep(scores);
    }
  });
  order_seconds = median_seconds(3, [&] {
    for (std::size_t q = 0; q < queries.num_queries(); ++q) keep(order.top(scores, 10));
  });
  measure_seconds = median_seconds(3, [&] {
    for (std::size_t q = 0; q < queries.num_queries(); ++q) {
      sum += ndcg(ranked, queries.grades(q), 10);
    }
  });
  keep(sum);
  const auto each = static_cast<double>(queries.num_queries());
  fmt::print(
      "\n| a query of 120 documents | time |\n|---|---|\n| scores of one feature | {:.2f} us |\n"
      "| top 10 by score | {:.2f} us |\n| NDCG@10 with its ideal | {:.2f} us |\n| all three | "
      "{:.2f} us |\n",
      score_seconds / each * 1e6, order_seconds / each * 1e6, measure_seconds / each * 1e6,
      all / each * 1e6);
}

}  // namespace

void letor_workload() {
  read_table();
  click_table();
  measure_table();
}

}  // namespace duel
