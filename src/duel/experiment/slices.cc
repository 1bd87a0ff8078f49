#include "duel/experiment/slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "duel/core/id.h"

namespace duel {
namespace {

Error unfit(std::string what) {
  return Error::invalid_argument(std::move(what)).in_field("slices");
}

// A settled duel of a part is never asked for again.
class NoneSettled final : public SettledDuels {
 public:
  void add(std::string_view /*duel_id*/, const LedgerDuel& /*duel*/) override {}
  Result<std::optional<LedgerDuel>> find(std::string_view /*duel_id*/,
                                         std::uint64_t /*before*/) const override {
    return std::optional<LedgerDuel>();
  }
  bool guards_ids() const override { return false; }
};

bool is_declared(const Slices& slices, std::string_view name, std::string_view value) {
  const auto slice = std::ranges::find(slices, name, [](const auto& one) { return one.first; });
  return slice != slices.end() && std::ranges::find(slice->second, value) != slice->second.end();
}

// The value of a duel that counts: `other` for what was not declared.
std::string_view value_of(const Slices& slices, const SliceValues& values, std::string_view name) {
  for (const auto& [slice, value] : values) {
    if (slice == name && is_declared(slices, name, value)) return value;
  }
  return kOtherValue;
}

}  // namespace

std::size_t num_values(const Slices& slices) {
  std::size_t values = 0;
  for (const auto& slice : slices) values += slice.second.size();
  return values;
}

double alpha_of_each(double alpha, std::size_t statements) {
  if (statements <= 1 || !(alpha > 0)) return alpha;
  constexpr double kFourDigits = 1000;
  constexpr double kSlack = 1e-12;  // of a quotient that is short, but for its last bit
  const double each = alpha / static_cast<double>(statements);
  double scale = 1;  // a power of 10
  while (each * scale < kFourDigits) scale *= 10;
  return std::floor(each * scale * (1 + kSlack)) / scale;
}

Status check_slices(const ExperimentRecord& experiment) {
  const Slices& slices = experiment.slices;
  if (slices.empty()) return Done{};
  if (experiment.about == Audience::these_people) {
    return unfit("a panel has no slices: it counts, at no error level that could be divided");
  }
  if (experiment.audit.on() || !experiment.space.dimensions.is_null()) {
    return unfit(experiment.audit.on() ? "an audited experiment has no slices"
                                       : "slices are for arms, not for points of a space");
  }
  if (slices.size() > kMostSlices) {
    return unfit(
        fmt::format("there are {} slices, and {} are allowed", slices.size(), kMostSlices));
  }
  if (num_values(slices) > kMostSliceValues) {
    return unfit(fmt::format("the slices have {} values together, and {} are allowed",
                             num_values(slices), kMostSliceValues));
  }
  std::set<std::string_view> names;
  for (const auto& [name, values] : slices) {
    DUEL_RETURN_IF_ERROR(check_id("a slice", name));
    if (!names.insert(name).second)
      return unfit(fmt::format("the slice '{}' is there twice", name));
    if (values.empty()) return unfit(fmt::format("the slice '{}' has no values", name));
    std::set<std::string_view> known{kOtherValue};
    for (const std::string& value : values) {
      DUEL_RETURN_IF_ERROR(check_id("a value of a slice", value));
      if (!known.insert(value).second) {
        return unfit(value == kOtherValue
                         ? fmt::format("the value '{}' of the slice '{}' is taken: it is that of "
                                       "duels without a declared one",
                                       value, name)
                         : fmt::format("the slice '{}' has the value '{}' twice", name, value));
      }
    }
  }
  return Done{};
}

Status check_slice_values(const Slices& slices, const SliceValues& values) {
  std::set<std::string_view> named;
  for (const auto& [name, value] : values) {
    if (std::ranges::find(slices, name, [](const auto& one) { return one.first; }) ==
        slices.end()) {
      return unfit(fmt::format("the experiment has no slice '{}'", name));
    }
    if (!named.insert(name).second)
      return unfit(fmt::format("the slice '{}' is named twice", name));
    DUEL_RETURN_IF_ERROR(check_id("a value of a slice", value));
  }
  return Done{};
}

Result<SliceLedgers> SliceLedgers::make(const ExperimentRecord& experiment) {
  SliceLedgers made;
  made.declared_ = experiment.slices;
  ExperimentRecord part = experiment;
  part.slices.clear();
  part.stopping.max_duels = 0;  // of the whole
  part.stopping.alpha = alpha_of_each(part.stopping.alpha, num_values(experiment.slices));
  const auto add = [&](const std::string& slice, std::string_view value) -> Status {
    DUEL_ASSIGN(Ledger ledger, Ledger::make(part, std::make_unique<NoneSettled>()));
    made.parts_.push_back({slice, std::string(value), std::move(ledger)});
    return Done{};
  };
  for (const auto& [slice, values] : experiment.slices) {
    for (const std::string& value : values) DUEL_RETURN_IF_ERROR(add(slice, value));
  }
  part.stopping.min_decisive_per_pair = std::numeric_limits<std::uint64_t>::max();
  for (const auto& slice : experiment.slices) {
    DUEL_RETURN_IF_ERROR(add(slice.first, kOtherValue));
  }
  return made;
}

void SliceLedgers::note(const LogEntry& entry) {
  const auto* serve = std::get_if<ServeRecord>(&entry.record);
  const auto* outcome = std::get_if<OutcomeRecord>(&entry.record);
  const auto* expired = std::get_if<ExpiredRecord>(&entry.record);
  const bool concerns_all = !serve && !outcome && !expired &&
                            !std::holds_alternative<ComparisonRecord>(entry.record) &&
                            !std::holds_alternative<CertifiedRecord>(entry.record);
  for (Part& part : parts_) {
    const bool concerns = concerns_all ||
                          (serve && value_of(declared_, serve->slices, part.slice) == part.value) ||
                          (outcome && part.ledger.find_open(outcome->duel_id) != nullptr) ||
                          (expired && part.ledger.find_open(expired->duel_id) != nullptr);
    if (concerns) {
      part.ledger.take(entry);
    } else {
      part.ledger.pass(entry);
    }
  }
}

}  // namespace duel
