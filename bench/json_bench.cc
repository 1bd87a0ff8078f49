// JSON that a caller sends: what a member costs must not depend on how many there are.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <string>
#include <vector>

#include "bench/workloads.h"
#include "duel/core/check.h"
#include "duel/core/json.h"
#include "duel/http/http.h"
#include "duel/wire/received_body.h"
#include "duel/wire/requests.h"

namespace duel {
namespace {

constexpr std::array<std::size_t, 3> kMembers = {500, 5'000, 50'000};

// An object with so many members, in no order.
std::string object_of(std::size_t count) {
  std::string text = "{";
  for (std::size_t k = 0; k < count; ++k) {
    text += fmt::format("{}\"m{}\":{}", k == 0 ? "" : ",", k * 7919 % count, k);
  }
  return text + "}";
}

// The median of five runs of 500 000 members each, in nanoseconds of CPU time per member.
template <class Work>
double per_member(std::size_t count, const Work& work) {
  constexpr std::size_t kRuns = 5, kAtOnce = 500'000;
  std::vector<double> times;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::clock_t start = std::clock();
    for (std::size_t k = 0; k < kAtOnce / count; ++k) work();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    times.push_back(seconds * 1e9 / static_cast<double>(kAtOnce / count * count));
  }
  std::ranges::nth_element(times, times.begin() + kRuns / 2);
  return times[kRuns / 2];
}

template <class MakeWork>
void print_row(const std::string& name, const MakeWork& make_work) {
  fmt::print("| {} |", name);
  for (const std::size_t count : kMembers) {
    fmt::print(" {:.0f} |", per_member(count, make_work(object_of(count))));
  }
  fmt::print("\n");
}

}  // namespace

void json_workload() {
  fmt::print("\n## One object of so many members, ns per member\n\n");
  fmt::print("| |");
  for (const std::size_t count : kMembers) fmt::print(" {} |", count);
  fmt::print("\n|---|---|---|---|\n");
  print_row("parse", [](const std::string& text) {
    return [text] { DUEL_CHECK(Json::parse(text).has_value()); };
  });
  print_row("parse, names must differ", [](const std::string& text) {
    return [text] { DUEL_CHECK(Json::parse(text, {.names_differ = true}).has_value()); };
  });
  print_row("read a body: every member is unknown", [](const std::string& text) {
    return [json = Json::parse(text).value()] {
      ServerAnswer refused;
      DUEL_CHECK(!read_body<DuelBody>(json, UnknownFields::refused, refused));
    };
  });
  print_row("compare with another order", [](const std::string& text) {
    Json one = Json::parse(text).value();
    Json::Object backwards(one.members().rbegin(), one.members().rend());
    return [one = std::move(one), other = Json(std::move(backwards))] { DUEL_CHECK(one == other); };
  });
  print_row("copy and update", [](const std::string& text) {
    return [json = Json::parse(text).value()] {
      Json both = json;
      both.update(json);
      DUEL_CHECK(both.size() == json.size());
    };
  });
  print_row("write", [](const std::string& text) {
    return [json = Json::parse(text).value()] { DUEL_CHECK(!json.dump().empty()); };
  });
  print_row("refuse at 100 members", [](const std::string& text) {
    return [text] { DUEL_CHECK(!Json::parse(text, {.values = 100})); };
  });
}

}  // namespace duel
