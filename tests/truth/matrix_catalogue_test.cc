#include "duel/truth/matrix_catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "duel/core/rng.h"
#include "duel/truth/matrix_reader.h"
#include "duel/truth/winners.h"
#include "tests/truth/matrices.h"

namespace duel {
namespace {

bool same_entries(const PreferenceMatrix& a, const PreferenceMatrix& b) {
  if (a.num_arms() != b.num_arms()) return false;
  for (Arm i = 0; i < a.num_arms(); ++i) {
    if (!std::ranges::equal(a.row(i), b.row(i))) return false;
  }
  return true;
}

std::string error_of(std::string_view text) {
  const auto result = resolve_matrix(text);
  EXPECT_FALSE(result.ok()) << text;
  return result.ok() ? "" : result.error().to_string();
}

TEST(MatrixCatalogue, every_example_resolves_to_a_matrix_of_that_name) {
  for (const MatrixKind& kind : matrix_catalogue()) {
    const auto matrix = resolve_matrix(kind.facts.example);
    ASSERT_TRUE(matrix.ok()) << kind.facts.example;
    EXPECT_EQ(matrix->name(), kind.facts.example);
    EXPECT_FALSE(kind.facts.doc.empty());
    EXPECT_FALSE(kind.facts.source.empty());
  }
}

TEST(MatrixCatalogue, canonical_names_show_every_option) {
  EXPECT_EQ(named("arithmetic").name(), "arithmetic(k=8,step=0.05)");
  EXPECT_EQ(named("bradley-terry( spread=1e0, k=4 )").name(), "bradley-terry(k=4,seed=1,spread=1)");
  EXPECT_EQ(named("thurstone(k=3)").name(), "thurstone(k=3,seed=1,spread=1)");
  EXPECT_EQ(named("random-condorcet").name(), "random-condorcet(k=10,seed=1,gap=0.05)");
  EXPECT_EQ(named("no-condorcet").name(), "no-condorcet(k=10,seed=1)");
  EXPECT_EQ(named("mallows").name(), "mallows(k=10,phi=0.7)");
  EXPECT_EQ(named("plackett-luce").name(), "plackett-luce(k=10,seed=1,spread=1)");
  EXPECT_EQ(named("arxiv").name(), "arxiv");
}

TEST(MatrixCatalogue, arithmetic_climbs_in_equal_steps_up_to_one) {
  const auto matrix = named("arithmetic");
  EXPECT_EQ(matrix.num_arms(), 8u);
  for (Arm i = 0; i < 8; ++i) {
    for (Arm j = 0; j < 8; ++j) {
      EXPECT_DOUBLE_EQ(matrix(i, j), 0.5 + 0.05 * (static_cast<double>(j) - i));
    }
  }
  EXPECT_EQ(matrix(0, 7), 0.85) << "the double nearest to the decimal, as in a file";
  const auto steep = named("arithmetic(k=4,step=0.3)");
  EXPECT_EQ(steep(0, 1), 0.8);
  EXPECT_EQ(steep(0, 2), 1.0);
  EXPECT_EQ(steep(3, 0), 0.0);
}

TEST(MatrixCatalogue, bradley_terry_is_logistic_in_normal_utilities) {
  const auto matrix = named("bradley-terry(k=5,seed=9,spread=2)");
  const Stream stream(9, 0, Purpose::generate, "bradley-terry");
  std::vector<double> u;
  for (Round i = 0; i < 5; ++i) {
    auto rng = stream.at(i);
    u.push_back(2 * rng.normal());
  }
  for (Arm i = 0; i < 5; ++i) {
    for (Arm j = 0; j < 5; ++j) {
      EXPECT_NEAR(matrix(i, j), std::exp(u[i]) / (std::exp(u[i]) + std::exp(u[j])), 1e-14);
    }
  }
}

TEST(MatrixCatalogue, thurstone_is_the_normal_distribution_of_a_difference) {
  const auto matrix = named("thurstone(k=3,seed=2,spread=1.5)");
  const Stream stream(2, 0, Purpose::generate, "thurstone");
  std::vector<double> mu;
  for (Round i = 0; i < 3; ++i) {
    auto rng = stream.at(i);
    mu.push_back(1.5 * rng.normal());
  }
  // X_1 - X_2 ~ N(mu_1 - mu_2, 2), by quadrature of its density on (0, inf).
  const double mean = mu[0] - mu[1];
  double mass = 0;
  const double step = 1e-4;
  for (double x = step / 2; x < std::abs(mean) + 15; x += step) {
    mass += std::exp(-(x - mean) * (x - mean) / 4) / std::sqrt(4 * M_PI) * step;
  }
  EXPECT_NEAR(matrix(0, 1), mass, 1e-8);
}

TEST(MatrixCatalogue, plackett_luce_pairs_are_bradley_terry_with_strengths_of_its_own) {
  const auto matrix = named("plackett-luce(k=3,seed=1)");
  EXPECT_FALSE(same_entries(matrix, named("bradley-terry(k=3,seed=1)")));
  // The product rule of Bradley-Terry: odds multiply along a path.
  const auto odds = [&](Arm i, Arm j) { return matrix(i, j) / matrix(j, i); };
  EXPECT_NEAR(odds(0, 1) * odds(1, 2), odds(0, 2), 1e-9 * odds(0, 2));
}

TEST(MatrixCatalogue, seeds_give_different_matrices_and_the_same_seed_the_same) {
  for (const char* name :
       {"bradley-terry", "thurstone", "random-condorcet", "no-condorcet", "plackett-luce"}) {
    const std::string call = std::string(name) + "(k=6,seed=";
    EXPECT_TRUE(same_entries(named(call + "3)"), named(call + "3)"))) << name;
    EXPECT_FALSE(same_entries(named(call + "3)"), named(call + "4)"))) << name;
  }
}

TEST(MatrixCatalogue, random_condorcet_has_a_winner_with_the_gap_asked_for) {
  std::vector<int> wins(4);
  for (int seed = 0; seed < 400; ++seed) {
    const auto matrix = named("random-condorcet(k=4,gap=0.2,seed=" + std::to_string(seed) + ")");
    const auto winner = condorcet_winner(matrix);
    ASSERT_TRUE(winner.has_value());
    ++wins[*winner];
    for (Arm j = 0; j < 4; ++j) {
      if (j != *winner) {
        EXPECT_GT(matrix(*winner, j), 0.7);
      }
    }
  }
  // Uniform winner: 100 expected, standard error sqrt(400 * .25 * .75) = 8.7; 5 of them.
  for (const int count : wins) EXPECT_NEAR(count, 100, 44);
  EXPECT_TRUE(condorcet_winner(named("random-condorcet(k=300,gap=0)")).has_value());
}

TEST(MatrixCatalogue, no_condorcet_has_no_winner) {
  for (int seed = 0; seed < 200; ++seed) {
    EXPECT_FALSE(condorcet_winner(named("no-condorcet(k=3,seed=" + std::to_string(seed) + ")")));
  }
  EXPECT_EQ(error_of("no-condorcet(k=2)"),
            "option 'k' of matrix 'no-condorcet': 2 is out of range (allowed: 3 .. 2000)");
}

// P(a before b) under Mallows by summing phi^inversions over all permutations.
double mallows_by_enumeration(int k, double phi, int a, int b) {
  std::vector<int> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), 0);
  double mass = 0, before = 0;
  do {
    int inversions = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) inversions += order[i] > order[j] ? 1 : 0;
    }
    const double weight = std::pow(phi, inversions);
    mass += weight;
    if (std::ranges::find(order, a) < std::ranges::find(order, b)) before += weight;
  } while (std::next_permutation(order.begin(), order.end()));
  return before / mass;
}

TEST(MatrixCatalogue, mallows_marginals_agree_with_all_permutations) {
  for (const double phi : {0.01, 0.3, 0.7, 0.95, 1.0}) {
    for (int k = 1; k <= 6; ++k) {
      const auto matrix =
          named("mallows(k=" + std::to_string(k) + ",phi=" + format_number(phi) + ")");
      for (int i = 0; i < k; ++i) {
        for (int j = i + 1; j < k; ++j) {
          EXPECT_NEAR(matrix(static_cast<Arm>(i), static_cast<Arm>(j)),
                      mallows_by_enumeration(k, phi, i, j), 1e-13);
        }
      }
    }
  }
}

TEST(MatrixCatalogue, mallows_near_pure_chance_stays_near_one_half) {
  const auto matrix = named("mallows(k=2000,phi=0.999999999)");
  EXPECT_NEAR(matrix(0, 1), 0.5, 1e-9);
  EXPECT_GT(matrix(0, 1999), 0.5);
  EXPECT_LT(matrix(0, 1999), 0.500001);
}

TEST(MatrixCatalogue, random_normals_have_mean_zero_and_variance_one) {
  const Stream stream(1, 0, Purpose::test, "normal");
  const int n = 200000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    auto rng = stream.at(static_cast<Round>(i));
    const double x = rng.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  // Five standard errors; Var x = 1, Var x^2 = 2, Var x^4 = 105 - 9 = 96.
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
}

TEST(MatrixCatalogue, unknown_names_and_options_come_with_the_nearest_spelling) {
  EXPECT_EQ(error_of("arxv"),
            "there is no matrix and no file named 'arxv' (did you mean 'arxiv'? known: arxiv, "
            "slides, mslr-slide, cyclic, arithmetic, bradley-terry, thurstone, random-condorcet, "
            "no-condorcet, mallows, plackett-luce)");
  EXPECT_EQ(error_of("bradley-terry(kk=3)"),
            "matrix 'bradley-terry' has no option 'kk' (did you mean 'k'? known: k, seed, spread)");
  EXPECT_EQ(error_of("arxiv(k=3)"), "matrix 'arxiv' has no option 'k' (it has no options)");
  EXPECT_EQ(error_of("bradley-terry(k=0)"),
            "option 'k' of matrix 'bradley-terry': 0 is out of range (allowed: 1 .. 2000)");
  EXPECT_EQ(error_of("bradley-terry(k=2001)"),
            "option 'k' of matrix 'bradley-terry': 2001 is out of range (allowed: 1 .. 2000)");
  EXPECT_EQ(error_of("mallows(phi=0)"),
            "option 'phi' of matrix 'mallows': 0 is out of range (allowed: > 0 and <= 1)");
  EXPECT_EQ(error_of("random-condorcet(gap=0.5)"),
            "option 'gap' of matrix 'random-condorcet': 0.5 is out of range "
            "(allowed: >= 0 and < 0.5)");
  EXPECT_EQ(error_of("arithmetic(k=8"),
            "'arithmetic(k=8': missing ')' at the end (write name or name(key=value, key=value))");
  const auto unknown = generate_matrix(CallSpec{"cyclc", {}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::invalid_argument);
}

TEST(MatrixCatalogue, names_come_before_files_and_paths_before_names) {
  const auto folder = std::filesystem::temp_directory_path() / "duel_matrix_catalogue_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "arxiv") << "x,y\n0.5,0.6\n0.4,0.5\n";
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  const auto builtin = resolve_matrix("arxiv");
  const auto file = resolve_matrix("./arxiv");
  std::filesystem::rename(folder / "arxiv", folder / "mine");
  const auto plain = resolve_matrix("mine");
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(builtin.ok() && file.ok() && plain.ok());
  EXPECT_EQ(builtin->num_arms(), 6u);
  EXPECT_EQ(file->num_arms(), 2u);
  EXPECT_EQ(plain->name(), "mine");
}

TEST(MatrixCatalogue, a_missing_file_is_called_a_missing_file) {
  EXPECT_EQ(error_of("no/such/matrix.csv"), "no/such/matrix.csv: there is no such file");
  EXPECT_EQ(resolve_matrix("matrix.csv").error().code, ErrorCode::not_found);
  EXPECT_EQ(resolve_matrix("matrx").error().code, ErrorCode::invalid_argument);
}

TEST(MatrixCatalogue, built_ins_equal_the_published_files_bit_for_bit) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "NOT CHECKED: the folder of published matrices is absent";
  for (const auto& [name, file] : {std::pair{"arxiv", "/rankers/arxiv_6.csv"},
                                   {"arithmetic", "/synthetic/arithmetic_8.csv"},
                                   {"cyclic", "/synthetic/cyclic_4.csv"}}) {
    const auto published = read_matrix_file(*folder + file);
    ASSERT_TRUE(published.ok());
    EXPECT_TRUE(same_entries(named(name), *published)) << name;
    EXPECT_EQ(named(name).arm_names(), published->arm_names());
  }
}

TEST(MatrixCatalogue, largest_generators_are_made) {
  EXPECT_EQ(named("bradley-terry(k=2000)").num_arms(), 2000u);
  EXPECT_EQ(named("no-condorcet(k=2000)").num_arms(), 2000u);
}

}  // namespace
}  // namespace duel
