// People audit a judge: what that saves of people's answers until one of two arms is certified. The
// method is our own (docs/certificates.md), after the doubly robust estimates of prediction-powered
// inference (Angelopoulos et al. 2023); the numbers beside ours are of an independent
// implementation. The votes of the second part are those of Chatzi et al. (NeurIPS 2024): three
// language models were asked about battles of a public arena on which people had voted.
#include <cmath>
#include <optional>

#include "duel/core/rng.h"
#include "duel/core/whole_file.h"
#include "duel/reproduction/reproduction.h"
#include "duel/study/audit_replay.h"

namespace duel {
namespace {

// --- settings, and what another implementation found ---------------------------------------------

// Two arms, people 60 : 40. The median of people's answers until the certificate, of 4000 runs.
constexpr std::array<double, 3> kShares = {0.05, 0.1, 0.3};
constexpr double kPeopleAlone = 223;
struct AgreementRow {
  double agreement;
  std::array<double, kShares.size()> found;  // by share
};
constexpr AgreementRow kAgreements[] = {
    {0.5, {223, 227, 230}}, {0.8, {148, 149, 153}}, {0.9, {96, 100, 119}}, {0.95, {74, 77, 93}}};
// The standard error of such a median of 2000 runs is below 2 %, theirs included.
constexpr double kRoomOfMedian = 0.08;

// The arena. Geometric means over the ten pairs with the most battles, 600 runs each.
constexpr std::array<double, 3> kArenaShares = {0.05, 0.1, 0.2};
struct Model {
  const char* column;
  const char* name;
  std::array<const char*, kArenaShares.size()> found;
};
constexpr std::array<Model, 3> kModels = {{{"gpt4", "GPT-4", {"-", ".96", ".97"}},
                                           {"claude3opus", "Claude 3 Opus", {"-", "1.02", "1.01"}},
                                           {"gpt35", "GPT-3.5", {"-", "1.02", "1.00"}}}};
constexpr std::size_t kPairsOfArena = 20;
constexpr std::size_t kPairsOfOthers = 10;
// A pair counts in a mean if nearly all of its runs are certified before they are given up.
constexpr double kNearlyAll = 0.99;
constexpr const char* kNeeds =
    "--data FILE: votes of people and models on the same battles, as CSV with the columns model_a, "
    "model_b, human, gpt4, claude3opus and gpt35 (a, b, t, tie (bothbad)). They are public: "
    "github.com/Networks-Learning/prediction-powered-ranking, data/*.json, joined by question_id";

// --- what is played ------------------------------------------------------------------------------

struct AuditCell {
  std::string name;  // of its random stream
  const std::vector<JudgedBattle>* battles;
  double share;
};

// Answers of people after which a run is given up.
std::uint64_t most_people(const ReproductionContext& context) {
  return context.size<std::uint64_t>(500, 4000);
}

// The runs of each cell.
Result<std::vector<std::vector<AuditReplay>>> play_cells(const ReproductionContext& context,
                                                         const std::vector<AuditCell>& cells,
                                                         std::uint32_t trials,
                                                         const std::string& step) {
  DUEL_ASSIGN(const std::vector<AuditReplay> all,
              run_each<AuditReplay>(
                  context, cells.size() * trials, step,
                  [&](std::uint64_t job, const auto& stop, AuditReplay& out) {
                    const AuditCell& cell = cells[job % cells.size()];
                    const auto trial = static_cast<std::uint32_t>(job / cells.size());
                    const Stream stream(context.seed, trial, Purpose::outcome, cell.name);
                    out = replay_audits(*cell.battles,
                                        {.share = cell.share, .most_people = most_people(context)},
                                        stream.at(0));
                    return !stop.load(std::memory_order_relaxed);
                  }));
  std::vector<std::vector<AuditReplay>> runs(cells.size());
  for (std::size_t job = 0; job < all.size(); ++job) runs[job % cells.size()].push_back(all[job]);
  return runs;
}

std::vector<double> people_of(const std::vector<AuditReplay>& runs) {
  std::vector<double> people;
  for (const AuditReplay& run : runs) people.push_back(static_cast<double>(run.people));
  return people;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// --- two arms ------------------------------------------------------------------------------------

// A thousand answers, of which people's are 60 : 40 and the judge's agree in this share.
std::vector<JudgedBattle> agreeing(double agreement) {
  std::vector<JudgedBattle> battles;
  for (const double people : {1.0, -1.0}) {
    const int of_people = people > 0 ? 600 : 400;
    const auto agreed = static_cast<int>(std::lround(agreement * of_people));
    for (int k = 0; k < of_people; ++k) battles.push_back({people, k < agreed ? people : -people});
  }
  return battles;
}

Status play_two_arms(const ReproductionContext& context, Reproduction& out) {
  const std::uint32_t trials = context.size(100U, 2000U);
  std::deque<std::vector<JudgedBattle>> battles;
  std::vector<AuditCell> cells;
  for (const AgreementRow& row : kAgreements) {
    battles.push_back(agreeing(row.agreement));
    if (cells.empty()) cells.push_back({"people alone", &battles.back(), 1});
    for (const double share : kShares) {
      cells.push_back({fmt::format("{} at {}", row.agreement, share), &battles.back(), share});
    }
  }
  DUEL_ASSIGN(const auto runs, play_cells(context, cells, trials, "two arms"));
  TidyTable& table = out.add_table("two-arms", "agreement,share", "median,another");
  std::size_t cell = 0;
  const auto compare = [&](const std::string& claim, const std::string& agreement, double found) {
    const std::vector<double> people = people_of(runs[cell]);
    const double median = median_of(people);
    table.add({agreement, cells[cell].share}, measured(people), {median, found});
    out.findings.within(claim, rerun(fmt::format("{:.0f}", found), "4000 runs"),
                        {median, kUndefined, people.size()}, around(found, kRoomOfMedian * found),
                        "within 8 %");
    ++cell;
  };
  compare("people's answers until the certificate, median: people alone", "", kPeopleAlone);
  for (const AgreementRow& row : kAgreements) {
    for (std::size_t k = 0; k < kShares.size(); ++k) {
      compare(
          fmt::format("a judge that agrees in {:.0f} %, share {}", 100 * row.agreement, kShares[k]),
          fmt::format("{}", row.agreement), row.found[k]);
    }
  }
  return Done{};
}

// --- the arena -----------------------------------------------------------------------------------

// The first file that has votes of people.
Result<std::optional<JudgedVotes>> arena_votes(const ReproductionContext& context) {
  for (const std::string& file : context.data) {
    DUEL_ASSIGN(const std::string text, read_whole_file(file, std::size_t{1} << 30));
    const auto columns = columns_of_votes(text, file);
    if (!columns.ok() || std::ranges::find(*columns, "human") == columns->end()) continue;
    std::vector<std::string> models;
    for (const Model& model : kModels) models.emplace_back(model.column);
    DUEL_ASSIGN(JudgedVotes votes, read_judged_votes(text, file, "human", models));
    return std::optional(std::move(votes));
  }
  return std::optional<JudgedVotes>();
}

double certified_share(const std::vector<AuditReplay>& runs) {
  const auto certified = std::ranges::count_if(runs, [](const auto& run) { return run.sign != 0; });
  return static_cast<double>(certified) / static_cast<double>(runs.size());
}

// Runs that certified another arm than that which people prefer.
std::uint64_t wrong_of(const std::vector<AuditReplay>& runs, double lead) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(runs, [&](const auto& run) { return run.sign * lead < 0; }));
}

// Answers of people with audits for one of people alone: the geometric mean over pairs, whose
// standard error is that of the runs.
class PairRatio {
 public:
  void add(const Measured& audited, const Measured& alone) {
    const double ratio = audited.mean / alone.mean;
    logs_ += std::log(ratio);
    variance_ += std::pow(audited.se / audited.mean, 2) + std::pow(alone.se / alone.mean, 2);
    least_ = pairs_ == 0 ? ratio : std::min(least_, ratio);
    most_ = pairs_ == 0 ? ratio : std::max(most_, ratio);
    ++pairs_;
    trials_ += audited.trials;
  }
  std::size_t pairs() const { return pairs_; }
  double least() const { return least_; }
  double most() const { return most_; }
  Measured mean() const {
    const auto pairs = static_cast<double>(pairs_);
    const double value = std::exp(logs_ / pairs);
    return {value, value * std::sqrt(variance_) / pairs, trials_};
  }

 private:
  double logs_ = 0, variance_ = 0, least_ = 0, most_ = 0;
  std::size_t pairs_ = 0;
  std::uint64_t trials_ = 0;
};

Status play_arena(const ReproductionContext& context, const JudgedVotes& votes, Reproduction& out) {
  const std::uint32_t trials = context.size(20U, 600U);
  std::vector<std::vector<VotedPair>> pairs;  // by model
  for (std::size_t m = 0; m < kModels.size(); ++m) pairs.push_back(voted_pairs(votes, m));
  const std::size_t num_pairs = std::min(kPairsOfArena, pairs[0].size());
  constexpr std::size_t kCells = 1 + kModels.size() * kArenaShares.size();  // of a pair
  std::vector<AuditCell> cells;
  for (std::size_t k = 0; k < num_pairs; ++k) {
    const std::string name = fmt::format("{} {}", pairs[0][k].first, pairs[0][k].second);
    cells.push_back({name, &pairs[0][k].battles, 1});
    for (std::size_t m = 0; m < kModels.size(); ++m) {
      for (const double share : kArenaShares) {
        cells.push_back(
            {fmt::format("{} {} {}", name, kModels[m].column, share), &pairs[m][k].battles, share});
      }
    }
  }
  DUEL_ASSIGN(const auto runs, play_cells(context, cells, trials, "arena"));
  TidyTable& table =
      out.add_table("arena", "first,second,battles,judge,share", "median,certified,wrong");
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const VotedPair& pair = pairs[0][cell / kCells];
    const std::size_t of_pair = cell % kCells;
    const std::string judge =
        of_pair == 0 ? "" : kModels[(of_pair - 1) / kArenaShares.size()].column;
    const std::vector<double> people = people_of(runs[cell]);
    table.add({pair.first, pair.second, pair.battles.size(), judge, cells[cell].share},
              measured(people),
              {median_of(people), certified_share(runs[cell]),
               static_cast<double>(wrong_of(runs[cell], pair.lead()))});
  }
  // All of its ten cells, so that each mean is over the same pairs.
  const auto is_certified = [&](std::size_t pair) {
    for (std::size_t cell = pair * kCells; cell < (pair + 1) * kCells; ++cell) {
      if (certified_share(runs[cell]) < kNearlyAll) return false;
    }
    return true;
  };
  TidyTable& savings = out.add_table("arena-savings", "judge,share", "least,most,pairs,wrong");
  std::vector<std::string> left_out;
  for (std::size_t k = 0; k < num_pairs; ++k) {
    if (is_certified(k)) continue;
    left_out.push_back(fmt::format("{} against {}", pairs[0][k].first, pairs[0][k].second));
  }
  for (std::size_t m = 0; m < kModels.size(); ++m) {
    for (std::size_t s = 0; s < kArenaShares.size(); ++s) {
      PairRatio of_all, of_ten;
      std::uint64_t wrong = 0;
      for (std::size_t k = 0; k < num_pairs; ++k) {
        const auto& alone = runs[k * kCells];
        const auto& audited = runs[k * kCells + 1 + m * kArenaShares.size() + s];
        wrong += wrong_of(audited, pairs[0][k].lead());
        if (!is_certified(k)) continue;
        of_all.add(measured(people_of(audited)), measured(people_of(alone)));
        if (k < kPairsOfOthers) {
          of_ten.add(measured(people_of(audited)), measured(people_of(alone)));
        }
      }
      if (of_all.pairs() == 0 || of_ten.pairs() == 0) continue;
      savings.add({kModels[m].column, kArenaShares[s]}, of_all.mean(),
                  {of_all.least(), of_all.most(), static_cast<double>(of_all.pairs()),
                   static_cast<double>(wrong)});
      const std::string what =
          fmt::format("{} audited, share {}", kModels[m].name, kArenaShares[s]);
      out.findings.shown(fmt::format("{}: answers of people for one of people alone, {} pairs "
                                     "({:.2f} to {:.2f})",
                                     what, of_all.pairs(), of_all.least(), of_all.most()),
                         "-", of_all.mean());
      const std::string found = kModels[m].found[s];
      if (found != "-") {
        out.findings.shown(
            fmt::format("{}: the same, of the {} most frequent pairs", what, of_ten.pairs()),
            rerun(found, "600 runs"), of_ten.mean());
      }
      // A false certificate in either direction has a probability of at most 1/40.
      out.findings.within(
          fmt::format("{}: runs that certify the arm which people do not prefer", what), "-",
          measured_share(wrong, num_pairs * trials), {0, 0.025}, "at most 1/40");
    }
  }
  if (!left_out.empty()) {
    out.remarks.push_back(
        fmt::format("Not in the means, because some runs had no certificate after {} answers of "
                    "people: {}.",
                    most_people(context), fmt::join(left_out, "; ")));
  }
  return Done{};
}

// --- audits --------------------------------------------------------------------------------------

Result<Reproduction> run_audits(const ReproductionContext& context) {
  DUEL_ASSIGN(const std::optional<JudgedVotes> votes, arena_votes(context));
  Reproduction out{context.seed};
  DUEL_RETURN_IF_ERROR(play_two_arms(votes ? context.part(0, 0.3) : context, out));
  if (votes) {
    DUEL_RETURN_IF_ERROR(play_arena(context.part(0.3, 1), *votes, out));
  } else {
    out.findings.skipped("people audit three language models on the votes of an arena", "-",
                         std::string("it takes ") + kNeeds);
  }
  out.remarks.emplace_back(
      "A pair's battles are drawn with replacement until the evidence for one of its arms reaches "
      "40. What audits save depends on how well the judge knows people's answers: little below an "
      "agreement of 80 %.");
  return out;
}

const bool audits_are_registered = register_paper(
    "Duel's audits, after Angelopoulos et al. (Science 2023)",
    {{"audits", "people audit a judge",
      "How many answers of people a certificate about people takes when they audit a judge, of two "
      "arms and on the votes of an arena.",
      run_audits, kNeeds}});

}  // namespace
}  // namespace duel
