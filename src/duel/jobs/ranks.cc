#include "duel/jobs/ranks.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace duel {
namespace {

thread_local Ranks* current = nullptr;

// What is said at a meeting begins with one of these.
constexpr char kStep = 's';
constexpr char kEnd = 'e';

std::optional<int> end_code(const std::string& said) {
  if (said.empty() || said.front() != kEnd) return std::nullopt;
  int code = 1;
  std::from_chars(said.data() + 1, said.data() + said.size(), code);
  return code;
}

}  // namespace

Result<std::vector<std::string>> Ranks::meet(const std::string& place, const std::string& said) {
  const Error ended = Error::unsupported("another rank has ended");
  if (farewell_) return ended;
  const std::string here = kStep + place + '\n';
  std::vector<std::string> all = transport_.gather(here + said);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto code = end_code(all[rank]);
    if (!code) continue;
    // One that ended well while others are at work has taken another path: that is an error too,
    // and the first of those who notice says so.
    bool noticed_first = *code == 0;
    for (std::size_t other = 0; other < this->rank() && noticed_first; ++other) {
      noticed_first = end_code(all[other]).has_value();
    }
    farewell_ = Farewell{*code == 0 ? 1 : *code, noticed_first};
    return Error::unsupported(fmt::format("rank {} has ended while others are at work", rank));
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].starts_with(here)) {
      return Error::unsupported(
          fmt::format("rank {} has other work to do than rank {}", rank, this->rank()), "",
          "all ranks need the same program, options and input files");
    }
    all[rank].erase(0, here.size());
  }
  return all;
}

Ranks::Farewell Ranks::leave(int code) {
  if (farewell_) return *farewell_;
  const std::vector<std::string> all = transport_.gather(fmt::format("{}{}", kEnd, code));
  Farewell farewell{code, false};
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    const int theirs = end_code(all[rank]).value_or(0);
    if (theirs == 0) continue;
    farewell = {theirs, rank == transport_.rank()};
    break;
  }
  farewell_ = farewell;
  return farewell;
}

Ranks* current_ranks() { return current; }

RanksScope::RanksScope(Ranks& ranks) : before_(std::exchange(current, &ranks)) {}
RanksScope::~RanksScope() { current = before_; }

bool is_first_rank() { return current == nullptr || current->is_first(); }

Result<std::string> from_first_rank(std::string mine) {
  if (current == nullptr) return mine;
  DUEL_RETURN_IF_ERROR(current->meet("what rank 0 knows"));
  return current->transport().broadcast(std::move(mine));
}

}  // namespace duel
