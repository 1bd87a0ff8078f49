#include "duel/experiment/tuned_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "duel/core/check.h"
#include "duel/core/rng.h"
#include "duel/experiment/heard.h"

namespace duel {
namespace {

constexpr std::string_view kDefault = "default";
constexpr std::size_t kMostKnown = 4096;
constexpr std::size_t kMostSearched = 40;
constexpr std::size_t kMostTried = 200;
constexpr std::size_t kMostOfPath = 400;

Error unfit_for_space(std::string message, std::string hint, std::string_view field) {
  return Error::unsupported(std::move(message)).with_hint(std::move(hint)).in_field(field);
}

// What makes no sense where points are compared, with the reason.
Status check_rest(const ExperimentRecord& experiment) {
  const ServiceRule& service = experiment.service;
  if (!experiment.arms.empty()) {
    return unfit_for_space("an experiment compares arms or the points of a space",
                           "leave one of them out", "arms");
  }
  if (experiment.goal != Goal(Goal::condorcet)) {
    return unfit_for_space("of a space it is certified that a point beats the one in use",
                           "leave it out", "goal");
  }
  if (experiment.about == Audience::these_people) {
    return unfit_for_space("a space is not tuned for a panel", "people_like_these", "about");
  }
  if (experiment.comparisons_count || experiment.one_look_after > 0) {
    return unfit_for_space("comparisons made elsewhere prove nothing about a point",
                           "leave them out", "comparisons_count");
  }
  if (experiment.stopping.min_decisive_per_pair > 0) {
    return unfit_for_space("a candidate is certified by its evidence alone", "leave it out",
                           "stopping.min_decisive_per_pair");
  }
  if (experiment.aa_rate > 0) {
    return unfit_for_space("no point is shown against itself", "leave it out", "aa_rate");
  }
  if (service.guardrails.explore_floor > 0) {
    return unfit_for_space("the learner of a space explores by itself", "leave it out",
                           "guardrails.explore_floor");
  }
  if (service.on_certified == OnCertified::exploit) {
    return unfit_for_space("a certified point is not shown alone", "notify, adopt or complete",
                           "service.on_certified");
  }
  if (service.interleave.method != Drafting::team_draft &&
      service.interleave.method != Drafting::probabilistic) {
    return unfit_for_space("two points are compared at a time", "team_draft or probabilistic",
                           "service.interleave.method");
  }
  const double share = experiment.space.prove_tasks;
  if (!(share > 0 && share < 1)) {
    return Error::invalid_argument(fmt::format("{} is out of range", share), "space.prove_tasks",
                                   "above 0 and below 1")
        .in_field("space.prove_tasks");
  }
  return Done{};
}

}  // namespace

std::string TunedPoint::id_of(std::uint64_t ordinal) {
  return ordinal == 0 ? std::string(kDefault) : fmt::format("p{}", ordinal);
}

Result<TunedSpace> TunedSpace::make(const ExperimentRecord& experiment) {
  DUEL_RETURN_IF_ERROR(check_rest(experiment));
  DUEL_ASSIGN(Space space, Space::from_json(experiment.space.dimensions));
  return TunedSpace(std::make_shared<const Space>(std::move(space)), experiment);
}

TunedSpace::TunedSpace(SpacePtr space, const ExperimentRecord& experiment)
    : space_(std::move(space)),
      proof_(experiment.stopping.alpha, experiment.service.on_certified == OnCertified::adopt),
      adopts_(experiment.service.on_certified == OnCertified::adopt),
      about_(experiment.tasks.about),
      prove_tasks_(experiment.space.prove_tasks),
      seed_(experiment.seed),
      in_use_{0, space_->values_in_use()} {
  path_.push_back({0, in_use_.values, 0});
}

std::optional<TunedSpace::Spread> TunedSpace::spread() const {
  if (searched_.empty()) return std::nullopt;
  Spread spread;
  const std::size_t n = searched_.size();
  // Of fewer than four there is no middle half.
  const std::size_t cut = n / 4;
  for (std::size_t k = 0; k < space_->size(); ++k) {
    std::vector<double> values;
    for (const std::vector<double>& point : searched_) values.push_back(point[k]);
    std::ranges::sort(values);
    spread.low.push_back(values[cut]);
    spread.high.push_back(values[n - 1 - cut]);
  }
  return spread;
}

std::uint64_t TunedSpace::ordinal_of(const std::vector<double>& values) const {
  if (values == in_use_.values) return in_use_.ordinal;
  if (candidate_.ordinal != 0 && values == candidate_.values) return candidate_.ordinal;
  const auto found = known_.find(values);
  return found == known_.end() ? next_ordinal_ : found->second;
}

std::pair<std::uint64_t, std::uint64_t> TunedSpace::ordinals_of(
    const std::vector<double>& first, const std::vector<double>& second) const {
  const std::uint64_t one = ordinal_of(first), two = ordinal_of(second);
  // Two new ones are numbered as they are shown.
  if (one == next_ordinal_ && two == next_ordinal_ && first != second) return {one, two + 1};
  return {one, two};
}

std::optional<std::uint64_t> TunedSpace::ordinal_of_id(std::string_view id) {
  if (id == kDefault) return 0;
  if (id.size() < 2 || id.front() != 'p' || id[1] == '0') return std::nullopt;
  std::uint64_t ordinal = 0;
  const auto [end, failed] = std::from_chars(id.data() + 1, id.data() + id.size(), ordinal);
  if (failed != std::errc() || end != id.data() + id.size()) return std::nullopt;
  return ordinal;
}

std::pair<Arm, Arm> TunedSpace::roles_of(const ServeRecord& serve) const {
  using namespace point_role;
  if (candidate_.ordinal != 0) {
    const std::string in_use = in_use_.id(), candidate = candidate_.id();
    if (serve.first == candidate && serve.second == in_use) return {kCandidate, kInUse};
    if (serve.first == in_use && serve.second == candidate) return {kInUse, kCandidate};
  }
  return {kSearched, kSearchedToo};
}

std::array<ArmEntry, point_role::kAll> TunedSpace::entries() const {
  using namespace point_role;
  std::array<ArmEntry, kAll> entries;
  const auto name = [&](Arm role, const TunedPoint& point) {
    entries[role].id = point.id();
    entries[role].content = space_->payload(point.values);
  };
  name(kInUse, in_use_);
  entries[kCandidate].id = "candidate";
  if (candidate_.ordinal != 0) name(kCandidate, candidate_);
  entries[kSearched].id = "searched";
  entries[kSearchedToo].id = "searched-too";
  entries[kCertified].id = "certified";
  entries[kBeaten].id = "beaten";
  if (proof_.ever_certified()) {
    name(kCertified, certified_);
    name(kBeaten, beaten_);
  }
  return entries;
}

bool TunedSpace::is_for_proofs(std::string_view task) const {
  return RoundRng(Stream(seed_, 0, Purpose::choice, "live/prove-task").at(hash_text(task)))
      .bernoulli(prove_tasks_);
}

Result<std::vector<double>> TunedSpace::values_of(const Json& point, std::string_view field) const {
  auto values = space_->values_of(point);
  if (values.ok()) return values;
  Error error = values.error();
  error.code = ErrorCode::invalid_data;
  error.field = error.field.empty() ? std::string(field) : fmt::format("{}.{}", field, error.field);
  return error;
}

Status TunedSpace::check(const ServeRecord& record) const {
  DUEL_ASSIGN(const std::vector<double> first, values_of(record.first_point, "first_point"));
  DUEL_ASSIGN(const std::vector<double> second, values_of(record.second_point, "second_point"));
  if (record.serving != Serving::explore) {
    return unfit_record(fmt::format("points are served as '{}'", to_word(record.serving)),
                        "explore");
  }
  if (first == second) return unfit_record("a point is served against itself");
  const auto [one, two] = ordinals_of(first, second);
  for (const auto& [id, ordinal] : {std::pair(record.first, one), std::pair(record.second, two)}) {
    if (id == TunedPoint::id_of(ordinal)) continue;
    return unfit_record(fmt::format("the point '{}' is '{}' here", id, TunedPoint::id_of(ordinal)),
                        "one id for one point, in the order in which they are served");
  }
  return Done{};
}

Status TunedSpace::check(const CandidateRecord& record) const {
  DUEL_ASSIGN(const std::vector<double> values, values_of(record.point, "point"));
  if (proof_.stands()) return unfit_record("a candidate is taken while another one stands");
  if (record.generation != proof_.generation() || record.number != proof_.candidate() + 1) {
    return unfit_record(fmt::format("candidate {} of generation {} comes after {} of {}",
                                    record.number, record.generation, proof_.candidate(),
                                    proof_.generation()));
  }
  if (values == in_use_.values) return unfit_record("the point in use is its own candidate");
  if (record.level != proof_.level(record.number)) {
    return unfit_record(
        fmt::format("the level of candidate {} is {}", record.number, proof_.level(record.number)),
        "alpha / (m (m + 1)), of the generation's alpha");
  }
  const std::string id = TunedPoint::id_of(ordinal_of(values));
  if (record.point_id == id) return Done{};
  return unfit_record(fmt::format("the point '{}' is '{}' here", record.point_id, id));
}

Status TunedSpace::check(const GivenUpRecord& record) const {
  if (record.reason != "beaten" && record.reason != "better_guess") {
    return unfit_record(fmt::format("'{}' is no reason to give a candidate up", record.reason),
                        "beaten or better_guess");
  }
  if (proof_.stands() && record.number == proof_.candidate()) return Done{};
  return unfit_record(fmt::format("candidate {} does not stand", record.number));
}

Status TunedSpace::check(const RecommendedRecord& record) const {
  DUEL_RETURN_IF_ERROR(values_of(record.point, "point"));
  return Done{};
}

// A point was found by the answers before it was frozen, and these must not prove it. The subject's
// part is decided when it is served: `evidence` is false for who was asked before.
Status TunedSpace::admits(const ServeRecord& serve) const {
  const auto [first, second] = roles_of(serve);
  if (first == point_role::kSearched || !proof_.stands()) {
    return Error::invalid_data(
               fmt::format("the duel '{}' is to count, but no candidate meets the point in use",
                           serve.duel_id))
        .with_hint("evidence: false");
  }
  if (serve.task.empty() || about_ == TaskScope::these_tasks || !has_met(serve.task)) return Done{};
  return Error::invalid_data(
             fmt::format("a duel was about the task '{}' before, and it is to count", serve.task))
      .with_hint("a task is evidence once, and only if the search has not met it");
}

void TunedSpace::know(std::uint64_t ordinal, const std::vector<double>& values) {
  if (ordinal == in_use_.ordinal || !known_.emplace(values, ordinal).second) return;
  next_ordinal_ = std::max(next_ordinal_, ordinal + 1);
  known_order_.push_back(values);
  if (known_order_.size() <= kMostKnown) return;
  known_.erase(known_order_.front());
  known_order_.pop_front();
}

void TunedSpace::served(const ServeRecord& serve) {
  const std::vector<double> first = space_->values_of(serve.first_point).value();
  const std::vector<double> second = space_->values_of(serve.second_point).value();
  const bool searches = roles_of(serve).first == point_role::kSearched;
  const auto [one, two] = ordinals_of(first, second);
  know(one, first);
  know(two, second);
  if (!serve.task.empty() && about_ == TaskScope::tasks_like_these) met_.insert(serve.task);
  if (!searches) return;
  searched_.push_back(first);
  searched_.push_back(second);
  while (searched_.size() > kMostSearched) searched_.pop_front();
}

std::uint64_t TunedSpace::place_of(const ServeRecord& serve) {
  return proof_.served(roles_of(serve).first == point_role::kCandidate);
}

void TunedSpace::take(const CandidateRecord& record) {
  const std::vector<double> values = space_->values_of(record.point).value();
  const std::uint64_t ordinal = ordinal_of(values);
  know(ordinal, values);
  candidate_ = {ordinal, values};
  proof_.take();
}

void TunedSpace::tried(std::string reason) {
  tried_.push_back({proof_.candidate(), proof_.generation(), candidate_, proof_.wins(),
                    proof_.losses(), std::move(reason)});
  if (tried_.size() > kMostTried) tried_.erase(tried_.begin());
}

void TunedSpace::give_up(const GivenUpRecord& record) {
  tried(record.reason);
  proof_.give_up();
}

void TunedSpace::recommend(const RecommendedRecord& record, std::uint64_t served_before) {
  Recommendation next{served_before, space_->values_of(record.point).value(), record.sureness};
  // The last is always there; of those before it every `path_step_`-th.
  if (last_is_in_passing_) path_.pop_back();
  path_.push_back(std::move(next));
  last_is_in_passing_ = ++recommendations_ % path_step_ != 0;
  if (path_.size() <= kMostOfPath) return;
  std::vector<Recommendation> thinned;
  for (std::size_t k = 0; k + 1 < path_.size(); k += 2) thinned.push_back(std::move(path_[k]));
  thinned.push_back(std::move(path_.back()));
  path_ = std::move(thinned);
  path_step_ *= 2;
  last_is_in_passing_ = recommendations_ % path_step_ != 0;
}

std::optional<Decision> TunedSpace::decide() {
  if (!proof_.certified() || decided_ == proof_.candidates()) return std::nullopt;
  decided_ = proof_.candidates();
  certified_ = candidate_;
  beaten_ = in_use_;
  findings_ = {PairFinding{.winner = point_role::kCertified,
                           .loser = point_role::kBeaten,
                           .wins = proof_.wins(),
                           .losses = proof_.losses(),
                           .log_evidence = proof_.certified_log_evidence(),
                           .log_threshold = proof_.log_threshold(),
                           .wins_then = proof_.wins(),
                           .losses_then = proof_.losses()}};
  tried("certified");
  return Decision{CertificateKind::point, point_role::kCertified, {}};
}

void TunedSpace::recorded() {
  if (!adopts_) return;
  proof_.adopt();
  in_use_ = certified_;
  candidate_ = {};
}

std::uint64_t TunedSpace::hash(std::uint64_t hash) const {
  for (const std::uint64_t value :
       {proof_.generation(), proof_.candidates(), std::uint64_t{proof_.stands()}, proof_.wins(),
        proof_.losses(), in_use_.ordinal, candidate_.ordinal, next_ordinal_,
        std::uint64_t{path_.size()}, std::uint64_t{met_.size()}}) {
    hash = mix64(hash ^ value);
  }
  return hash;
}

}  // namespace duel
