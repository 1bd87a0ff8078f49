#include "duel/ranking/estimation/click_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "duel/core/options.h"
#include "duel/ranking/click_models/click_model_catalogue.h"
#include "duel/ranking/estimation/matrix_estimate.h"
#include "duel/ranking/interleaving/methods.h"
#include "duel/ranking/letor/judged_catalogue.h"
#include "duel/ranking/letor/ranker_catalogue.h"
#include "duel/truth/matrix_catalogue.h"

namespace duel {
namespace {

struct ClickEnvironmentOptions {
  std::string data;  // must be given
  std::string rankers = "features";
  std::string interleave = "probabilistic";
  std::string user = "navigational";
  std::uint64_t length = 10;
  // exact: the exact matrix is the truth that regret is counted against, or an error; auto: the
  // same where it can be had in seconds (kMostAutomaticWork), otherwise none; none: no truth; else
  // a preference matrix of the rankers, such as `duel estimate --ties
  // answered` writes.
  std::string truth = "auto";
};

template <class T>
Result<T> of_option(const char* option, Result<T> result) {
  if (result.ok()) return result;
  Error error = result.error();
  error.where = fmt::format("option '{}' of environment 'clicks'{}{}", option,
                            error.where.empty() ? "" : ", ", error.where);
  return error;
}

Result<PreferenceMatrix> named_truth(const std::string& text,
                                     const std::vector<std::string>& rankers) {
  DUEL_ASSIGN(PreferenceMatrix matrix, of_option("truth", resolve_matrix(text)));
  if (matrix.arm_names() != rankers) {
    return Error::invalid_data(
        fmt::format("the arms of '{}' are not the rankers, by name and order", text),
        "option 'truth' of environment 'clicks'",
        fmt::format("{} rankers, the first is '{}'", rankers.size(), rankers.front()));
  }
  return matrix;
}

}  // namespace

// A draw depends on the seed, the trial, the pair and how often it met.
class ClickOutcomes final : public OutcomeSource {
 public:
  ClickOutcomes(std::shared_ptr<ClickEnvironment> environment, std::uint64_t seed,
                std::uint32_t trial)
      : environment_(std::move(environment)),
        comparison_(environment_->queries_, environment_->setting_, environment_->lists_),
        key_(mix64(mix64(seed) ^ static_cast<std::uint64_t>(Purpose::impression))),
        trial_(trial) {}

  Outcome answer(Arm low, Arm high, std::uint32_t meeting) override {
    const std::uint64_t pair = std::uint64_t{high} << 32 | low;
    RoundRng rng(mix64(key_ ^ pair), trial_, meeting);
    const ClickOutcome outcome = comparison_.draw(low, high, rng);
    if (outcome == ClickOutcome::no_contest && are_alike(low, high)) return Outcome::tie;
    return as_answer(outcome);
  }

 private:
  // Whether the two show the same for every query. Asked of a pair once.
  bool are_alike(Arm low, Arm high) {
    const auto [known, is_new] = alike_.try_emplace(std::uint64_t{high} << 32 | low, true);
    const RankedQueries& queries = environment_->queries_;
    for (std::size_t query = 0; is_new && known->second && query < queries.num_queries(); ++query) {
      known->second = std::ranges::equal(queries.top(low, query), queries.top(high, query));
    }
    return known->second;
  }

  std::shared_ptr<ClickEnvironment> environment_;
  ClickComparison comparison_;
  std::uint64_t key_;
  std::uint32_t trial_;
  std::unordered_map<std::uint64_t, bool> alike_;  // by pair
};

Result<std::shared_ptr<ClickEnvironment>> ClickEnvironment::create(const CallSpec& call,
                                                                   unsigned threads) {
  using Options = ClickEnvironmentOptions;
  static const auto table =
      OptionTable<Options>()
          .text("data", &Options::data, "judged queries: a LETOR file or synthetic(..)")
          .text("rankers", &Options::rankers, "features, feature(index=..), or a file of rankers")
          .text("interleave", &Options::interleave, "how the lists are merged")
          .text("user", &Options::user, "the click model")
          .count("length", &Options::length, 1, 1000, "documents shown")
          .text("truth", &Options::truth,
                "what regret is counted against: auto, exact, none, or a matrix of the rankers");
  DUEL_ASSIGN(const Options options, table.parse(call, {}, "environment"));
  if (options.data.empty()) {
    return Error::invalid_argument("environment 'clicks' has no data")
        .with_hint("write clicks(data=FILE) or clicks(data=synthetic(queries=200,features=10))");
  }
  DUEL_ASSIGN(const JudgedQueries data, of_option("data", resolve_judged_queries(options.data)));
  DUEL_ASSIGN(const Rankers rankers, of_option("rankers", resolve_rankers(options.rankers, data)));
  ClickSetting setting;
  DUEL_ASSIGN(setting.method, of_option("interleave", configure_interleaver(options.interleave)));
  DUEL_ASSIGN(setting.user,
              of_option("user", configure_click_model(options.user, data.num_grades())));
  DUEL_ASSIGN(
      RankedQueries queries,
      RankedQueries::create(data, rankers, static_cast<std::size_t>(options.length), threads));
  std::shared_ptr<ClickEnvironment> environment(new ClickEnvironment(
      table.canonical(std::string(kName), options), std::move(queries), std::move(setting)));

  const std::vector<std::string>& names = environment->queries_.names();
  const std::size_t work =
      names.size() * (names.size() - 1) / 2 * environment->queries_.num_queries();
  const bool automatic = options.truth == "auto";
  if (options.truth == "exact" || (automatic && work <= kMostAutomaticWork)) {
    const EstimatePlan plan{.ties = TieShare::answered, .threads = threads, .name = "exact"};
    auto exact = exact_matrix(environment->queries_, environment->setting_, plan);
    if (exact.ok()) {
      environment->truth_ = std::move(exact->matrix);
    } else if (!automatic || exact.error().code != ErrorCode::unsupported) {
      return of_option("truth", Result<std::shared_ptr<ClickEnvironment>>(exact.error()));
    }
  } else if (!automatic && options.truth != "none") {
    DUEL_ASSIGN(environment->truth_, named_truth(options.truth, names));
  }
  return environment;
}

std::vector<Arm> ClickEnvironment::best_by_judgement() const {
  std::vector<double> ndcg;
  for (std::size_t r = 0; r < queries_.num_rankers(); ++r) ndcg.push_back(queries_.mean_ndcg(r));
  const double best = *std::max_element(ndcg.begin(), ndcg.end());
  std::vector<Arm> arms;
  for (Arm arm = 0; arm < ndcg.size(); ++arm) {
    if (ndcg[arm] == best) arms.push_back(arm);
  }
  return arms;
}

std::uint64_t ClickEnvironment::fingerprint() const {
  std::uint64_t hash = hash_text(canonical_ + "\n" + setting_.user->canonical());
  const auto add = [&](std::uint64_t value) { hash = mix64(hash ^ value); };
  for (const std::string& name : queries_.names()) add(hash_text(name));
  for (std::size_t query = 0; query < queries_.num_queries(); ++query) {
    for (std::size_t ranker = 0; ranker < queries_.num_rankers(); ++ranker) {
      for (const Document document : queries_.top(ranker, query)) add(document);
    }
    for (const Grade grade : queries_.grades(query)) add(grade);
  }
  return hash;
}

std::unique_ptr<OutcomeSource> ClickEnvironment::outcomes(
    std::shared_ptr<ClickEnvironment> environment, std::uint64_t seed, std::uint32_t trial) {
  return std::make_unique<ClickOutcomes>(std::move(environment), seed, trial);
}

}  // namespace duel
